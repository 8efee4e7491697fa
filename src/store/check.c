#include "store/check.h"

#include <stdlib.h>
#include <string.h>

#include "store/sections.h"
#include "store/types.h"

/* Do the elements of such sections begin with a struct store_block? */
static bool lists_blocks(uint32_t type)
{
	return type == STORE_SPAN_BLOCKS || type == STORE_USAGE || type == STORE_FACT_BLOCKS ||
	       type == STORE_LEVEL_BLOCKS || type == STORE_WAITS || type == STORE_COUNTS ||
	       type == STORE_BRIDGES || type == STORE_REQUESTS || type == STORE_REQUEST_COLUMNS ||
	       type == STORE_RECEIVERS;
}

static bool blocks_are_good(const struct store_file *f, const struct store_section *s)
{
	if (s->n == 0)
		return true;
	size_t bytes_each = s->bytes / s->n;
	bool ok = bytes_each >= sizeof(struct store_block) && bytes_each * s->n == s->bytes;
	for (uint64_t i = 0; ok && i < s->n; i++) {
		struct store_block b;
		memcpy(&b, f->file.data + s->at + i * bytes_each, sizeof(b));
		ok = store_block_bytes(f, &b) != NULL;
	}
	return ok;
}

int store_check(const char *path, struct mer_err *err)
{
	struct store_file f;
	int rc = store_file_open(&f, path, NULL, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < f.n && rc == 0; i++)
		if (lists_blocks(f.sections[i].type) && !blocks_are_good(&f, &f.sections[i]))
			rc = mer_fail(err, MER_ERR_INPUT, "%s: damaged", path);
	store_file_close(&f);
	return rc;
}

char *store_about(const char *path)
{
	struct store_file f;
	struct mer_err err;
	uint64_t n = 0;
	char *about = NULL;
	if (store_file_peek(&f, path, NULL, &err))
		return NULL;
	const char *text = store_find(&f, STORE_ABOUT, 0, 0, 1, &n);
	if (text && n)
		about = strndup(text, n);
	store_file_close(&f);
	return about;
}
