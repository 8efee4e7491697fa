#include "server/guard.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

bool guard_make_token(struct guard *g)
{
	static const char digits[] = "abcdefghijklmnopqrstuvwxyz012345"; /* 5 bits each */
	unsigned char bytes[GUARD_TOKEN_CHARS];
	size_t n = 0;
	while (n < sizeof(bytes)) {
		ssize_t got = getrandom(bytes + n, sizeof(bytes) - n, 0);
		if (got < 0 && errno != EINTR)
			return false;
		n += got > 0 ? (size_t)got : 0;
	}
	for (size_t i = 0; i < sizeof(bytes); i++)
		g->token[i] = digits[bytes[i] % 32];
	g->token[GUARD_TOKEN_CHARS] = '\0';
	return true;
}

/* The name in "name", "name:port", "[v6]:port"; false: it is none of these. */
static bool name_of(const char *host, const char **name, size_t *len)
{
	bool is_v6 = host[0] == '[';
	const char *from = host + is_v6;
	size_t n = strcspn(from, is_v6 ? "]" : ":");
	const char *rest = from + n;
	if (is_v6 && (*rest++ != ']' || !memchr(from, ':', n)))
		return false;
	if (*rest == ':') {
		size_t digits = strspn(++rest, "0123456789");
		if (!digits || digits > 5)
			return false;
		rest += digits;
	}
	*name = from;
	*len = n;
	return n && !*rest;
}

static bool is_same(const char *a, const char *name, size_t len)
{
	return a && strlen(a) == len && strncasecmp(a, name, len) == 0;
}

/* Is it a numeric address, which no name server can resolve to another one? */
static bool is_number(const char *name, size_t len)
{
	char text[INET6_ADDRSTRLEN];
	unsigned char address[sizeof(struct in6_addr)];
	if (len >= sizeof(text))
		return false;
	memcpy(text, name, len);
	text[len] = '\0';
	return inet_pton(AF_INET, text, address) == 1 || inet_pton(AF_INET6, text, address) == 1;
}

bool guard_host(const struct guard *g, const char *host)
{
	const char *name;
	size_t len;
	if (!host || !name_of(host, &name, &len))
		return false;
	return is_same("localhost", name, len) || is_same("127.0.0.1", name, len) ||
	       is_same("::1", name, len) || is_same(g->address, name, len) ||
	       (g->name && (is_same(g->name, name, len) || is_number(name, len)));
}

bool guard_origin(const struct guard *g, const char *origin, const char *host)
{
	static const char scheme[] = "http://";
	if (!origin)
		return true;
	return strncmp(origin, scheme, sizeof(scheme) - 1) == 0 && host &&
	       strcasecmp(origin + sizeof(scheme) - 1, host) == 0 && guard_host(g, host);
}

bool guard_viewer(const struct guard *g, const char *origin)
{
	static const char *const own[] = { "vscode-webview://", "vscode-file://", "file://" };
	static const char *const web[] = { "http://", "https://" };
	if (!origin || g->token[0])
		return true;
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (strncmp(origin, own[i], strlen(own[i])) == 0)
			return true;
	for (size_t i = 0; i < sizeof(web) / sizeof(*web); i++) {
		size_t n = strlen(web[i]), len;
		const char *name;
		if (strncmp(origin, web[i], n) == 0 && name_of(origin + n, &name, &len))
			return is_same("localhost", name, len) || is_same("127.0.0.1", name, len) ||
			       is_same("::1", name, len);
	}
	return false;
}

const char *guard_path(const struct guard *g, const char *path)
{
	size_t n = strlen(g->token);
	if (!n)
		return path;
	if (path[0] != '/' || strnlen(path + 1, n) < n)
		return NULL;
	/* In constant time, so that timing does not reveal how many characters match. */
	unsigned char differs = 0;
	for (size_t i = 0; i < n; i++)
		differs |= (unsigned char)(path[1 + i] ^ g->token[i]);
	const char *rest = path + 1 + n;
	return differs || (*rest && *rest != '/') ? NULL : rest;
}
