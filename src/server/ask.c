/* Requests from this process: a target as in a URL, without a connection. */
#include <stdlib.h>
#include <string.h>
#include "server/state.h"

static int digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* Decodes %41 and + in place, as in a query string. */
static void decode(char *text)
{
	char *to = text;
	for (const char *p = text; *p; p++) {
		if (*p == '%' && digit(p[1]) >= 0 && digit(p[2]) >= 0) {
			*to++ = (char)(16 * digit(p[1]) + digit(p[2]));
			p += 2;
		} else {
			*to++ = *p == '+' ? ' ' : *p;
		}
	}
	*to = '\0';
}

void server_ask(struct server *s, const char *target, struct http_answer *a)
{
	struct http_argument args[HTTP_MAX_ARGUMENTS];
	struct http_request r = { .method = "GET", .arguments = args, .body = "", .socket = -1 };
	char *text = strdup(target), *rest = NULL;
	if (!text) {
		server_refuse(a, 500, "out of memory");
		return;
	}
	char *query = strchr(text, '?');
	if (query)
		*query++ = '\0';
	for (char *one = query ? strtok_r(query, "&", &rest) : NULL;
		one && r.n_arguments < HTTP_MAX_ARGUMENTS; one = strtok_r(NULL, "&", &rest)) {
		char *value = strchr(one, '=');
		if (value)
			*value++ = '\0';
		decode(one);
		if (value)
			decode(value);
		args[r.n_arguments++] = (struct http_argument){ one, value ? value : "" };
	}
	r.path = text;
	server_find(s, &r, text, a);
	free(text);
}
