#include "made_requests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 8 };

void made_requests_open(struct made_requests *m, const char *world)
{
	*m = (struct made_requests){ .host.name = "h\"1" };
	m->e = (struct mer_experiment){ .hosts = &m->host, .n_hosts = 1 };
	calls_world_open(&m->c, world);
	m->c.w.e = &m->e;
	m->w = (struct session_world){ .e = &m->e, .world = &m->c.w };
	assert_int_equal(requests_kinds_find(m->c.r, &m->kinds, &m->ask.err), 0);
}

const char *made_requests_write(
	struct made_requests *m, made_requests_writer *write, const char *chosen)
{
	uint32_t which[MOST], n = 0;
	char id[REQUESTS_ID_BYTES];
	for (uint32_t i = 0; i < m->c.r->n && n < MOST; i++) {
		requests_id_text(m->c.r, i, id);
		if (strstr(chosen, id))
			which[n++] = i;
	}
	struct ask_requests q = { .ask = &m->ask,
		.w = &m->w,
		.r = m->c.r,
		.kinds = &m->kinds,
		.parts = m->c.parts,
		.which = which,
		.n = n };
	mer_str_clear(&m->out);
	assert_int_equal(write(&q, NULL, &m->out), 0);
	return m->out.data;
}

void made_requests_close(struct made_requests *m)
{
	mer_str_fini(&m->out);
	requests_kinds_fini(&m->kinds);
	m->c.w.e = NULL;
	calls_world_close(&m->c);
}
