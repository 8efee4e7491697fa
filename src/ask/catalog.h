/* Catalog: the questions worth opening, each of them once: for menus, the page, reports and other
 * programs. Those about analyses come from the analyses' own descriptions.
 *
 * A question is asked in words (words.h). A topic is a subject such as disks: some questions, what
 * is drawn over time, and how many lasted how long. A comparison is what two ranges of time are
 * compared by.
 *
 * Series, groups and rows are named by a pattern: "{host} {name|nr}{/tid}" has columns in braces,
 * of which the first that is known counts. What is no letter and begins a brace is left out where
 * none is known, and what is no key stands for itself: "{cause|?}". */
#ifndef MER_ASK_CATALOG_H
#define MER_ASK_CATALOG_H

#include "analysis/analysis.h"
#include "ask/answer.h"

enum ask_about {	   /* what a question is of */
	ASK_ABOUT_WINDOW,  /* a range of time */
	ASK_ABOUT_ALL,	   /* the whole recording */
	ASK_ABOUT_INSTANT, /* a moment: --at */
	ASK_ABOUT_TASK	   /* a task in a range of time */
};

enum { ASK_QUESTION_LISTS = 3 };

struct ask_question {
	const char *title;
	const char *verb; /* NULL: a table for pictures, which no verb prints by its name */
	const struct analysis *analysis; /* NULL: of none */
	unsigned output;		 /* of the analysis */
	const char *table;		 /* the value of --table; NULL: the verb's own */
	const char *option;		 /* what makes it this question: "--list"; NULL: nothing */
	uint32_t limit;			 /* of rows, where there may be many; 0: none */
	/* Ids of the tables of its answer that are worth looking at, in order; none: all. */
	const char *lists[ASK_QUESTION_LISTS];
	enum ask_about about;
	bool has_filter;
	bool in_menu; /* it needs nothing but the traces, and viewers have no page of their own */
};

/* All of them, in the arena; *n = 0: no memory. */
const struct ask_question *ask_questions(struct mer_arena *arena, size_t *n);
/* Adds its words, separated by blanks: "top cpu --table processes". */
void ask_question_words(const struct ask_question *q, struct mer_str *out);

enum { ASK_TOPIC_QUESTIONS = 4, ASK_TOPIC_CURVES = 5 };

enum ask_curve_how {
	/* Values are sums over a bin: as MER_RATIO they are parts of its time, as MER_RATE per
	 * second; rows of one name add up, and where there is no row they are 0. */
	ASK_CURVE_SUM = 1,
	ASK_CURVE_GAPS /* no line where most of the time is unknown */
};

struct ask_topic {
	const char *id; /* the analysis, of which are curves ("top ID --bins N") and histogram */
	const char *title;
	/* Rows of each table, and bins of the curves, that a report has: fewer than the page, as it
	 * is sent by mail. 0: it has no such topic. */
	uint32_t report_rows, report_bins;
	const char *durations; /* pattern: the groups of "freq ID"; NULL: there is none */
	const char *questions[ASK_TOPIC_QUESTIONS]; /* in words */
	struct ask_curve {
		const char *title;  /* NULL: there are no more */
		const char *value;  /* key of the column */
		enum mer_type type; /* what is drawn */
		const char *name;   /* pattern: rows of one name are a curve */
		const char *of;	    /* only rows with this in column "of"; NULL: all */
		enum ask_curve_how how;
	} curves[ASK_TOPIC_CURVES];
};
extern const struct ask_topic ask_topics[]; /* ends with {0}; the first is there always */

struct ask_comparison {
	const char *id, *title;
	const char *words; /* a question, with what else is asked */
	const char *table; /* of its answer */
	const char *name;  /* pattern: rows of one name add up */
	const char *value; /* key of the column */
	enum mer_type type;
	bool is_total; /* a longer range has more of it */
};
extern const struct ask_comparison ask_comparisons[]; /* ends with {0} */

/* All of it as tables: questions, topics, topic_questions, curves, comparisons. */
int ask_catalog(struct answer *a, struct mer_err *err);
/* Of these questions the columns, and rows, that say which tables programs may have by analysis and
 * id (mer_session_catalog). t has these columns, and an arena. */
extern const struct mer_column *const ask_catalog_columns;
void ask_catalog_tables(struct mer_table *t);

#endif
