/*
 * rpc: a client sends operations of known cost to a server over TCP and waits for each reply:
 * `hog` costs CPU time, `sleep` only time, `write` waits for the disk, `fork` has a child of the
 * server hog, and `relay` has the server ask another server. The server measures its speed first
 * (11 times 100 ms), so a trace of it shows one second of full load, then the requests.
 *
 * A reply names the thread that made it, so the client states who ended its wait. In a run of one
 * client and one server each `serve` lies within the client's `call` of the same id.
 */
#include "work.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LISTEN, CONNECT, UPSTREAM, OPS, REPEAT, PAUSE, CONNECTIONS, CALIBRATIONS, FILENAME };

static const struct work_setting settings[] = {
	{ .name = "listen",
		.unit = "PORT",
		.text = "",
		.help = "be the server alone, on this port" },
	{ .name = "connect",
		.unit = "HOST:PORT",
		.text = "",
		.help = "be the client alone, of this server" },
	{ .name = "upstream",
		.unit = "HOST:PORT",
		.text = "",
		.help = "server: where \"relay\" is sent on to" },
	{ .name = "ops",
		.unit = "OP:MS,...",
		.text = "sleep:100,hog:100",
		.help = "hog sleep fork relay, write:KIB" },
	{ .name = "repeat",
		.unit = "N",
		.value = 1,
		.least = 1,
		.most = 1000000,
		.help = "client: all of --ops N times" },
	{ .name = "pause",
		.unit = "MS",
		.value = 20,
		.least = 0,
		.most = 100000,
		.help = "client: between requests" },
	{ .name = "connections",
		.unit = "N",
		.value = 0,
		.least = 0,
		.most = 1000000,
		.help = "server: end after N clients (0: by signal)" },
	{ .name = "calibrations",
		.unit = "N",
		.value = 11,
		.least = 1,
		.most = 99,
		.help = "of 100 ms each, by the server" },
	{ .name = "file",
		.unit = "FILE",
		.text = "meridian-work.data",
		.help = "server: for \"write\"" },
	{ 0 },
};

enum op { HOG = 1, SLEEP, FORK, RELAY, WRITE, N_OPS };
static const char *const op_names[] = {
	[HOG] = "hog", [SLEEP] = "sleep", [FORK] = "fork", [RELAY] = "relay", [WRITE] = "write"
};
enum { MOST = 60000 }; /* ms, or KiB */

/* On the wire all are big-endian. */
struct request {
	uint32_t op, amount, id;
};
struct reply {
	uint32_t id, tid;
};

struct asked {
	enum op op;
	uint32_t amount; /* ms, or KiB */
};

/* "hog:100,sleep:5" */
static unsigned parse_ops(const char *text, struct asked *ops, unsigned room)
{
	unsigned n = 0;
	while (*text) {
		size_t length = strcspn(text, ":,");
		enum op op = HOG;
		while (op < N_OPS && (strlen(op_names[op]) != length ||
					     strncmp(op_names[op], text, length) != 0))
			op++;
		char *end;
		long amount = text[length] == ':' ? strtol(text + length + 1, &end, 10) : -1;
		if (op == N_OPS || amount < 0 || amount > MOST || (*end && *end != ',') ||
			end == text + length + 1)
			work_fail(
				"--ops: \"%s\" does not begin with hog, sleep, fork, relay or write, and :0 to :%d",
				text, MOST);
		if (n == room)
			work_fail("--ops: more than %u operations", room);
		ops[n++] = (struct asked){ op, (uint32_t)amount };
		text = *end ? end + 1 : end;
	}
	if (n == 0)
		work_fail("--ops: no operation");
	return n;
}

/* Sends one request and waits for its reply. */
static void call(struct worker *worker, int s, enum op op, uint32_t amount, uint32_t id)
{
	struct request request = { htonl((uint32_t)op), htonl(amount), htonl(id) };
	struct reply reply;
	struct step step = worker_wait(worker, "call", "reply", id);
	if (!work_write(s, &request, sizeof request) || !work_read(s, &reply, sizeof reply)) {
		if (work_stopped())
			return;
		work_fail("the server closed the connection");
	}
	if (ntohl(reply.id) != id)
		work_fail("the server replied to another request");
	step.by = (pid_t)ntohl(reply.tid);
	worker_done(worker, &step);
}

static void write_file(struct worker *worker, const char *file, uint32_t kib, uint32_t id)
{
	static char block[65536];
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		work_fail("cannot write %s: %s", file, strerror(errno));
	struct step step = worker_wait(worker, "write", "disk", id);
	for (uint32_t left = kib; left > 0;) {
		uint32_t now = left < 64 ? left : 64;
		if (!work_write(fd, block, (size_t)now * 1024))
			work_fail("cannot write %s: %s", file, strerror(errno));
		left -= now;
	}
	if (fsync(fd) != 0)
		work_fail("cannot write %s: %s", file, strerror(errno));
	step.bytes = (int64_t)kib * 1024;
	worker_done(worker, &step);
	close(fd);
	unlink(file);
}

static void fork_and_hog(struct worker *worker, uint32_t ms, uint32_t id)
{
	struct step step = worker_wait(worker, "wait-child", "child", id);
	pid_t child = work_fork();
	if (child == 0) {
		struct worker own;
		worker_start(&own, worker->work, "rpc-child");
		struct step hog = worker_begin(&own, "hog", id);
		work_hog(worker->work, (int64_t)ms * 1000000);
		worker_done(&own, &hog);
		worker_end(&own);
		_exit(0);
	}
	work_reap(child);
	step.by = child;
	worker_done(worker, &step);
}

static void perform(
	struct worker *worker, int *upstream, const struct request *request, uint32_t id)
{
	struct work *work = worker->work;
	uint32_t amount = ntohl(request->amount);
	struct step step;
	switch ((enum op)ntohl(request->op)) {
	case HOG:
		step = worker_begin(worker, "hog", id);
		work_hog(work, (int64_t)amount * 1000000);
		worker_done(worker, &step);
		break;
	case SLEEP:
		step = worker_wait(worker, "sleep", "timer", id);
		work_sleep((int64_t)amount * 1000000);
		worker_done(worker, &step);
		break;
	case FORK: fork_and_hog(worker, amount, id); break;
	case WRITE: write_file(worker, work_text(work, FILENAME), amount, id); break;
	case RELAY:
		if (!*work_text(work, UPSTREAM))
			work_fail("\"relay\" without --upstream");
		if (*upstream < 0)
			*upstream = work_connect(work_text(work, UPSTREAM));
		call(worker, *upstream, HOG, amount, id);
		break;
	case N_OPS: break;
	}
}

static void serve_connection(struct worker *worker, int s, int *upstream)
{
	struct request request;
	for (;;) {
		struct step idle = worker_wait(worker, "idle", "request", -1);
		if (!work_read(s, &request, sizeof request))
			break;
		uint32_t id = ntohl(request.id), op = ntohl(request.op);
		if (op < HOG || op >= N_OPS || ntohl(request.amount) > MOST)
			break; /* not one of our clients */
		worker_done(worker, &idle);
		struct step step = worker_begin(worker, "serve", id);
		perform(worker, upstream, &request, id);
		/* Before the reply, or the client could be ahead of what is stated. */
		worker_done(worker, &step);
		struct reply reply = { htonl(id), htonl((uint32_t)worker->tid) };
		if (!work_write(s, &reply, sizeof reply))
			break;
	}
	close(s);
}

/* ready: written to when clients can be served without delay; -1: nobody waits for that. */
static int server(struct work *work, int listening, int ready, int64_t clients)
{
	struct worker worker;
	int upstream = -1;
	worker_start(&worker, work, "rpc-server");
	work_calibrate(&worker, (int)work_number(work, CALIBRATIONS), 100);
	if (ready >= 0)
		work_write(ready, "r", 1);
	for (int64_t n = 0; (clients == 0 || n < clients) && !work_stopped(); n++) {
		struct step step = worker_wait(&worker, "accept", "connection", -1);
		int s = work_accept(listening);
		if (s < 0)
			break;
		worker_done(&worker, &step);
		serve_connection(&worker, s, &upstream);
	}
	worker_end(&worker);
	return 0;
}

static int client(struct work *work, int s)
{
	struct worker worker;
	struct asked ops[64];
	unsigned n = parse_ops(work_text(work, OPS), ops, 64);
	uint32_t id = 0;
	worker_start(&worker, work, "rpc-client");
	for (int64_t k = 0; k < work_number(work, REPEAT); k++)
		for (unsigned i = 0; i < n && !work_stopped(); i++) {
			call(&worker, s, ops[i].op, ops[i].amount, ++id);
			work_sleep(work_number(work, PAUSE) * 1000000);
		}
	close(s);
	worker_end(&worker);
	return 0;
}

static int both(struct work *work)
{
	int listening = work_listen("0"), pipes[2];
	char byte;
	if (pipe(pipes) != 0)
		work_fail("cannot make a pipe: %s", strerror(errno));
	pid_t child = work_fork();
	if (child == 0) {
		close(pipes[0]);
		_exit(server(work, listening, pipes[1], 1));
	}
	close(pipes[1]);
	if (!work_read(pipes[0], &byte, 1)) {
		work_reap(child);
		return 1;
	}
	int status = client(work, work_connect_here(work_port(listening)));
	return work_reap(child) ? status : 1;
}

static int run(struct work *work)
{
	struct asked ops[64];
	if (*work_text(work, LISTEN) && *work_text(work, CONNECT))
		work_fail(
			"--listen makes a server and --connect a client: give one of them, or none for both");
	parse_ops(work_text(work, OPS), ops, 64);
	if (*work_text(work, LISTEN))
		return server(work, work_listen(work_text(work, LISTEN)), -1,
			work_number(work, CONNECTIONS));
	if (*work_text(work, CONNECT))
		return client(work, work_connect(work_text(work, CONNECT)));
	return both(work);
}

const struct work_mode mode_rpc = { .name = "rpc",
	.help = "a client waits for a server that computes, sleeps or writes",
	.settings = settings,
	.run = run };
