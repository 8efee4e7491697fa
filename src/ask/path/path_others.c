#include "ask/path/path_others.h"

#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "ask/path/path_words.h"

enum { MOST = 64 }; /* tasks, and servers, that are looked at */

struct others {
	const char *servers[MOST]; /* that the path's own task used: "10.0.0.2:80" */
	struct {
		uint32_t host, task;
	} tasks[MOST];
	unsigned n_servers, n;
	const char *server; /* the one that is shared */
};

/* Above, ports are those that clients get, as Linux gives them. */
enum { FIRST_EPHEMERAL = 32768 };

/* "10.0.0.2:80" if it was in a call on a socket whose peer is a server; else, or if its port may be
 * that of a client, NULL. */
static const char *peer_of(const struct path *p, const struct path_segment *s)
{
	const struct kernel_host *h = &p->world->hosts[s->host];
	if (s->call == KERNEL_NONE || h->calls[s->call].object == KERNEL_NONE)
		return NULL;
	const char *name = kernel_name_text(h, h->calls[s->call].object);
	const char *port = name[0] == '/' ? NULL : strrchr(name, ':');
	char *end = NULL;
	unsigned long n = port ? strtoul(port + 1, &end, 10) : 0;
	return n && !*end && n < FIRST_EPHEMERAL ? name : NULL;
}

static bool is_of(const struct path_segment *s, uint32_t host, uint32_t task)
{
	return s->host == host && s->task == task;
}

static bool has_server(const struct others *x, const char *name)
{
	for (unsigned i = 0; i < x->n_servers; i++)
		if (strcmp(x->servers[i], name) == 0)
			return true;
	return false;
}

/* A task that the path's own one gives work to, or gets it from, is no other client. */
static bool is_next_to_own(const struct path *p, const struct path_segment *s)
{
	const struct path_segment *end = p->segments + p->n_segments;
	const struct path_segment *before = s, *after = s;
	while (before > p->segments && is_of(before, s->host, s->task))
		before--;
	while (after < end - 1 && is_of(after, s->host, s->task))
		after++;
	return is_of(before, p->host, p->task) || is_of(after, p->host, p->task);
}

static void add_other(struct others *x, const struct path_segment *s)
{
	for (unsigned i = 0; i < x->n; i++)
		if (x->tasks[i].host == s->host && x->tasks[i].task == s->task)
			return;
	if (x->n == MOST)
		return;
	x->tasks[x->n].host = s->host;
	x->tasks[x->n++].task = s->task;
}

static void find(const struct ask_path *c, struct others *x)
{
	const struct path *p = c->p;
	*x = (struct others){ 0 };
	for (size_t i = 0; i < p->n_segments && x->n_servers < MOST; i++) {
		const struct path_segment *s = &p->segments[i];
		const char *peer = is_of(s, p->host, p->task) ? peer_of(p, s) : NULL;
		if (peer && !has_server(x, peer))
			x->servers[x->n_servers++] = peer;
	}
	for (size_t i = 0; i < p->n_segments; i++) {
		const struct path_segment *s = &p->segments[i];
		if (s->task == KERNEL_NONE || is_of(s, p->host, p->task))
			continue;
		const char *peer = peer_of(p, s);
		if (!peer || !has_server(x, peer) || is_next_to_own(p, s))
			continue;
		x->server = x->server ? x->server : peer;
		add_other(x, s);
	}
}

void ask_path_put_others(const struct ask_path *c, struct mer_str *out)
{
	struct others x;
	find(c, &x);
	if (!x.n || c->holders)
		return;
	mer_str_printf(out, "The server at %s served other clients meanwhile (", x.server);
	path_put_task(c->p, x.tasks[0].host, x.tasks[0].task, out);
	if (x.n > 1)
		mer_str_printf(out, " and %u %s", x.n - 1, mer_plural(x.n - 1, "other", "others"));
	mer_str_puts(out, "), and this path follows it into their requests. "
			  "'meridian requests --list' has the id of each request, and "
			  "'meridian path --request ID' follows that one alone.\n\n");
}

void ask_path_add_others(const struct ask_path *c, struct answer *a)
{
	enum { HOST, TID, COMM, N };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", NULL, MER_TEXT },
		[TID] = { "tid", NULL, MER_ID },
		[COMM] = { "comm", NULL, MER_TEXT },
	};
	struct mer_table *t = answer_add_beside(a, "other_clients", NULL, columns);
	struct others x;
	find(c, &x);
	for (unsigned i = 0; i < x.n && !c->holders; i++) {
		uint32_t host = x.tasks[i].host, task = x.tasks[i].task;
		mer_table_add(t, (struct mer_cell[N]){
					 [HOST] = mer_text(path_host_name(c->p, host)),
					 [TID] = MER_INT(path_tid(c->p, host, task)),
					 [COMM] = mer_text(path_comm(c->p, host, task)),
				 });
	}
}
