/* The page: one self-contained compressed file (ui/), built in, or read from a folder during its
 * development. */
#include <stdio.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "base/file.h"
#include "server/state.h"

/* MER_PAGE: the folder of the page as it was built; see ui/README.md. */
__asm__(".section .rodata\n"
	".balign 16\n"
	"server_page_bytes:\n"
	".incbin \"" MER_PAGE "/page.html.gz\"\n"
	"server_page_end:\n"
	"server_page_policy:\n"
	".incbin \"" MER_PAGE "/page.policy\"\n"
	".byte 0\n"
	"server_page_text_bytes:\n"
	".incbin \"" MER_PAGE_TEXT "\"\n"
	"server_page_text_end:\n"
	".previous\n");
extern const char server_page_text_bytes[], server_page_text_end[];
extern const char server_page_bytes[], server_page_end[];
/* Content-Security-Policy: allows its own script and style, by their hashes, and nothing from
 * elsewhere. */
extern const char server_page_policy[];

static void put_file(const char *folder, const char *name, struct mer_str *out, struct mer_err *err)
{
	char path[4096];
	struct mer_file f = { 0 };
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (mer_file_open(&f, path, err) == 0)
		mer_str_add(out, (const char *)f.data, f.size);
	mer_file_close(&f);
}

/* Not compressed, and without its policy: page.html. */
static void from_folder(const char *folder, struct http_answer *a)
{
	struct mer_err err = { 0 };
	a->policy = "default-src 'self' 'unsafe-inline' data:";
	a->status = 200;
	put_file(folder, "page.html", &a->body, &err);
	if (err.code)
		server_refuse(a, 404, "%s", err.text);
}

static size_t page_len(void)
{
	return (size_t)(server_page_end - server_page_bytes);
}

void server_page_prepare(struct server *s)
{
	snprintf(s->page_etag, sizeof(s->page_etag), "\"%016llx\"",
		(unsigned long long)XXH3_64bits(server_page_bytes, page_len()));
}

const char *server_page_text(size_t *len)
{
	*len = (size_t)(server_page_text_end - server_page_text_bytes);
	return server_page_text_bytes;
}

void server_page(struct server *s, const struct http_request *r, struct http_answer *a)
{
	a->type = "text/html; charset=utf-8";
	if (s->o.page_folder) {
		from_folder(s->o.page_folder, a);
		return;
	}
	a->policy = server_page_policy;
	a->etag = s->page_etag;
	a->status = 304;
	if (r->if_none_match && strcmp(r->if_none_match, a->etag) == 0)
		return;
	a->status = 200;
	a->is_gzip = r->takes_gzip;
	if (a->is_gzip) {
		a->fixed = server_page_bytes;
		a->fixed_len = page_len();
	} else {
		a->fixed = server_page_text(&a->fixed_len);
	}
}
