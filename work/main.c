/*
 * The command line of meridian-work: modes and their settings, help, the manual page. All of it
 * comes from the modes' structs, so the three never differ.
 */
#include "work.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct work_mode *const modes[] = {
	&mode_rpc,
	&mode_pingpong,
	&mode_pipeline,
	&mode_forks,
	&mode_locks,
	&mode_faults,
	&mode_disk,
	&mode_bursts,
	&mode_pulse,
	&mode_pool,
};
enum { N_MODES = sizeof modes / sizeof *modes };

static const char summary[] = "work of known behaviour, and what was done when, as JSON";

static void help(void)
{
	printf("meridian-work: %s\n\n"
	       "Usage: meridian-work [-o FILE] [--ust] MODE [--SETTING VALUE]...\n\n"
	       "Modes:\n",
		summary);
	for (int i = 0; i < N_MODES; i++)
		printf("  %-10s  %s\n", modes[i]->name, modes[i]->help);
	printf("\n"
	       "  -o FILE     write the JSON lines to FILE, not to standard output\n"
	       "  --ust       emit LTTng-UST events of the provider meridian_work, too\n"
	       "  --help      print this help; after a MODE, its settings\n"
	       "Examples:\n"
	       "  meridian-work rpc --ops sleep:100,hog:100\n"
	       "      A client waits for a server that sleeps, then for one that computes.\n"
	       "  meridian-work -o truth.jsonl locks --kind futex --workers 4\n"
	       "      Four processes fight for a lock; who had it when is in truth.jsonl.\n");
}

static void default_of(char *text, size_t size, const struct work_setting *setting)
{
	if (!setting->text)
		snprintf(text, size, " (%lld)", (long long)setting->value);
	else if (*setting->text)
		snprintf(text, size, " (%s)", setting->text);
	else
		*text = 0;
}

static void help_mode(const struct work_mode *mode)
{
	char name[40], value[80];
	printf("meridian-work %s: %s\n\nUsage: meridian-work %s [--SETTING VALUE]...\n\nSettings (default):\n",
		mode->name, mode->help, mode->name);
	for (const struct work_setting *s = mode->settings; s->name; s++) {
		snprintf(name, sizeof name, "--%s %s", s->name, s->unit);
		default_of(value, sizeof value, s);
		printf("  %-20s  %s%s\n", name, s->help, value);
	}
}

/* scdoc: what it would take for markup is escaped. */
static void print_plain(const char *text)
{
	for (; *text; text++) {
		if (strchr("\\*_#<>[]|~`", *text))
			putchar('\\');
		putchar(*text);
	}
}

static void manual(void)
{
	char value[80];
	printf("meridian-work(1)\n\n# NAME\n\nmeridian-work - %s\n\n# SYNOPSIS\n\n"
	       "*meridian-work* [*-o* _FILE_] [*--ust*] _MODE_ [--_SETTING_ _VALUE_]...\n\n# DESCRIPTION\n\n"
	       "A mode does one thing that programs wait for: a server, a lock, a child, the disk, a CPU. Record "
	       "a trace of it, and compare what an analysis shows with what the program prints. Times are of "
	       "CLOCK_MONOTONIC, the clock of LTTng's traces.\n\n"
	       "CPU time is used up by a loop whose speed is measured at the start, so the trace has "
	       "no system calls but those of the mode's own purpose and of reading clocks.\n\n# OPTIONS\n\n"
	       "*-o* _FILE_\n\twrite the JSON lines to _FILE_, not to standard output\n\n"
	       "*--ust*\n\temit LTTng-UST events, too: meridian\\_work:step\\_begin and meridian\\_work:step\\_end. "
	       "An error where the program was built without LTTng-UST.\n\n"
	       "*--help*\n\tprint a help text; after a mode, its settings\n\n# OUTPUT\n\n"
	       "One JSON object a line; _type_ says which.\n\n"
	       "*run*\n\tthe first line: mode, settings, host, and both clocks at one moment\n\n"
	       "*worker*\n\ta thread or process begins: _tid_, _pid_, _comm_\n\n"
	       "*step*\n\twhat a worker did from _begin\\_ns_ to _end\\_ns_, with _cpu\\_ns_ of CPU time; "
	       "_waited\\_for_ where it waited, _by\\_tid_ who ended that; _id_: which request, item or round\n\n"
	       "*sum*\n\ta worker ends: the count and the sums of its steps of one kind\n\n"
	       "*fact*\n\ta number of the mode's own, such as page faults\n\n# MODES\n\n",
		summary);
	for (int i = 0; i < N_MODES; i++) {
		printf("## %s\n\n", modes[i]->name);
		print_plain(modes[i]->help);
		printf("\n\n");
		for (const struct work_setting *s = modes[i]->settings; s->name; s++) {
			printf("*--%s* _%s_\n\t", s->name, s->unit);
			default_of(value, sizeof value, s);
			print_plain(s->help);
			print_plain(value);
			printf("\n\n");
		}
	}
	printf("# EXIT STATUS\n\n*0*\n\tSuccess.\n\n*1*\n\tSomething failed: no connection, no file, a child.\n\n"
	       "*2*\n\tThe command line is wrong.\n\n# EXAMPLES\n\n```\n"
	       "meridian-work rpc --ops sleep:100,hog:100\n"
	       "meridian-work -o truth.jsonl locks --kind futex --workers 4\n```\n\n"
	       "# SEE ALSO\n\n*meridian*(1)\n");
}

static _Noreturn void wrong(const char *format, const char *what)
{
	fputs("meridian-work: ", stderr);
	fprintf(stderr, format, what);
	fputs(" (see meridian-work --help)\n", stderr);
	exit(2);
}

static const struct work_mode *find_mode(const char *name)
{
	for (int i = 0; i < N_MODES; i++)
		if (strcmp(modes[i]->name, name) == 0)
			return modes[i];
	wrong("there is no mode \"%s\"", name);
}

static void set_value(
	const struct work_setting *setting, struct work_value *value, const char *text)
{
	if (setting->text) {
		value->text = text;
		return;
	}
	char *end;
	errno = 0;
	long long number = strtoll(text, &end, 10);
	if (errno || end == text || *end || number < setting->least || number > setting->most) {
		fprintf(stderr, "meridian-work: --%s: \"%s\" is not a number of %lld to %lld\n",
			setting->name, text, (long long)setting->least, (long long)setting->most);
		exit(2);
	}
	value->number = number;
}

static void parse_settings(struct work *work, int argc, char **argv)
{
	const struct work_setting *settings = work->mode->settings;
	for (unsigned i = 0; settings[i].name; i++)
		work->values[i] = (struct work_value){ settings[i].value, settings[i].text };
	for (int k = 0; k < argc; k++) {
		const char *option = argv[k], *value = NULL;
		if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
			help_mode(work->mode);
			exit(0);
		}
		if (strncmp(option, "--", 2) != 0)
			wrong("\"%s\" is no setting", option);
		size_t length = strcspn(option += 2, "=");
		unsigned i = 0;
		while (settings[i].name && (strlen(settings[i].name) != length ||
						   strncmp(settings[i].name, option, length) != 0))
			i++;
		if (!settings[i].name)
			wrong("this mode has no setting --%s", option);
		if (option[length])
			value = option + length + 1;
		else if (k + 1 < argc)
			value = argv[++k];
		else
			wrong("--%s lacks its value", option);
		set_value(&settings[i], &work->values[i], value);
	}
}

/* User-space events are in a library of their own: the program itself needs none of LTTng, and
 * has none of its threads unless events are wanted. */
static void load_events(struct work *work)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 256);
	void *library = NULL;
	if (n > 0) {
		path[n] = 0;
		char *name = strrchr(path, '/');
		static const char *const places[] = { "/meridian-work-ust.so",
			"/" WORK_LIBRARY_FROM_BIN "/meridian-work-ust.so" };
		for (int i = 0; !library && name && i < 2; i++) {
			snprintf(name, 256, "%s", places[i]);
			library = dlopen(path, RTLD_NOW);
		}
	}
	void *event = library ? dlsym(library, "work_ust_event") : NULL;
	if (!event)
		work_fail(
			"--ust: meridian-work was built without LTTng-UST, or its library cannot be loaded: %s",
			dlerror());
	memcpy(&work->event, &event, sizeof event); /* a function is no object, says C */
}

int main(int argc, char **argv)
{
	struct work work = { .fd = STDOUT_FILENO };
	const char *output = NULL;
	bool events = false;
	int k = 1;
	for (; k < argc && argv[k][0] == '-'; k++) {
		if (strcmp(argv[k], "--help") == 0 || strcmp(argv[k], "-h") == 0) {
			help();
			return 0;
		} else if (strcmp(argv[k], "--version") == 0) {
			puts("meridian-work " WORK_VERSION);
			return 0;
		} else if (strcmp(argv[k], "--man") == 0) {
			manual();
			return 0;
		} else if (strcmp(argv[k], "--ust") == 0) {
			events = true;
		} else if (strcmp(argv[k], "-o") == 0) {
			if (!(output = argv[++k]))
				wrong("%s lacks its file", "-o");
		} else {
			wrong("there is no option %s here", argv[k]);
		}
	}
	if (k >= argc)
		wrong("which mode?%s", "");
	work.mode = find_mode(argv[k]);
	parse_settings(&work, argc - k - 1, argv + k + 1);
	/* Appended to: lines of several processes stay whole. */
	if (output && (work.fd = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC,
			       0644)) < 0)
		work_fail("cannot write %s: %s", output, strerror(errno));
	if (events)
		load_events(&work);
	work_stop_on_signals();
	work_begin_truth(&work);
	return work.mode->run(&work);
}
