/* clockworld: the command line. */
#include "clockworld.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctfgen.h"

static const char usage[] =
	"Usage: clockworld [-o DIR] [OPTION]... [WORLD]\n"
	"\n"
	"Writes traces of hosts with known clocks and a known network, and files with the true\n"
	"times: DIR/HOST/kernel, DIR/truth.csv, DIR/steps.csv. WORLD is a preset; options change\n"
	"it. The same options and seed give the same files.\n"
	"\n"
	"  -o DIR           output directory (default: the name of WORLD)\n"
	"  --list           list the presets\n"
	"  --seed N         seed of the random numbers (default: 1)\n"
	"  --duration T     duration (default: 10m)\n"
	"\n"
	"Hosts\n"
	"  --hosts N        number of hosts (default: 2)\n"
	"  --topology KIND  network: pair, ring, star, chain, full, random, two-groups\n"
	"  --degree N       neighbours of each host with random (default: 4)\n"
	"\n"
	"Clocks\n"
	"  --clock KIND     straight, free (a free-running quartz), ntp, sawtooth\n"
	"  --ppm X          largest rate error of a clock (default: 20)\n"
	"  --spread T       largest error of a clock (default: 1s; try 30y)\n"
	"  --jump T@WHEN    host 1's clock jumps ahead\n"
	"  --pause T@WHEN   host 1's clock stands still\n"
	"  --back T@WHEN    host 1's clock is set back\n"
	"  --slew PPM:T@WHEN  host 1's clock runs faster or slower for T\n"
	"  --all-differ     host 0 also has a wrong clock (default: it is right)\n"
	"\n"
	"Network\n"
	"  --rate X         messages per second and direction (default: 1)\n"
	"  --regular        evenly spaced messages (default: random)\n"
	"  --floor T        minimum latency (default: 40us)\n"
	"  --jitter T       mean additional delay (default: 100us)\n"
	"  --bursts T       mean extra delay while the network is congested\n"
	"  --busy T         mean extra delay, and its jitter, in stretches that each direction has\n"
	"  --busy-for T, --busy-every T  mean length of such a stretch, and between two "
	"(default: 2s)\n"
	"  --asymmetry T    minimum latency is smaller by T towards lower hosts\n"
	"  --loss P         share of messages that are lost and sent again, as in 10%\n"
	"  --reorder P      share of messages overtaken by later ones\n"
	"  --bridge P       share of messages recorded on two devices of each host\n"
	"  --one-way        messages from lower to higher hosts only\n"
	"\n"
	"Traces\n"
	"  --layout LIST    event layouts, for the hosts in turn: 2.9 (net_dev_queue, ...), "
	"addons\n"
	"                   (inet_sock_local_out, ...), both; as in 2.9,addons\n"
	"  --offload        TCP segments of up to 64 KB, received in other sizes\n"
	"  --udp P, --icmp P  share of UDP and ICMP messages\n"
	"  --cpus N         CPUs of each host (default: 2)\n"
	"  --filler X       sched_switch events per second and CPU (default: none)\n"
	"  --ctf VERSION    1.8 or 2 (default: 1.8)\n"
	"  --truth-every T  interval in truth.csv (default: a thousandth of the duration)\n"
	"  --messages       also write messages.csv with true times\n"
	"\n"
	"Times have a unit: ns, us, ms, s, m, h, d, y.\n";

void give_up(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fprintf(stderr, "clockworld: ");
	vfprintf(stderr, fmt, ap);
	fprintf(stderr, "\n");
	va_end(ap);
	exit(1);
}

void *need(void *p)
{
	if (!p)
		give_up("out of memory");
	return p;
}

static double take_number(const char *name, const char *text, const char **end)
{
	char *e;
	double v = strtod(text, &e);
	if (e == text || !isfinite(v))
		give_up("%s wants a number, not %s", name, text);
	*end = e;
	return v;
}

static double number(const char *name, const char *text, double least, double most)
{
	const char *end;
	double v = take_number(name, text, &end);
	if (*end || v < least || v > most)
		give_up("%s wants a number from %g to %g, not %s", name, least, most, text);
	return v;
}

static double part(const char *name, const char *text)
{
	const char *end;
	double v = take_number(name, text, &end);
	if (!strcmp(end, "%"))
		v /= 100;
	else if (*end)
		v = -1;
	if (v < 0 || v > 1)
		give_up("%s wants a part, as in 10%%, not %s", name, text);
	return v;
}

/* A time that ends with the text or with one of the characters of `stop`. */
static int64_t time_until(const char *name, const char *text, const char *stop, const char **end)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { "m", 60e9 },
		{ "min", 60e9 }, { "h", 3600e9 }, { "d", 86400e9 }, { "y", 365 * 86400e9 } };
	double v = take_number(name, text, end);
	size_t len = strcspn(*end, stop);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i].name) == len && !memcmp(*end, units[i].name, len) && v >= 0 &&
			v * units[i].ns < 2e18) {
			*end += len;
			return llrint(v * units[i].ns);
		}
	give_up("%s wants a time with its unit, as in 100us, not %s", name, text);
}

static int64_t whole_time(const char *name, const char *text)
{
	const char *end;
	return time_until(name, text, "", &end);
}

static int choice(const char *name, const char *text, const char *const *names)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(names[i], text))
			return i;
	fprintf(stderr, "clockworld: %s wants one of:", name);
	for (int i = 0; names[i]; i++)
		fprintf(stderr, " %s", names[i]);
	fprintf(stderr, "; not %s\n", text);
	exit(2);
}

/* [PPM:]T@WHEN */
static void add_glitch(struct world_clock_options *o, const char *name, const char *text)
{
	struct world_glitch g = { 0 };
	const char *s = text;
	if (o->n_glitches == WORLD_MAX_GLITCHES)
		give_up("at most %d sudden changes", WORLD_MAX_GLITCHES);
	if (!strcmp(name, "--slew")) {
		g.slew_ppm = take_number(name, s, &s);
		if (*s++ != ':' || fabs(g.slew_ppm) > 500000)
			give_up("--slew wants PPM:TIME@WHEN, as in -37000:1.5s@5m, not %s", text);
	}
	int64_t size = time_until(name, s, "@", &s);
	if (*s != '@')
		give_up("%s wants TIME@WHEN, as in 5ms@5m, not %s", name, text);
	g.at_ns = whole_time(name, s + 1);
	if (!strcmp(name, "--slew"))
		g.slew_for_ns = size;
	else if (!strcmp(name, "--back"))
		g.back_ns = size;
	else
		g.step_ns = !strcmp(name, "--jump") ? size : -size;
	unsigned i = o->n_glitches++;
	for (; i && o->glitches[i - 1].at_ns > g.at_ns; i--)
		o->glitches[i] = o->glitches[i - 1];
	o->glitches[i] = g;
}

static void set_layouts(struct clockworld *c, const char *text)
{
	c->n_layouts = 0;
	for (const char *s = text; c->n_layouts < MAX_LAYOUTS;) {
		size_t len = strcspn(s, ",");
		if (len == 3 && !memcmp(s, "2.9", 3))
			c->layouts[c->n_layouts++] = LAYOUT_SKB;
		else if (len == 6 && !memcmp(s, "addons", 6))
			c->layouts[c->n_layouts++] = LAYOUT_ADDONS;
		else if (len == 4 && !memcmp(s, "both", 4))
			c->layouts[c->n_layouts++] = LAYOUT_SKB | LAYOUT_ADDONS;
		else
			break;
		if (!s[len])
			return;
		s += len + 1;
	}
	give_up("--layout wants up to %d of 2.9, addons, both; not %s", MAX_LAYOUTS, text);
}

static bool set_flag(struct clockworld *c, struct world_options *o, const char *name)
{
	if (!strcmp(name, "--regular"))
		o->link.regular = true;
	else if (!strcmp(name, "--one-way"))
		o->one_way = true;
	else if (!strcmp(name, "--all-differ"))
		o->first_is_true = false;
	else if (!strcmp(name, "--offload"))
		c->offload = true;
	else if (!strcmp(name, "--messages"))
		c->write_messages = true;
	else
		return false;
	return true;
}

static bool set_world(struct world_options *o, const char *name, const char *v)
{
	static const char *const topologies[] = { "pair", "ring", "star", "chain", "full", "random",
		"two-groups", NULL };
	static const char *const clocks[] = { "straight", "free", "ntp", "sawtooth", NULL };
	const char *n = name + 2;
	if (!strcmp(n, "seed"))
		o->seed = (uint64_t)number(name, v, 0, 1e15);
	else if (!strcmp(n, "duration"))
		o->duration_ns = whole_time(name, v);
	else if (!strcmp(n, "hosts"))
		o->n_hosts = (uint32_t)number(name, v, 2, 100000);
	else if (!strcmp(n, "topology"))
		o->topology = (enum world_topology)choice(name, v, topologies);
	else if (!strcmp(n, "degree"))
		o->degree = number(name, v, 1, 1e5);
	else if (!strcmp(n, "clock"))
		o->clock.kind = (enum world_clock_kind)choice(name, v, clocks);
	else if (!strcmp(n, "ppm"))
		o->ppm = number(name, v, -1e5, 1e5);
	else if (!strcmp(n, "spread"))
		o->spread_ns = whole_time(name, v);
	else if (!strcmp(n, "jump") || !strcmp(n, "pause") || !strcmp(n, "back") ||
		 !strcmp(n, "slew"))
		add_glitch(&o->clock, name, v);
	else if (!strcmp(n, "rate"))
		o->link.rate_hz = number(name, v, 1e-6, 1e6);
	else if (!strcmp(n, "floor"))
		o->link.floor_ns = whole_time(name, v);
	else if (!strcmp(n, "jitter"))
		o->link.jitter_ns = whole_time(name, v);
	else if (!strcmp(n, "bursts"))
		o->link.burst_ns = whole_time(name, v);
	else if (!strcmp(n, "busy"))
		o->link.busy_ns = whole_time(name, v);
	else if (!strcmp(n, "busy-for"))
		o->link.busy_for_ns = whole_time(name, v);
	else if (!strcmp(n, "busy-every"))
		o->link.busy_every_ns = whole_time(name, v);
	else if (!strcmp(n, "asymmetry"))
		o->asymmetry_ns = whole_time(name, v);
	else if (!strcmp(n, "loss"))
		o->link.loss = part(name, v);
	else if (!strcmp(n, "reorder"))
		o->link.reorder = part(name, v);
	else if (!strcmp(n, "bridge"))
		o->link.duplicate = part(name, v);
	else
		return false;
	return true;
}

static bool set_trace(struct clockworld *c, const char *name, const char *v)
{
	const char *n = name + 2;
	static const char *const versions[] = { "1.8", "2", NULL };
	if (!strcmp(n, "layout"))
		set_layouts(c, v);
	else if (!strcmp(n, "udp"))
		c->udp = part(name, v);
	else if (!strcmp(n, "icmp"))
		c->icmp = part(name, v);
	else if (!strcmp(n, "cpus"))
		c->n_cpus = (unsigned)number(name, v, 1, 256);
	else if (!strcmp(n, "filler"))
		c->filler_hz = number(name, v, 0, 1e6);
	else if (!strcmp(n, "ctf"))
		c->ctf_major = choice(name, v, versions) ? 2 : 1;
	else if (!strcmp(n, "truth-every"))
		c->truth_every_ns = whole_time(name, v);
	else
		return false;
	return true;
}

/* The first argument that is no option and no option's value. */
static const char *find_name(int argc, char **argv)
{
	struct clockworld c = { 0 };
	struct world_options o = { 0 };
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] != '-')
			return argv[i];
		if (argv[i][1] == 'o' || !set_flag(&c, &o, argv[i]))
			i++;
	}
	return NULL;
}

static void take_options(int argc, char **argv, struct clockworld *c, struct world_options *o)
{
	const char *name = find_name(argc, argv);
	struct mer_err err;
	*o = world_defaults();
	if (name && world_preset(name, o, &err))
		give_up("%s", err.text);
	c->dir = name ? name : "world";
	for (int i = 1; i < argc; i++) {
		const char *v = i + 1 < argc ? argv[i + 1] : NULL;
		if (argv[i] == name || set_flag(c, o, argv[i]))
			continue;
		if (!v) {
			fprintf(stderr, "clockworld: unexpected %s; see --help\n", argv[i]);
			exit(2);
		}
		if (!strcmp(argv[i], "-o"))
			c->dir = v;
		else if (strncmp(argv[i], "--", 2) != 0 ||
			 (!set_world(o, argv[i], v) && !set_trace(c, argv[i], v))) {
			fprintf(stderr, "clockworld: unexpected %s; see --help\n", argv[i]);
			exit(2);
		}
		i++;
	}
	if (o->link.loss > 0)
		o->link.retransmit_ns = 200000000;
	if (c->udp + c->icmp > 1)
		give_up("--udp and --icmp together are more than all");
	if (!c->truth_every_ns)
		c->truth_every_ns = o->duration_ns > 1000 ? o->duration_ns / 1000 : 1;
}

static bool answer(const char *arg)
{
	if (!strcmp(arg, "-h") || !strcmp(arg, "--help")) {
		fputs(usage, stdout);
		return true;
	}
	if (strcmp(arg, "--list") != 0)
		return false;
	for (const struct world_preset *p = world_presets; p->name; p++)
		printf("%-12s  %s\n", p->name, p->help);
	return true;
}

int main(int argc, char **argv)
{
	struct clockworld c = {
		.ctf_major = 1, .layouts = { LAYOUT_SKB }, .n_layouts = 1, .n_cpus = 2
	};
	struct world_options o;
	struct mer_err err;
	for (int i = 1; i < argc; i++)
		if (answer(argv[i]))
			return 0;
	take_options(argc, argv, &c, &o);
	if (world_make(&c.world, &o, &err))
		give_up("%s", err.text);
	make_dirs(c.dir);
	make_packets(&c);
	write_hosts(&c);
	write_truth(&c);
	uint64_t n = 0;
	for (size_t i = 0; i < c.world.n_links; i++) {
		n += c.world.links[i].n;
		free(c.packets[i]);
	}
	free(c.packets);
	printf("%s: %u hosts, %zu links, %llu messages\n", c.dir, o.n_hosts, c.world.n_links,
		(unsigned long long)n);
	world_free(&c.world);
	return 0;
}
