/* Fuzzer of requests of the Trace Server Protocol: the first line is a method and a path, the rest
 * a body. No input may crash it, and what it accepts keeps the promises of query.h and
 * endpoints.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "server/tsp/chosen.h"
#include "server/tsp/endpoints.h"
#include "server/tsp/query.h"
#include "check.h"

static void check_path(const char *method, const char *path)
{
	struct tsp_match m;
	char methods[100];
	tsp_find(method, path, &m);
	check(m.is_there || !m.endpoint);
	check(!m.endpoint || strcmp(m.endpoint->method, method) == 0);
	for (size_t i = 0; m.is_there && i < TSP_MAX_WORDS; i++)
		check(strlen(m.words[i]) < TSP_MAX_WORD && !strchr(m.words[i], '/'));
	tsp_methods(path, methods, sizeof(methods));
	check(strlen(methods) < sizeof(methods));
	check(m.is_there == (strcmp(methods, "OPTIONS") != 0));
}

static void check_query(const struct tsp_query *q)
{
	check(!q->has_range || q->begin <= q->end);
	check(q->begin >= -INT64_MAX / 2 && q->end <= INT64_MAX / 2);
	check(q->n_times <= TSP_MAX_TIMES && q->n_given <= TSP_MAX_ITEMS);
	check(q->n_items <= TSP_MAX_ITEMS && (q->has_items || !q->n_items));
	for (size_t i = 0; i < q->n_items; i++)
		check(q->items[i] >= 0);
	check(q->count <= TSP_MAX_LINES && q->index <= INT64_MAX);
	check(q->n_searches <= TSP_MAX_SEARCHES && q->is_search == (q->n_searches > 0));
	for (size_t i = 0; i < q->n_searches; i++)
		check(strlen(q->searches[i].pattern) <= TSP_MAX_PATTERN);
	for (size_t i = 0; i < q->n_categories; i++)
		check(q->categories[i] != NULL);
	for (size_t i = 0; i < q->n_traces; i++)
		check(q->traces[i] != NULL);
	check(q->tid >= -1 && q->tid <= INT32_MAX);
}

/* Whatever they are, they say yes or no of any state. */
static void check_filters(const struct tsp_query *q, struct mer_arena *arena)
{
	const struct tsp_facts facts = { { "read", "System call", "nginx", NULL, "h" },
		{ 42, 7, -1, 1000000 } };
	struct tsp_chosen chosen;
	struct mer_err err = { 0 };
	int rc = tsp_chosen_make(&chosen, q, arena, &err);
	check(rc == 0 || (rc == MER_ERR_USAGE && err.text[0]));
	unsigned tag = tsp_chosen_tag(&chosen, &facts);
	check(tag == TSP_SHOWN || tag == TSP_DIMMED || tag == TSP_EXCLUDED);
	tsp_chosen_fini(&chosen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mer_arena arena;
	struct mer_err err = { 0 };
	struct tsp_query q;
	const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
	size_t n = end ? (size_t)(end - data) : size;
	mer_arena_init(&arena);
	char *line = mer_arena_strndup(&arena, (const char *)data, n);
	check(line != NULL);
	char *path = strchr(line, ' ');
	if (path)
		*path++ = '\0';
	check_path(line, path ? path : "");
	/* As the server has it: with a NUL behind it. */
	size_t len = end ? size - n - 1 : 0;
	char *body = malloc(len + 1);
	check(body != NULL);
	if (len)
		memcpy(body, end + 1, len);
	body[len] = '\0';
	int rc = tsp_query_parse(body, len, &arena, &q, &err);
	if (rc == 0) {
		check_query(&q);
		check_filters(&q, &arena);
	} else
		check(err.code == rc && err.text[0] && rc == MER_ERR_USAGE);
	free(body);
	mer_arena_fini(&arena);
	return 0;
}
