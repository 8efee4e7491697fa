/* meridian serve: the traces as a page in a browser, and for viewers that speak its protocols. */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/messages.h"
#include "base/cut_files.h"
#include "cli/places.h"
#include "cli/serve/asker.h"
#include "ask/session.h"
#include "ask/verb.h"
#include "server/server.h"
#include "server/tsp/endpoints.h"

struct values {
	const char *listen, *page;
	bool no_token, open;
	struct ask_amount idle;
};

enum { FIRST_PORT = 8080, LAST_PORT = 8099 }; /* that are tried, if none is given */

/* ---- Where it listens ---- */

struct place {
	char address[64];
	uint16_t port;
	bool has_port;
};

/* "8080", "0.0.0.0", "0.0.0.0:8080", "[::1]:8080" */
static int parse_place(struct ask *ask, const char *text, struct place *p)
{
	const char *port = text, *colon = strrchr(text, ':');
	size_t n = strlen(text);
	bool is_port = n && strspn(text, "0123456789") == n;
	*p = (struct place){ .address = "127.0.0.1" };
	if (!is_port) {
		bool in_brackets = text[0] == '[';
		const char *end = in_brackets ? strchr(text, ']') : colon ? colon : text + n;
		n = end ? (size_t)(end - text) - in_brackets : 0;
		port = !end ? "" : end[in_brackets] == ':' ? end + in_brackets + 1 : NULL;
		if (!n || n >= sizeof(p->address) || (port && !*port))
			return mer_fail(&ask->err, MER_ERR_USAGE,
				"--listen: '%.200s' is not a port, an address or ADDRESS:PORT",
				text);
		memcpy(p->address, text + in_brackets, n);
		p->address[n] = '\0';
	}
	if (!port)
		return 0;
	char *rest;
	unsigned long v = strtoul(port, &rest, 10);
	if (*rest || v > UINT16_MAX || strlen(port) > 5)
		return mer_fail(&ask->err, MER_ERR_USAGE, "--listen: '%.20s' is no port", port);
	p->port = (uint16_t)v;
	p->has_port = true;
	return 0;
}

static bool is_loopback(const char *address)
{
	return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0;
}

/* ---- Signals ---- */

/* Those that end it. They are taken by one thread only, so all threads are made without. */
static sigset_t end_signals(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	return set;
}

static void block_signals(int how)
{
	const sigset_t set = end_signals();
	pthread_sigmask(how, &set, NULL);
}

/* ---- Telling where it is ---- */

/* Is there a browser that could show it? Else it is somewhere else, and reached by ssh. */
static bool has_desktop(void)
{
	const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
	return (x && *x) || (wayland && *wayland);
}

static void tell(struct ask *ask, const struct server *server)
{
	unsigned port = server_port(server);
	fprintf(ask->out, "%s\n", server_url(server));
	if (getenv("SSH_CONNECTION") && !has_desktop()) {
		char host[256] = "HOST";
		gethostname(host, sizeof(host) - 1);
		fprintf(ask->out, "from your own desktop: ssh -L %u:127.0.0.1:%u %s\n", port, port,
			host);
	}
	fprintf(ask->out, "Ctrl+C ends it.\n");
	fflush(ask->out);
}

/* What opens addresses on this desktop; the browser is not ours to wait for. */
static void open_browser(struct ask *ask, const char *url)
{
	pid_t child = has_desktop() ? fork() : -1;
	if (child == 0) {
		setsid();
		block_signals(SIG_UNBLOCK);
		signal(SIGPIPE, SIG_DFL);
		if (freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr))
			execlp("xdg-open", "xdg-open", url, (char *)NULL);
		_exit(127);
	}
	if (child < 0)
		ask_note(ask, "--open: there is no desktop here; open the address above elsewhere");
}

/* ---- Until it ends ---- */

static void wait_for_end(const struct server *server, int64_t idle_ns)
{
	const sigset_t set = end_signals();
	for (;;) {
		struct timespec second = { .tv_sec = 1 };
		if (sigtimedwait(&set, NULL, &second) > 0)
			return;
		if (idle_ns && server_idle_ns(server) > idle_ns)
			return;
	}
}

static int run(struct ask *ask, const void *values)
{
	const struct values *v = values;
	struct place place;
	struct server *server;
	struct mer_session_options session;
	struct sigaction bus_error; /* ends with a message */
	char name[256] = "";
	int rc = parse_place(ask, v->listen ? v->listen : "127.0.0.1", &place);
	if (rc == 0)
		rc = ask_session_options(ask, &session);
	if (rc)
		return rc;
	session.store = session.cache_folder != NULL;
	bool is_own = is_loopback(place.address);
	gethostname(name, sizeof(name) - 1);
	const struct ask_asker asker = cli_asker(ask);
	struct server_options o = { .address = place.address,
		.port = place.has_port ? place.port : FIRST_PORT,
		.last_port = place.has_port ? 0 : LAST_PORT,
		.name = is_own ? NULL : name,
		.no_token = v->no_token,
		.page_folder = v->page,
		.paths = ask->args,
		.n_paths = ask->n_args,
		.session = &session,
		.protocol = &tsp_protocol,
		.asker = &asker,
		.surroundings = cli_surroundings(ask) };
	block_signals(SIG_BLOCK);
	signal(SIGPIPE, SIG_IGN); /* clients leave as they like */
	sigaction(SIGBUS, NULL, &bus_error);
	mer_cut_files_survive(bus_error.sa_handler);
	rc = server_start(&o, &server, &ask->err);
	if (rc)
		return rc;
	if (!is_own)
		ask_warn(ask, "%s: everybody who can reach this host %s", place.address,
			v->no_token ? "sees the traces" : "and has the address sees the traces");
	tell(ask, server);
	cli_say_notes(ask);
	if (v->open)
		open_browser(ask, server_url(server));
	wait_for_end(server, v->idle.set ? v->idle.v : 0);
	server_stop(server);
	return ASK_OK;
}

#define OPTION(member, k, a, h)                                                                    \
	{                                                                                          \
		.name = #member, .kind = k, .arg = a, .help = h,                                   \
		.offset = offsetof(struct values, member)                                          \
	}

static const struct ask_option options[] = {
	OPTION(listen, ASK_TEXT, "PLACE",
		"port or ADDRESS:PORT (default: 127.0.0.1, from 8080 on)"),
	OPTION(open, ASK_FLAG, NULL, "open the page in the desktop's browser"),
	{ .name = "no-token",
		.kind = ASK_FLAG,
		.help = "no secret in the address: for all users of this host",
		.offset = offsetof(struct values, no_token) },
	{ .name = "idle-timeout",
		.kind = ASK_DURATION,
		.arg = "T",
		.help = "end after T without a request, as in 1h",
		.offset = offsetof(struct values, idle) },
	{ .name = "page",
		.kind = ASK_FILE,
		.arg = "FOLDER",
		.help = "take the page from FOLDER/page.html instead of the one built in",
		.offset = offsetof(struct values, page),
		.in_manual_only = true },
	{ 0 },
};

const struct ask_verb cli_verb_serve = {
	.name = "serve",
	.help = "look at the traces in a browser",
	.synopsis = "[OPTION...] TRACE...",
	.description =
		"Opens the traces, prints an address, and serves a page there that opens with what stands out: load, slow requests, waits, clocks, losses. From there it leads to time lines of all hosts, CPUs and tasks, and to tables. Beside each table is the command that prints it.\n"
		"\n"
		"Only programs on this host can reach it (see --listen), and only with the whole address, which contains a secret. It writes to the cache and, when you set a mark on the page, to the file of marks. From another desktop: ssh -L 8080:127.0.0.1:8080 HOST, then open the address there.\n"
		"\n"
		"The first time the traces are read once and a store of them is put into the cache; the page says how far that is. Later it opens at once.\n"
		"\n"
		"With --view, rows of the programs' own states are above the rows of the kernel.",
	.more =
		"Viewers and scripts can ask, too: ADDRESS/api/run?w=top&w=cpu&w=--json answers what 'meridian top cpu --json' prints. docs/api.md lists all addresses.",
	.uses = ASK_USES_SYNC | ASK_USES_VIEWS | ASK_USES_JOBS | ASK_USES_INPUT,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian serve --idle-timeout 1s client/ server/",
			"The page of two hosts; it ends a second after the last request." },
		{ "meridian serve --listen 127.0.0.1:0 --idle-timeout 1s server/",
			"At any port that is free (8080: at this one)." },
	},
	.run = run,
};
