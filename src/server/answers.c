#include "server/answers.h"

#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/grow.h"
#include "base/map.h"

enum { LONG_NS = 100000000 };

void answers_init(struct answers *a, const struct store_key *traces, const char *folder)
{
	*a = (struct answers){ .folder = folder, .key = *traces };
	pthread_mutex_init(&a->lock, NULL);
}

void answers_fini(struct answers *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->item[i].text);
	free(a->item);
	pthread_mutex_destroy(&a->lock);
}

static struct store_key key_of(const struct answers *a, const struct store_key *question)
{
	struct store_key k = a->key;
	store_key_mix(&k, question, sizeof(*question));
	return k;
}

/* ---- In memory ---- */

static struct answer_kept *find(struct answers *a, const struct store_key *k)
{
	for (size_t i = 0; i < a->n; i++)
		if (memcmp(a->item[i].key, k->hash, sizeof(k->hash)) == 0)
			return &a->item[i];
	return NULL;
}

static void drop_oldest(struct answers *a)
{
	size_t oldest = 0;
	for (size_t i = 1; i < a->n; i++)
		if (a->item[i].used < a->item[oldest].used)
			oldest = i;
	a->bytes -= a->item[oldest].len;
	free(a->item[oldest].text);
	a->item[oldest] = a->item[--a->n];
}

/* If memory runs out, the answer is not kept. */
static void keep(struct answers *a, const struct store_key *k, const char *text, size_t len,
	const char *type)
{
	char *copy = len <= ANSWERS_KEPT_BYTES ? malloc(len + 1) : NULL;
	if (!copy || find(a, k) || !mer_grow(&a->item, a->n, &a->cap, sizeof(*a->item))) {
		free(copy);
		return;
	}
	if (len)
		memcpy(copy, text, len);
	struct answer_kept *to = &a->item[a->n++];
	*to = (struct answer_kept){ .text = copy, .len = len, .type = type, .used = ++a->clock };
	memcpy(to->key, k->hash, sizeof(to->key));
	a->bytes += len;
	while (a->bytes > ANSWERS_BYTES)
		drop_oldest(a);
}

/* ---- In the cache folder ---- */

/* A file has the hash of the rest, the index of the content type, and the text. */
static bool read_kept(struct answers *a, const struct store_key *k, const char *const *types,
	struct mer_str *text, const char **type)
{
	struct mer_file f = { 0 };
	struct mer_err none;
	uint64_t head[2];
	char *path = a->folder ? store_cache_path(a->folder, STORE_CACHED_ANSWER, k) : NULL;
	bool is_there = path && mer_file_open(&f, path, &none) == 0 && f.size > sizeof(head);
	size_t n_types = 0;
	while (types[n_types])
		n_types++;
	if (is_there) {
		memcpy(head, f.data, sizeof(head));
		is_there = head[0] == mer_hash(f.data + sizeof(*head), f.size - sizeof(*head)) &&
			   head[1] < n_types;
	}
	if (is_there) {
		*type = types[head[1]];
		mer_str_add(text, (const char *)f.data + sizeof(head), f.size - sizeof(head));
		store_cache_touch(path);
	}
	mer_file_close(&f);
	free(path);
	return is_there && !text->failed;
}

static void write_kept(const struct answers *a, const struct store_key *k,
	const struct mer_str *text, const char *const *types, const char *type)
{
	struct mer_str file = { 0 };
	uint64_t head[2] = { 0 };
	while (types[head[1]] && types[head[1]] != type)
		head[1]++;
	char *path = store_cache_path(a->folder, STORE_CACHED_ANSWER, k);
	mer_str_add(&file, (const char *)&head[1], sizeof(head[1]));
	mer_str_add(&file, text->data, text->len);
	if (path && file.data && !file.failed && mer_make_folder(a->folder)) {
		head[0] = mer_hash(file.data, file.len);
		const struct mer_bytes parts[] = { { head, sizeof(*head) },
			{ file.data, file.len } };
		if (mer_file_replace(path, parts, 2))
			store_cache_trim(a->folder, path);
	}
	mer_str_fini(&file);
	free(path);
}

/* ---- Both ---- */

bool answers_find(struct answers *a, const struct store_key *question, const char *const *types,
	struct mer_str *text, const char **type)
{
	struct store_key k = key_of(a, question);
	pthread_mutex_lock(&a->lock);
	struct answer_kept *known = find(a, &k);
	bool is_known = known != NULL;
	size_t before = text->len;
	if (known) {
		known->used = ++a->clock;
		mer_str_add(text, known->text, known->len);
		*type = known->type;
	} else if (read_kept(a, &k, types, text, type)) {
		is_known = true;
		keep(a, &k, text->data + before, text->len - before, *type);
	}
	pthread_mutex_unlock(&a->lock);
	return is_known;
}

void answers_add(struct answers *a, const struct store_key *question, const char *const *types,
	const struct mer_str *text, const char *type, int64_t took_ns)
{
	struct store_key k = key_of(a, question);
	pthread_mutex_lock(&a->lock);
	keep(a, &k, text->data, text->len, type);
	if (a->folder && took_ns >= LONG_NS && text->len && text->len <= ANSWERS_KEPT_BYTES)
		write_kept(a, &k, text, types, type);
	pthread_mutex_unlock(&a->lock);
}
