/* Requests of recordings in which events are missing, with the losses counted or not: all that
 * holds for requests still holds, and those that are taken for whole are requests of the original.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/map.h"
#include "cut.h"
#include "given.h"
#include "requests/kinds.h"
#include "requests_check.h"

/* By the task that sent it, and when; the original's are on the same clocks. */
static uint64_t key_of(const struct requests *r, const struct requests_exchange *x)
{
	const struct requests_end *e = &r->connections.item[x->connection].ends[REQUESTS_CLIENT];
	uint64_t key[] = { e->host, (uint64_t)r->w->hosts[e->host].tasks[x->client_task].tid,
		(uint64_t)x->begin, (uint64_t)x->end };
	return mer_hash(key, sizeof(key));
}

static bool is_whole(const struct requests_exchange *x)
{
	return x->n_messages == 1 && !x->is_damaged && x->client_task != KERNEL_NONE;
}

struct whole {
	struct recording r;
	struct kernel_world *w;
	struct requests *found;
	struct mer_map known;	  /* key_of -> exchange, plus 1 */
	unsigned n_sure, n_right; /* of all cuts: surely nested; of these, as in the whole */
};

static const struct requests_exchange *in_whole(
	const struct whole *k, const struct requests *r, const struct requests_exchange *x)
{
	const uint32_t *at = mer_map_get(&k->known, key_of(r, x));
	return at ? &k->found->exchanges[*at - 1] : NULL;
}

static uint64_t parent_key(const struct requests *r, const struct requests_exchange *x)
{
	const struct requests_exchange *p = x->parent ? &r->exchanges[x->parent - 1] : NULL;
	return p && p->client_task != KERNEL_NONE ? key_of(r, p) : 0;
}

/* An exchange of the original on the same connection of the same task, which was open then: what a
 * damaged one is a part of. */
static bool is_part_of(const struct requests *r, const struct requests_exchange *part,
	const struct whole *k, const struct requests_exchange *was)
{
	const struct requests_end *e = &r->connections.item[part->connection].ends[REQUESTS_CLIENT];
	const struct requests_end *f =
		&k->found->connections.item[was->connection].ends[REQUESTS_CLIENT];
	if (part->client_task == KERNEL_NONE || was->client_task == KERNEL_NONE ||
		e->host != f->host || part->begin >= was->end || was->begin >= part->end ||
		r->w->hosts[e->host].tasks[part->client_task].tid !=
			k->w->hosts[f->host].tasks[was->client_task].tid)
		return false;
	uint16_t port = requests_port(r, e), other = requests_port(k->found, f);
	return !port || !other || port == other;
}

/* Does what it is a part of lie below what `parent` is a part of? */
static bool is_below(const struct requests *r, const struct requests_exchange *x,
	const struct requests_exchange *parent, const struct whole *k)
{
	if (parent->client_task == KERNEL_NONE)
		return true; /* which one that is cannot be compared */
	for (uint32_t i = 0; i < k->found->n; i++) {
		const struct requests_exchange *was = &k->found->exchanges[i];
		if (was->parent && is_part_of(r, x, k, was) &&
			is_part_of(r, parent, k, &k->found->exchanges[was->parent - 1]))
			return true;
	}
	return false;
}

/* All that lie surely below another one, on damaged connections too. */
static void compare_sure(const struct requests *r, struct whole *k)
{
	unsigned n = 0, n_right = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		const struct requests_exchange *x = &r->exchanges[i];
		if (!x->parent || x->confidence < 0.9F)
			continue;
		n++;
		n_right += is_below(r, x, &r->exchanges[x->parent - 1], k);
	}
	print_message("  of %u that are surely nested, of damaged connections too, %u are right\n",
		n, n_right);
	k->n_sure += n;
	k->n_right += n_right;
}

/* Few that are taken for whole are none of the original's, and few lie surely below another one
 * than there. */
static void compare(const struct requests *r, const struct whole *k, double share)
{
	unsigned n = 0, n_invented = 0, n_sure = 0, n_wrong = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		const struct requests_exchange *x = &r->exchanges[i], *was;
		if (!is_whole(x))
			continue;
		n++;
		was = in_whole(k, r, x);
		n_invented += !was;
		if (!was || !x->parent || x->confidence < 0.9F ||
			!is_whole(&r->exchanges[x->parent - 1]))
			continue;
		n_sure++;
		n_wrong += parent_key(r, x) != parent_key(k->found, was);
	}
	print_message(
		"%s: of %u requests %u are taken for whole, %u of them are not; %u surely nested, %u of them wrong\n",
		k->r.name, (unsigned)r->n, n, n_invented, n_sure, n_wrong);
	assert_true(n_invented * 100 <= n);
	assert_true(share > 0.05 || n_wrong * 50 <= n_sure); /* else of too few */
}

static void cut_and_check(struct whole *k, struct cut *cut)
{
	char dir[] = "/tmp/requests_cuts.XXXXXX", command[100];
	struct recording r;
	struct requests *found;
	assert_non_null(mkdtemp(dir));
	cut_recording(k->r.e, dir, cut);
	recording_open_cut(&r, &k->r, dir);
	struct kernel_world *w = requests_check_find(&r, k->r.result, &found);
	requests_check(found);
	compare(found, k, cut->share);
	compare_sure(found, k);
	requests_free(found);
	kernel_world_free(w);
	recording_close(&r);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
}

static void cuts_of(const char *name)
{
	struct whole k = { 0 };
	recording_open(&k.r, name);
	k.w = requests_check_find(&k.r, k.r.result, &k.found);
	for (uint32_t i = 0; i < k.found->n; i++) {
		if (k.found->exchanges[i].client_task == KERNEL_NONE)
			continue;
		uint32_t *at = mer_map_put(&k.known, key_of(k.found, &k.found->exchanges[i]));
		assert_non_null(at);
		*at = i + 1;
	}
	for (int manner = CUT_SHORT; manner <= CUT_PACKETS; manner += GIVEN_EVERY(3)) {
		struct cut cut = { .manner = (enum cut_manner)manner,
			.share = 0.02,
			.seed = 41 + (uint64_t)manner };
		cut_and_check(&k, &cut);
		cut.share = 0.1;
		if (GIVEN_EVERY(2) == 1)
			cut_and_check(&k, &cut);
	}
	assert_true(k.n_right * 100 >= k.n_sure * 95);
	mer_map_fini(&k.known);
	requests_free(k.found);
	kernel_world_free(k.w);
	recording_close(&k.r);
}

static void web_load(void **state)
{
	(void)state;
	cuts_of("lab/web-load");
}

static void shop_a(void **state)
{
	(void)state;
	cuts_of("lab/shop-a");
}

static void shop_node(void **state)
{
	(void)state;
	cuts_of("lab/shop-node");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(web_load),
		cmocka_unit_test(shop_a),
		cmocka_unit_test(shop_node),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
