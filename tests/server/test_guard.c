/* Who may ask (server/guard.h), answers that are kept (server/answers.h), and what is sent over a
 * connection (server/http.h). */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "server/answers.h"
#include "server/guard.h"
#include "server/http.h"

static void hosts(void **state)
{
	struct guard g = { .address = "10.1.2.3" };
	static const char *const good[] = { "localhost", "LOCALHOST:80", "127.0.0.1:12345", "[::1]",
		"[::1]:8", "10.1.2.3", "10.1.2.3:99999" };
	static const char *const bad[] = { "", "localhost.", "localhost:", "localhost:x",
		"localhost:123456", "localhost:80x", "evil", "::1", "[::1", "[localhost]", "[::1]x",
		"10.1.2.4", "[::2]", ":80", "127.0.0.11" };
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		if (!guard_host(&g, good[i]))
			fail_msg("%s", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (guard_host(&g, bad[i]))
			fail_msg("%s", bad[i]);
	assert_false(guard_host(&g, NULL));
	/* Where others may use it: its name, and any number. */
	g.name = "me";
	assert_true(guard_host(&g, "me:1") && guard_host(&g, "10.9.9.9") &&
		    guard_host(&g, "[fe80::1]:2"));
	assert_false(guard_host(&g, "you") || guard_host(&g, "me2") || guard_host(&g, "10.9.9") ||
		     guard_host(&g, "1000000000000000000000000000000000000000000000000"));
}

static void origins(void **state)
{
	struct guard g = { .address = "127.0.0.1" };
	(void)state;
	assert_true(guard_origin(&g, NULL, NULL));
	assert_true(guard_origin(&g, "http://localhost:80", "LOCALHOST:80"));
	assert_false(guard_origin(&g, "http://localhost:80", "localhost:81"));
	assert_false(guard_origin(&g, "https://localhost:80", "localhost:80"));
	assert_false(guard_origin(&g, "http://evil", "evil"));
	assert_false(guard_origin(&g, "http://localhost", NULL));
	static const char *const good[] = { "vscode-webview://x", "vscode-file://x", "file://",
		"http://localhost:3000", "https://[::1]", "http://127.0.0.1" };
	static const char *const bad[] = { "", "null", "http://evil", "ftp://localhost",
		"http://localhost:x", "https://localhost.evil", "vscode://x" };
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		if (!guard_viewer(&g, good[i]))
			fail_msg("%s", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (guard_viewer(&g, bad[i]))
			fail_msg("%s", bad[i]);
	assert_true(guard_viewer(&g, NULL));
	strcpy(g.token, "t");
	assert_true(guard_viewer(&g, "http://evil"));
}

static void tokens(void **state)
{
	struct guard g = { .address = "" }, other = { .address = "" };
	(void)state;
	assert_string_equal(guard_path(&g, "/x"), "/x");
	strcpy(g.token, "abc");
	assert_string_equal(guard_path(&g, "/abc/x"), "/x");
	assert_string_equal(guard_path(&g, "/abc"), "");
	static const char *const bad[] = { "", "/", "/x", "/ab", "/abd/x", "/abcd", "abc/x",
		"/bbc/x", "/Abc/x", "/abcx" };
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (guard_path(&g, bad[i]))
			fail_msg("%s", bad[i]);
	assert_true(guard_make_token(&g) && guard_make_token(&other));
	assert_int_equal(strlen(g.token), GUARD_TOKEN_CHARS);
	assert_int_equal(strspn(g.token, "abcdefghijklmnopqrstuvwxyz012345"), GUARD_TOKEN_CHARS);
	assert_string_not_equal(g.token, other.token);
}

/* ---- Answers ---- */

static const char *const types[] = { "a", "b", NULL };

static struct store_key key_of(int n)
{
	struct store_key k = { 0 };
	store_key_mix(&k, &n, sizeof(n));
	return k;
}

static void add(
	struct answers *a, int n, const char *text, size_t len, const char *type, int64_t took)
{
	struct mer_str s = { 0 };
	const struct store_key k = key_of(n);
	mer_str_add(&s, text, len);
	answers_add(a, &k, types, &s, type, took);
	mer_str_fini(&s);
}

/* NULL: it is not known. */
static void is(struct answers *a, int n, const char *text, const char *type)
{
	struct mer_str s = { 0 };
	const struct store_key k = key_of(n);
	const char *of = NULL;
	mer_str_puts(&s, ">");
	assert_int_equal(answers_find(a, &k, types, &s, &of), text != NULL);
	if (text) {
		assert_string_equal(s.data + 1, text);
		assert_ptr_equal(of, type);
	}
	mer_str_fini(&s);
}

static void kept_in_memory(void **state)
{
	struct answers a;
	const struct store_key traces = key_of(77);
	char *large = calloc(1, ANSWERS_KEPT_BYTES + 1);
	(void)state;
	assert_non_null(large);
	answers_init(&a, &traces, NULL);
	is(&a, 1, NULL, NULL);
	add(&a, 1, "one", 3, types[0], 0);
	add(&a, 2, "two", 3, types[1], 1000000000);
	add(&a, 1, "other", 5, types[1], 0); /* the first one stays */
	add(&a, 3, "", 0, types[0], 0);
	is(&a, 1, "one", types[0]);
	is(&a, 2, "two", types[1]);
	is(&a, 3, "", types[0]);
	assert_int_equal(a.bytes, 6);
	/* Larger ones are not kept; of all together those that were used last. */
	add(&a, 4, large, ANSWERS_KEPT_BYTES + 1, types[0], 0);
	is(&a, 4, NULL, NULL);
	for (int i = 0; i < 8; i++) {
		add(&a, 10 + i, large, ANSWERS_KEPT_BYTES, types[0], 0);
		is(&a, 1, "one", types[0]);
	}
	assert_true(a.bytes <= ANSWERS_BYTES && a.bytes > ANSWERS_BYTES - ANSWERS_KEPT_BYTES);
	is(&a, 2, NULL, NULL);
	is(&a, 1, "one", types[0]);
	answers_fini(&a);
	free(large);
}

static void kept_in_a_folder(void **state)
{
	struct answers a;
	const struct store_key traces = key_of(77), others = key_of(78);
	char dir[] = "/tmp/answers-XXXXXX", command[200];
	(void)state;
	assert_non_null(mkdtemp(dir));
	answers_init(&a, &traces, dir);
	add(&a, 1, "one", 3, types[1], 100000000);
	add(&a, 2, "two", 3, types[0], 99999999); /* it took no time */
	answers_fini(&a);
	answers_init(&a, &traces, dir);
	is(&a, 1, "one", types[1]);
	is(&a, 1, "one", types[1]);
	assert_int_equal(a.n, 1); /* and now in memory, too */
	is(&a, 2, NULL, NULL);
	answers_fini(&a);
	answers_init(&a, &others, dir);
	is(&a, 1, NULL, NULL);
	answers_fini(&a);
	/* What is damaged is not known. */
	snprintf(command, sizeof(command), "for f in %s/*; do printf x >>\"$f\"; done", dir);
	assert_int_equal(system(command), 0);
	answers_init(&a, &traces, dir);
	is(&a, 1, NULL, NULL);
	answers_fini(&a);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
}

/* ---- Connections ---- */

/* Answers with what it was asked. */
static void handler(void *ctx, const struct http_request *r, struct http_answer *a)
{
	static const char fixed[] = "fixed\0bytes";
	(void)ctx;
	a->status = 200;
	a->type = "text/plain";
	if (strcmp(r->path, "/fixed") == 0) {
		a->fixed = fixed;
		a->fixed_len = 11;
		a->etag = "\"e\"";
		a->is_gzip = true;
		a->policy = "p";
		return;
	}
	if (strcmp(r->path, "/elsewhere") == 0) {
		a->status = 307;
		a->location = "/there";
		a->allow = "GET";
		a->any_origin = true;
		return;
	}
	mer_str_printf(&a->body, "%s %s host=%s origin=%s match=%s gzip=%d body=%zu:%s", r->method,
		r->path, r->host ? r->host : "-", r->origin ? r->origin : "-",
		r->if_none_match ? r->if_none_match : "-", r->takes_gzip, r->body_len,
		r->body_len < 100 ? r->body : "");
	for (size_t i = 0; i < r->n_arguments && i < 5; i++)
		mer_str_printf(&a->body, " %s=%s", r->arguments[i].key, r->arguments[i].value);
	if (http_argument(r, "n"))
		mer_str_printf(&a->body, " n=%zu", r->n_arguments);
}

/* All that comes back. */
static void ask(uint16_t port, const char *request, size_t n, struct mer_str *answer)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
	char bytes[4096];
	ssize_t got;
	mer_str_clear(answer);
	mer_str_puts(answer, "");
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	for (size_t at = 0; at < n;) {
		ssize_t sent = send(fd, request + at, n - at, MSG_NOSIGNAL);
		if (sent <= 0)
			break;
		at += (size_t)sent;
	}
	while ((got = recv(fd, bytes, sizeof(bytes), 0)) > 0)
		mer_str_add(answer, bytes, (size_t)got);
	close(fd);
}

static void has(const struct mer_str *answer, const char *part)
{
	if (!memmem(answer->data, answer->len, part, strlen(part)))
		fail_msg("no '%s' in:\n%s", part, answer->data);
}

static void has_not(const struct mer_str *answer, const char *part)
{
	if (memmem(answer->data, answer->len, part, strlen(part)))
		fail_msg("'%s' in:\n%s", part, answer->data);
}

#define CLOSE "Connection: close\r\n\r\n"
#define ASK(text) ask(port, text, strlen(text), &got)

static void connections(void **state)
{
	struct http_server *s, *second;
	struct mer_err err = { 0 };
	struct mer_str got = { 0 }, long_one = { 0 };
	uint16_t port = 0, taken;
	(void)state;
	assert_int_equal(http_start("nowhere", &port, handler, NULL, &s, &err), MER_ERR_USAGE);
	assert_string_equal(err.text, "'nowhere' is no address such as 127.0.0.1 or ::1");
	assert_int_equal(http_start("127.0.0.1", &port, handler, NULL, &s, &err), 0);
	assert_true(port != 0);
	taken = port;
	assert_int_equal(
		http_start("127.0.0.1", &taken, handler, NULL, &second, &err), MER_ERR_SYS);
	assert_null(second);
	ASK("GET /a%20b?x=1&y&x=%26 HTTP/1.1\r\nHost: h:1\r\nOrigin: o\r\nIf-None-Match: m\r\n"
	    "Accept-Encoding: deflate, gzip\r\n" CLOSE);
	has(&got, "HTTP/1.1 200 ");
	has(&got, "GET /a b host=h:1 origin=o match=m gzip=1 body=0: x=1 y= x=&");
	has(&got, "Content-Type: text/plain\r\n");
	has(&got, "Cache-Control: no-store\r\n");
	has(&got, "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n");
	has(&got, "X-Content-Type-Options: nosniff\r\n");
	has(&got, "Referrer-Policy: no-referrer\r\n");
	has(&got, "Cross-Origin-Resource-Policy: same-origin\r\n");
	has_not(&got, "Access-Control");
	has_not(&got, "Content-Encoding");
	ASK("GET / HTTP/1.1\r\nHost: h\r\n" CLOSE);
	has(&got, "GET / host=h origin=- match=- gzip=0 body=0:");
	ASK("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n"
	    "Connection: close\r\n\r\nbody");
	has(&got, "POST /p host=h origin=- match=- gzip=0 body=4:body");
	ASK("GET /fixed HTTP/1.1\r\nHost: h\r\n" CLOSE);
	has(&got, "ETag: \"e\"\r\n");
	has(&got, "Cache-Control: no-cache\r\n");
	has(&got, "Content-Encoding: gzip\r\n");
	has(&got, "Content-Security-Policy: p\r\n");
	assert_memory_equal(got.data + got.len - 11, "fixed\0bytes", 11);
	ASK("GET /elsewhere HTTP/1.1\r\nHost: h\r\n" CLOSE);
	has(&got, "HTTP/1.1 307 ");
	has(&got, "Location: /there\r\n");
	has(&got, "Allow: GET\r\n");
	has(&got, "Access-Control-Allow-Origin: *\r\n");
	has(&got, "Cross-Origin-Resource-Policy: cross-origin\r\n");
	/* As many arguments as there may be, and one more. */
	for (int more = 0; more < 2; more++) {
		mer_str_clear(&long_one);
		mer_str_puts(&long_one, "GET /?n");
		for (int i = 1; i < HTTP_MAX_ARGUMENTS + more; i++)
			mer_str_puts(&long_one, "&a");
		mer_str_puts(&long_one, " HTTP/1.1\r\nHost: h\r\n" CLOSE);
		ask(port, long_one.data, long_one.len, &got);
		has(&got, more ? "{\"error\":\"too many arguments\"}" : " n=256");
		has(&got, more ? "HTTP/1.1 414 " : "HTTP/1.1 200 ");
	}
	/* The same of bytes of a body. */
	for (int more = 0; more < 2; more++) {
		mer_str_clear(&long_one);
		mer_str_printf(&long_one,
			"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n" CLOSE,
			HTTP_MAX_BODY + more);
		for (int i = 0; i < HTTP_MAX_BODY + more; i++)
			mer_str_putc(&long_one, 'x');
		ask(port, long_one.data, long_one.len, &got);
		has(&got, more ? "{\"error\":\"the body is too long\"}" : " body=1048576:");
		has(&got, more ? "HTTP/1.1 413 " : "HTTP/1.1 200 ");
	}
	http_stop(s);
	http_stop(NULL);
	mer_str_fini(&got);
	mer_str_fini(&long_one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts),
		cmocka_unit_test(origins),
		cmocka_unit_test(tokens),
		cmocka_unit_test(kept_in_memory),
		cmocka_unit_test(kept_in_a_folder),
		cmocka_unit_test(connections),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
