/*
 * pingpong: messages to and fro over TCP, each answered at once. Many of them, in both directions,
 * are what clocks are aligned by. The server has a thread for each connection, so that all hosts
 * can talk to all.
 */
#include "work.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LISTEN, CONNECT, COUNT, SIZE, INTERVAL, CONNECTIONS };

static const struct work_setting settings[] = {
	{ .name = "listen",
		.unit = "PORT",
		.text = "",
		.help = "be the server alone, on this port" },
	{ .name = "connect",
		.unit = "HOST:PORT",
		.text = "",
		.help = "be the client alone, of this server" },
	{ .name = "count",
		.unit = "N",
		.value = 100,
		.least = 1,
		.most = 100000000,
		.help = "client: round trips" },
	{ .name = "size",
		.unit = "BYTES",
		.value = 64,
		.least = 8,
		.most = 65536,
		.help = "client: of each message" },
	{ .name = "interval",
		.unit = "US",
		.value = 1000,
		.least = 0,
		.most = 60000000,
		.help = "client: from start to start" },
	{ .name = "connections",
		.unit = "N",
		.value = 0,
		.least = 0,
		.most = 1000000,
		.help = "server: end after N clients (0: by signal)" },
	{ 0 },
};

/* What each message begins with, big-endian. */
struct header {
	uint32_t size, tid; /* of the message; who sent it */
};

struct connection {
	struct work *work;
	pthread_t thread;
	int s;
};

static void *answer(void *arg)
{
	struct connection *connection = arg;
	char *bytes = malloc(65536);
	struct worker worker;
	if (!bytes)
		work_fail("out of memory");
	worker_start(&worker, connection->work, "pong");
	for (int64_t id = 0;; id++) {
		struct header header;
		struct step step = worker_wait(&worker, "pong", "message", id);
		if (!work_read(connection->s, &header, sizeof header))
			break;
		uint32_t size = ntohl(header.size);
		if (size < sizeof header || size > 65536 ||
			!work_read(connection->s, bytes + sizeof header, size - sizeof header))
			break;
		step.by = (pid_t)ntohl(header.tid);
		step.bytes = size;
		worker_done(&worker, &step);
		header.tid = htonl((uint32_t)worker.tid);
		memcpy(bytes, &header, sizeof header);
		if (!work_write(connection->s, bytes, size))
			break;
	}
	worker_end(&worker);
	close(connection->s);
	free(bytes);
	return NULL;
}

static int server(struct work *work, int listening, int64_t clients)
{
	enum { MOST = 1024 };
	struct connection *all = calloc(MOST, sizeof *all);
	int64_t n = 0;
	if (!all)
		work_fail("out of memory");
	if (clients > MOST)
		work_fail("--connections: more than %d", MOST);
	for (; (clients == 0 || n < clients) && n < MOST; n++) {
		all[n] = (struct connection){ .work = work, .s = work_accept(listening) };
		if (all[n].s < 0)
			break;
		if (pthread_create(&all[n].thread, NULL, answer, &all[n]) != 0)
			work_fail("cannot make a thread");
	}
	/* They end when their clients close; after a signal they are not waited for. */
	for (int64_t i = 0; i < n && !work_stopped(); i++)
		pthread_join(all[i].thread, NULL);
	if (!work_stopped())
		free(all);
	return 0;
}

static int client(struct work *work, int s)
{
	struct worker worker;
	uint32_t size = (uint32_t)work_number(work, SIZE);
	char *bytes = calloc(1, size);
	if (!bytes)
		work_fail("out of memory");
	worker_start(&worker, work, "ping");
	struct header header = { htonl(size), htonl((uint32_t)worker.tid) }, back;
	int64_t next = work_now();
	for (int64_t id = 0; id < work_number(work, COUNT) && !work_stopped(); id++) {
		memcpy(bytes, &header, sizeof header);
		struct step step = worker_wait(&worker, "ping", "message", id);
		if (!work_write(s, bytes, size) || !work_read(s, bytes, size)) {
			if (work_stopped())
				break;
			work_fail("the server closed the connection");
		}
		memcpy(&back, bytes, sizeof back);
		step.by = (pid_t)ntohl(back.tid);
		step.bytes = size;
		worker_done(&worker, &step);
		next += work_number(work, INTERVAL) * 1000;
		int64_t left = next - work_now();
		if (left > 0)
			work_sleep(left);
		else
			next = work_now();
	}
	worker_end(&worker);
	free(bytes);
	close(s);
	return 0;
}

static int run(struct work *work)
{
	if (*work_text(work, LISTEN) && *work_text(work, CONNECT))
		work_fail(
			"--listen makes a server and --connect a client: give one of them, or none for both");
	if (*work_text(work, LISTEN))
		return server(
			work, work_listen(work_text(work, LISTEN)), work_number(work, CONNECTIONS));
	if (*work_text(work, CONNECT))
		return client(work, work_connect(work_text(work, CONNECT)));
	int listening = work_listen("0");
	pid_t child = work_fork();
	if (child == 0)
		_exit(server(work, listening, 1));
	int status = client(work, work_connect_here(work_port(listening)));
	return work_reap(child) ? status : 1;
}

const struct work_mode mode_pingpong = { .name = "pingpong",
	.help = "messages to and fro over TCP, to align clocks by",
	.settings = settings,
	.run = run };
