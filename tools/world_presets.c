/* Worlds that have a name. The first four are those by which methods are compared everywhere. */
#include "world.h"

#include "base/str.h"

#include <string.h>

#define SECOND INT64_C(1000000000)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)

struct world_options world_defaults(void)
{
	return (struct world_options){ .n_hosts = 2,
		.topology = WORLD_PAIR,
		.degree = 4,
		.clock = world_clock_defaults(),
		.first_is_true = true,
		.ppm = 20,
		.epoch_ns = 1700000000 * SECOND,
		.spread_ns = SECOND,
		.link = world_link_defaults(),
		.duration_ns = 10 * MINUTE,
		.seed = 1 };
}

static void linear_1h(struct world_options *o)
{
	o->link.jitter_ns = 1000000;
	o->duration_ns = HOUR;
}

static void linear_96h(struct world_options *o)
{
	o->link.rate_hz = 1.0 / 60;
	o->link.jitter_ns = 200000;
	o->duration_ns = 96 * HOUR;
}

static void free_4h(struct world_options *o)
{
	o->clock.kind = WORLD_FREE;
	o->duration_ns = 4 * HOUR;
}

static void free_4h_10(struct world_options *o)
{
	free_4h(o);
	o->link.rate_hz = 10;
}

static void ntp_2h(struct world_options *o)
{
	o->clock.kind = WORLD_NTP;
	o->link.rate_hz = 2;
	o->duration_ns = 2 * HOUR;
}

static void step_30min(struct world_options *o)
{
	o->link.rate_hz = 5;
	o->duration_ns = 30 * MINUTE;
	o->clock.glitches[0] = (struct world_glitch){ .at_ns = 15 * MINUTE, .step_ns = 5000000 };
	o->clock.n_glitches = 1;
}

static void pause_30min(struct world_options *o)
{
	step_30min(o);
	o->clock.glitches[0].step_ns = -5000000;
}

static void slew_30min(struct world_options *o)
{
	step_30min(o);
	o->clock.glitches[0] = (struct world_glitch){
		.at_ns = 15 * MINUTE, .slew_ppm = -37000, .slew_for_ns = 1500000000
	};
}

static void sawtooth_1h(struct world_options *o)
{
	o->clock.kind = WORLD_SAWTOOTH;
	o->link.rate_hz = 10;
	o->duration_ns = HOUR;
}

static void ring_10(struct world_options *o)
{
	o->n_hosts = 10;
	o->topology = WORLD_RING;
	o->clock.kind = WORLD_FREE;
	o->first_is_true = false;
	o->link.rate_hz = 2;
	o->duration_ns = HOUR;
}

static void full_5(struct world_options *o)
{
	ring_10(o);
	o->n_hosts = 5;
	o->topology = WORLD_FULL;
}

static void random_1000(struct world_options *o)
{
	ring_10(o);
	o->n_hosts = 1000;
	o->topology = WORLD_RANDOM;
	o->link.rate_hz = 1;
	o->duration_ns = 50 * SECOND; /* 100 messages an edge */
}

static void two_groups(struct world_options *o)
{
	ring_10(o);
	o->n_hosts = 6;
	o->topology = WORLD_TWO_GROUPS;
}

static void one_way(struct world_options *o)
{
	free_4h(o);
	o->one_way = true;
	o->duration_ns = HOUR;
}

static void loss(struct world_options *o)
{
	free_4h(o);
	o->link.rate_hz = 10;
	o->link.loss = 0.1;
	o->duration_ns = HOUR;
}

static void reorder(struct world_options *o)
{
	loss(o);
	o->link.loss = 0;
	o->link.reorder = 0.05;
}

static void wrong(struct world_options *o)
{
	loss(o);
	o->link.loss = 0;
	o->wrong = 0.01;
}

static void bursts(struct world_options *o)
{
	loss(o);
	o->link.loss = 0;
	o->link.burst_ns = 5000000;
}

static void asymmetric(struct world_options *o)
{
	loss(o);
	o->link.loss = 0;
	o->link.floor_ns = 50000;
	o->asymmetry_ns = 20000;
}

static void far_apart(struct world_options *o)
{
	loss(o);
	o->link.loss = 0;
	o->spread_ns = 30 * 365 * 24 * HOUR;
}

const struct world_preset world_presets[] = {
	{ "linear-1h", "straight clocks, 20 ppm; 1 ms jitter, 1 message/s", linear_1h },
	{ "linear-96h", "the same for 4 days; 200 us jitter, 1 message a minute", linear_96h },
	{ "free-4h", "a free-running quartz for 4 hours; 100 us jitter, 1 message/s", free_4h },
	{ "free-4h-10", "the same with 10 messages/s", free_4h_10 },
	{ "ntp-2h", "NTP changes the rate by up to 30 ppm; 2 messages/s", ntp_2h },
	{ "step-30min", "a straight clock jumps 5 ms ahead; 5 messages/s", step_30min },
	{ "pause-30min", "a straight clock stands still for 5 ms", pause_30min },
	{ "slew-30min", "a straight clock runs 37000 ppm slow for 1.5 s", slew_30min },
	{ "sawtooth-1h", "a guest with two time sources that disagree", sawtooth_1h },
	{ "ring-10", "10 hosts in a ring, free-running, 1 hour", ring_10 },
	{ "full-5", "5 hosts that all talk to each other", full_5 },
	{ "random-1000", "1000 hosts, 2000 edges with 100 messages each", random_1000 },
	{ "two-groups", "two groups of 3 hosts that do not talk to each other", two_groups },
	{ "one-way", "messages in one direction only", one_way },
	{ "loss", "a tenth of the messages is lost", loss },
	{ "reorder", "one message in twenty is overtaken by later ones", reorder },
	{ "wrong", "one match in a hundred is wrong (in memory only)", wrong },
	{ "bursts", "congestion: 5 ms jitter for a sixth of the time", bursts },
	{ "asymmetric", "least latency 50 us one way, 30 us the other", asymmetric },
	{ "far-apart", "clocks 30 years apart", far_apart },
	{ NULL, NULL, NULL },
};

int world_preset(const char *name, struct world_options *o, struct mer_err *err)
{
	for (const struct world_preset *p = world_presets; p->name; p++)
		if (!strcmp(p->name, name)) {
			*o = world_defaults();
			p->change(o);
			return 0;
		}
	struct mer_str all = { 0 };
	for (const struct world_preset *p = world_presets; p->name; p++)
		mer_str_printf(&all, " %s", p->name);
	int rc = mer_fail(err, MER_ERR_USAGE, "there is no world %s; there are:%s", name,
		all.data ? all.data : "");
	mer_str_fini(&all);
	return rc;
}
