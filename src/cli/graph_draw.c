/* A drawing of relations: the graph of graph_dot.c, laid out by Graphviz' program dot. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/graph.h"

extern char **environ;

/* Runs dot from one file to the other; its exit status, -1: it did not run. */
static int run_dot(FILE *in, FILE *out)
{
	char *const args[] = { "dot", "-Tsvg", NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int status = -1, rc = posix_spawn_file_actions_init(&actions);
	if (rc) {
		errno = rc;
		return -1;
	}
	rc = posix_spawn_file_actions_adddup2(&actions, fileno(in), STDIN_FILENO);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
	if (rc == 0)
		rc = posix_spawnp(&pid, args[0], &actions, NULL, args, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (rc) {
		errno = rc;
		return -1;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
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

int cli_graph_svg(const struct cli_graph *g, const char *asked_by, struct mer_str *svg)
{
	struct mer_err *err = &g->cli->err;
	struct mer_str dot = { 0 };
	FILE *in = NULL, *out = NULL;
	int status, rc = cli_graph_dot(g, &dot);
	if (rc == 0 && dot.failed)
		rc = mer_fail_nomem(err);
	if (rc == 0 && (!(in = tmpfile()) || !(out = tmpfile()) ||
			       fwrite(dot.data, 1, dot.len, in) != dot.len || fflush(in) != 0))
		rc = mer_fail_errno(err, "write", "a temporary file");
	if (rc == 0) {
		rewind(in);
		status = run_dot(in, out);
		if (status < 0 || status == 127)
			rc = mer_fail(err, MER_ERR_USAGE,
				"%s: Graphviz is needed to draw, and its program 'dot' cannot be "
				"run; "
				"install it (package graphviz), or take --format dot elsewhere",
				asked_by);
		else if (status || !read_all(out, svg) || !svg->len)
			rc = mer_fail(err, MER_ERR_SYS,
				"%s: Graphviz' program 'dot' failed (exit status %d)", asked_by,
				status);
	}
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	mer_str_fini(&dot);
	return rc;
}
