/* Known clocks: the clocks of a recording's hosts as its clock.csv tells them. */
#include "known_clock.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static int by_guest(const void *a, const void *b)
{
	const struct known_sample *p = a, *q = b;
	return p->guest < q->guest ? -1 : p->guest > q->guest;
}

/* A clock's advance while the common one advances by d, and the other way round. */
static int64_t advance(double rate, int64_t d)
{
	return d + llround((double)d * rate);
}

static int64_t advance_back(double rate, int64_t d)
{
	return d - llround((double)d * rate / (1 + rate));
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void learn_rate(struct known_clock *c)
{
	const double kernel_limit = 500e-6, unsteadiness = 2e-6;
	double low = -1, high = 1;
	qsort(c->samples, c->n, sizeof(*c->samples), by_guest);
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = i + 1; k < c->n; k++) {
			const struct known_sample *a = &c->samples[i], *b = &c->samples[k];
			double g = (double)(b->guest - a->guest);
			if (b->send <= a->recv)
				continue;
			high = fmin(high, g / (double)(b->send - a->recv) - 1);
			low = fmax(low, g / (double)(b->recv - a->send) - 1);
		}
	c->steady = low <= high && high - low < kernel_limit;
	c->slowest = c->steady ? low - unsteadiness : -kernel_limit;
	c->fastest = c->steady ? high + unsteadiness : kernel_limit;
}

/* The common clock when this one showed `guest`. */
static struct interval common_at(const struct known_clock *c, int64_t guest)
{
	struct interval in = { INT64_MIN, INT64_MAX };
	for (size_t i = 0; i < c->n; i++) {
		const struct known_sample *s = &c->samples[i];
		int64_t d = guest - s->guest, p = advance_back(c->slowest, d),
			q = advance_back(c->fastest, d);
		in.low = most(in.low, s->send + least(p, q) - 1);
		in.high = least(in.high, s->recv + most(p, q) + 1);
	}
	return in;
}

/* This clock while the common one was somewhere in there. */
static struct interval shown_in(const struct known_clock *c, struct interval common)
{
	struct interval in = { INT64_MIN, INT64_MAX };
	for (size_t i = 0; i < c->n; i++) {
		const struct known_sample *s = &c->samples[i];
		int64_t d = common.low - s->recv, e = common.high - s->send;
		in.low = most(in.low,
			s->guest + least(advance(c->slowest, d), advance(c->fastest, d)) - 1);
		in.high = least(in.high,
			s->guest + most(advance(c->slowest, e), advance(c->fastest, e)) + 1);
	}
	return in;
}

/* What the clock `to` showed when `from` showed t, both as in their traces. */
struct interval known_truth_at(
	const struct known_clock *from, const struct known_clock *to, int64_t t)
{
	struct interval in = shown_in(to, common_at(from, t - from->offset));
	assert_true(in.low <= in.high); /* the samples contradict each other */
	return (struct interval){ in.low + to->offset, in.high + to->offset };
}

/* ---- reading it ---- */

static uint32_t host_named(const struct mer_experiment *e, const char *name)
{
	for (uint32_t h = 0; h < e->n_hosts; h++)
		if (strcmp(e->hosts[h].name, name) == 0)
			return h;
	return UINT32_MAX;
}

/* trace.dat and text say nothing of the time of day; perf.data and ftrace's pages only if it was
 * written down. */
static bool has_no_time_of_day(
	const struct mer_experiment *e, uint32_t host, const struct known_clock *clock)
{
	static const char *const tracers[] = { "trace-cmd", "ftrace", "perf" };
	for (uint32_t t = 0; t < e->n_traces; t++) {
		size_t i = 0, n = sizeof(tracers) / sizeof(tracers[0]);
		while (i < n && strcmp(e->traces[t].tracer, tracers[i]) != 0)
			i++;
		if (e->traces[t].host == host && (i == n || clock->offset))
			return false;
	}
	return true;
}

static void add_sample(struct known_clock *c, struct known_sample s)
{
	if (c->n == c->cap) {
		c->cap = c->cap ? c->cap * 2 : 32;
		c->samples = realloc(c->samples, c->cap * sizeof(*c->samples));
		assert_non_null(c->samples);
	}
	c->samples[c->n++] = s;
}

uint32_t known_clocks_read(
	const char *path, const struct mer_experiment *e, struct known_clock *clocks)
{
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	char line[500], name[100];
	while (fgets(line, sizeof(line), f)) {
		struct known_sample s;
		if (sscanf(line, "%*[^,],%99[^,],%*d,%" SCNd64 ",%" SCNd64 ",%" SCNd64, name,
			    &s.send, &s.recv, &s.guest) != 4)
			continue; /* the title */
		uint32_t h = host_named(e, name);
		if (h != UINT32_MAX)
			add_sample(&clocks[h], s);
	}
	fclose(f);
	for (uint32_t p = 0; p < e->n_parts; p++) {
		const struct mer_trace *t = &e->traces[e->parts[p].trace];
		if (t->has_clock && strcmp(t->domain, "kernel") == 0)
			clocks[t->host].offset = e->parts[p].clocks[0].base_ns;
	}
	uint32_t n_known = 0;
	for (uint32_t h = 0; h < e->n_hosts; h++) {
		if (!clocks[h].n || has_no_time_of_day(e, h, &clocks[h]))
			continue;
		assert_int_not_equal(clocks[h].offset, 0);
		learn_rate(&clocks[h]);
		n_known++;
	}
	return n_known;
}

enum { MAX_HOSTS = 64 };

/* False: its clocks are not known. */
static bool ask(const char *root, const char *name, known_recording_fn fn, void *ctx)
{
	char path[2000], csv[2100];
	snprintf(path, sizeof(path), "%s/%s", root, name);
	snprintf(csv, sizeof(csv), "%s/clock.csv", path);
	FILE *f = name[0] == '.' ? NULL : fopen(csv, "r");
	if (!f)
		return false;
	fclose(f);
	struct mer_experiment *e = NULL;
	struct mer_err err = { 0 };
	struct known_clock clocks[MAX_HOSTS] = { 0 };
	const char *paths[] = { path };
	if (mer_experiment_open(paths, 1, NULL, &e, &err)) {
		if (!strstr(err.text, "no trace here"))
			fail_msg("%s: %s", path, err.text);
		print_message("skipped: %s has recordings of other tracers only\n", name);
		return false;
	}
	assert_in_range(e->n_hosts, 1, MAX_HOSTS);
	uint32_t n_known = known_clocks_read(csv, e, clocks);
	if (n_known > 1)
		fn(ctx, &(struct known_recording){ name, e, clocks, n_known });
	for (uint32_t h = 0; h < e->n_hosts; h++)
		free(clocks[h].samples);
	mer_experiment_free(e);
	return n_known > 1;
}

int known_clocks_each(const char *folder, known_recording_fn fn, void *ctx)
{
	struct dirent **names;
	int n = scandir(folder, &names, NULL, alphasort), n_known = 0;
	assert_true(n > 0);
	for (int i = 0; i < n; i++) {
		n_known += ask(folder, names[i]->d_name, fn, ctx);
		free(names[i]);
	}
	free(names);
	return n_known;
}
