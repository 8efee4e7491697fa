/* What a saved world has of guests comes back; numbers of what is not there are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/host.h"
#include "store/guests.h"

enum { N_SPANS = 30, N_REQUESTS = 4 };

static const uint8_t key[STORE_KEY_BYTES] = "guests";

struct given {
	struct kernel_absence absences[2];
	struct kernel_edge aways[3];
	struct kernel_move moves[2];
	struct kernel_relay relays[2];
	char texts[10];
	struct kernel_guest g;
};

static void begin(struct given *x)
{
	*x = (struct given){ .absences = { { .state = 4, .exit = 7, .thread = 1 },
				     { .state = 2, .by_tid = -1, .thread = KERNEL_NONE } },
		.aways = { { -5, 0, 0 }, { 10, KERNEL_NONE, 0 }, { 3, 1, 2 } },
		.moves = { { 4, 3, 1 }, { 9, 3, 0 } },
		.relays = { { .entered = 9, .sent = 8, .request = 0, .vcpu = 3, .by = KERNEL_NONE },
			{ .entered = 20, .sent = 15, .request = 3, .vcpu = N_SPANS - 1, .by = 0 } },
		.texts = "\0hog\0NPF" };
	x->g = (struct kernel_guest){ .absences = x->absences,
		.n = 2,
		.texts = x->texts,
		.n_texts = 9,
		.aways = x->aways,
		.n_aways = 3,
		.moves = x->moves,
		.n_moves = 2,
		.relays = x->relays,
		.n_relays = 2,
		.hypervisor = 1 };
}

/* NULL: there was none. */
static int put_and_get(const struct kernel_guest *g, struct kernel_host *hosts)
{
	char path[] = "/tmp/test_guests.XXXXXX";
	struct store_writer w;
	struct store_file f;
	struct mer_err err = { 0 };
	int fd = mkstemp(path);
	assert_true(fd >= 0 && close(fd) == 0);
	assert_int_equal(store_writer_begin(&w, path, key, &err), 0);
	if (g)
		store_put_guest(&w, 0, g);
	assert_int_equal(store_writer_end(&w, true, &err), 0);
	assert_int_equal(store_file_open(&f, path, key, &err), 0);
	for (int i = 0; i < 2; i++) {
		kernel_host_init(&hosts[i]);
		hosts[i].n_spans = i ? N_SPANS : 0;
		hosts[i].n_requests = i ? 0 : N_REQUESTS;
	}
	int rc = store_get_guest(&f, 0, hosts, 2, &err);
	assert_string_equal(err.text, rc ? "absences of a guest that cannot be" : "");
	store_file_close(&f);
	unlink(path);
	return rc;
}

static void end(struct kernel_host *hosts)
{
	for (int i = 0; i < 2; i++) {
		hosts[i].n_spans = hosts[i].n_requests = 0;
		kernel_host_fini(&hosts[i]);
	}
}

static void comes_back(void **state)
{
	(void)state;
	struct given x;
	struct kernel_host hosts[2];
	begin(&x);
	assert_int_equal(put_and_get(&x.g, hosts), 0);
	const struct kernel_guest *g = hosts[0].guest;
	assert_non_null(g);
	assert_true(g->n == 2 && g->n_texts == 9 && g->n_aways == 3 && g->n_moves == 2);
	assert_true(g->n_relays == 2 && g->hypervisor == 1);
	assert_memory_equal(g->absences, x.absences, sizeof(x.absences));
	assert_memory_equal(g->texts, x.texts, 9);
	for (int i = 0; i < 3; i++)
		assert_true(g->aways[i].time == x.aways[i].time &&
			    g->aways[i].absence == x.aways[i].absence &&
			    g->aways[i].cpu == x.aways[i].cpu);
	for (int i = 0; i < 2; i++) {
		assert_true(g->moves[i].time == x.moves[i].time &&
			    g->moves[i].span == x.moves[i].span &&
			    g->moves[i].cpu == x.moves[i].cpu);
		const struct kernel_relay *p = &g->relays[i], *q = &x.relays[i];
		assert_true(p->entered == q->entered && p->sent == q->sent &&
			    p->request == q->request && p->vcpu == q->vcpu && p->by == q->by);
	}
	end(hosts);
	assert_int_equal(put_and_get(NULL, hosts), 0);
	assert_null(hosts[0].guest);
	end(hosts);
}

#define REFUSED(wrong_)                                                                            \
	do {                                                                                       \
		struct given x;                                                                    \
		struct kernel_host hosts[2];                                                       \
		begin(&x);                                                                         \
		wrong_;                                                                            \
		assert_int_equal(put_and_get(&x.g, hosts), MER_ERR_INPUT);                         \
		end(hosts);                                                                        \
	} while (0)

static void refused(void **state)
{
	(void)state;
	REFUSED(x.g.hypervisor = 2);
	REFUSED(x.relays[0].request = N_REQUESTS);
	REFUSED(x.relays[0].vcpu = N_SPANS);
	REFUSED(x.relays[1].by = N_SPANS);
	REFUSED(x.absences[0].thread = 2);
	REFUSED(x.aways[1].absence = 2);
	REFUSED(x.g.n_texts = 8); /* it does not end */
	REFUSED(x.g.n_texts = 0);
	struct given x;
	struct kernel_host hosts[2];
	begin(&x);
	x.g.n_relays = 0; /* then it does not matter whose guest it is */
	x.g.hypervisor = 7;
	assert_int_equal(put_and_get(&x.g, hosts), 0);
	end(hosts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back),
		cmocka_unit_test(refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
