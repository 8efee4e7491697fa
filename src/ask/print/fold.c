#include "ask/print/fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "ask/print/text.h"

void ask_fold_init(struct ask_fold *f, struct mer_arena *arena)
{
	*f = (struct ask_fold){ 0 };
	mer_intern_init(&f->stacks, arena);
}

void ask_fold_fini(struct ask_fold *f)
{
	mer_intern_fini(&f->stacks);
	free(f->ns);
	mer_str_fini(&f->stack);
}

void ask_fold_frame(struct ask_fold *f, const char *name)
{
	struct mer_str *s = &f->stack;
	if (s->len)
		mer_str_putc(s, ';');
	size_t before = s->len;
	ask_text_clean(s, name, strlen(name), false);
	for (size_t i = before; i < s->len; i++)
		if (s->data[i] == ';')
			s->data[i] = ':';
}

void ask_fold_add(struct ask_fold *f, int64_t ns)
{
	uint32_t before = f->stacks.n;
	uint32_t id = mer_intern_add(&f->stacks, f->stack.data ? f->stack.data : "", f->stack.len);
	f->failed |= f->stack.failed || id == MER_INTERN_NONE;
	mer_str_clear(&f->stack);
	if (f->failed)
		return;
	if (!mer_grow(&f->ns, id, &f->cap, sizeof(*f->ns))) {
		f->failed = true;
		return;
	}
	f->ns[id] = (id == before ? 0 : f->ns[id]) + ns;
}

static int by_text(const void *a, const void *b)
{
	const char *const *p = a, *const *q = b;
	return strcmp(*p, *q);
}

/* Stacks in the order of their text: malloc'ed, pointers belong to f. NULL: no memory. */
static const char **sort_stacks(const struct ask_fold *f)
{
	const char **sorted =
		f->failed ? NULL : malloc(((size_t)f->stacks.n + 1) * sizeof(*sorted));
	for (uint32_t i = 0; sorted && i < f->stacks.n; i++)
		sorted[i] = mer_intern_text(&f->stacks, i);
	if (sorted && f->stacks.n)
		qsort(sorted, f->stacks.n, sizeof(*sorted), by_text);
	return sorted;
}

static int64_t ns_of(const struct ask_fold *f, const char *stack)
{
	uint32_t id = mer_intern_find(&f->stacks, stack, strlen(stack));
	return id == MER_INTERN_NONE ? 0 : f->ns[id];
}

int ask_fold_put(const struct ask_fold *f, struct mer_str *out, struct mer_err *err)
{
	const char **sorted = sort_stacks(f);
	for (uint32_t i = 0; sorted && i < f->stacks.n; i++)
		mer_str_printf(out, "%s %lld\n", sorted[i], (long long)ns_of(f, sorted[i]));
	int rc = sorted ? 0 : mer_fail_nomem(err);
	free(sorted);
	return rc;
}

/* ---- Speedscope ---- */

void ask_speedscope_begin(struct mer_json *j, const char *name, const char *type, int64_t end_value)
{
	mer_json_begin_object(j);
	mer_json_kv_text(j, "$schema", "https://www.speedscope.app/file-format-schema.json");
	mer_json_kv_text(j, "exporter", "meridian");
	mer_json_kv_text(j, "name", name);
	mer_json_kv_array(j, "profiles");
	mer_json_begin_object(j);
	mer_json_kv_text(j, "type", type);
	mer_json_kv_text(j, "name", name);
	mer_json_kv_text(j, "unit", "nanoseconds");
	mer_json_kv_int(j, "startValue", 0);
	mer_json_kv_int(j, "endValue", end_value);
}

/* Frames come last: what is before tells which there are. */
void ask_speedscope_end(struct mer_json *j, const struct mer_intern *frames)
{
	mer_json_end_object(j);
	mer_json_end_array(j);
	mer_json_kv_object(j, "shared");
	mer_json_kv_array(j, "frames");
	for (uint32_t i = 0; i < frames->n; i++) {
		mer_json_begin_object(j);
		mer_json_kv_text(j, "name", mer_intern_text(frames, i));
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
	mer_json_end_object(j);
	mer_json_end_object(j);
}

/* The frames of each stack, as numbers; which there are is then in frames. */
static bool put_samples(
	struct mer_json *j, const char *const *stacks, uint32_t n, struct mer_intern *frames)
{
	mer_json_kv_array(j, "samples");
	for (uint32_t i = 0; i < n; i++) {
		mer_json_begin_array(j);
		for (const char *at = stacks[i]; at;) {
			size_t len = strcspn(at, ";");
			uint32_t frame = mer_intern_add(frames, at, len);
			if (frame == MER_INTERN_NONE)
				return false;
			mer_json_uint(j, frame);
			at = at[len] ? at + len + 1 : NULL;
		}
		mer_json_end_array(j);
	}
	mer_json_end_array(j);
	return true;
}

static void put_weights(
	struct mer_json *j, const struct ask_fold *f, const char *const *stacks, uint32_t n)
{
	mer_json_kv_array(j, "weights");
	for (uint32_t i = 0; i < n; i++)
		mer_json_int(j, ns_of(f, stacks[i]));
	mer_json_end_array(j);
}

int ask_fold_put_speedscope(const struct ask_fold *f, const char *name, struct mer_arena *arena,
	struct mer_str *out, struct mer_err *err)
{
	const char **stacks = sort_stacks(f);
	struct mer_intern frames;
	struct mer_json j;
	int64_t sum = 0;
	int rc;
	mer_intern_init(&frames, arena);
	for (uint32_t i = 0; i < f->stacks.n; i++)
		sum += f->ns[i];
	mer_json_init(&j, out, NULL, 0);
	ask_speedscope_begin(&j, name, "sampled", sum);
	bool ok = stacks && put_samples(&j, stacks, f->stacks.n, &frames);
	if (ok) {
		put_weights(&j, f, stacks, f->stacks.n);
		ask_speedscope_end(&j, &frames);
		rc = mer_json_finish(&j, err);
	} else {
		rc = mer_fail_nomem(err);
	}
	mer_intern_fini(&frames);
	free(stacks);
	return rc;
}
