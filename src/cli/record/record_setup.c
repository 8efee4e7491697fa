/* From options to a plan and hosts. What a user writes is checked here, before anything is done. */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include "base/file.h"
#include "base/nearest.h"
#include "ask/words/options.h"
#include "cli/record/record.h"
#include "record/hosts.h"
#include "record/words.h"

/* A preset of the program, or a file when it has a slash. */
static int read_preset(struct recording *r, const char *name, struct record_preset *p)
{
	struct ask *ask = r->ask;
	if (strchr(name, '/')) {
		struct mer_file f;
		int rc = mer_file_open(&f, name, &ask->err);
		if (rc)
			return rc;
		rc = record_preset_parse(
			p, (const char *)f.data, f.size, name, &ask->arena, &ask->err);
		mer_file_close(&f);
		return rc;
	}
	size_t len;
	const char *text = record_preset_text(name, &len);
	if (text)
		return record_preset_parse(p, text, len, name, &ask->arena, &ask->err);
	const char *names[16];
	size_t n = 0;
	while (n < 16 && (names[n] = record_preset_name(n)))
		n++;
	const char *best = mer_nearest(name, names, n);
	return mer_fail(&ask->err, MER_ERR_USAGE,
		"--for: '%.100s' is not path, cost, clocks, vm, mpi, all or multi%s%s%s", name,
		best ? " (did you mean " : "", best ? best : "", best ? "?)" : "");
}

/* Events of the command line, as a preset of their own. */
static int join_events(struct recording *r, const char *line, const struct session_texts *words)
{
	struct mer_str text = { 0 };
	struct record_preset own;
	struct ask *ask = r->ask;
	bool is_user = strcmp(line, "user") == 0;
	if (words->n == 0)
		return 0;
	if (is_user)
		mer_str_puts(
			&text, "channel user meridian-user 8 512K\ncontext vpid vtid procname\n");
	else if (strcmp(line, "kernel") == 0)
		mer_str_puts(&text, "channel kernel meridian-kernel 8 1024K\n");
	mer_str_puts(&text, line);
	for (size_t i = 0; i < words->n; i++) {
		if (!record_is_event(words->item[i])) {
			mer_str_fini(&text);
			return mer_fail(&ask->err, MER_ERR_USAGE, "'%.100s' is not the name of %s",
				words->item[i], is_user ? "a provider of events" : "an event");
		}
		mer_str_printf(&text, " %s%s", words->item[i],
			is_user && !strchr(words->item[i], ':') ? ":*" : "");
	}
	int rc = text.failed ? mer_fail_nomem(&ask->err)
			     : record_preset_parse(
				       &own, text.data, text.len, line, &ask->arena, &ask->err);
	mer_str_fini(&text);
	return rc ? rc : record_preset_join(&r->run.plan.preset, &own, &ask->arena, &ask->err);
}

/* SIZExN of both kinds of channels. */
static int set_buffers(struct recording *r)
{
	struct ask *ask = r->ask;
	uint64_t bytes;
	const char *x = r->o->buffers ? strchr(r->o->buffers, 'x') : NULL;
	if (!r->o->buffers)
		return 0;
	char *end = NULL;
	unsigned long n = x ? strtoul(x + 1, &end, 10) : 0;
	char *size = x ? mer_arena_strndup(&ask->arena, r->o->buffers, (size_t)(x - r->o->buffers))
		       : NULL;
	if (!size || x[1] < '0' || x[1] > '9' || *end || n < 2 || n > 1 << 20)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--buffers: '%.60s' is not a size and a number of sub-buffers such as 2Mx8",
			r->o->buffers);
	int rc = ask_parse_size(ask, "--buffers", size, &bytes);
	if (rc)
		return rc;
	if (bytes < 4096 || bytes > UINT64_C(1) << 31 || (bytes & (bytes - 1)))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--buffers: the size of a sub-buffer is a power of two from 4K to 2G");
	for (int d = 0; d < RECORD_FTRACE; d++) {
		struct record_channel *c = &r->run.plan.preset.channels[d];
		c->n_subbufs = n;
		c->subbuf_kib = bytes >> 10;
	}
	return 0;
}

/* trace_YYMMDD_HHMM, or as the folder is called; and a session that no other has. */
static int set_names(struct recording *r)
{
	struct ask *ask = r->ask;
	char label[64];
	unsigned random = 0;
	time_t now = time(NULL);
	struct tm tm;
	const char *base = r->o->output, *slash;
	localtime_r(&now, &tm);
	strftime(label, sizeof(label), "trace_%y%m%d_%H%M", &tm);
	if (base) {
		char *copy = mer_arena_strdup(&ask->arena, base);
		if (!copy)
			return mer_fail_nomem(&ask->err);
		for (size_t n = strlen(copy); n > 1 && copy[n - 1] == '/'; n--)
			copy[n - 1] = '\0';
		slash = strrchr(copy, '/');
		base = slash ? slash + 1 : copy;
		if (!record_is_name(base) || strlen(base) > 100)
			return mer_fail(&ask->err, MER_ERR_USAGE,
				"--output: the folder's name may have letters, digits and . _ -, "
				"and begins with a letter or digit");
	}
	r->run.plan.label = mer_arena_strdup(&ask->arena, base ? base : label);
	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		random = (unsigned)getpid() * 2654435761u ^ (unsigned)now;
	r->run.plan.session = r->run.plan.label ? mer_arena_printf(&ask->arena, "%s-%06x",
							  r->run.plan.label, random & 0xFFFFFF)
						: NULL;
	return r->run.plan.session ? 0 : mer_fail_nomem(&ask->err);
}

static int check_options(struct recording *r)
{
	const struct record_options *o = r->o;
	struct ask *ask = r->ask;
	if (o->snapshot + o->live + o->rotate.set > 1)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"only one of --snapshot, --live and --rotate is possible");
	if (o->duration.set && (r->run.command || o->duration.v <= 0))
		return mer_fail(&ask->err, MER_ERR_USAGE, "--duration: %s",
			r->run.command ? "COMMAND decides how long" : "it must not be 0");
	if (o->rotate.set && o->rotate.v < 100 * 1000000)
		return mer_fail(&ask->err, MER_ERR_USAGE, "--rotate: at least 100ms");
	if (o->every.set && o->every.v < 10 * 1000000)
		return mer_fail(&ask->err, MER_ERR_USAGE, "--every: at least 10ms");
	if (o->grow && !r->run.command)
		return mer_fail(&ask->err, MER_ERR_USAGE, "--grow needs a COMMAND (after --)");
	return 0;
}

int record_setup_plan(struct recording *r)
{
	static const char *const usual[] = { "path" };
	const struct record_options *o = r->o;
	struct record_plan *plan = &r->run.plan;
	int rc = check_options(r);
	const char *const *names = o->purposes.n ? o->purposes.item : usual;
	size_t n = o->purposes.n ? o->purposes.n : !o->user.n;
	for (size_t i = 0; i < n && rc == 0; i++) {
		struct record_preset p;
		rc = read_preset(r, names[i], &p);
		if (rc == 0 && i == 0)
			plan->preset = p;
		else if (rc == 0)
			rc = record_preset_join(&plan->preset, &p, &r->ask->arena, &r->ask->err);
	}
	r->about = (struct record_about){
		.version = MERIDIAN_VERSION, .presets = names, .n_presets = n
	};
	if (rc == 0)
		rc = join_events(r, "kernel", &o->add);
	if (rc == 0)
		rc = join_events(r, "ftrace", &o->add);
	if (rc == 0)
		rc = join_events(r, "user", &o->user);
	if (rc == 0)
		rc = set_buffers(r);
	if (rc == 0)
		rc = set_names(r);
	plan->backend = o->backend ? o->backend - 1 : RECORD_N_BACKENDS;
	plan->mode = o->snapshot ? RECORD_SNAPSHOT : o->live ? RECORD_LIVE : RECORD_NORMAL;
	plan->rotate_ns = o->rotate.set ? o->rotate.v : 0;
	r->run.duration_ns = o->duration.set ? o->duration.v : 0;
	return rc;
}

int record_setup_hosts(struct recording *r, const char *const *words, size_t n_words)
{
	enum { MOST = RECORD_MOST_HOSTS + 1 };
	struct ask *ask = r->ask;
	const char **hosts = mer_arena_zalloc(&ask->arena, MOST + n_words, sizeof(*hosts));
	size_t n = 0;
	int rc = hosts ? record_hosts_add(&ask->arena, &r->o->hosts, hosts, &n, MOST, &ask->err)
		       : mer_fail_nomem(&ask->err);
	for (size_t i = 0; i < n_words && rc == 0; i++)
		hosts[n++] = words[i];
	if (rc == 0 && n == 0)
		hosts[n++] = "localhost";
	if (rc)
		return rc;
	r->run.beacons = n > 1;
	r->run.beacon_s = r->o->every.set ? (double)r->o->every.v / 1e9 : 0.5;
	rc = record_run_hosts(&r->run, hosts, n, &ask->err);
	/* Its folder has the name of the host, not one that all hosts have. */
	for (size_t i = 0; i < r->run.n_hosts && rc == 0; i++) {
		char own[256];
		if (r->run.hosts[i].target || gethostname(own, sizeof(own)) != 0)
			continue;
		own[sizeof(own) - 1] = '\0';
		bool taken = !record_is_name(own);
		for (size_t k = 0; k < r->run.n_hosts; k++)
			taken |= strcmp(r->run.hosts[k].name, own) == 0;
		if (!taken)
			r->run.hosts[i].name = mer_arena_strdup(&ask->arena, own);
		if (!r->run.hosts[i].name)
			rc = mer_fail_nomem(&ask->err);
	}
	return rc;
}

void record_setup_free(struct recording *r)
{
	record_run_free(&r->run);
	record_findings_free(&r->findings);
	record_loop_close(&r->run.loop);
}
