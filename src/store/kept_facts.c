#include "store/kept_facts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "store/facts.h"
#include "store/types.h"

struct numbers { /* of a host */
	uint32_t tasks, names, calls, renames;
};

static struct numbers numbers_of(const struct kernel_host *h)
{
	return (struct numbers){ h->n_tasks, h->names.n, h->n_calls, h->n_renames };
}

/* ---- writing ---- */

struct taker { /* of a host */
	struct store_facts_keeper *keeper;
	struct store_facts *facts; /* NULL: none came */
	uint32_t host;
};

struct store_facts_keeper {
	struct store_writer w;
	const struct fact_kind *kind;
	struct taker *takers;
	uint32_t n_hosts;
	uint64_t max_bytes;
	atomic_bool failed;
};

struct store_facts_keeper *store_facts_keeper_new(const char *path, const struct store_key *key,
	const struct fact_kind *kind, uint32_t n_hosts, uint64_t max_bytes)
{
	struct store_facts_keeper *k = calloc(1, sizeof(*k));
	struct mer_err err;
	uint8_t bytes[STORE_KEY_BYTES];
	memcpy(bytes, key->hash, sizeof(bytes));
	if (k)
		k->takers = calloc((size_t)n_hosts + 1, sizeof(*k->takers));
	if (!k || !k->takers || store_writer_begin(&k->w, path, bytes, &err)) {
		free(k ? k->takers : NULL);
		free(k);
		return NULL;
	}
	k->kind = kind;
	k->n_hosts = n_hosts;
	k->max_bytes = max_bytes;
	for (uint32_t i = 0; i < n_hosts; i++) {
		k->takers[i] = (struct taker){ k, store_facts_new(&k->w, i, 0, kind), i };
		if (k->takers[i].facts)
			store_facts_uncounted(k->takers[i].facts);
		else
			atomic_store(&k->failed, true);
	}
	return k;
}

void *store_facts_keeper_of(struct store_facts_keeper *k, uint32_t host)
{
	return atomic_load(&k->failed) ? NULL : &k->takers[host];
}

int store_facts_keeper_take(
	void *taker, const struct kernel_host *h, const void *facts, size_t n, struct mer_err *err)
{
	struct taker *t = taker;
	struct store_facts_keeper *k = t->keeper;
	struct mer_err why;
	(void)err; /* failing to keep facts is no error */
	if (!atomic_load_explicit(&k->failed, memory_order_relaxed) &&
		(store_facts_take(t->facts, h, facts, n, &why) ||
			store_facts_bytes(t->facts) > k->max_bytes))
		atomic_store(&k->failed, true);
	return 0;
}

bool store_facts_keeper_end(struct store_facts_keeper *k, const struct kernel_world *w, bool ok)
{
	struct mer_err err;
	if (!k)
		return false;
	ok = ok && !atomic_load(&k->failed);
	for (uint32_t i = 0; i < k->n_hosts; i++) {
		if (!ok) {
			store_facts_drop(k->takers[i].facts);
			continue;
		}
		struct numbers n = numbers_of(&w->hosts[i]);
		store_facts_end(k->takers[i].facts);
		store_put_section(&k->w, STORE_KEPT_NUMBERS, i, 0, &n, 1, sizeof(n));
	}
	ok = ok && k->w.at + k->w.buffer.len <= k->max_bytes;
	bool is_there = store_writer_end(&k->w, ok, &err) == 0 && ok;
	free(k->takers);
	free(k);
	return is_there;
}

/* ---- reading ---- */

struct store_kept_facts {
	struct store_file file;
};

struct store_kept_facts *store_kept_facts_open(const char *path, const struct store_key *key)
{
	struct store_kept_facts *k = calloc(1, sizeof(*k));
	struct mer_err err;
	uint8_t bytes[STORE_KEY_BYTES];
	memcpy(bytes, key->hash, sizeof(bytes));
	if (k && store_file_open(&k->file, path, bytes, &err) == 0)
		return k;
	free(k);
	return NULL;
}

void store_kept_facts_close(struct store_kept_facts *k)
{
	if (k)
		store_file_close(&k->file);
	free(k);
}

int store_kept_facts_read(const struct store_kept_facts *k, uint32_t host,
	const struct kernel_host *h, const struct fact_kind *kind, const struct fact_range *range,
	fact_taker *take, void *taker, struct mer_err *err)
{
	static const struct kernel_host nothing;
	uint64_t n = 0;
	const struct numbers *then =
		store_find(&k->file, STORE_KEPT_NUMBERS, host, 0, sizeof(*then), &n);
	struct numbers now = numbers_of(h ? h : &nothing);
	if (!then || n != 1 || (h && memcmp(then, &now, sizeof(now)) != 0))
		return mer_fail(err, MER_ERR_INPUT, "kept facts of another world");
	return store_facts_read(&k->file, host, 0, kind, h ? h : &nothing, STORE_NEEDS_ALL, range,
		take, taker, err);
}
