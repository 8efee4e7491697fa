/* Fold: sums of time by stack, and as text the input of flame graph tools: a line for each stack,
 * its frames from the outermost on, and its nanoseconds.
 *
 *   client;wget/12;server;nginx/30;disk 8021345
 *
 * And what files for speedscope.app have in common. */
#ifndef MER_CLI_FOLD_H
#define MER_CLI_FOLD_H

#include "base/json.h"
#include "base/map.h"
#include "base/str.h"

struct cli_fold {
	struct mer_intern stacks; /* each as it is printed, but for the number */
	int64_t *ns;		  /* by stack */
	size_t cap;
	struct mer_str stack; /* the one that is being made */
	bool failed;	      /* no memory */
};

void cli_fold_init(struct cli_fold *f, struct mer_arena *arena);
void cli_fold_fini(struct cli_fold *f);
/* The next frame of the stack that is being made. Separators of the format, and what a terminal
 * would obey, are replaced. */
void cli_fold_frame(struct cli_fold *f, const char *name);
/* The stack is made; its time is added to that of the same stack. */
void cli_fold_add(struct cli_fold *f, int64_t ns);
int cli_fold_put(const struct cli_fold *f, struct mer_str *out, struct mer_err *err);

/* The same as a sampled profile for speedscope.app. */
int cli_fold_put_speedscope(const struct cli_fold *f, const char *name, struct mer_arena *arena,
	struct mer_str *out, struct mer_err *err);

/* A file for speedscope.app with one profile: what is between both are the keys of its type. */
void cli_speedscope_begin(
	struct mer_json *j, const char *name, const char *type, int64_t end_value);
void cli_speedscope_end(struct mer_json *j, const struct mer_intern *frames);

#endif
