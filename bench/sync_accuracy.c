/* How far from the truth are synchronized clocks? Generated worlds (tools/world.h), several
 * methods.
 *
 *   sync_accuracy [--full | --messages N] [--seed N] [--seeds N] [WORLD]...
 *
 * Prints a row for each world and method, over instants spread evenly over all hosts but the
 * reference (tools/world_score.h):
 *
 *   mean, p99, max   error of a host's clock put on the reference's, against what the reference's
 *                    clock really showed then
 *   bound, worst     half the distance between the limits that are claimed: median and maximum
 *   in bound         part of the instants with limits whose truth is between them
 *   violated         messages that are received before they are sent (matched as they were)
 *   steps            jumps and slews found, of all, + those that never were
 *   seconds          from messages to clock maps
 *
 * Methods: recorded (nothing is done), regression (least squares, in this file), hull (one line for
 * a pair, along the tree of fewest hops), auto (ours). Without --full worlds are cut to 100 hosts
 * and 5000 (--messages) messages a direction. --seeds: as many worlds of a kind, from --seed on;
 * columns are then means over them, or the worst of p99, max and worst, or sums. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "world_score.h"

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *need(void *p)
{
	if (!p) {
		fprintf(stderr, "sync_accuracy: out of memory\n");
		exit(1);
	}
	return p;
}

static void need_ok(int rc, const struct mer_err *err)
{
	if (!rc)
		return;
	fprintf(stderr, "sync_accuracy: %s\n", err->text);
	exit(1);
}

/* Least squares: one line for a pair, of offsets that are the mean of a message
 * and the next one in the other direction; hosts are put on host 0 along the
 * fewest hops. */

struct line { /* the next host's clock minus this one's, at this one's time x */
	uint32_t next;
	bool known;
	int64_t x0;
	double offset, slope; /* at x0; per ns */
};

static bool fit_pair(const struct sync_link *forth, const struct sync_link *back, struct line *line)
{
	/* forth is sent by the host whose clock is x. */
	double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
	size_t k = 0;
	if (!forth->n || !back->n)
		return false;
	int64_t x0 = forth->messages[0].sent;
	int64_t y0 = forth->messages[0].received - x0;
	for (size_t i = 0; i < forth->n; i++) {
		const struct sync_message *f = &forth->messages[i];
		while (k < back->n && back->messages[k].received < f->sent)
			k++;
		if (k == back->n)
			break;
		const struct sync_message *b = &back->messages[k];
		double x = ((double)(f->sent - x0) + (double)(b->received - x0)) / 2;
		double y = ((double)(f->received - f->sent - y0) +
				   (double)(b->sent - b->received - y0)) /
			   2;
		n++;
		sx += x;
		sy += y;
		sxx += x * x;
		sxy += x * y;
	}
	double d = n * sxx - sx * sx;
	if (n < 2 || d <= 0)
		return false;
	line->known = true;
	line->x0 = x0;
	line->slope = (n * sxy - sx * sy) / d;
	line->offset = (double)y0 + (sy - line->slope * sx) / n;
	return true;
}

static const struct sync_link *link_of(const struct sync_messages *m, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < m->n_links; i++)
		if (m->links[i].from == from && m->links[i].to == to)
			return &m->links[i];
	return NULL;
}

static struct line *regression(const struct sync_messages *m)
{
	struct line *lines = need(calloc(m->n_hosts, sizeof(*lines)));
	uint32_t *queue = need(calloc(m->n_hosts, sizeof(*queue))), n = 1;
	lines[0].known = true;
	for (uint32_t i = 0; i < n; i++)
		for (size_t k = 0; k < m->n_links; k++) {
			const struct sync_link *forth = &m->links[k];
			struct line *l = &lines[forth->from];
			if (forth->to != queue[i] || l->known)
				continue;
			const struct sync_link *back = link_of(m, forth->to, forth->from);
			if (!back || !fit_pair(forth, back, l))
				continue;
			l->next = forth->to;
			queue[n++] = forth->from;
		}
	free(queue);
	return lines;
}

static int64_t put_by_lines(const void *ctx, uint32_t host, int64_t t)
{
	const struct line *lines = ctx;
	for (; host && lines[host].known; host = lines[host].next) {
		const struct line *l = &lines[host];
		t += llrint(l->offset + l->slope * (double)(t - l->x0));
	}
	return t;
}

static uint32_t reference_by_lines(const void *ctx, uint32_t host)
{
	return ((const struct line *)ctx)[host].known ? 0 : UINT32_MAX;
}

static int64_t leave(const void *ctx, uint32_t host, int64_t t)
{
	(void)ctx;
	(void)host;
	return t;
}

static uint32_t host_0(const void *ctx, uint32_t host)
{
	(void)ctx;
	(void)host;
	return 0;
}

static void print_number(double v, int width)
{
	if (isnan(v))
		printf(" %*s |", width, "-");
	else
		printf(" %*.*f |", width, v < 10 ? 2 : v < 1000 ? 1 : 0, v);
}

struct setting {
	struct world world;
	struct sync_messages given, right; /* given: some may be matched wrongly */
};

struct total { /* of one method, over all seeds */
	const char *name;
	bool has_steps;
	unsigned n_scored, n_bounded;
	double mean, p99, max, bound_median, bound_max, seconds;
	size_t n_limited, n_inside, n_violated, n_steps, n_found, n_invented;
};

enum { RECORDED, REGRESSION, HULL, AUTO, N_METHODS };

static void add_score(
	struct total *t, const struct setting *x, const struct world_answer *a, double seconds)
{
	uint32_t n_hosts = x->world.options.n_hosts;
	size_t each = n_hosts > 100 ? 50 : n_hosts > 2 ? 1000 : 20000;
	struct world_score s;
	struct mer_err err;
	need_ok(world_judge(&x->world, &x->right, a, each, &s, &err), &err);
	t->has_steps = a->result;
	t->seconds += seconds;
	if (s.n) {
		t->n_scored++;
		t->mean += s.mean;
		t->p99 = fmax(t->p99, s.p99);
		t->max = fmax(t->max, s.max);
	}
	if (s.n_bounded) {
		t->n_bounded++;
		t->bound_median += s.bound_median;
		t->bound_max = fmax(t->bound_max, s.bound_max);
	}
	t->n_limited += s.n_limited;
	t->n_inside += s.n_inside;
	t->n_violated += s.n_violated;
	t->n_steps += s.n_steps;
	t->n_found += s.n_found;
	t->n_invented += s.n_invented;
}

static void print_total(const struct total *t, const char *world, uint32_t n_hosts,
	uint64_t n_messages, unsigned seeds)
{
	printf("| %-12s | %-10s | %5u | %8" PRIu64 " |", world, t->name, n_hosts,
		n_messages / seeds);
	print_number(t->n_scored ? t->mean / t->n_scored : NAN, 11);
	print_number(t->n_scored ? t->p99 : NAN, 11);
	print_number(t->n_scored ? t->max : NAN, 11);
	print_number(t->n_bounded ? t->bound_median / t->n_bounded : NAN, 9);
	print_number(t->n_bounded ? t->bound_max : NAN, 9);
	if (t->n_limited)
		printf(" %7.3f%% |", 100.0 * (double)t->n_inside / (double)t->n_limited);
	else
		printf(" %8s |", "-");
	printf(" %8zu |", t->n_violated);
	if (t->has_steps)
		printf(" %4zu/%-4zu +%-3zu |", t->n_found, t->n_steps, t->n_invented);
	else
		printf(" %14s |", "-");
	printf(" %8.3f |\n", t->seconds / seeds);
	fflush(stdout);
}

static void add_solved(struct total *t, const struct setting *x, enum sync_method method)
{
	struct sync_options o = { .method = method };
	struct sync_result *result;
	struct mer_err err;
	double begin = now();
	need_ok(world_solve(&x->world, &x->given, &o, &result, &err), &err);
	double seconds = now() - begin;
	add_score(t, x, &(struct world_answer){ .result = result }, seconds);
	sync_result_free(result);
}

static void add_lines(struct total *t, const struct setting *x)
{
	double begin = now();
	struct line *lines = regression(&x->given);
	double seconds = now() - begin;
	struct world_answer a = {
		.ctx = lines, .map = put_by_lines, .reference = reference_by_lines
	};
	add_score(t, x, &a, seconds);
	free(lines);
}

static void run_world(const char *name, struct world_options *o, unsigned seeds)
{
	struct total totals[N_METHODS] = { { .name = "recorded" }, { .name = "regression" },
		{ .name = "hull" }, { .name = "auto" } };
	struct world_answer as_recorded = { .map = leave, .reference = host_0 };
	uint64_t n_messages = 0;
	for (unsigned i = 0; i < seeds; i++, o->seed++) {
		struct setting x;
		struct mer_err err;
		need_ok(world_make(&x.world, o, &err), &err);
		need_ok(world_to_messages(&x.world, &x.given, &err), &err);
		x.world.options.wrong = 0;
		need_ok(world_to_messages(&x.world, &x.right, &err), &err);
		for (size_t k = 0; k < x.given.n_links; k++)
			n_messages += x.given.links[k].n;
		add_score(&totals[RECORDED], &x, &as_recorded, 0);
		add_lines(&totals[REGRESSION], &x);
		add_solved(&totals[HULL], &x, SYNC_HULL);
		add_solved(&totals[AUTO], &x, SYNC_AUTO);
		sync_messages_free(&x.given);
		sync_messages_free(&x.right);
		world_free(&x.world);
	}
	for (int i = 0; i < N_METHODS; i++)
		print_total(&totals[i], name, o->n_hosts, n_messages, seeds);
}

int main(int argc, char **argv)
{
	bool full = false;
	uint64_t seed = 1, messages = 5000;
	unsigned seeds = 1;
	int first = 1;
	for (; first < argc && argv[first][0] == '-'; first++) {
		if (!strcmp(argv[first], "--full")) {
			full = true;
		} else if (!strcmp(argv[first], "--seed") && first + 1 < argc) {
			seed = strtoull(argv[++first], NULL, 10);
		} else if (!strcmp(argv[first], "--messages") && first + 1 < argc) {
			messages = strtoull(argv[++first], NULL, 10);
		} else if (!strcmp(argv[first], "--seeds") && first + 1 < argc) {
			seeds = (unsigned)strtoul(argv[++first], NULL, 10);
		} else {
			fprintf(stderr, "usage: sync_accuracy [--full | --messages N] [--seed N] "
					"[--seeds N] [WORLD]...\n");
			return 2;
		}
	}
	printf("| world        | method     | hosts | messages |     mean us |      p99 us |"
	       "      max us |  bound us |  worst us | in bound | violated | steps          |  "
	       "seconds "
	       "|\n"
	       "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|--:|\n");
	for (int i = first; first == argc ? world_presets[i - first].name != NULL : i < argc; i++) {
		const char *name = first == argc ? world_presets[i - first].name : argv[i];
		struct world_options o;
		struct mer_err err;
		need_ok(world_preset(name, &o, &err), &err);
		o.seed = seed;
		if (!full)
			world_shorten(&o, messages, 100);
		run_world(name, &o, seeds ? seeds : 1);
	}
	return 0;
}
