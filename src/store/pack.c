#include "store/pack.h"

#include <string.h>

#include "base/bits.h"

enum {
	GROUP = 64,
	WIDEST = 57,	   /* a value of more bits could lie in nine bytes: 64 are used */
	HAS_REST = 0x80,   /* of a width: values follow that need more bits */
	DICT_MAX = 256,	   /* maximum of different values in a dictionary */
	DICT_SLOTS = 1024, /* of its hash table */
};

size_t store_set_varint(uint8_t *to, uint64_t v)
{
	size_t n = 0;
	for (; v >= 0x80; v >>= 7)
		to[n++] = (uint8_t)(v | 0x80);
	to[n++] = (uint8_t)v;
	return n;
}

void store_put_varint(struct mer_str *out, uint64_t v)
{
	uint8_t bytes[STORE_VARINT_BYTES];
	mer_str_add(out, (const char *)bytes, store_set_varint(bytes, v));
}

bool store_get_varint(struct store_in *in, uint64_t *v)
{
	uint64_t sum = 0;
	for (unsigned shift = 0; shift < 64 && in->at < in->end; shift += 7) {
		uint8_t byte = *in->at++;
		sum |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*v = sum;
			return true;
		}
	}
	return false;
}

/* ---- groups ---- */

static unsigned bits_of(uint64_t v)
{
	return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

static size_t bytes_of(size_t n, unsigned width)
{
	return (n * width + 7) / 8;
}

/* The bit width that makes the group shortest. longest: bits of its longest value. */
static unsigned best_width(const uint64_t *v, size_t n, unsigned longest)
{
	uint8_t counts[65] = { 0 };
	unsigned sevenths[65 + 7] = { 0 }; /* values of so many bits, or 7, 14, ... more */
	for (size_t i = 0; i < n; i++)
		counts[bits_of(v[i])]++;
	unsigned best = longest > WIDEST ? 64 : longest;
	size_t best_cost = bytes_of(n, best), rest = 1;
	for (unsigned w = longest; w-- > 0;) {
		/* Values that no longer fit get a position byte; these, and those that need 7 more
		 * bits, get another byte. */
		sevenths[w + 1] = counts[w + 1] + sevenths[w + 8];
		rest += counts[w + 1] + sevenths[w + 1];
		size_t cost = bytes_of(n, w) + rest;
		if (w <= WIDEST && cost < best_cost) {
			best_cost = cost;
			best = w;
		}
	}
	return best;
}

/* Writes 64-bit words as they fill up, so that bytes just written are not read again. */
static void put_bits(uint8_t *to, const uint64_t *v, size_t n, unsigned width)
{
	uint64_t mask = ((uint64_t)1 << width) - 1, word = 0;
	unsigned filled = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t value = v[i] & mask;
		word |= value << filled;
		filled += width;
		if (filled < 64)
			continue;
		memcpy(to, &word, 8);
		to += 8;
		filled -= 64;
		word = filled ? value >> (width - filled) : 0;
	}
	memcpy(to, &word, 8);
}

static void put_rest(struct mer_str *out, const uint64_t *v, size_t n, unsigned width)
{
	char places[GROUP + 1];
	size_t n_places = 0;
	for (size_t i = 0; i < n; i++)
		if (v[i] >> width)
			places[++n_places] = (char)i;
	places[0] = (char)n_places;
	mer_str_add(out, places, n_places + 1);
	for (size_t i = 1; i <= n_places; i++)
		store_put_varint(out, v[(uint8_t)places[i]] >> width);
}

/* Four at a time, which do not wait for each other. */
static int64_t least_of(const uint64_t *values, size_t n)
{
	int64_t least[4];
	for (size_t k = 0; k < 4; k++)
		least[k] = (int64_t)values[0];
	size_t i = 0;
	for (; i + 4 <= n; i += 4)
		for (size_t k = 0; k < 4; k++)
			least[k] = (int64_t)values[i + k] < least[k] ? (int64_t)values[i + k]
								     : least[k];
	for (; i < n; i++)
		least[0] = (int64_t)values[i] < least[0] ? (int64_t)values[i] : least[0];
	least[0] = least[1] < least[0] ? least[1] : least[0];
	least[2] = least[3] < least[2] ? least[3] : least[2];
	return least[2] < least[0] ? least[2] : least[0];
}

static void put_group(struct mer_str *out, const uint64_t *values, size_t n)
{
	uint64_t v[GROUP], all = 0;
	int64_t least = least_of(values, n);
	for (size_t i = 0; i < n; i++)
		all |= v[i] = values[i] - (uint64_t)least;
	unsigned width = all ? best_width(v, n, bits_of(all)) : 0;
	bool has_rest = width < 64 && all >> width;
	store_put_varint(out, store_zigzag(least));
	mer_str_putc(out, (char)(width | (has_rest ? HAS_REST : 0)));
	size_t bytes = bytes_of(n, width);
	if (!mer_str_reserve(out, bytes + STORE_SLACK))
		return;
	uint8_t *to = (uint8_t *)out->data + out->len;
	if (width == 64) {
		memcpy(to, v, bytes);
	} else if (width) {
		put_bits(to, v, n, width);
	}
	out->len += bytes;
	if (has_rest)
		put_rest(out, v, n, width);
}

static void get_bits(const uint8_t *from, uint64_t *v, size_t n, unsigned width, uint64_t least)
{
	uint64_t mask = ((uint64_t)1 << width) - 1;
	size_t bit = 0;
	for (size_t i = 0; i < n; i++, bit += width) {
		uint64_t word;
		memcpy(&word, from + bit / 8, 8);
		v[i] = least + (word >> bit % 8 & mask);
	}
}

static bool get_rest(struct store_in *in, uint64_t *v, size_t n, unsigned width)
{
	if (width >= 64 || in->at == in->end)
		return false;
	size_t n_places = *in->at++;
	const uint8_t *places = in->at;
	if (n_places > (size_t)(in->end - in->at))
		return false;
	in->at += n_places;
	for (size_t i = 0; i < n_places; i++) {
		uint64_t rest;
		if (places[i] >= n || !store_get_varint(in, &rest))
			return false;
		v[places[i]] += rest << width;
	}
	return true;
}

static bool get_group(struct store_in *in, uint64_t *v, size_t n)
{
	uint64_t zigzag;
	if (!store_get_varint(in, &zigzag) || in->at == in->end)
		return false;
	uint64_t least = (uint64_t)store_unzigzag(zigzag);
	unsigned width = *in->at & ~(unsigned)HAS_REST;
	bool has_rest = *in->at++ & HAS_REST;
	size_t bytes = bytes_of(n, width);
	if ((width > WIDEST && width != 64) || bytes > (size_t)(in->end - in->at))
		return false;
	if (width == 0)
		for (size_t i = 0; i < n; i++)
			v[i] = least;
	else if (width == 64)
		for (size_t i = 0; i < n; i++)
			v[i] = least + mer_load_u64(in->at + i * 8, false);
	else
		get_bits(in->at, v, n, width, least);
	in->at += bytes;
	return !has_rest || get_rest(in, v, n, width);
}

static void put_groups(struct mer_str *out, const uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i += GROUP)
		put_group(out, v + i, n - i < GROUP ? n - i : GROUP);
}

static bool get_groups(struct store_in *in, uint64_t *v, size_t n)
{
	bool ok = true;
	for (size_t i = 0; ok && i < n; i += GROUP)
		ok = get_group(in, v + i, n - i < GROUP ? n - i : GROUP);
	return ok;
}

/* ---- columns ---- */

struct dict {
	uint64_t values[DICT_MAX];
	uint16_t slots[DICT_SLOTS]; /* number in values, plus 1; 0: free */
	size_t n;
};

/* The value's number; DICT_MAX: there are too many. */
static size_t dict_number(struct dict *d, uint64_t v)
{
	size_t slot = (v * 0x9E3779B97F4A7C15u) >> 54;
	while (d->slots[slot] && d->values[d->slots[slot] - 1] != v)
		slot = (slot + 1) % DICT_SLOTS;
	if (!d->slots[slot]) {
		if (d->n == DICT_MAX)
			return DICT_MAX;
		d->values[d->n++] = v;
		d->slots[slot] = (uint16_t)d->n;
	}
	return d->slots[slot] - 1u;
}

/* False: too many different values; nothing was written. */
static bool put_dict(struct mer_str *out, const uint64_t *v, size_t n)
{
	struct dict d = { .n = 0 };
	uint64_t numbers[STORE_PACK_MAX];
	for (size_t i = 0; i < n; i++) {
		numbers[i] = dict_number(&d, v[i]);
		if (numbers[i] == DICT_MAX)
			return false;
	}
	mer_str_putc(out, STORE_DICT);
	store_put_varint(out, d.n);
	put_groups(out, d.values, d.n);
	put_groups(out, numbers, n);
	return true;
}

static bool get_dict(struct store_in *in, uint64_t *v, size_t n)
{
	uint64_t n_values, values[DICT_MAX];
	if (!store_get_varint(in, &n_values) || n_values > DICT_MAX ||
		!get_groups(in, values, n_values) || !get_groups(in, v, n))
		return false;
	uint64_t all = 0;
	for (size_t i = 0; i < n; i++)
		all |= v[i] >= n_values;
	for (size_t i = 0; !all && i < n; i++)
		v[i] = values[v[i]];
	return !all;
}

static bool are_same(const uint64_t *v, size_t n)
{
	uint64_t differs = 0;
	for (size_t i = 1; i < n && !differs; i++)
		differs = v[i] ^ v[0];
	return !differs;
}

void store_pack(struct mer_str *out, enum store_packing packing, const uint64_t *v, size_t n)
{
	uint64_t deltas[STORE_PACK_MAX];
	if (n == 0)
		return;
	if (are_same(v, n)) {
		mer_str_putc(out, STORE_SAME);
		store_put_varint(out, store_zigzag((int64_t)v[0]));
		return;
	}
	if (packing == STORE_DICT && put_dict(out, v, n))
		return;
	if (packing != STORE_DELTA) {
		mer_str_putc(out, STORE_PLAIN);
		put_groups(out, v, n);
		return;
	}
	mer_str_putc(out, STORE_DELTA);
	store_put_varint(out, store_zigzag((int64_t)v[0]));
	for (size_t i = 1; i < n; i++)
		deltas[i - 1] = v[i] - v[i - 1];
	put_groups(out, deltas, n - 1);
}

static bool get_deltas(struct store_in *in, uint64_t *v, size_t n)
{
	uint64_t zigzag;
	if (!store_get_varint(in, &zigzag) || !get_groups(in, v + 1, n - 1))
		return false;
	v[0] = (uint64_t)store_unzigzag(zigzag);
	for (size_t i = 1; i < n; i++)
		v[i] += v[i - 1];
	return true;
}

bool store_unpack(struct store_in *in, uint64_t *v, size_t n)
{
	uint64_t zigzag;
	if (n == 0)
		return true;
	if (in->at == in->end)
		return false;
	switch (*in->at++) {
	case STORE_PLAIN: return get_groups(in, v, n);
	case STORE_DELTA: return get_deltas(in, v, n);
	case STORE_DICT: return get_dict(in, v, n);
	case STORE_SAME:
		if (!store_get_varint(in, &zigzag))
			return false;
		for (size_t i = 0; i < n; i++)
			v[i] = (uint64_t)store_unzigzag(zigzag);
		return true;
	default: return false;
	}
}
