#include "kernel/checkpoint/archive.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "kernel/span.h"

void archive_fini(struct archive *a)
{
	free(a->bytes);
	for (int i = 0; i < ARCHIVE_N_LOCAL; i++) {
		free(a->sets[i].item);
		mer_map_fini(&a->sets[i].seen);
	}
	*a = (struct archive){ 0 };
}

void archive_open(struct archive *a, const uint8_t *bytes, size_t n)
{
	*a = (struct archive){ .mode = ARCHIVE_READ, .at = bytes, .end = bytes + n };
}

void archive_put_more(struct archive *a, uint64_t v)
{
	if (!mer_grow(&a->bytes, a->n + 10, &a->cap, 1)) {
		a->failed = true;
		return;
	}
	archive_put(a, v);
}

void archive_put_all(struct archive *a, const uint64_t *v, size_t n)
{
	enum { MOST = 10 * ARCHIVE_AT_ONCE };
	if (a->cap < a->n + MOST && !mer_grow(&a->bytes, a->n + MOST, &a->cap, 1)) {
		a->failed = true;
		return;
	}
	uint8_t *to = a->bytes + a->n;
	for (size_t i = 0; i < n; i++) {
		uint64_t x = v[i];
		for (; x >= 128; x >>= 7)
			*to++ = (uint8_t)(x | 128);
		*to++ = (uint8_t)x;
	}
	a->n = (size_t)(to - a->bytes);
}

uint64_t archive_get(struct archive *a)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (a->failed || a->at == a->end)
			break;
		uint8_t byte = *a->at++;
		v |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return v;
	}
	a->failed = true;
	return 0;
}

uint64_t archive_get_limited(struct archive *a, uint64_t most)
{
	uint64_t v = archive_get(a);
	a->failed |= v > most;
	return v > most ? 0 : v;
}

void archive_i32(struct archive *a, int32_t *v)
{
	int64_t wide = a->mode == ARCHIVE_READ ? 0 : *v;
	archive_i64(a, &wide);
	bool fits = wide >= INT32_MIN && wide <= INT32_MAX;
	a->failed |= !fits;
	if (a->mode == ARCHIVE_READ)
		*v = fits ? (int32_t)wide : 0;
}

void archive_bool(struct archive *a, bool *v)
{
	if (a->mode == ARCHIVE_READ)
		*v = archive_get_limited(a, 1) != 0;
	else
		archive_put_limited(a, *v, 1);
}

static void mark(struct archive *a, enum archive_ref ref, uint32_t number)
{
	struct archive_set *s = &a->sets[ref];
	uint32_t *at = mer_map_put(&s->seen, number);
	if (!at || (!*at && !mer_grow32(&s->item, s->n, &s->cap, sizeof(*s->item)))) {
		a->failed = true;
		return;
	}
	if (!*at)
		s->item[s->n++] = number;
	*at = 1;
}

uint32_t archive_local(const struct archive *a, enum archive_ref ref, uint32_t number)
{
	const uint32_t *at = mer_map_get(&a->sets[ref].seen, number);
	return at && *at ? *at - 1 : KERNEL_NONE;
}

static int rising(const void *a, const void *b)
{
	uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
	return (p > q) - (p < q);
}

void archive_sort(struct archive *a)
{
	for (int i = 0; i < ARCHIVE_N_LOCAL; i++) {
		struct archive_set *s = &a->sets[i];
		if (s->n)
			qsort(s->item, s->n, sizeof(*s->item), rising);
		for (uint32_t k = 0; k < s->n; k++)
			*mer_map_get(&s->seen, s->item[k]) = k + 1;
	}
}

void archive_ref(struct archive *a, enum archive_ref ref, uint32_t *v)
{
	bool is_local = ref < ARCHIVE_N_LOCAL;
	if (a->mode == ARCHIVE_MARK) {
		if (is_local && *v != KERNEL_NONE)
			mark(a, ref, *v);
		return;
	}
	uint32_t number = is_local && *v != KERNEL_NONE && a->mode == ARCHIVE_WRITE
				  ? archive_local(a, ref, *v)
				  : *v;
	uint64_t code = (uint32_t)(number + 1); /* KERNEL_NONE: 0 */
	archive_u64(a, &code);
	if (a->mode != ARCHIVE_READ)
		return;
	a->failed |= code > a->limits[ref];
	*v = a->failed ? KERNEL_NONE : (uint32_t)code - 1;
	if (is_local && *v != KERNEL_NONE)
		*v = a->tables[ref] ? a->tables[ref][*v] : a->bases[ref] + *v;
}

void archive_count(struct archive *a, uint32_t *n, size_t bytes_each)
{
	archive_u32(a, n);
	if (a->mode == ARCHIVE_READ &&
		(a->failed || *n > (size_t)(a->end - a->at) / (bytes_each ? bytes_each : 1))) {
		a->failed = true;
		*n = 0;
	}
}

const uint8_t *archive_data(struct archive *a, const void *bytes, size_t n)
{
	if (a->mode == ARCHIVE_READ) {
		const uint8_t *at = a->at;
		if (a->failed || n > (size_t)(a->end - a->at)) {
			a->failed = true;
			return NULL;
		}
		a->at += n;
		return at;
	}
	if (a->mode == ARCHIVE_MARK)
		return bytes;
	if (!mer_grow(&a->bytes, a->n + n, &a->cap, 1)) {
		a->failed = true;
		return NULL;
	}
	if (n)
		memcpy(a->bytes + a->n, bytes, n);
	a->n += n;
	return bytes;
}
