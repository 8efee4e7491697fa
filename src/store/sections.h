/* Sections: the file of a store, as bytes.
 *
 *   header │ blocks and sections, in the order in which they were made │ table of sections
 *
 * A section has a type, a host and a number, and a checksum that is compared when the file is
 * opened: sections are small, or arrays that are used as they lie. Blocks are large in sum; a
 * section has their places and checksums, and whoever reads a block compares. So a file opens in
 * milliseconds, and what is damaged is found before it is used.
 *
 * A file is written under another name, and gets its own when it is complete: whoever reads sees
 * all of it, or the one before. FORMAT.md has the bytes. */
#ifndef MER_STORE_SECTIONS_H
#define MER_STORE_SECTIONS_H

#include <pthread.h>
#include <stdbool.h>
#include "base/err.h"
#include "base/file.h"
#include "base/str.h"

enum { STORE_KEY_BYTES = 16, STORE_ALIGN = 64 };

struct store_section {
	uint32_t type, host, number, reserved;
	uint64_t at, bytes; /* in the file */
	uint64_t n;	    /* elements */
	uint64_t hash;
};

struct store_block { /* where a block lies */
	uint64_t at;
	uint32_t bytes, hash; /* hash: the lower half */
};

/* ---- writing; all functions may be called by several threads ---- */

struct store_writer {
	pthread_mutex_t lock;
	int fd;
	char *path, *temporary;
	struct mer_str buffer; /* not written yet */
	uint64_t at;	       /* of the buffer's begin, in the file */
	struct store_section *sections;
	size_t n, cap;
	uint8_t key[STORE_KEY_BYTES];
	struct mer_err err; /* of the first failure; all that follows does nothing */
	int rc;
};

/* The file will be `path`, in a folder that is there. */
int store_writer_begin(struct store_writer *w, const char *path, const uint8_t key[STORE_KEY_BYTES],
	struct mer_err *err);
void store_put_block(
	struct store_writer *w, const void *bytes, size_t n, struct store_block *block);
/* What follows does nothing; code is that of a failure. */
void store_writer_fail(struct store_writer *w, int code);
/* n elements of bytes_each bytes; one of a type, host and number. */
void store_put_section(struct store_writer *w, uint32_t type, uint32_t host, uint32_t number,
	const void *elements, size_t n, size_t bytes_each);
/* The file is complete: it gets its name. After a failure, or with ok false, it goes away. In any
 * case. */
int store_writer_end(struct store_writer *w, bool ok, struct mer_err *err);

/* ---- reading ---- */

struct store_file {
	struct mer_file file;
	const struct store_section *sections;
	size_t n;
};

/* key NULL: any. Everything but the blocks is as it was written, or MER_ERR_INPUT. */
int store_file_open(struct store_file *f, const char *path, const uint8_t key[STORE_KEY_BYTES],
	struct mer_err *err);
void store_file_close(struct store_file *f);
/* The same for header and table alone, without a look at the sections. */
int store_file_peek(struct store_file *f, const char *path, const uint8_t key[STORE_KEY_BYTES],
	struct mer_err *err);
/* Compares the checksums of all sections. */
int store_file_check(const struct store_file *f, const char *path, struct mer_err *err);
/* Its elements, and how many there are; NULL: there is none, or its elements are of another
 * size. */
const void *store_find(const struct store_file *f, uint32_t type, uint32_t host, uint32_t number,
	size_t bytes_each, uint64_t *n);
/* The block's bytes; NULL: they are not as they were written. */
const uint8_t *store_block_bytes(const struct store_file *f, const struct store_block *b);

#endif
