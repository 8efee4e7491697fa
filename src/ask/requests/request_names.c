#include "ask/requests/request_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "base/str.h"
#include "ask/print/text.h"

const char *ask_names_text(
	const struct names *names, uint32_t exchange, enum ask_requests_group which)
{
	const struct names_line *l = names_of(names, exchange);
	if (!l)
		return NULL;
	return names_text(&names->lines, which == ASK_GROUP_NAME     ? l->name
					 : which == ASK_GROUP_STATUS ? l->status
								     : l->trace_id);
}

/* ---- what became of the lines ---- */

/* "nginx.log", or "web cart (client)" of spans. */
static const char *source_name(
	const struct names *x, const struct names_source *s, const char *path)
{
	const char *slash = strrchr(path, '/'), *source = names_text(&x->lines, s->source);
	return source ? source : slash ? slash + 1 : path;
}

static void put_count(struct mer_str *out, size_t n, const char *text)
{
	if (n)
		mer_str_printf(out, ", %zu %s", n, text);
}

static void say_joined(
	struct ask *ask, const struct names *x, const struct names_source *s, const char *path)
{
	struct mer_str text = { 0 }, time = { 0 };
	const char *name = source_name(x, s, path);
	if (s->moved_ns) {
		ask_text_duration(&time, s->moved_ns < 0 ? -s->moved_ns : s->moved_ns);
		ask_warn(ask,
			"--names: the clock of %s is about %s %s that of %s: its times were moved, as then %zu of %zu lines fit a request (before: %zu)",
			name, time.data ? time.data : "?", s->moved_ns < 0 ? "ahead of" : "behind",
			x->r->w->e->hosts[s->host].name, s->n_fit_moved, s->n_tried_moved,
			s->n_fit);
	}
	put_count(&text, s->n_outside, "not of the time of the recording");
	put_count(&text, s->n_alike, "fit several requests or are not the only one that fits");
	put_count(&text, s->n_unfit, "fit no request");
	put_count(&text, s->n_doubtful, "are among such that fit no request");
	ask_note(ask, "--names: %zu of %zu %s of %s %s requests of %s%s", s->n_named, s->n,
		mer_plural(s->n, "line", "lines"), name, s->n_named == 1 ? "names" : "name",
		s->service, text.data ? text.data : "");
	mer_str_fini(&text);
	mer_str_fini(&time);
}

static void say(
	struct ask *ask, const struct names *x, const struct names_source *s, const char *path)
{
	const char *name = source_name(x, s, path);
	switch (s->verdict) {
	case NAMES_JOINED: say_joined(ask, x, s, path); break;
	case NAMES_NO_SERVICE:
		ask_warn(ask,
			"--names: %s is not used: no service of these traces is meant (--names-to; host.name of spans)",
			name);
		break;
	case NAMES_OTHER_TIME:
		ask_warn(ask,
			"--names: %s is not used: its %zu %s are not of the time of the recording, or of no client that was recorded",
			name, s->n, mer_plural(s->n, "line", "lines"));
		break;
	case NAMES_NO_FIT:
		ask_warn(ask,
			"--names: %s is not used: %zu of %zu lines fit a request of %s, and no other time of its clock makes all of them fit: its clock is wrong, or it is of another service (--names-to says of which)",
			name, s->n_fit, s->n_tried, s->service);
		break;
	case NAMES_ANY_FIT:
		ask_warn(ask,
			"--names: %s is not used: its lines fit requests of %s as well at other times, so they do not say which is which: log the client's port ($remote_port), the time in ms ($msec) and how long it took ($request_time)",
			name, s->service);
		break;
	case NAMES_TWO_SERVICES:
		ask_warn(ask,
			"--names: %s is not used: its lines fit requests of '%s' and of '%s': --names-to says of which they are",
			name, s->service, s->other);
		break;
	}
}

static void say_all(struct ask *ask, const struct names *x, const char *path)
{
	enum { MOST = 12 };
	const struct names_lines *l = &x->lines;
	if (l->n_unread)
		ask_warn(ask,
			"--names: %" PRIu64
			" %s of %s not of this format (the first one: line %" PRIu32 ")",
			l->n_unread, mer_plural(l->n_unread, "line", "lines"),
			mer_plural(l->n_unread, "the file is", "the file are"), l->first_unread);
	if (l->is_cut)
		ask_warn(ask, "--names: %s is cut off or damaged: what is before that is used",
			path);
	if (!l->n)
		ask_warn(ask, "--names: there is no request in %s", path);
	for (size_t i = 0; i < x->n_sources && i < MOST; i++)
		say(ask, x, &x->sources[i], path);
	if (x->n_sources > MOST)
		ask_note(ask, "--names: and of %zu further services", x->n_sources - MOST);
}

int ask_names_find(struct ask *ask, const struct ask_names_values *v, const struct ask_request *q,
	const struct requests_kinds *k, struct names *names)
{
	struct names_lines lines;
	const struct sync_result *sync = session_sync_result(q->s);
	uint32_t n_hosts = k->r->w->n_hosts;
	struct trace_clock_map *maps =
		mer_arena_zalloc(&ask->arena, (size_t)n_hosts + 1, sizeof(*maps));
	names_lines_init(&lines);
	struct mer_err err = { 0 };
	int rc = maps ? names_read(&lines, v->file, v->format, &err) : mer_fail_nomem(&err);
	if (rc == MER_ERR_USAGE)
		rc = mer_fail(&ask->err, rc, "--names: %s%s", err.text,
			v->format
				? ""
				: " (--log-format nginx, apache, envoy, or the text of log_format or LogFormat)");
	else if (rc)
		ask->err = err;
	for (uint32_t h = 0; rc == 0 && sync && h < n_hosts; h++)
		maps[h] = sync->hosts[h].map;
	const struct names_query query = { .to = v->to, .maps = sync ? maps : NULL };
	if (rc == 0)
		rc = names_find(names, &lines, k, &query, &ask->err);
	else
		names_lines_fini(&lines);
	if (rc == 0)
		say_all(ask, names, v->file);
	return rc;
}

/* ---- groups ---- */

static const char *const group_words[] = { "kind", "name", "status", "trace_id" };

/* How many of the kinds have one with a name. */
static uint32_t find_named_kinds(const struct ask_requests *c, const struct requests_kinds *k,
	enum ask_requests_group by, bool *has)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t kind = k->of[c->which[i]];
		if (has[kind] || !ask_names_text(c->names, c->which[i], by))
			continue;
		has[kind] = true;
		n++;
	}
	return n;
}

int ask_names_group(struct ask_requests *c, struct requests_kinds *k, enum ask_requests_group by)
{
	bool *has = calloc((size_t)k->names.n + 1, sizeof(*has));
	uint32_t n_kinds = has ? find_named_kinds(c, k, by, has) : 0, n = 0;
	struct mer_str text = { 0 };
	bool ok = has != NULL;
	for (uint32_t i = 0; ok && i < c->n; i++) {
		uint32_t number = c->which[i], kind = k->of[number];
		if (!has[kind])
			continue;
		const char *name = ask_names_text(c->names, number, by);
		mer_str_clear(&text);
		mer_str_puts(&text, name ? name : "(not named)");
		if (n_kinds > 1 || !name)
			mer_str_printf(&text, " %s", mer_intern_text(&k->names, kind));
		uint32_t group = text.failed ? MER_INTERN_NONE
					     : mer_intern_add(&k->names, text.data, text.len);
		ok = group != MER_INTERN_NONE;
		c->which[n++] = number;
		k->of[number] = ok ? group : kind;
	}
	if (ok && n < c->n)
		ask_note(c->ask, "left out: %" PRIu32 " %s of kinds of which none has a %s",
			c->n - n, mer_plural(c->n - n, "request", "requests"), group_words[by]);
	if (ok)
		c->n = n;
	mer_str_fini(&text);
	free(has);
	return ok ? 0 : mer_fail_nomem(&c->ask->err);
}
