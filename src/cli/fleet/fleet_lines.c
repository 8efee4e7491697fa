/* Lines of a fleet: what sh runs on a host, and the same for people who run it with tools of their
 * own.
 *
 * What is run there must end when nobody waits for it any more. sshd does not end it: it would be
 * noticed when it writes. So its standard input stays open while we wait, and a shell beside it
 * that reads to the end ends it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/fleet/fleet.h"
#include "record/run.h"
#include "record/words.h"

enum { GENTLE = 19 };

const char *fleet_path_word(struct mer_arena *arena, const char *path)
{
	struct mer_str s = { 0 };
	if (path[0] == '~' && (path[1] == '/' || !path[1])) {
		mer_str_puts(&s, "\"$HOME\"");
		path++;
	} else if (path[0] == '-') {
		mer_str_puts(&s, "./"); /* no option */
	}
	if (*path)
		record_put_word(&s, path);
	const char *word = s.failed || !s.data ? NULL : mer_arena_strdup(arena, s.data);
	mer_str_fini(&s);
	return word;
}

/* Where meridian is: on this host it is this one. */
static void put_program(const struct fleet *f, const struct fleet_host *h, struct mer_str *out)
{
	char own[4096];
	ssize_t n = -1;
	if (f->o->program) {
		const char *word = fleet_path_word(&f->ask->arena, f->o->program);
		out->failed |= !word;
		mer_str_puts(out, word ? word : "");
		return;
	}
	if (!h->target && !f->o->dry_run)
		n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	if (n > 0) {
		own[n] = '\0';
		record_put_word(out, own);
	} else {
		mer_str_puts(out, "meridian");
	}
}

/* The command that the step is, with the limits of its load. sync: a word of the shell. What a host
 * has for limits is found out there; people see the usual. */
static void put_command(const struct fleet *f, const struct fleet_host *h, enum fleet_step step,
	const char *sync, struct mer_str *out)
{
	bool is_seen = f->o->dry_run;
	int64_t nice = f->o->nice.set ? f->o->nice.v : GENTLE;
	if (f->o->cpu_quota)
		mer_str_printf(out, "systemd-run --quiet --scope %s -p CPUQuota=%s ",
			is_seen ? "--user" : "$user", f->o->cpu_quota);
	if (nice)
		mer_str_printf(
			out, "%s nice -n %" PRId64 " ", is_seen ? "ionice -c3" : "$idle", nice);
	put_program(f, h, out);
	if (step == FLEET_PART) {
		mer_str_printf(out, " part -q %s-o - ", f->is_full ? "--rate 0 " : "");
	} else if (step == FLEET_FULL) {
		mer_str_printf(out, " part -q --full %s-j %" PRIu64 " --sync %s -o - ",
			f->has_facts ? "" : "--no-facts ", f->o->jobs ? f->o->jobs : 1, sync);
	} else {
		mer_str_printf(out, " %s -j %" PRIu64 " --sync %s --part -o -", f->verb,
			f->o->jobs ? f->o->jobs : 1, sync);
		for (size_t i = 0; i < f->n_asked; i++) {
			mer_str_putc(out, ' ');
			record_put_word(out, f->asked[i]);
		}
		mer_str_putc(out, ' ');
	}
	mer_str_puts(out, h->folder);
	if (step == FLEET_FULL)
		mer_str_puts(out, !is_seen ? " \"$@\"" : f->n_hosts > 1 ? " $d/parts/*.part" : "");
}

/* Sets what put_command needs. Whether a quota is one is tried: without the controller of a user's
 * groups systemd takes it in silence. */
static void put_limits(const struct fleet *f, struct mer_str *out)
{
	mer_str_puts(out, "idle= user=--user\nionice -c3 true 2>/dev/null && idle='ionice -c3'\n");
	if (!f->o->cpu_quota)
		return;
	mer_str_printf(out,
		"[ \"$(id -u)\" != 0 ] || user=\n"
		"if ! systemd-run --quiet --scope $user -p CPUQuota=%s "
		"sh -c 'grep -q \"^[0-9]\" \"/sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup)/cpu.max\"' >/dev/null 2>&1\n"
		"then\n"
		"	echo 'systemd cannot limit CPU time there; without --cpu-quota, nice limits the load' >&2\n"
		"	exit 3\n"
		"fi\n",
		f->o->cpu_quota);
}

/* What is sent to the host first goes to $d, and must be there as a whole. */
static void put_receipt(const struct fleet *f, const struct fleet_host *h, enum fleet_step step,
	int64_t n_sent, struct mer_str *s)
{
	mer_str_puts(s, "d=$(mktemp -d \"${TMPDIR:-/tmp}/meridian-fleet-XXXXXX\") || exit 3\n");
	const char *name = step == FLEET_ANSWER ? "all.sync" : "all.tgz";
	mer_str_printf(s,
		"head -c %" PRId64 " >\"$d/%s\"\n"
		"if [ $(wc -c <\"$d/%s\") -ne %" PRId64 " ]\n"
		"then\n"
		"	echo 'what is sent to it did not arrive whole' >&2\n"
		"	exit 3\n"
		"fi\n",
		n_sent, name, name, n_sent);
	if (step == FLEET_FULL)
		mer_str_printf(s,
			"tar -xzf \"$d/all.tgz\" -C \"$d\" && rm -f \"$d/all.tgz\" \"$d/p%zu.part\" || exit 3\n"
			"set -- \"$d\"/p*.part\n"
			"[ -e \"$1\" ] || set --\n"
			"export TMPDIR=\"$d\"\n", /* all that is left is removed */
			(size_t)(h - f->hosts));
}

const char *fleet_script(
	const struct fleet *f, const struct fleet_host *h, enum fleet_step step, int64_t n_sent)
{
	struct mer_str s = { 0 };
	mer_str_puts(&s,
		"d= p=\n"
		"trap '[ -z \"$d\" ] || rm -rf \"$d\"' EXIT\n"
		"trap '[ -z \"$p\" ] || kill \"$p\" 2>/dev/null; exit 143' HUP INT PIPE TERM\n");
	put_limits(f, &s);
	if (step != FLEET_PART)
		put_receipt(f, h, step, n_sent, &s);
	mer_str_puts(&s, "exec 3<&0\n");
	put_command(f, h, step, "\"$d/all.sync\"", &s);
	mer_str_puts(&s, " </dev/null 3<&- &\n"
			 "p=$!\n"
			 "{ while read -r x; do :; done; kill \"$p\"; } <&3 >/dev/null 2>&1 &\n"
			 "w=$!\n"
			 "exec 3<&-\n"
			 "wait \"$p\"\n"
			 "s=$?\n"
			 "p=\n"
			 "kill \"$w\" 2>/dev/null\n"
			 "exit \"$s\"\n");
	const char *script = s.failed ? NULL : mer_arena_strdup(&f->ask->arena, s.data);
	mer_str_fini(&s);
	return script;
}

/* The words of --ssh; of ssh itself with the options of all its connections. */
static size_t ssh_words(const struct fleet *f, const char **argv, size_t most)
{
	static const char own[] = "ssh";
	size_t n = 0;
	char *save = NULL;
	char *text = mer_arena_strdup(&f->ask->arena, f->o->ssh ? f->o->ssh : own);
	for (char *word = text ? strtok_r(text, " \t", &save) : NULL; word && n < most;
		word = strtok_r(NULL, " \t", &save)) {
		argv[n++] = word;
		const char *slash = strrchr(word, '/');
		if (n > 1 || strcmp(slash ? slash + 1 : word, own) != 0)
			continue;
		for (size_t i = 1; i < RECORD_N_SSH_WORDS && n < most; i++)
			argv[n++] = record_ssh_words[i];
	}
	return n;
}

const char *const *fleet_argv(const struct fleet *f, const struct fleet_host *h, const char *script)
{
	enum { MOST = 64 };
	const char **argv = mer_arena_zalloc(&f->ask->arena, MOST + 4, sizeof(*argv));
	if (!argv)
		return NULL;
	size_t n = 0;
	if (!h->target) {
		argv[n++] = "sh";
		argv[n++] = "-c";
		argv[n++] = script;
		return argv;
	}
	n = ssh_words(f, argv, MOST);
	argv[n++] = h->target;
	argv[n] = record_shell_line(&f->ask->arena, script);
	return n > 1 && argv[n] ? argv : NULL;
}

/* ---- --dry-run ---- */

static void put_typed(const struct fleet *f, const struct fleet_host *h, enum fleet_step step,
	struct mer_str *out)
{
	struct mer_str line = { 0 };
	if (step == FLEET_ANSWER)
		mer_str_puts(&line, "f=$(mktemp) && trap \"rm -f $f\" EXIT && cat >$f && ");
	else if (step == FLEET_FULL)
		mer_str_printf(&line,
			"d=$(mktemp -d) && trap \"rm -rf $d\" EXIT && tar -xf - -C $d && rm $d/parts/%s.part && ",
			h->name);
	put_command(f, h, step, step == FLEET_FULL ? "$d/all.sync" : "$f", &line);
	const char *text = line.data ? line.data : "";
	if (h->target)
		mer_str_printf(out, "%s %s ", f->o->ssh ? f->o->ssh : "ssh", h->target);
	else
		mer_str_puts(out, "sh -c ");
	record_put_word(out, text);
	out->failed |= line.failed;
	mer_str_fini(&line);
	static const char *const sent[] = {
		[FLEET_PART] = "", [FLEET_ANSWER] = " <all.sync", [FLEET_FULL] = " <all.tar"
	};
	static const char *const to[] = {
		[FLEET_PART] = "parts", [FLEET_ANSWER] = "answers", [FLEET_FULL] = "full"
	};
	mer_str_printf(out, "%s >%s/%s.part\n", sent[step], to[step], h->name);
}

static void put_words(const char *const *words, size_t n, struct mer_str *out)
{
	for (size_t i = 0; i < n; i++) {
		mer_str_putc(out, ' ');
		record_put_word(out, words[i]);
	}
}

int fleet_print_lines(const struct fleet *f)
{
	struct mer_str s = { 0 };
	enum fleet_step last = f->is_full ? FLEET_FULL : FLEET_ANSWER;
	mer_str_printf(&s, "mkdir -p parts %s\n# on each host, for its clock\n",
		f->is_full ? "full" : "answers");
	for (size_t i = 0; i < f->n_hosts; i++)
		put_typed(f, &f->hosts[i], FLEET_PART, &s);
	mer_str_puts(&s, "# here\nmeridian sync parts/*.part --save all.sync\n");
	if (f->is_full)
		mer_str_puts(&s, "tar -cf all.tar all.sync parts\n");
	mer_str_printf(
		&s, "# on each host, for %s\n", f->is_full ? "what its tasks did" : "its answer");
	for (size_t i = 0; i < f->n_hosts; i++)
		put_typed(f, &f->hosts[i], last, &s);
	mer_str_printf(&s, "# here\nmeridian %s", f->is_full ? f->verb : "merge");
	put_words(f->shown, f->n_shown, &s);
	if (f->is_full)
		put_words(f->asked, f->n_asked, &s);
	mer_str_puts(&s, f->is_full ? " full/*.part\n" : " answers/*.part\n");
	return ask_put(f->ask, &s, 0);
}
