/* Fold: sums of time by stack, and as text the input of flame graph tools: a line for each stack,
 * its frames from the outermost on, and its nanoseconds.
 *
 *   client;wget/12;server;nginx/30;disk 8021345
 *
 * And what files for speedscope.app have in common. */
#ifndef MER_ASK_PRINT_FOLD_H
#define MER_ASK_PRINT_FOLD_H

#include "base/json.h"
#include "base/map.h"
#include "base/str.h"

struct ask_fold {
	struct mer_intern stacks; /* each as it is printed, but for the number */
	int64_t *ns;		  /* by stack */
	size_t cap;
	struct mer_str stack; /* the one that is being made */
	bool failed;	      /* no memory */
};

void ask_fold_init(struct ask_fold *f, struct mer_arena *arena);
void ask_fold_fini(struct ask_fold *f);
/* The next frame of the stack that is being made. Separators of the format, and what a terminal
 * would obey, are replaced. */
void ask_fold_frame(struct ask_fold *f, const char *name);
/* The stack is made; its time is added to that of the same stack. */
void ask_fold_add(struct ask_fold *f, int64_t ns);
int ask_fold_put(const struct ask_fold *f, struct mer_str *out, struct mer_err *err);

/* The same as a sampled profile for speedscope.app. */
int ask_fold_put_speedscope(const struct ask_fold *f, const char *name, struct mer_arena *arena,
	struct mer_str *out, struct mer_err *err);

/* A file for speedscope.app with one profile: what is between both are the keys of its type. */
void ask_speedscope_begin(
	struct mer_json *j, const char *name, const char *type, int64_t end_value);
void ask_speedscope_end(struct mer_json *j, const struct mer_intern *frames);

#endif
