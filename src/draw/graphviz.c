/* A drawing of relations: the graph of graph_dot.c, laid out by Graphviz' program dot, with other
 * colors for dark mode. */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "draw/graph_groups.h"

extern char **environ;

enum {
	MAX_SECONDS = 10, /* a layout of thousands of lines takes hours */
	PAUSE_MS = 10,
	NOT_RUN = -1,
	TOO_LONG = -2
};

/* Waits for dot, for MAX_SECONDS at most. Returns its exit status (1 if it crashed), TOO_LONG (also
 * when cancelled), or NOT_RUN with errno. */
static int wait_for(pid_t pid, struct mer_cancel *cancel)
{
	const struct timespec pause = { 0, PAUSE_MS * 1000000L };
	for (long ms = 0;; ms += PAUSE_MS) {
		int status;
		pid_t ended = waitpid(pid, &status, WNOHANG);
		if (ended == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
		if (ended < 0 && errno != EINTR)
			return NOT_RUN;
		if (ms >= MAX_SECONDS * 1000L || mer_cancelled(cancel)) {
			kill(pid, SIGKILL);
			while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
				;
			return TOO_LONG;
		}
		nanosleep(&pause, NULL);
	}
}

/* Runs dot from one file to the other; as wait_for. */
static int run_dot(FILE *in, FILE *out, struct mer_cancel *cancel)
{
	char *const args[] = { "dot", "-Tsvg", NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int rc = posix_spawn_file_actions_init(&actions);
	if (rc) {
		errno = rc;
		return NOT_RUN;
	}
	rc = posix_spawn_file_actions_adddup2(&actions, fileno(in), STDIN_FILENO);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
	if (rc == 0)
		rc = posix_spawnp(&pid, args[0], &actions, NULL, args, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (rc) {
		errno = rc;
		return NOT_RUN;
	}
	return wait_for(pid, cancel);
}

static bool read_all(FILE *f, struct mer_str *text)
{
	char part[1 << 14];
	size_t n;
	rewind(f);
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		mer_str_add(text, part, n);
	return !ferror(f) && !text->failed;
}

/* CSS overrides attributes: in dark mode it replaces the colors that Graphviz wrote. */
static void put_style(struct mer_str *out)
{
	static const char *const turned[][2] = { { "white", "#16181c" }, { "#f2f4f7", "#20252c" },
		{ "#c8ccd2", "#3a4048" } };
	mer_str_puts(out,
		"<style>\n@media (prefers-color-scheme:dark){\n"
		"text:not([fill]){fill:#dddddd}\n.node path{fill:#2b323b;stroke:#8a929c}\n");
	for (size_t i = 0; i < sizeof(turned) / sizeof(turned[0]); i++)
		mer_str_printf(out, "[fill=\"%s\"]{fill:%s}[stroke=\"%s\"]{stroke:%s}\n",
			turned[i][0], turned[i][1], turned[i][0], turned[i][1]);
	for (size_t i = 0; i < DRAW_N_FAMILIES; i++)
		mer_str_printf(out, "[fill=\"%s\"]{fill:%s}[stroke=\"%s\"]{stroke:%s}\n",
			draw_graph_families[i].color, draw_graph_families[i].dark,
			draw_graph_families[i].color, draw_graph_families[i].dark);
	mer_str_puts(out, "}\n</style>\n");
}

/* What dot has drawn, with the style before its first group. */
static bool add_drawing(FILE *f, struct mer_str *svg)
{
	struct mer_str text = { 0 };
	bool ok = read_all(f, &text) && text.len;
	const char *group = ok ? strstr(text.data, "<g id=\"graph0\"") : NULL;
	size_t head = group ? (size_t)(group - text.data) : text.len;
	if (ok) {
		mer_str_add(svg, text.data, head);
		if (group)
			put_style(svg);
		mer_str_add(svg, text.data + head, text.len - head);
	}
	mer_str_fini(&text);
	return ok && !svg->failed;
}

static int fail_drawing(struct mer_err *err, int status)
{
	if (status == NOT_RUN || status == 127)
		return mer_fail_remedy(err, MER_ERR_USAGE, MER_REMEDY_NO_GRAPHVIZ,
			"Graphviz is needed to draw, and its program 'dot' cannot be run; install it (package graphviz)");
	if (status == TOO_LONG)
		return mer_fail_remedy(err, MER_ERR_SYS, MER_REMEDY_FEWER_RELATIONS,
			"Graphviz' program 'dot' did not finish within %d s; draw fewer relations",
			MAX_SECONDS);
	return mer_fail(
		err, MER_ERR_SYS, "Graphviz' program 'dot' failed (exit status %d)", status);
}

int draw_graph_svg(const struct draw_graph *g, struct mer_str *svg, struct mer_err *err)
{
	struct mer_str dot = { 0 };
	FILE *in = NULL, *out = NULL;
	int rc = draw_graph_dot(g, &dot, err);
	if (rc == 0 && dot.failed)
		rc = mer_fail_nomem(err);
	if (rc == 0 && (!(in = tmpfile()) || !(out = tmpfile()) ||
			       fwrite(dot.data, 1, dot.len, in) != dot.len || fflush(in) != 0))
		rc = mer_fail_errno(err, "write", "a temporary file");
	if (rc == 0) {
		rewind(in);
		int status = run_dot(in, out, g->cancel);
		if (status == TOO_LONG && mer_cancelled(g->cancel))
			rc = mer_fail(err, MER_ERR_CANCELLED, "interrupted");
		else if (status || !add_drawing(out, svg))
			rc = fail_drawing(err, status);
	}
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	mer_str_fini(&dot);
	return rc;
}
