#include "store/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "store/counts.h"
#include "store/pack.h"
#include "store/types.h"

/* Set of the tasks in a block: one bit for all task numbers with the same remainder. */
enum { TASK_SETS = 256 };
struct task_set {
	uint64_t bits[TASK_SETS / 64];
};

struct fact_block {
	struct store_block block;
	/* No fact of the block begins before begin or ends after end; times in its fields are
	 * within, too. INT64_MAX: a fact has no known end. */
	int64_t begin, end;
	uint32_t n, reserved;
	struct task_set tasks;
};

struct store_facts {
	struct store_writer *w;
	const struct fact_kind *kind;
	uint32_t host, number;
	char *filling; /* of the next block */
	size_t n_filling;
	/* Of a full block, which the thread `packer` packs, or this one when the next is full. */
	char *facts;
	size_t n;
	struct mer_ahead *packer;
	struct mer_ahead_job packing;
	bool is_packing, failed;
	struct fact_block *blocks;
	size_t n_blocks, cap_blocks;
	struct mer_str bytes, column;
	uint64_t v[STORE_FACTS], none[STORE_FACTS];
	int64_t begins[STORE_FACTS];
	struct store_counts counts;
};

static const struct fact_field choice_field = { .key = "choice", FACT_MEMBER(struct fact, choice) };

/* Is it a field of the kind's own, not one of the members common to all facts? */
static bool is_own(const struct fact_field *f)
{
	return f->offset >= sizeof(struct fact);
}

/* ---- writing ---- */

/* Values that mean "unknown" are far from the others: a bit marks each of them, and the previous
 * value is stored in its place. */
static void put_column(struct store_facts *f, enum store_packing packing, bool has_none)
{
	mer_str_clear(&f->column);
	mer_str_putc(&f->column, has_none);
	if (has_none)
		store_pack(&f->column, STORE_PLAIN, f->none, f->n);
	store_pack(&f->column, packing, f->v, f->n);
	f->bytes.failed |= f->column.failed;
	store_put_varint(&f->bytes, f->column.len);
	mer_str_add(&f->bytes, f->column.data, f->column.len);
}

static void put_times(struct store_facts *f, struct fact_block *b)
{
	bool has_open = false;
	b->begin = INT64_MAX;
	b->end = INT64_MIN;
	for (size_t i = 0; i < f->n; i++) {
		struct fact x;
		memcpy(&x, f->facts + i * f->kind->size, sizeof(x));
		bool is_open = x.end == FACT_UNKNOWN;
		int64_t end = is_open ? x.begin : x.end;
		has_open |= is_open;
		f->none[i] = is_open;
		f->v[i] = (uint64_t)end;
		f->begins[i] = x.begin;
		b->begin = x.begin < b->begin ? x.begin : b->begin;
		end = is_open ? INT64_MAX : end > x.begin ? end : x.begin;
		b->end = end > b->end ? end : b->end;
	}
	put_column(f, STORE_DELTA, has_open);
	for (size_t i = 0; i < f->n; i++)
		f->v[i] -= (uint64_t)f->begins[i];
	put_column(f, STORE_PLAIN, false);
}

static void add_task(struct task_set *s, uint64_t task)
{
	s->bits[task % TASK_SETS / 64] |= (uint64_t)1 << task % 64;
}

static void note_tasks(struct store_facts *f, struct fact_block *b)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct fact *x = (const struct fact *)(f->facts + i * f->kind->size);
		if (x->task != KERNEL_NONE)
			add_task(&b->tasks, x->task);
	}
}

static void put_field(struct store_facts *f, const struct fact_field *field, struct fact_block *b)
{
	bool is_time = field->type == MER_TIME, has_none = false;
	uint64_t before = 0;
	for (size_t i = 0; i < f->n; i++) {
		int64_t value = fact_load(field, f->facts + i * f->kind->size);
		bool none = field->has_none && value == field->none;
		has_none |= none;
		f->none[i] = none;
		if (!none && is_time) {
			before = (uint64_t)f->begins[i] - (uint64_t)value;
			b->begin = value < b->begin ? value : b->begin;
			b->end = value > b->end ? value : b->end;
		} else if (!none) {
			before = (uint64_t)value;
		}
		f->v[i] = before;
	}
	put_column(f, is_time ? STORE_PLAIN : STORE_DICT, has_none);
}

static void count(struct store_facts *f)
{
	const struct fact_field *field = store_counts_field(f->kind);
	for (size_t i = 0; i < f->n; i++) {
		const char *x = f->facts + i * f->kind->size;
		store_counts_add(
			&f->counts, ((const struct fact *)x)->begin, store_counts_bytes(field, x));
	}
}

static void put_block(struct store_facts *f)
{
	if (f->n == 0)
		return;
	count(f);
	mer_str_clear(&f->bytes);
	if (!mer_grow(&f->blocks, f->n_blocks, &f->cap_blocks, sizeof(*f->blocks))) {
		f->bytes.failed = true;
		return;
	}
	struct fact_block *b = &f->blocks[f->n_blocks];
	*b = (struct fact_block){ .n = (uint32_t)f->n };
	put_times(f, b);
	note_tasks(f, b);
	put_field(f, &fact_common_fields[2], b);
	put_field(f, &fact_common_fields[3], b);
	put_field(f, &choice_field, b);
	for (const struct fact_field *field = f->kind->fields; field->key; field++)
		if (is_own(field))
			put_field(f, field, b);
	f->n = 0;
	if (f->bytes.failed)
		return;
	store_put_block(f->w, f->bytes.data, f->bytes.len, &b->block);
	f->n_blocks++;
}

/* ---- on another thread ---- */

static int pack(void *ctx, struct mer_err *err)
{
	struct store_facts *f = ctx;
	put_block(f);
	return f->bytes.failed ? mer_fail_nomem(err) : 0;
}

static void end_packing(struct store_facts *f)
{
	struct mer_err why;
	if (f->is_packing && mer_ahead_wait(f->packer, &f->packing, &why))
		f->failed = true;
	f->is_packing = false;
}

static void begin_packing(struct store_facts *f)
{
	char *packed = f->facts;
	end_packing(f);
	f->facts = f->filling;
	f->n = f->n_filling;
	f->filling = packed;
	f->n_filling = 0;
	f->is_packing = true;
	mer_ahead_begin(f->packer, &f->packing);
}

struct store_facts *store_facts_new(struct store_writer *w, uint32_t host, uint32_t number,
	const struct fact_kind *kind, struct mer_ahead *packer)
{
	struct store_facts *f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->w = w;
	f->kind = kind;
	f->host = host;
	f->number = number;
	f->counts.has_bytes = store_counts_field(kind) != NULL;
	f->packer = packer;
	f->packing = (struct mer_ahead_job){ .fn = pack, .ctx = f };
	f->facts = malloc((size_t)STORE_FACTS * kind->size);
	f->filling = malloc((size_t)STORE_FACTS * kind->size);
	if (f->facts && f->filling)
		return f;
	store_facts_drop(f);
	return NULL;
}

int store_facts_take(
	void *facts, const struct kernel_host *h, const void *first, size_t n, struct mer_err *err)
{
	struct store_facts *f = facts;
	size_t size = f->kind->size;
	const char *from = first;
	(void)h;
	while (n) {
		size_t room = STORE_FACTS - f->n_filling, now = room < n ? room : n;
		memcpy(f->filling + f->n_filling * size, from, now * size);
		f->n_filling += now;
		from += now * size;
		n -= now;
		if (f->n_filling == STORE_FACTS)
			begin_packing(f);
	}
	return f->failed ? mer_fail_nomem(err) : 0;
}

void store_facts_end(struct store_facts *f)
{
	if (!f)
		return;
	begin_packing(f);
	end_packing(f);
	if (f->failed)
		store_writer_fail(f->w);
	else
		store_put_section(f->w, STORE_FACT_BLOCKS, f->host, f->number, f->blocks,
			f->n_blocks, sizeof(*f->blocks));
	store_counts_put(&f->counts, f->w, f->host, f->number);
	store_facts_drop(f);
}

void store_facts_drop(struct store_facts *f)
{
	if (!f)
		return;
	end_packing(f);
	mer_str_fini(&f->bytes);
	mer_str_fini(&f->column);
	store_counts_fini(&f->counts);
	free(f->blocks);
	free(f->facts);
	free(f->filling);
	free(f);
}

/* ---- reading ---- */

struct reading {
	const struct fact_kind *kind;
	char *facts;
	size_t n;
	uint64_t v[STORE_FACTS], none[STORE_FACTS];
	struct store_in in; /* the block */
};

/* The next column's bytes. */
static bool next_column(struct reading *r, struct store_in *column)
{
	uint64_t bytes;
	if (!store_get_varint(&r->in, &bytes) || bytes == 0 ||
		bytes > (uint64_t)(r->in.end - r->in.at))
		return false;
	*column = (struct store_in){ r->in.at, r->in.at + bytes };
	r->in.at += bytes;
	return true;
}

/* has_none: r->none is set. */
static bool get_column(struct reading *r, bool *has_none)
{
	struct store_in column;
	if (!next_column(r, &column))
		return false;
	*has_none = *column.at++;
	return (!*has_none || store_unpack(&column, r->none, r->n)) &&
	       store_unpack(&column, r->v, r->n);
}

static bool get_times(struct reading *r)
{
	bool has_open, has_none;
	if (!get_column(r, &has_open))
		return false;
	for (size_t i = 0; i < r->n; i++) {
		struct fact *x = (struct fact *)(r->facts + i * r->kind->size);
		x->begin = (int64_t)r->v[i];
		x->end = has_open && r->none[i] ? FACT_UNKNOWN : x->begin;
	}
	if (!get_column(r, &has_none))
		return false;
	for (size_t i = 0; i < r->n; i++) {
		struct fact *x = (struct fact *)(r->facts + i * r->kind->size);
		x->begin = (int64_t)((uint64_t)x->begin - r->v[i]);
	}
	return true;
}

#define SET_ALL(type_)                                                                             \
	do {                                                                                       \
		for (size_t i = 0; i < r->n; i++, to += size) {                                    \
			type_ x = (type_)r->v[i];                                                  \
			memcpy(to, &x, sizeof(x));                                                 \
		}                                                                                  \
	} while (0)

static void set_all(struct reading *r, const struct fact_field *field)
{
	size_t size = r->kind->size;
	char *to = r->facts + field->offset;
	switch (field->width) {
	case 1: SET_ALL(uint8_t); break;
	case 2: SET_ALL(uint16_t); break;
	case 4: SET_ALL(uint32_t); break;
	default: SET_ALL(uint64_t); break;
	}
}

static bool get_field(struct reading *r, const struct fact_field *field, bool is_needed)
{
	struct store_in column;
	bool has_none;
	if (!is_needed)
		return next_column(r, &column);
	if (!get_column(r, &has_none))
		return false;
	if (field->type == MER_TIME)
		for (size_t i = 0; i < r->n; i++) {
			const struct fact *x = (const struct fact *)(r->facts + i * r->kind->size);
			r->v[i] = (uint64_t)x->begin - r->v[i];
		}
	for (size_t i = 0; has_none && i < r->n; i++)
		r->v[i] = r->none[i] ? (uint64_t)field->none : r->v[i];
	set_all(r, field);
	return true;
}

/* Checks that indexes of tasks, names and calls are valid, so that callers can use them
 * unchecked. */
static bool fits(const struct reading *r, const struct kernel_host *h, const struct fact_field *f)
{
	uint64_t most = f->meaning == FACT_TASK	  ? h->n_tasks
			: f->meaning == FACT_NAME ? h->names.n
			: f->meaning == FACT_CALL ? h->n_calls
						  : 0;
	uint64_t bad = 0;
	if (most == 0 && f->meaning != FACT_TASK && f->meaning != FACT_NAME &&
		f->meaning != FACT_CALL)
		return true;
	for (size_t i = 0; i < r->n; i++)
		bad |= r->v[i] >= most && r->v[i] != KERNEL_NONE && r->v[i] != (uint64_t)f->none;
	return !bad;
}

static bool get_block(struct reading *r, const struct kernel_host *h, uint64_t needs)
{
	bool ok = get_times(r);
	ok = ok && get_field(r, &fact_common_fields[2], needs & STORE_NEEDS_TASK) &&
	     (!(needs & STORE_NEEDS_TASK) || fits(r, h, &fact_common_fields[2]));
	ok = ok && get_field(r, &fact_common_fields[3], needs & STORE_NEEDS_CPU);
	ok = ok && get_field(r, &choice_field, needs & STORE_NEEDS_CHOICE);
	const struct fact_field *field = r->kind->fields;
	for (unsigned i = 0; ok && field->key; i++, field++) {
		bool is_needed = i >= 61 || needs >> i & 1;
		if (is_own(field))
			ok = get_field(r, field, is_needed) && (!is_needed || fits(r, h, field));
	}
	return ok && r->in.at == r->in.end;
}

static const struct fact_block *find_blocks(
	const struct store_file *f, uint32_t host, uint32_t number, uint64_t *n)
{
	return store_find(f, STORE_FACT_BLOCKS, host, number, sizeof(struct fact_block), n);
}

static struct task_set set_of(const bool *tasks, uint32_t n)
{
	struct task_set s = { { 0 } };
	for (uint32_t i = 0; i < n; i++)
		if (tasks[i])
			add_task(&s, i);
	return s;
}

static bool may_have(
	const struct fact_block *b, const struct fact_range *r, const struct task_set *wanted)
{
	uint64_t both = 0;
	for (unsigned i = 0; i < TASK_SETS / 64; i++)
		both |= b->tasks.bits[i] & wanted->bits[i];
	return b->begin <= r->end && b->end >= r->begin && (!r->tasks || both);
}

int store_facts_read(const struct store_file *f, uint32_t host, uint32_t number,
	const struct fact_kind *kind, const struct kernel_host *h, uint64_t needs,
	const struct fact_range *range, fact_taker *take, void *ctx, struct mer_err *err)
{
	const struct task_set wanted = set_of(range->tasks, range->tasks ? h->n_tasks : 0);
	uint64_t n = 0;
	const struct fact_block *blocks = find_blocks(f, host, number, &n);
	if (!blocks)
		return mer_fail(err, MER_ERR_INPUT, "no facts '%s' in the store", kind->id);
	struct reading *r = malloc(sizeof(*r));
	if (r)
		*r = (struct reading){ .kind = kind, .facts = calloc(STORE_FACTS, kind->size) };
	int rc = r && r->facts ? 0 : mer_fail_nomem(err);
	bool is_any = false; /* passed on, so that the taker learns that facts exist at all */
	for (uint64_t i = 0; i < n && rc == 0; i++) {
		const struct fact_block *b = &blocks[i];
		if (!may_have(b, range, &wanted) && (is_any || i + 1 < n))
			continue;
		is_any = true;
		const uint8_t *bytes = store_block_bytes(f, &b->block);
		r->in = (struct store_in){ bytes, bytes ? bytes + b->block.bytes : NULL };
		r->n = b->n;
		if (!bytes || b->n > STORE_FACTS || !get_block(r, h, needs))
			rc = mer_fail(
				err, MER_ERR_INPUT, "damaged facts '%s' in the store", kind->id);
		else
			rc = take(ctx, h, r->facts, r->n, err);
	}
	if (r)
		free(r->facts);
	free(r);
	return rc;
}
