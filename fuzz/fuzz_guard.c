/* Fuzzer of who may ask: the lines are Host, Origin and a path. Whatever they are, nothing is let
 * in that has another name, another origin, or not the token. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "server/guard.h"
#include "check.h"

static bool begins(const char *text, const char *with)
{
	return strncasecmp(text, with, strlen(with)) == 0;
}

static char *next_line(char **rest)
{
	char *line = *rest, *end = strchr(line, '\n');
	*rest = end ? end + 1 : line + strlen(line);
	if (end)
		*end = '\0';
	return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct guard own = { .token = "abcdefghijklmnopqrstuvwxyz012345", .address = "127.0.0.1" };
	struct guard open = { .address = "0.0.0.0", .name = "box" };
	char *text = malloc(size + 1), *rest = text;
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	const char *host = next_line(&rest), *origin = next_line(&rest), *path = next_line(&rest);

	bool is_ours = guard_host(&own, host);
	check(!is_ours || begins(host, "localhost") || begins(host, "127.0.0.1") ||
		begins(host, "[::1]"));
	check(!is_ours || guard_host(&open, host));
	check(!guard_origin(&own, origin, host) || (is_ours && begins(origin, "http://")));
	check(guard_origin(&own, NULL, host));

	const char *behind = guard_path(&own, path);
	check(!behind ||
		(path[0] == '/' && strncmp(path + 1, own.token, GUARD_TOKEN_CHARS) == 0 &&
			behind == path + 1 + GUARD_TOKEN_CHARS && (!*behind || *behind == '/')));
	check(guard_path(&open, path) == path);
	free(text);
	return 0;
}
