/* ctfgen: the command line. */
#include "ctfgen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"Usage: ctfgen [-o DIR] [--ctf 1.8|2] SCENARIO\n"
	"       ctfgen --big kernel [-o DIR] [--streams N] [--events N] [--bytes N] [--packet N]\n"
	"\n"
	"Writes the CTF traces that a scenario describes (docs/dev/scenario.md), or a large trace for\n"
	"benchmarks.\n"
	"\n"
	"  -o DIR         output directory (default: the scenario's name without .scn)\n"
	"  --ctf VERSION  CTF version of traces without one (default: 1.8)\n"
	"  --streams N    streams of the large trace, one per CPU (default: 8)\n"
	"  --events N     events of the large trace, over all streams (default: 7700000)\n"
	"  --bytes N      instead of --events: stop at this size, over all streams\n"
	"  --packet N     packet size of the large trace (default: 262144)\n";

static void read_file(struct source *s)
{
	FILE *f = !strcmp(s->path, "-") ? stdin : fopen(s->path, "rb");
	struct mer_str text = { 0 };
	if (!f) {
		fprintf(stderr, "ctfgen: %s: %s\n", s->path, strerror(errno));
		exit(1);
	}
	for (size_t n = 1; n && !text.failed;) {
		char buf[65536];
		n = fread(buf, 1, sizeof(buf), f);
		mer_str_add(&text, buf, n);
	}
	if (ferror(f) || text.failed)
		fail_plain("cannot read the scenario");
	if (f != stdin)
		fclose(f);
	s->text = text.data ? text.data : strdup("");
	s->len = text.len;
}

static const char *default_dir(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = strdup(slash ? slash + 1 : path);
	check_memory(name);
	char *dot = strrchr(name, '.');
	if (dot && dot != name && !strcmp(dot, ".scn"))
		*dot = '\0';
	else
		return "traces";
	return name;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--big"))
			return big_main(argc, argv);
	struct gen *g = calloc(1, sizeof(*g));
	check_memory(g);
	g->major = 1;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
			fputs(usage, stdout);
			return 0;
		}
		if (!strcmp(argv[i], "-o") && i + 1 < argc) {
			g->out_dir = argv[++i];
		} else if (!strcmp(argv[i], "--ctf") && i + 1 < argc) {
			i++;
			if (strcmp(argv[i], "1.8") != 0 && strcmp(argv[i], "2") != 0)
				fail_plain("--ctf wants 1.8 or 2");
			g->major = argv[i][0] == '1' ? 1 : 2;
		} else if ((argv[i][0] == '-' && argv[i][1]) || g->scenario.path) {
			fprintf(stderr, "ctfgen: unexpected %s\n%s", argv[i], usage);
			return 2;
		} else {
			g->scenario.path = argv[i];
		}
	}
	if (!g->scenario.path) {
		fputs(usage, stderr);
		return 2;
	}
	if (!g->out_dir)
		g->out_dir = default_dir(g->scenario.path);
	read_file(&g->scenario);
	begin_world(g);
	run_scenario(g);
	finish_world(g);
	free((char *)(uintptr_t)g->scenario.text);
	free(g);
	return 0;
}
