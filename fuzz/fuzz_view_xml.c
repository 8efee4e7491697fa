/* Fuzzer of views in XML: no file may crash the compiler or take forever; an error says where; what
 * is accepted runs over events whose names and values follow from the file. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "views/xml/eval.h"
#include "check.h"

struct values {
	const uint8_t *data;
	size_t size, at;
};

static struct xml_value field(void *ctx, uint32_t number)
{
	struct values *v = ctx;
	uint8_t byte = v->data[v->at++ % v->size];
	switch ((byte + number) % 5) {
	case 0: return (struct xml_value){ .type = XML_NULL };
	case 1: return (struct xml_value){ .type = XML_DOUBLE, .f = byte / 3.0 };
	case 2: return (struct xml_value){ .type = XML_STRING, .s = byte & 32 ? "a" : "b" };
	case 3: return (struct xml_value){ .type = XML_LONG, .i = byte & 1 ? INT64_MAX : byte };
	default: return (struct xml_value){ .type = XML_INT, .i = byte % 4 };
	}
}

static int on_change(
	void *ctx, uint32_t attribute, int64_t t, const struct xml_value *value, bool is_update)
{
	(void)ctx;
	(void)t;
	(void)is_update;
	check(attribute > 0 && value->type >= XML_NULL && value->type <= XML_STRING);
	check(value->type != XML_STRING || value->s);
	return 0;
}

static int on_segment(
	void *ctx, int64_t begin, int64_t end, const char *name, const struct xml_segment *segment)
{
	(void)ctx;
	(void)begin;
	(void)end;
	check(name && segment);
	return 0;
}

static void run(const struct xml_program *p, struct values *v)
{
	struct mer_err err = { 0 };
	struct xml_eval x;
	const struct xml_sink sink = { NULL, on_change, on_segment };
	int rc = xml_eval_init(&x, p, &sink, &err);
	for (int64_t t = 1; t <= 24 && rc == 0; t++) {
		const char *name = p->n_events ? p->events[(size_t)t % p->n_events] : "x";
		const struct xml_event ev = { t, name, "host", v, field };
		rc = xml_eval_event(&x, &ev);
	}
	if (rc == 0)
		rc = xml_eval_until(&x, INT64_MAX);
	check(rc == 0 || rc == MER_ERR_LIMIT);
	xml_eval_fini(&x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mer_arena arena;
	struct xml_file file;
	struct mer_err err = { 0 };
	struct values v = { data, size, 0 };
	mer_arena_init(&arena);
	int rc = xml_compile((const char *)data, size, "file", &arena, &file, &err);
	check(rc == 0 || strncmp(err.text, "file:", 5) == 0);
	for (const struct xml_program *p = rc ? NULL : file.programs; p; p = p->next)
		run(p, &v);
	mer_arena_fini(&arena);
	return 0;
}
