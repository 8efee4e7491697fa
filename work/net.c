/*
 * TCP connections, and whole reads and writes.
 */
#include "work.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct addrinfo *resolve(const char *host, const char *port, int flags)
{
	struct addrinfo hints = {
		.ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = flags
	};
	struct addrinfo *found;
	int status = getaddrinfo(host, port, &hints, &found);
	if (status != 0)
		work_fail(
			"%s port %s: %s", host ? host : "any address,", port, gai_strerror(status));
	return found;
}

int work_listen(const char *port)
{
	struct addrinfo *where = resolve(NULL, port, AI_PASSIVE);
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
	if (s < 0)
		work_fail("cannot make a socket: %s", strerror(errno));
	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	/* Port 0 is for a child of ours: nobody else is meant to connect. */
	if (strcmp(port, "0") == 0)
		((struct sockaddr_in *)(void *)where->ai_addr)->sin_addr.s_addr =
			htonl(INADDR_LOOPBACK);
	if (bind(s, where->ai_addr, where->ai_addrlen) != 0 || listen(s, 64) != 0)
		work_fail("cannot listen on port %s: %s", port, strerror(errno));
	freeaddrinfo(where);
	return s;
}

int work_port(int s)
{
	struct sockaddr_in address = { 0 };
	socklen_t length = sizeof address;
	if (getsockname(s, (struct sockaddr *)&address, &length) != 0)
		work_fail("a socket without a port: %s", strerror(errno));
	return ntohs(address.sin_port);
}

/* Small messages leave at once: a mode's times are not those of Nagle's algorithm. */
static int at_once(int s)
{
	int on = 1;
	setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	return s;
}

int work_connect(const char *host_and_port)
{
	char host[256];
	const char *colon = strrchr(host_and_port, ':');
	if (!colon || colon == host_and_port || !colon[1] ||
		(size_t)(colon - host_and_port) >= sizeof host)
		work_fail("\"%s\" is not HOST:PORT", host_and_port);
	memcpy(host, host_and_port, (size_t)(colon - host_and_port));
	host[colon - host_and_port] = 0;
	struct addrinfo *where = resolve(host, colon + 1, 0);
	for (int tries = 0;; tries++) {
		int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (s >= 0 && connect(s, where->ai_addr, where->ai_addrlen) == 0) {
			freeaddrinfo(where);
			return at_once(s);
		}
		if (tries == 100 || work_stopped())
			work_fail("cannot connect to %s: %s", host_and_port, strerror(errno));
		close(s);
		work_sleep(100000000);
	}
}

int work_connect_here(int port)
{
	char where[32];
	snprintf(where, sizeof where, "127.0.0.1:%d", port);
	return work_connect(where);
}

int work_accept(int listening)
{
	for (;;) {
		int s = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
		if (s >= 0)
			return at_once(s);
		if (work_stopped())
			return -1;
		if (errno != EINTR && errno != ECONNABORTED)
			work_fail("cannot accept a connection: %s", strerror(errno));
	}
}

bool work_read(int fd, void *bytes, size_t length)
{
	char *to = bytes;
	while (length > 0) {
		ssize_t n = read(fd, to, length);
		if (n < 0 && errno == EINTR && !work_stopped())
			continue;
		if (n <= 0)
			return false;
		to += n;
		length -= (size_t)n;
	}
	return true;
}

bool work_write(int fd, const void *bytes, size_t length)
{
	const char *from = bytes;
	while (length > 0) {
		ssize_t n = write(fd, from, length);
		if (n < 0 && errno == EINTR && !work_stopped())
			continue;
		if (n <= 0)
			return false;
		from += n;
		length -= (size_t)n;
	}
	return true;
}
