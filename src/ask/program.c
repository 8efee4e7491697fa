#include "ask/program.h"

#include <string.h>

#include "ask/verb.h"

const struct ask_verb *const *ask_verbs_of(const struct ask *ask)
{
	return ask->program ? ask->program->verbs : ask_verbs;
}

const struct ask_verb *ask_verb_find(const struct ask *ask, const char *name)
{
	const struct ask_verb *const *all = ask_verbs_of(ask);
	for (size_t i = 0; all[i]; i++)
		if (strcmp(all[i]->name, name) == 0)
			return all[i];
	return NULL;
}

int ask_output_file(struct ask *ask, const char *id)
{
	return ask->folder ? ask->program->output_file(ask, id) : 0;
}

static void begin(struct ask_progress *p, struct ask *ask, const char *what, uint64_t total,
	const char *things, struct mer_session *of)
{
	*p = (struct ask_progress){
		.total_bytes = total, .things = things, .of = of, .what = what, .ask = ask
	};
	atomic_init(&p->done_bytes, 0);
	if (ask->program)
		ask->program->progress_begin(p);
}

void ask_progress_begin(
	struct ask_progress *p, struct ask *ask, const char *what, uint64_t total_bytes)
{
	begin(p, ask, what, total_bytes, NULL, NULL);
}

void ask_progress_follow(
	struct ask_progress *p, struct ask *ask, const char *what, struct mer_session *of)
{
	begin(p, ask, what, 0, NULL, of);
}

void ask_progress_count(struct ask_progress *p, struct ask *ask, const char *what,
	const char *things, uint64_t total)
{
	begin(p, ask, what, total, things, NULL);
}

void ask_progress_end(struct ask_progress *p)
{
	if (p->shown)
		p->ask->program->progress_end(p);
	p->shown = NULL;
}

const char *ask_cache_folder(struct ask *ask)
{
	return ask->program ? ask->program->cache_folder(ask) : NULL;
}

const char *ask_clocks_file(const struct ask *ask)
{
	bool is_word =
		!ask->sync || strcmp(ask->sync, "auto") == 0 || strcmp(ask->sync, "none") == 0;
	return is_word ? NULL : ask->sync;
}

int ask_spill_options(struct ask *ask, const struct mer_spill_options **options)
{
	/* A library has an open session, which knows. */
	static const struct mer_spill_options all_in_memory = { .in_memory = SIZE_MAX };
	*options = &all_in_memory;
	return ask->program ? ask->program->spill_options(ask, options) : 0;
}
