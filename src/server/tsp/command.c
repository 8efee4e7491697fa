#include "server/tsp/command.h"

#include <inttypes.h>
#include <stdio.h>

enum { MAX_WORDS = 20, NUMBER_ROOM = 24 };

struct line { /* the words of a command */
	const char *words[MAX_WORDS];
	size_t n;
	char begin[NUMBER_ROOM], end[NUMBER_ROOM], rows[NUMBER_ROOM], last[NUMBER_ROOM];
};

static void add(struct line *l, const char *option, const char *value)
{
	l->words[l->n++] = option;
	l->words[l->n++] = value;
}

static void make_line(struct line *l, const struct server_words *known, const struct tsp_command *c)
{
	l->n = 0;
	while (c->words[l->n] && l->n < MAX_WORDS - 7) {
		l->words[l->n] = c->words[l->n];
		l->n++;
	}
	if (c->last) {
		snprintf(l->last, sizeof(l->last), "%" PRIu64, c->last);
		l->words[l->n++] = l->last;
	}
	if (c->window) {
		snprintf(l->begin, sizeof(l->begin), "%" PRId64, c->window->begin);
		snprintf(l->end, sizeof(l->end), "%" PRId64, c->window->end);
		add(l, known->begin, l->begin);
		add(l, known->end, l->end);
	}
	if (c->limit) {
		snprintf(l->rows, sizeof(l->rows), "%" PRIu64, c->limit);
		add(l, known->limit, l->rows);
	}
}

/* The traces with these clocks: those in use, or the ones with clocks as recorded. */
static struct server_traces *use(struct tsp *t, enum server_clocks clocks)
{
	if (clocks == SERVER_CLOCKS_ALIGNED)
		return t->traces;
	struct http_answer why = { 0 };
	struct server_traces *own = server_traces_use(t->s, clocks, &why);
	mer_str_fini(&why.body);
	return own;
}

int tsp_command(
	struct tsp *t, const struct tsp_command *c, struct mer_str *text, struct mer_err *err)
{
	struct server *s = t->s;
	struct store_key key;
	struct line l;
	const char *type;
	make_line(&l, &s->o.words, c);
	enum server_clocks clocks = server_clocks_for(l.words[0], SERVER_CLOCKS_ALIGNED);
	server_command_key(&key, clocks, l.words, l.n);
	if (c->is_kept && server_known_answer(s, &key, text, &type))
		return 0;
	struct server_traces *own = use(t, clocks);
	if (!own)
		return mer_fail(err, MER_ERR_INPUT,
			"the traces cannot be read with the clocks as recorded");
	int rc = server_answer(
		s, own, clocks, l.words, l.n, c->is_kept ? &key : NULL, text, &type, err);
	if (own != t->traces)
		server_traces_done(own);
	return rc;
}

int tsp_command_json(
	struct tsp *t, const struct mer_str *text, struct mer_json_value *v, struct mer_err *err)
{
	struct mer_json_reader r;
	mer_json_reader_init(&r, text->data ? text->data : "", text->len, &t->arena);
	int rc = mer_json_read(&r, v);
	mer_json_reader_fini(&r);
	if (rc == MER_ERR_NOMEM)
		return mer_fail_nomem(err);
	return rc ? mer_fail(err, MER_ERR_BUG, "what the program prints is not JSON: %s", r.err)
		  : 0;
}

const struct mer_json_value *tsp_list_of(const struct mer_json_value *answer, const char *key)
{
	const struct mer_json_value *v = answer ? mer_json_find(answer, key) : NULL;
	return v && v->kind == MER_JSON_ARRAY ? v : NULL;
}

const struct mer_json_value *tsp_table_of(const struct mer_json_value *answer, const char *id)
{
	const struct mer_json_value *tables = tsp_list_of(answer, "tables");
	for (uint32_t i = 0; tables && i < tables->n; i++) {
		const struct mer_json_value *own = mer_json_find(&tables->u.items[i], "id");
		if (!id || (own && own->kind == MER_JSON_STRING && mer_json_is(own, id)))
			return &tables->u.items[i];
	}
	return NULL;
}
