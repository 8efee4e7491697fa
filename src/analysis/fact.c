#include "analysis/fact.h"

#include <string.h>

const struct fact_field fact_common_fields[] = {
	{ "begin", "begin", MER_TIME, FACT_NUMBER, FACT_MEMBER(struct fact, begin),
		FACT_NONE_IS(FACT_UNKNOWN) },
	{ "end", NULL, MER_TIME, FACT_NUMBER, FACT_MEMBER(struct fact, end),
		FACT_NONE_IS(FACT_UNKNOWN) },
	{ "task", NULL, MER_ID, FACT_TASK, FACT_MEMBER(struct fact, task),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "cpu", "CPU", MER_ID, FACT_NUMBER, FACT_MEMBER(struct fact, cpu),
		FACT_NONE_IS(KERNEL_NO_CPU) },
	{ 0 },
};

int fact_flush(struct fact_host *f, const struct kernel_host *h, unsigned kind)
{
	struct fact_sink *s = &f->sinks[kind];
	uint32_t n = s->n;
	s->n = 0;
	return n ? s->take(s->ctx, h, s->batch, n, f->err) : 0;
}

const struct fact_field *fact_field_find(const struct fact_kind *k, const char *key)
{
	for (const struct fact_field *f = k->fields; f && f->key; f++)
		if (strcmp(f->key, key) == 0)
			return f;
	for (const struct fact_field *f = fact_common_fields; f->key; f++)
		if (strcmp(f->key, key) == 0)
			return f;
	return NULL;
}

const struct fact_view *fact_view_find(const struct fact_kind *k, const char *key)
{
	for (const struct fact_view *v = k->views; v && v->key; v++)
		if (strcmp(v->key, key) == 0)
			return v;
	return NULL;
}

bool fact_name(struct kernel_host *h, const char *text, uint32_t *name)
{
	*name = *text ? mer_intern_add(&h->names, text, strlen(text)) : KERNEL_NONE;
	return !*text || *name != MER_INTERN_NONE;
}

bool fact_comm(struct kernel_host *h, const struct kernel_host *hosts, uint32_t host, uint32_t task,
	uint32_t *name)
{
	return fact_name(h, task == KERNEL_NONE ? "" : kernel_comm(&hosts[host], task), name);
}
