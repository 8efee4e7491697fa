#include "session/findings.h"

#include "session/state.h"

static void forget(struct session_found *f)
{
	mer_diags_fini(&f->diags);
	mer_arena_fini(&f->arena);
	*f = (struct session_found){ 0 };
}

void session_found_forget(struct session *s)
{
	for (int i = 0; i < SESSION_N_KEPT; i++)
		forget(&s->found[i]);
	mer_diags_fini(&s->opened);
}

void session_found_begin(struct session *s, enum session_kept what)
{
	struct session_found *f = &s->found[what];
	forget(f);
	f->before = s->e->diags;
	mer_diags_init(&s->e->diags, &f->arena);
}

void session_found_end(struct session *s, enum session_kept what)
{
	struct session_found *f = &s->found[what];
	f->diags = s->e->diags;
	s->e->diags = f->before;
	session_found_tell(s, what);
}

/* Not twice: rows that were folded into others would count again. */
void session_found_tell(struct session *s, enum session_kept what)
{
	struct session_found *f = &s->found[what];
	if (!f->is_told[s->is_asked])
		mer_diags_merge_new(&s->e->diags, &f->diags);
	f->is_told[s->is_asked] = true;
}

bool session_findings_begin(struct session *s, struct session_findings *f)
{
	struct mer_diags own;
	mer_arena_init(&f->arena);
	mer_diags_init(&own, &f->arena);
	mer_diags_merge(&own, &s->opened);
	if (own.n != s->opened.n) {
		mer_diags_fini(&own);
		mer_arena_fini(&f->arena);
		return false;
	}
	f->before = s->e->diags;
	s->e->diags = own;
	s->is_asked = true;
	for (int i = 0; i < SESSION_N_KEPT; i++)
		s->found[i].is_told[true] = false;
	return true;
}

void session_findings_end(struct session *s, struct session_findings *f)
{
	mer_diags_fini(&s->e->diags);
	s->e->diags = f->before;
	s->is_asked = false;
	mer_arena_fini(&f->arena);
}
