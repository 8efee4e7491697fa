#include "server/endpoints.h"

#include <string.h>

#include "base/cut_files.h"

const struct endpoint server_endpoints[] = {
	{ "GET", "/", "the page", server_page },
	{ "GET", "/api/status",
		"JSON: how far the traces are read, hosts; clocks, begin and end once these are known",
		server_status },
	{ "GET", "/api/overview",
		"JSON: bytes recorded over the time of each host, at once; while the traces are read the first time also how busy its CPUs were, as far as that is (busy_ns; null: not read yet)",
		server_overview },
	{ "GET", "/api/catalog",
		"JSON: the questions worth opening, as tables: in words, what each is about; topics with their questions and curves; comparisons of ranges",
		server_catalog },
	{ "GET", "/api/run",
		"what a command prints; its words are the arguments w, without traces: w=top&w=cpu",
		server_run },
	{ "GET", "/api/query", "JSON: the tables that a query may name, and their columns",
		server_query_tables },
	{ "POST", "/api/query",
		"JSON: what the statement in SQL in the body finds, as tables; rows=N of each at most (10000), seconds=N at most (60)",
		server_query },
	{ "GET", "/api/tasks", "JSON: all tasks of all hosts, with their numbers for lanes",
		server_tasks },
	{ "GET", "/api/lanes",
		"bytes: what CPUs and tasks did from begin to end, for a picture; lanes=c:HOST:CPU,t:HOST:TASK,...; bins=N",
		server_lanes },
	{ "GET", "/api/programs", "JSON: rows that views declare, and ranks of MPI programs",
		server_programs },
	{ "GET", "/api/states",
		"JSON: states, values, marks and arrows of such rows from begin to end, for a picture; rows=s:HOST:ROW,m:0:LINE,...; bins=N",
		server_states },
	{ "GET", "/metrics",
		"OpenMetrics: hosts, clocks, losses, use of CPUs, waits and requests, for Prometheus; while the traces are read only how far that is",
		server_metrics },
	{ "GET", "/api/marks", "JSON: marks of these traces, by line of their file", server_marks },
	{ "POST", "/api/marks",
		"adds the mark in the body: begin, end and text with tabs between; answers as GET",
		server_marks_add },
	{ "DELETE", "/api/marks", "removes the mark of line=N with text=TEXT; answers as GET",
		server_marks_remove },
	{ 0 },
};

/* Is the path one of the protocol's? */
static bool is_of_viewer(const struct server *s, const char *path)
{
	const struct server_protocol *p = s->o.protocol;
	return p && strncmp(p->path, path, strlen(p->path)) == 0;
}

int server_check_cut(struct mer_err *err)
{
	return !mer_cut_files_seen()
		       ? 0
		       : mer_fail(err, MER_ERR_SYS,
				 "a file of the traces became shorter while it was being read: end this server, and start it again");
}

/* The page itself is still sent, and shows the reason. */
static void refuse_if_cut(const char *path, struct http_answer *a)
{
	struct mer_err err;
	if (strcmp(path, "/") == 0 || server_check_cut(&err) == 0)
		return;
	a->fixed = NULL;
	a->is_gzip = false;
	server_refuse(a, 500, "%s", err.text);
}

void server_find(
	struct server *s, const struct http_request *r, const char *path, struct http_answer *a)
{
	const struct endpoint *e = server_endpoints;
	bool is_get = strcmp(r->method, "GET") == 0 || strcmp(r->method, "HEAD") == 0;
	bool is_there = false, can_change = false;
	struct http_request own = *r;
	own.path = path;
	if (is_of_viewer(s, path)) {
		s->o.protocol->answer(s, s->protocol, &own, a);
		refuse_if_cut(path, a);
		return;
	}
	for (; e->path; e++) {
		if (strcmp(e->path, path) != 0)
			continue;
		is_there = true;
		can_change |= strcmp(e->method, "GET") != 0;
		if (strcmp(e->method, is_get ? "GET" : r->method) == 0)
			break;
	}
	if (e->path) {
		e->handler(s, &own, a);
		refuse_if_cut(path, a);
	} else if (is_there) {
		a->allow = can_change ? "GET, HEAD, POST, DELETE" : "GET, HEAD";
		server_refuse(a, 405, "%s",
			can_change ? "only GET, POST and DELETE are answered here"
				   : "nothing here can be changed: only GET is answered");
	} else {
		server_refuse(
			a, 404, "there is no '%.100s': docs/api.md lists what there is", path);
	}
}

void server_route(void *ctx, const struct http_request *r, struct http_answer *a)
{
	struct server *s = ctx;
	if (!guard_host(&s->guard, r->host)) {
		server_refuse(
			a, 403, "the name of the host in the address is not one of this server's");
		return;
	}
	const char *path = guard_path(&s->guard, r->path);
	if (path && is_of_viewer(s, path) ? !guard_viewer(&s->guard, r->origin)
					  : !guard_origin(&s->guard, r->origin, r->host)) {
		server_refuse(a, 403, "pages of other sites may not ask this server");
		return;
	}
	if (!path)
		server_refuse(a, 403,
			"the address lacks the token: use the whole address that 'meridian serve' printed");
	else if (!*path) { /* redirect: relative URLs of the page need the "/" */
		a->status = 307;
		a->location = s->url;
	} else
		server_find(s, r, path, a);
}
