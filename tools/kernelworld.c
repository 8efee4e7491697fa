/* kernelworld: the command line. */
#include "kernelworld.h"
#include "kernelworld_vm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"Usage: kernelworld [-o DIR] [OPTION]...\n"
	"\n"
	"Simulates hosts and writes the traces of their kernels, DIR/HOST/kernel, and the true\n"
	"states and paths, DIR/truth/*.csv. The same options and seed give the same files.\n"
	"\n"
	"  -o DIR           output directory (default: kernels)\n"
	"  --hosts N        number of hosts (default: 1)\n"
	"  --cpus N         CPUs of each host (default: 2)\n"
	"  --tasks N        groups of tasks of each host (default: 3)\n"
	"  --duration T     recorded time (default: 200ms)\n"
	"  --events N       record until there are N events, whatever the duration\n"
	"  --seed N         seed of the random numbers (default: 1)\n"
	"  --layout KIND    2.13, or old: events as before LTTng 2.6\n"
	"  --statedump      begin the traces with a state dump\n"
	"  --vectors        also record x86 vectors: local timers and interprocessor interrupts\n"
	"  --clock          wrong clocks on all hosts but the first\n"
	"  --begin-cut T    begin the recording after T\n"
	"  --reuse          reuse the tids of freed tasks soon\n"
	"  --races          wake tasks just when they are about to wait\n"
	"  --lose P         drop this share of events without a trace of it, as in 1%\n"
	"  --lost P         lose events for this share of the time, counted in the traces\n"
	"  --services SHAPE a service with clients, instead of the other tasks; ? lists the shapes\n"
	"  --clients N      its clients (default: 8)\n"
	"  --think T        mean time between an answer and the next request (default: 10ms)\n"
	"  --tail CAUSE     what slows some requests down: burn, lock, hog, disk, loss,\n"
	"                   mixed (lock, hog and disk in turn); hog,disk,lock: each of these\n"
	"                   in a window of its own, at random\n"
	"  --vms N          guests, on the hosts in turn; traces of their own: g0, g1, ... (default: 0)\n"
	"  --vcpus N        vCPUs of each guest (default: 1)\n"
	"  --pin            each vCPU stays on one CPU of its host\n"
	"  --hogs N         tasks on each host that only compute (default: 0)\n"
	"  --hogs-on H      ... only on host H, as in 3\n"
	"  --slow-disk H:X  the disk of host H takes X times as long, as in 2:9\n"
	"  --slow-net H:X   packets from and to host H take X times as long, as in 2:1.05\n"
	"  --slower C:W:P   tasks of the name C take P longer: in user code (W: user), or on the CPU\n"
	"                   in a system call, as in postgres:pread64:5%\n"
	"  --fast-clock H:X the clock of host H gains X ppm\n"
	"  --slice T        time slice of tasks that share a CPU (default: 3ms)\n"
	"  --svm            exit reasons of AMD CPUs, not of Intel\n"
	"  --vm-latency T   mean time from an entry to what the guest does first (default: 300ns)\n"
	"  --guest-ahead T  clocks of the guests: so much ahead\n"
	"  --guest-ppm X    ... and so much faster\n"
	"  --glitch T       ... that of g0 so much behind, until --glitch-until\n"
	"  --glitch-until T time from the start (default: 1s)\n"
	"  --virtio         the disks of guests are files of their hosts\n"
	"  --spins          guests spin for locks while others of their vCPUs are preempted\n"
	"  --apart          no connections between hosts\n"
	"  --no-truth       traces only\n"
	"  --packet BYTES   packet size (default: 262144)\n"
	"  --ctf VERSION    1.8 or 2 (default: 1.8)\n"
	"  --container KIND ctf: LTTng's traces (default); or recordings of the same by ftrace or\n"
	"                   perf, DIR/HOST/trace.dat or perf.data: trace.dat (version 7),\n"
	"                   trace.dat-6, perf.data, perf.pipe (perf.data of a pipe); a state\n"
	"                   dump is DIR/HOST/proc-before\n"
	"  --compress KIND  of trace.dat: none (default), zlib, zstd\n"
	"  --by-number      LTTng's calls have no more than raw_syscalls and probes have: not which\n"
	"                   descriptors poll waits for, nor those that pipe2 makes\n"
	"  --missed P       this share of the probes is missed (headers of packets, paths, addresses)\n"
	"\n"
	"Times have a unit: ns, us, ms, s, m.\n";

void give_up(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fprintf(stderr, "kernelworld: ");
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

void *grown(void *array, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return array;
	*cap = *cap ? 2 * *cap : 16;
	return need(realloc(array, *cap * size));
}

void list_add(struct list *l, void *p)
{
	if (l->n == l->cap) {
		uint32_t cap = l->cap ? 2 * l->cap : 8;
		void **of = need(malloc(cap * sizeof(*of)));
		for (uint32_t i = 0; i < l->n; i++)
			of[i] = l->of[(l->first + i) & (l->cap - 1)];
		free(l->of);
		*l = (struct list){ .of = of, .n = l->n, .cap = cap };
	}
	l->of[(l->first + l->n++) & (l->cap - 1)] = p;
}

void *list_take(struct list *l)
{
	if (!l->n)
		return NULL;
	void *p = l->of[l->first];
	l->first = (l->first + 1) & (l->cap - 1);
	l->n--;
	return p;
}

bool list_remove(struct list *l, const void *p)
{
	bool found = false;
	for (uint32_t i = 0; i < l->n; i++) {
		uint32_t at = (l->first + i) & (l->cap - 1);
		if (found)
			l->of[(at + l->cap - 1) & (l->cap - 1)] = l->of[at];
		found |= l->of[at] == p;
	}
	l->n -= found;
	return found;
}

int64_t pick(struct sim *s, int64_t lo, int64_t hi)
{
	return lo + (int64_t)(world_random_u64(&s->random) % (uint64_t)(hi - lo + 1));
}

bool chance(struct sim *s, double p)
{
	return world_random_unit(&s->random) < p;
}

static double number(const char *name, const char *v, double least, double most)
{
	char *end;
	double x = strtod(v, &end);
	if (end != v && !strcmp(end, "%"))
		x /= 100;
	else if (end == v || *end)
		x = NAN;
	if (!(x >= least && x <= most))
		give_up("%s wants a number from %g to %g, not %s", name, least, most, v);
	return x;
}

static int64_t time_of(const char *name, const char *v)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { "m", 60e9 } };
	char *end;
	double x = strtod(v, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (end != v && !strcmp(end, units[i].name) && x >= 0 && x * units[i].ns < 1e15)
			return llrint(x * units[i].ns);
	give_up("%s wants a time with its unit, as in 100us, not %s", name, v);
}

static enum tail tail_of(const char *v, size_t len)
{
	static const char *const tails[] = { "none", "burn", "lock", "hog", "disk", "loss",
		"mixed" };
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++)
		if (!strncmp(v, tails[i], len) && !tails[i][len])
			return (enum tail)i;
	give_up("--tail wants burn, lock, hog, disk, loss or mixed, or several of lock, hog and disk, not %s",
		v);
}

/* One, or several with commas. */
static void set_tail(struct options *o, const char *v)
{
	o->windows = 0;
	o->tail = strchr(v, ',') ? TAIL_MIXED : tail_of(v, strlen(v));
	for (const char *end; o->tail == TAIL_MIXED && strchr(v, ','); v = end + 1) {
		end = v + strcspn(v, ",");
		o->windows |= 1U << tail_of(v, (size_t)(end - v));
		if (!strchr(end + 1, ','))
			o->windows |= 1U << tail_of(end + 1, strlen(end + 1));
	}
	if (o->windows & ~(1U << TAIL_LOCK | 1U << TAIL_HOG | 1U << TAIL_DISK))
		give_up("--tail: only lock, hog and disk have windows");
}

static bool set_flag(struct options *o, const char *name)
{
	if (!strcmp(name, "--statedump"))
		o->dump = true;
	else if (!strcmp(name, "--vectors"))
		o->vectors = true;
	else if (!strcmp(name, "--clock"))
		o->wrong_clocks = true;
	else if (!strcmp(name, "--reuse"))
		o->reuse = true;
	else if (!strcmp(name, "--races"))
		o->races = true;
	else if (!strcmp(name, "--no-truth"))
		o->no_truth = true;
	else if (!strcmp(name, "--pin"))
		o->pin = true;
	else if (!strcmp(name, "--svm"))
		o->svm = true;
	else if (!strcmp(name, "--virtio"))
		o->virtio = true;
	else if (!strcmp(name, "--spins"))
		o->spins = true;
	else if (!strcmp(name, "--by-number"))
		o->by_number = true;
	else if (!strcmp(name, "--apart"))
		o->apart = true;
	else
		return false;
	return true;
}

/* Of guests. */
static bool set_vm_value(struct options *o, const char *name, const char *v)
{
	if (!strcmp(name, "--vms")) {
		o->n_vms = (uint32_t)number(name, v, 0, 100);
	} else if (!strcmp(name, "--vcpus")) {
		o->n_vcpus = (uint32_t)number(name, v, 1, 64);
	} else if (!strcmp(name, "--hogs")) {
		o->n_hogs = (uint32_t)number(name, v, 0, 1000);
	} else if (!strcmp(name, "--slice")) {
		o->slice = time_of(name, v);
	} else if (!strcmp(name, "--vm-latency")) {
		o->vm_latency = time_of(name, v);
		if (o->vm_latency < 1)
			o->vm_latency = 1;
	} else if (!strcmp(name, "--guest-ahead")) {
		o->guest_ahead = time_of(name, v);
		o->guest_clock = true;
	} else if (!strcmp(name, "--guest-ppm")) {
		o->guest_drift = number(name, v, -10000, 10000) / 1e6;
		o->guest_clock = true;
	} else if (!strcmp(name, "--glitch")) {
		o->glitch = time_of(name, v);
	} else if (!strcmp(name, "--glitch-until")) {
		o->glitch_until = time_of(name, v);
	} else {
		return false;
	}
	return true;
}

static bool set_container(struct options *o, const char *name, const char *v)
{
	static const char *const kinds[] = { "ctf", "trace.dat", "trace.dat-6", "perf.data",
		"perf.pipe" };
	static const char *const packings[] = { "none", "zlib", "zstd" };
	bool is_packing = !strcmp(name, "--compress");
	if (!strcmp(name, "--missed"))
		o->missed = number(name, v, 0, 1);
	else if (!is_packing && strcmp(name, "--container") != 0)
		return false;
	for (int i = 0; !is_packing && i < 5; i++)
		if (!strcmp(v, kinds[i])) {
			o->container = (enum container)i;
			return true;
		}
	for (int i = 0; is_packing && i < 3; i++)
		if (!strcmp(v, packings[i])) {
			o->packing = (enum packing)i;
			return true;
		}
	return !strcmp(name, "--missed");
}

/* "2:9" */
static struct odd odd_of(const char *name, const char *v)
{
	char *end;
	unsigned long host = strtoul(v, &end, 10);
	if (end == v || *end != ':' || host > 999)
		give_up("%s wants the number of a host and how much, as in 2:9, not %s", name, v);
	return (struct odd){ (uint32_t)host + 1, number(name, end + 1, -1e5, 1e5) };
}

/* "postgres:pread64:5%" */
static struct slower slower_of(const char *name, const char *v)
{
	struct slower slower = { 0 };
	const char *place = strchr(v, ':'), *by = place ? strchr(place + 1, ':') : NULL;
	bool is_known = by && !strncmp(place + 1, "user:", 5);
	for (size_t i = 0; by && i < C_N && !is_known; i++)
		is_known = strlen(calls[i].name) == (size_t)(by - place - 1) &&
			   !strncmp(place + 1, calls[i].name, (size_t)(by - place - 1));
	if (!is_known || place == v || place - v > 15)
		give_up("%s wants a program, user or a system call, and how much, as in app:user:5%%, not %s",
			name, v);
	memcpy(slower.comm, v, (size_t)(place - v));
	slower.place = need(strndup(place + 1, (size_t)(by - place - 1)));
	slower.by = number(name, by + 1, -0.9, 100);
	return slower;
}

static bool set_value(struct options *o, const char *name, const char *v)
{
	if (set_vm_value(o, name, v) || set_container(o, name, v))
		return true;
	if (!strcmp(name, "-o"))
		o->dir = v;
	else if (!strcmp(name, "--hosts"))
		o->n_machines = (uint32_t)number(name, v, 1, 1000);
	else if (!strcmp(name, "--cpus"))
		o->n_cpus = (uint32_t)number(name, v, 1, 256);
	else if (!strcmp(name, "--tasks"))
		o->n_tasks = (uint32_t)number(name, v, 1, 1000);
	else if (!strcmp(name, "--duration"))
		o->duration = time_of(name, v);
	else if (!strcmp(name, "--slow-disk"))
		o->slow_disk = odd_of(name, v);
	else if (!strcmp(name, "--slow-net"))
		o->slow_net = odd_of(name, v);
	else if (!strcmp(name, "--slower"))
		o->slower = slower_of(name, v);
	else if (!strcmp(name, "--fast-clock"))
		o->fast_clock = odd_of(name, v);
	else if (!strcmp(name, "--hogs-on"))
		o->hogs_on = 1 + (uint32_t)number(name, v, 0, 999);
	else if (!strcmp(name, "--events"))
		o->n_events = (uint64_t)number(name, v, 1, 1e10);
	else if (!strcmp(name, "--seed"))
		o->seed = (uint64_t)number(name, v, 0, 1e15);
	else if (!strcmp(name, "--layout") && (!strcmp(v, "old") || !strcmp(v, "2.13")))
		o->old = !strcmp(v, "old");
	else if (!strcmp(name, "--begin-cut"))
		o->begin_cut = time_of(name, v);
	else if (!strcmp(name, "--lose"))
		o->lose = number(name, v, 0, 1);
	else if (!strcmp(name, "--lost"))
		o->lost = number(name, v, 0, 0.9);
	else if (!strcmp(name, "--services"))
		o->shape = find_shape(v);
	else if (!strcmp(name, "--clients"))
		o->n_clients = (uint32_t)number(name, v, 1, 1000);
	else if (!strcmp(name, "--think"))
		o->think = time_of(name, v);
	else if (!strcmp(name, "--tail"))
		set_tail(o, v);
	else if (!strcmp(name, "--packet"))
		o->packet_bytes = (size_t)number(name, v, 4096, 1 << 28);
	else if (!strcmp(name, "--ctf") && (!strcmp(v, "1.8") || !strcmp(v, "2")))
		o->ctf_major = v[0] == '2' ? 2 : 1;
	else
		return false;
	return true;
}

static void take_options(int argc, char **argv, struct options *o)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
			fputs(usage, stdout);
			exit(0);
		}
		if (set_flag(o, argv[i]))
			continue;
		if (i + 1 == argc || !set_value(o, argv[i], argv[i + 1])) {
			fprintf(stderr, "kernelworld: unexpected %s; see --help\n", argv[i]);
			exit(2);
		}
		i++;
	}
	if (o->n_tasks == UINT32_MAX)
		o->n_tasks = o->shape ? 0 : 3;
	o->n_hosts = o->n_machines;
	o->n_machines += o->n_vms;
	if (o->container != CONTAINER_CTF && (o->old || o->lost > 0))
		give_up("--layout old and --lost are only for LTTng's traces");
#ifndef MER_HAS_ZSTD
	if (o->packing == PACKING_ZSTD)
		give_up("it was built without libzstd");
#endif
	if (o->packing != PACKING_NONE && o->container != CONTAINER_DAT7)
		give_up("--compress is only for --container trace.dat");
	if (o->n_events)
		o->duration = 1000000000000000;
}

int main(int argc, char **argv)
{
	/* Everything hangs on it to the end of the program, so that nothing need be freed. */
	static struct sim *s;
	s = need(calloc(1, sizeof(*s)));
	s->o = (struct options){ .dir = "kernels",
		.n_machines = 1,
		.n_cpus = 2,
		.n_clients = 8,
		.think = 10000000,
		.n_tasks = UINT32_MAX,
		.duration = 200000000,
		.n_vcpus = 1,
		.slice = 3000000,
		.vm_latency = 300,
		.glitch_until = 1000000000,
		.seed = 1,
		.ctf_major = 1,
		.packet_bytes = 262144 };
	take_options(argc, argv, &s->o);
	s->random = world_random_new(s->o.seed, 6000001);
	s->probes = world_random_new(s->o.seed, 6000003);
	s->losses = world_random_new(s->o.seed, 6000002);
	char truth[4096];
	if ((size_t)snprintf(truth, sizeof(truth), "%s/truth", s->o.dir) >= sizeof(truth))
		give_up("the directory's name is too long");
	make_dirs(truth);
	make_machines(s);
	make_tasks(s);
	open_traces(s);
	s->lost = open_csv(s, "lost.csv");
	fprintf(s->lost, "host,cpu,begin,end,events\n");
	vm_open_truth(s);
	simulate(s);
	s->end = s->now;
	write_truth(s);
	vm_close_truth(s);
	if (s->o.shape)
		end_services(s);
	uint64_t n = s->n_events, requests = s->n_windows + s->n_asks;
	close_traces(s);
	close_csv(s->lost, "lost.csv");
	printf("%s: %u hosts, %llu events, %llu requests\n", s->o.dir, s->o.n_machines,
		(unsigned long long)n, (unsigned long long)requests);
	return 0;
}
