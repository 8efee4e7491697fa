/* meridian query: questions in SQL. Statements come from the command line, a file, standard input
 * or a prompt; what they find is printed as any answer is. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/verb.h"
#include "cli/output.h"

struct values {
	const char *file;
	struct session_texts tables;
};

#ifdef MER_HAS_SQLITE

#include "ask/answer.h"
#include "ask/print/answer_print.h"
#include "ask/print/table.h"
#include "ask/print/text.h"
#include "ask/reports/grid.h"
#include "ask/session.h"
#include "ask/words/here.h"
#include "base/glob.h"
#include "query/query.h"
#include "query/tables.h"

enum {
	MOST_RESULTS = ANSWER_TABLES, /* statements with one answer */
	MOST_SHOWN = 10000,	      /* rows, to people */
	MOST_BYTES = 1 << 20	      /* of a file of statements */
};

struct asked {
	struct ask *ask;
	struct session *session;
	struct query *query;
	bool is_synchronized;
	size_t n_statements;
	struct query_result results[MOST_RESULTS]; /* for programs, which get all of them at once */
	size_t n_results;
};

/* ---- Lists of tables ---- */

static int print_tables(struct ask *ask, const struct query_table *all, size_t n, const char *like)
{
	enum { NAME, TITLE, COLUMNS, N };
	static const struct mer_column columns[N + 1] = {
		[NAME] = { "name", "Table", MER_TEXT },
		[TITLE] = { "title", "Title", MER_TEXT },
		[COLUMNS] = { "columns", NULL, MER_COUNT },
	};
	struct mer_table t;
	mer_table_init(&t, "tables", NULL, columns, &ask->arena);
	for (size_t i = 0; i < n; i++) {
		int64_t n_columns = 0;
		while (all[i].columns[n_columns].key)
			n_columns++;
		if (!*like || mer_glob(like, all[i].name))
			mer_table_add(&t, (struct mer_cell[N]){
						  [NAME] = mer_text(all[i].name),
						  [TITLE] = mer_text(all[i].title),
						  [COLUMNS] = MER_INT(n_columns),
					  });
	}
	int rc = ask_table_print(ask, &t);
	mer_table_fini(&t);
	return rc;
}

static int print_schema(struct ask *ask, const struct query_table *all, size_t n, const char *like)
{
	struct mer_str out = { 0 };
	for (size_t i = 0; i < n; i++) {
		if (*like && !mer_glob(like, all[i].name))
			continue;
		query_table_schema(&all[i], false, &out);
		mer_str_puts(&out, ";\n");
	}
	if (!out.len)
		return query_no_table(all, n, like, &ask->err);
	return ask_put(ask, &out, 0);
}

static const char *after_word(const char *line, const char *word)
{
	size_t n = strlen(word);
	if (strncmp(line, word, n) != 0 || (line[n] && !strchr(" \t\r\n;", line[n])))
		return NULL;
	return line + n + strspn(line + n, " \t\r\n;");
}

static bool is_command(const char *text)
{
	static const char *const words[] = { ".tables", ".schema", ".quit", ".exit", ".help" };
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (after_word(text, words[i]))
			return true;
	return false;
}

/* ".tables", with or without the traces. *ends: there is nothing after it. */
static int run_command(struct ask *ask, const char *line, bool *ends)
{
	size_t n;
	const struct query_table *all = query_tables(&ask->arena, ask->views.n > 0, &n);
	const char *tables = after_word(line, ".tables"), *schema = after_word(line, ".schema");
	const char *of = tables ? tables : schema ? schema : "";
	const char *like = mer_arena_strndup(&ask->arena, of, strcspn(of, " \t\r\n;"));
	struct mer_str help = { 0 };
	*ends = after_word(line, ".quit") || after_word(line, ".exit");
	if (!all || !n || !like)
		return mer_fail_nomem(&ask->err);
	if (tables)
		return print_tables(ask, all, n, like);
	if (schema)
		return print_schema(ask, all, n, like);
	if (*ends)
		return 0;
	mer_str_puts(&help, ".tables [PATTERN]  the tables, and what they are of\n"
			    ".schema [TABLE]    their columns\n"
			    ".quit              ends\n"
			    "A statement ends with a semicolon.\n");
	return ask_put(ask, &help, 0);
}

/* ---- Answers ---- */

static int more(void *ctx, struct mer_table *t, struct mer_err *err)
{
	enum { SOME = 4096 };
	(void)err;
	query_result_next(ctx, SOME, t);
	return 0;
}

/* For people: as much as they may read. */
static int show(struct asked *x, struct query_result *r)
{
	struct ask *ask = x->ask;
	struct mer_table t;
	struct mer_arena texts;
	struct mer_str out = { 0 };
	mer_arena_init(&texts);
	mer_table_init(&t, "result", NULL, r->columns, &texts);
	query_result_next(r, MOST_SHOWN, &t);
	if (x->n_statements > 1)
		mer_str_putc(&out, '\n');
	if (t.n_rows)
		ask_table_text(&t, &out, (size_t)ask_width(ask), ask->bold_out, ask->ascii);
	else
		mer_str_puts(&out, "No rows.\n");
	if (r->n_rows > t.n_rows) {
		mer_str_puts(&out, "... of ");
		ask_text_things(&out, r->n_rows, "row", "rows");
		mer_str_puts(&out, "; --format csv has all\n");
	}
	out.failed |= t.failed;
	mer_table_fini(&t);
	mer_arena_fini(&texts);
	return ask_put(ask, &out, 0);
}

static int print_results(struct asked *x)
{
	struct answer a;
	ask_answer_init(x->ask, session_experiment(x->session), true, &a);
	for (size_t i = 0; i < x->n_results; i++) {
		const char *id = i ? mer_arena_printf(&a.arena, "result_%zu", i + 1) : "result";
		answer_stream(
			&a, id ? id : "result", NULL, x->results[i].columns, more, &x->results[i]);
	}
	int rc = ask_answer_print(x->ask, &a);
	answer_fini(&a);
	return rc;
}

/* A table without rows may be one of which nothing was recorded: then 0 is no answer. */
static int warn_of_lacking(struct asked *x)
{
	enum { MOST = 16 };
	const struct query_table *empty[MOST];
	size_t n = query_empty_tables(x->query, empty, MOST);
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		struct mer_str fix = { 0 };
		if (empty[i]->needs)
			rc = ask_grid_lacking(
				x->ask, session_experiment(x->session), empty[i]->needs, &fix);
		if (rc == 0 && fix.len) {
			ask_warn(x->ask,
				"%s has no rows: the traces lack the events that it is made of ('meridian check' lists what to record)",
				empty[i]->name);
			x->ask->unanswered = true;
		}
		mer_str_fini(&fix);
	}
	return rc;
}

/* One after the other. */
static int run_statements(struct asked *x, const char *sql)
{
	struct ask *ask = x->ask;
	int rc = 0;
	while (rc == 0 && *sql) {
		struct query_result *r = &x->results[x->n_results];
		if (x->n_statements)
			session_next_question(x->session);
		rc = query_run(x->query, sql, &sql, r, &ask->err);
		if (rc || !r->is_begun)
			continue;
		x->n_statements++;
		rc = warn_of_lacking(x);
		if (rc == 0 && ask->format == ASK_FORMAT_TABLE)
			rc = show(x, r);
		else if (rc == 0 && ++x->n_results == MOST_RESULTS)
			rc = mer_fail(&ask->err, MER_ERR_USAGE, "at most %d statements at a time",
				(int)MOST_RESULTS - 1);
	}
	return rc;
}

static void forget_results(struct asked *x)
{
	for (size_t i = 0; i < MOST_RESULTS; i++)
		query_result_fini(&x->results[i]);
	x->n_results = 0;
}

/* ---- The prompt ---- */

static struct session *volatile waiting_for; /* what an interrupt ends; NULL: nothing runs */

static void on_interrupt(int number)
{
	(void)number;
	if (waiting_for)
		session_cancel(waiting_for);
}

/* Of the prompt an error is said, and it goes on. */
static int answer_line(struct asked *x, const char *text)
{
	struct ask *ask = x->ask;
	waiting_for = x->session;
	int rc = run_statements(x, text);
	waiting_for = NULL;
	session_resume(x->session);
	if (rc == 0 && x->n_results)
		rc = print_results(x);
	forget_results(x);
	fflush(ask->out);
	return rc;
}

static void say_error(struct ask *ask, int rc)
{
	ask_error(
		ask, "%s", rc == MER_ERR_CANCELLED ? "interrupted" : ask_err_text(ask, &ask->err));
	ask->err = (struct mer_err){ 0 };
}

static int prompt(struct asked *x)
{
	struct ask *ask = x->ask;
	struct mer_str text = { 0 };
	char *line = NULL;
	size_t cap = 0;
	bool ends = false;
	struct sigaction act = { .sa_handler = on_interrupt }, before;
	sigaction(SIGINT, &act, &before);
	while (!ends) {
		fputs(text.len ? "   ...> " : "query> ", ask->out);
		fflush(ask->out);
		errno = 0;
		if (getline(&line, &cap, stdin) < 0) {
			if (errno != EINTR)
				break;
			clearerr(stdin);
			mer_str_clear(&text);
			fputc('\n', ask->out);
			continue;
		}
		int rc = 0;
		if (!text.len && *line == '.') {
			rc = is_command(line) ? run_command(ask, line, &ends)
					      : mer_fail(&ask->err, MER_ERR_USAGE,
							"no such command (.help lists them)");
		} else {
			mer_str_puts(&text, line);
			if (text.failed)
				rc = mer_fail_nomem(&ask->err);
			else if (query_is_complete(text.data))
				rc = answer_line(x, text.data);
			else
				continue;
			mer_str_clear(&text);
		}
		if (rc)
			say_error(ask, rc);
	}
	sigaction(SIGINT, &before, NULL);
	free(line);
	mer_str_fini(&text);
	return 0;
}

/* ---- What is asked ---- */

/* A word is a trace if there is a file of its name. */
static bool is_query(const char *word)
{
	struct stat st;
	return stat(word, &st) != 0 && (is_command(word) || strpbrk(word, " \t\n"));
}

/* The last word may be the query. */
static const char *take_query(struct ask *ask)
{
	const char *last = ask->n_args ? ask->args[ask->n_args - 1] : NULL;
	if (!last || !is_query(last))
		return NULL;
	ask->n_args--;
	return last;
}

static int read_all(struct ask *ask, FILE *in, const char *name, struct mer_str *text)
{
	char part[4096];
	size_t n;
	while ((n = fread(part, 1, sizeof(part), in)) > 0 && text->len <= MOST_BYTES)
		mer_str_add(text, part, n);
	if (ferror(in))
		return mer_fail_errno(&ask->err, "read", name);
	if (text->failed)
		return mer_fail_nomem(&ask->err);
	if (text->len > MOST_BYTES || (text->len && memchr(text->data, 0, text->len)))
		return mer_fail(&ask->err, MER_ERR_USAGE, "%.200s: %s", name,
			text->len > MOST_BYTES ? "more than 1 MiB of statements"
					       : "this is no text");
	return 0;
}

static int read_file(struct ask *ask, const char *name, struct mer_str *text)
{
	FILE *in = strcmp(name, "-") == 0 ? stdin : fopen(name, "re");
	if (!in)
		return mer_fail_errno(&ask->err, "read", name);
	int rc = read_all(ask, in, in == stdin ? "standard input" : name, text);
	if (in != stdin)
		fclose(in);
	return rc;
}

/* Clocks are aligned when the first rows are needed, with messages if they will be, too. */
static int prepare(void *ctx, bool messages, struct mer_err *err)
{
	struct asked *x = ctx;
	if (x->is_synchronized)
		return 0;
	int rc = ask_session_synchronize(x->ask, x->session, messages);
	x->is_synchronized = rc == 0;
	if (rc)
		*err = x->ask->err;
	return rc;
}

static int save(struct asked *x, const struct values *v)
{
	struct ask *ask = x->ask;
	struct mer_table made;
	mer_table_init(&made, "saved", NULL, query_saved_columns, NULL);
	int rc = query_save(x->query, ask->output, v->tables.item, v->tables.n, &made, &ask->err);
	if (rc == 0)
		rc = ask_table_print(ask, &made);
	mer_table_fini(&made);
	return rc;
}

static int answer(struct asked *x, const struct values *v, const char *sql, bool is_prompt)
{
	struct ask *ask = x->ask;
	const struct query_of of = { .session = ask->library,
		.select = &ask->select,
		.views = ask->views.n > 0,
		.prepare = prepare,
		.ctx = x };
	int rc = query_new(&of, &x->query, &ask->err);
	if (rc == 0 && cli_writes_itself(ask))
		rc = save(x, v);
	else if (rc == 0 && is_prompt)
		rc = prompt(x);
	else if (rc == 0)
		rc = run_statements(x, sql);
	if (rc == 0 && x->n_results)
		rc = print_results(x);
	forget_results(x);
	query_free(x->query);
	return rc;
}

static int open_and_answer(struct ask *ask, const struct values *v, const char *sql, bool is_prompt)
{
	struct asked *x = calloc(1, sizeof(*x));
	if (!x)
		return mer_fail_nomem(&ask->err);
	x->ask = ask;
	int rc = ask_session_open(ask, &x->session);
	if (rc == 0)
		rc = answer(x, v, sql, is_prompt);
	ask_session_close(ask, x->session);
	free(x);
	return rc;
}

static int run(struct ask *ask, const void *values)
{
	const struct values *v = values;
	struct mer_str text = { 0 };
	bool saves = cli_writes_itself(ask), ends;
	const char *sql = v->file ? NULL : take_query(ask);
	int rc = 0;
	if (saves && (v->file || sql))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"-o %.200s: a database has tables, not what a query finds (-o FILE.csv --format csv)",
			ask->output);
	if (v->tables.n && !saves)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--table says which tables -o FILE.db has; there is none");
	if (sql && is_command(sql))
		return run_command(ask, sql, &ends);
	if (!ask->n_args && !ask_here_add(ask))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"no traces were named, and the current folder has none");
	bool is_prompt = !saves && !sql && !v->file && isatty(STDIN_FILENO);
	if (!saves && !sql && !is_prompt) {
		rc = read_file(ask, v->file ? v->file : "-", &text);
		sql = text.data ? text.data : "";
		if (rc == 0 && !sql[strspn(sql, " \t\r\n")])
			rc = mer_fail(&ask->err, MER_ERR_USAGE,
				"no query: it is the last word, or in a file (-f), or comes from standard input");
	}
	if (rc == 0)
		rc = open_and_answer(ask, v, sql, is_prompt);
	mer_str_fini(&text);
	return rc;
}

#else

static int run(struct ask *ask, const void *values)
{
	(void)values;
	return mer_fail(&ask->err, MER_ERR_USAGE,
		"this meridian was built without SQLite 3.38 or later: install libsqlite3-dev and build it again");
}

#endif

static const struct ask_option options[] = {
	{ .name = "file",
		.letter = 'f',
		.kind = ASK_FILE,
		.arg = "FILE",
		.help = "read the statements from FILE (-: standard input)",
		.offset = offsetof(struct values, file) },
	{ .name = "table",
		.kind = ASK_TEXTS,
		.arg = "TABLE",
		.help = "with -o FILE.db: only these tables (sched,top_cpu)",
		.offset = offsetof(struct values, tables) },
	{ 0 },
};

const struct ask_verb cli_verb_query = {
	.name = "query",
	.help = "ask anything in SQL: what happened, and all tables",
	.is_aside = true,
	.synopsis = "[OPTION...] TRACE... ['SELECT ...']",
	.description =
		"Answers questions in SQL (of SQLite). Every kind of facts that 'meridian log' lists "
		"is a table of this name: sched, syscall, disk, waits, requests, messages, ... Tables of "
		"other verbs have the verb in front: top_cpu, stats_syscall, requests_kinds, sync_hosts. 'meridian query .tables' lists "
		"them, '.schema TABLE' their columns, which are those of --format csv.\n\n"
		"Without a query statements are read from standard input; on a terminal, at a prompt. "
		"-o FILE.db writes all tables to a database of SQLite.",
	.more = "Times are whole nanoseconds since 1970 on the clock of the reference host, durations whole "
		"nanoseconds. What is not known is NULL, never 0. All rows are there, as with --all --limit 0: also idle "
		"waits, and what the tracer did.\n\n"
		"--begin, --end, --host, --tid, ... choose what all tables are made of. Conditions on the first column (the "
		"time), host and tid of facts do the same for one table, where they are compared with numbers and texts: "
		"where a store has the facts, a second of an hour costs a second. A condition on the class of a wait is one among all waits.\n\n"
		"A query only reads: statements that write, attach a database, load an extension or change a setting are "
		"refused. Names of columns say what they count, for text: total_ns is shown as a duration, begin as a time.\n\n"
		"docs/queries.md has questions worth asking.",
	.formats = "table|json|jsonl|csv",
	.writes = "db|sqlite|sqlite3",
	.uses = (ASK_USES_TASKS & ~(unsigned)ASK_USES_MARKS) | ASK_USES_CPU | ASK_USES_VIEWS |
		ASK_USES_TABLES,
	.options = options,
	.values_size = sizeof(struct values),
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian query client/ server/ 'select comm, count(*) from sched group by 1'",
			"How often each program was woken." },
		{ "meridian query -o all.db client/ server/",
			"All tables, for sqlite3 and other programs." },
	},
	.run = run,
};
