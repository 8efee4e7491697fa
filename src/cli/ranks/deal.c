#include "cli/ranks/deal.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

static void walk_texts(struct mer_walk *w, struct session_texts *t)
{
	t->n = mer_walk_count(w, t->n);
	t->item = mer_walk_room(w, t->item, t->n, sizeof(*t->item));
	for (size_t i = 0; i < t->n && !w->failed; i++)
		mer_walk_text(w, &t->item[i]);
}

void deal_walk(struct mer_walk *w, struct deal_trace *t)
{
	MER_WALK(w, t->place);
	MER_WALK(w, t->word);
	mer_walk_text(w, &t->path);
	mer_walk_text(w, &t->why);
	t->is_missing = mer_walk_flag(w, t->is_missing);
	t->is_whole = mer_walk_flag(w, t->is_whole);
	MER_WALK(w, t->bytes);
	walk_texts(w, &t->hosts);
	walk_texts(w, &t->ids);
	t->n_cpus = mer_walk_count(w, t->n_cpus);
	int32_t *cpus = mer_walk_room(w, (void *)(uintptr_t)t->cpus, t->n_cpus, sizeof(*t->cpus));
	t->cpus = cpus;
	for (size_t i = 0; i < t->n_cpus && !w->failed; i++)
		MER_WALK(w, cpus[i]);
}

/* ---- What stays together ---- */

struct group {
	uint64_t bytes; /* where most of them are seen */
	size_t first;	/* trace */
	size_t number;	/* of the group, before they are sorted */
};

struct dealing {
	struct deal_trace *traces;
	size_t n, n_places, n_groups;
	size_t *first;	     /* by trace: one of its group, itself or an earlier one */
	size_t *group;	     /* by first trace: the group's number */
	struct mer_map keys; /* what traces of one host share -> a trace + 1 */
	struct group *groups;
	uint64_t *seen; /* by group, then place: bytes + 1; 0: nothing of it */
	bool failed;
};

static size_t first_of(const struct dealing *d, size_t i)
{
	while (d->first[i] != i)
		i = d->first[i] = d->first[d->first[i]];
	return i;
}

static void join(struct dealing *d, size_t i, size_t k)
{
	i = first_of(d, i);
	k = first_of(d, k);
	d->first[i > k ? i : k] = i < k ? i : k;
}

static void share(struct dealing *d, size_t i, char kind, const void *what, size_t size)
{
	uint64_t key[] = { (uint64_t)kind, mer_hash(what, size) };
	uint32_t *at = mer_map_put(&d->keys, mer_hash(key, sizeof(key)));
	d->failed |= !at;
	if (at && *at)
		join(d, *at - 1, i);
	else if (at)
		*at = (uint32_t)i + 1;
}

static void share_texts(struct dealing *d, size_t i, char kind, const struct session_texts *t)
{
	for (size_t k = 0; k < t->n; k++)
		share(d, i, kind, t->item[k], strlen(t->item[k]));
}

static void find_groups(struct dealing *d)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct deal_trace *t = &d->traces[i];
		uint32_t word[] = { t->word, t->place };
		d->first[i] = i;
		share_texts(d, i, 'h', &t->hosts);
		share_texts(d, i, 'i', &t->ids);
		if (t->is_whole)
			share(d, i, 'w', word, sizeof(word));
		if (t->why)
			share(d, i, 'u', t->path, strlen(t->path));
	}
	/* What cannot be opened goes with the place's first trace that can. */
	for (size_t i = 0, readable = SIZE_MAX; i < d->n; i++) {
		const struct deal_trace *t = &d->traces[i];
		if (i == 0 || t->place != t[-1].place) {
			readable = i;
			while (readable < d->n && d->traces[readable].place == t->place &&
				d->traces[readable].why)
				readable++;
		}
		if (t->why && readable < d->n && d->traces[readable].place == t->place)
			join(d, i, readable);
	}
}

/* ---- Who gets it ---- */

static void count(struct dealing *d)
{
	for (size_t i = 0; i < d->n; i++) {
		size_t first = first_of(d, i);
		if (first == i) {
			d->group[i] = d->n_groups;
			d->groups[d->n_groups] =
				(struct group){ .first = i, .number = d->n_groups };
			d->n_groups++;
		}
		size_t g = d->group[first];
		uint64_t *seen = &d->seen[g * d->n_places + d->traces[i].place];
		*seen += d->traces[i].bytes + !*seen;
		if (*seen > d->groups[g].bytes)
			d->groups[g].bytes = *seen;
	}
	for (size_t i = 0; i < d->n; i++) {
		size_t g = d->group[first_of(d, i)];
		uint64_t seen = d->seen[g * d->n_places + d->traces[i].place];
		d->traces[i].is_less = seen != d->groups[g].bytes;
	}
}

static int by_bytes(const void *a, const void *b)
{
	const struct group *p = a, *q = b;
	if (p->bytes != q->bytes)
		return p->bytes > q->bytes ? -1 : 1;
	return p->first < q->first ? -1 : 1;
}

static void choose_ranks(
	struct dealing *d, const uint32_t *places, uint64_t *load, uint32_t n_ranks)
{
	qsort(d->groups, d->n_groups, sizeof(*d->groups), by_bytes);
	for (size_t i = 0; i < d->n_groups; i++) {
		const struct group *g = &d->groups[i];
		uint32_t best = DEAL_NOBODY;
		for (uint32_t r = 0; r < n_ranks; r++)
			if ((best == DEAL_NOBODY || load[r] < load[best]) &&
				d->seen[g->number * d->n_places + places[r]] == g->bytes)
				best = r;
		load[best] += g->bytes;
		d->group[g->first] = best; /* from here on it is the rank */
	}
	for (size_t i = 0; i < d->n; i++) {
		uint32_t rank = (uint32_t)d->group[first_of(d, i)];
		bool is_there = places[rank] == d->traces[i].place;
		d->traces[i].rank = is_there ? rank : DEAL_NOBODY;
	}
}

static int by_place(const void *a, const void *b)
{
	const struct deal_trace *p = a, *q = b;
	if (p->place != q->place)
		return p->place < q->place ? -1 : 1;
	if (p->word != q->word)
		return p->word < q->word ? -1 : 1;
	return strcmp(p->path, q->path);
}

/* Words of which nothing is missing but at some places go without a word. */
static size_t leave_out_elsewhere(struct deal_trace *t, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		bool is_elsewhere = false;
		for (size_t k = 0; t[i].is_missing && k < n && !is_elsewhere; k++)
			is_elsewhere = t[k].word == t[i].word && !t[k].is_missing;
		if (!is_elsewhere)
			t[kept++] = t[i];
	}
	return kept;
}

bool deal(struct deal_trace *traces, size_t *n, const uint32_t *places, uint32_t n_ranks)
{
	struct dealing d = { .traces = traces };
	d.n = *n = leave_out_elsewhere(traces, *n);
	for (uint32_t r = 0; r < n_ranks; r++)
		d.n_places = places[r] >= d.n_places ? places[r] + 1u : d.n_places;
	qsort(traces, d.n, sizeof(*traces), by_place);
	uint64_t *load = calloc(n_ranks, sizeof(*load));
	d.first = calloc(d.n + 1, sizeof(*d.first));
	d.group = calloc(d.n + 1, sizeof(*d.group));
	d.groups = calloc(d.n + 1, sizeof(*d.groups));
	d.failed = !load || !d.first || !d.group || !d.groups;
	if (!d.failed)
		find_groups(&d);
	for (size_t i = 0; i < d.n && !d.failed; i++)
		d.n_groups += d.first[i] == i;
	d.seen = calloc(d.n_groups * d.n_places + 1, sizeof(*d.seen));
	d.n_groups = 0;
	d.failed |= !d.seen;
	if (!d.failed) {
		count(&d);
		choose_ranks(&d, places, load, n_ranks);
	}
	mer_map_fini(&d.keys);
	free(load);
	free(d.first);
	free(d.group);
	free(d.groups);
	free(d.seen);
	return !d.failed;
}

size_t deal_words(const struct deal_trace *traces, size_t n, uint32_t rank, uint32_t place,
	const char *const *words, size_t n_words, const char **out)
{
	size_t n_out = 0;
	for (uint32_t w = 0; w < n_words; w++) {
		size_t before = n_out;
		bool all = true;
		for (size_t i = 0; i < n; i++) {
			if (traces[i].word != w || traces[i].place != place)
				continue;
			if (traces[i].rank == rank)
				out[n_out++] = traces[i].path;
			else
				all = false;
		}
		if (all && n_out > before) {
			out[before] = words[w];
			n_out = before + 1;
		}
	}
	return n_out;
}
