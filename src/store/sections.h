/* Sections: the file of a store, as bytes.
 *
 *   header │ blocks and sections, in the order in which they were made │ table of sections
 *
 * A section has a type, a host, a number, and a checksum that is verified when the file is opened.
 * Sections are small, or arrays that are used directly from the mapping. Blocks hold the bulk of
 * the data; a section lists their places and checksums, and each is verified when it is read. So a
 * file opens in milliseconds, and damage is detected before the data is used.
 *
 * A file is written under another name and renamed when it is complete: a reader sees either all of
 * it or the previous file. FORMAT.md describes the bytes. */
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

/* ---- writing; all functions may be called from several threads ---- */

struct store_writer {
	pthread_mutex_t lock;
	int fd;
	char *path, *temporary;
	struct mer_str buffer; /* not written yet */
	uint64_t at;	       /* offset in the file of the buffer's first byte */
	struct store_section *sections;
	size_t n, cap;
	uint8_t key[STORE_KEY_BYTES];
	struct mer_err err; /* of the first failure; later calls do nothing */
	int rc;
};

/* The file will be `path`; its folder must exist. */
int store_writer_begin(struct store_writer *w, const char *path, const uint8_t key[STORE_KEY_BYTES],
	struct mer_err *err);
void store_put_block(
	struct store_writer *w, const void *bytes, size_t n, struct store_block *block);
/* There was no memory for what it should write: later calls do nothing. */
void store_writer_fail(struct store_writer *w);
/* n elements of bytes_each bytes. Type, host and number must be unique together. */
void store_put_section(struct store_writer *w, uint32_t type, uint32_t host, uint32_t number,
	const void *elements, size_t n, size_t bytes_each);
/* Renames the complete file to its name; after a failure, or with ok false, deletes it instead.
 * Must be called in any case. */
int store_writer_end(struct store_writer *w, bool ok, struct mer_err *err);

/* ---- reading ---- */

struct store_file {
	struct mer_file file;
	const struct store_section *sections;
	size_t n;
	/* Of a view of a file that numbers hosts in its own way (parts.h): its numbers by the
	 * reader's, UINT32_MAX where it has no such host; and the reader's by its own. NULL: they
	 * are the same. Borrowed. */
	const uint32_t *numbers, *hosts;
	uint32_t n_hosts; /* of hosts */
};

/* key NULL: any. Verifies everything except the blocks; MER_ERR_INPUT: damaged. */
int store_file_open(struct store_file *f, const char *path, const uint8_t key[STORE_KEY_BYTES],
	struct mer_err *err);
void store_file_close(struct store_file *f);
/* The same, but verifies only header and table, not the sections. */
int store_file_peek(struct store_file *f, const char *path, const uint8_t key[STORE_KEY_BYTES],
	struct mer_err *err);
/* Verifies the checksums of all sections. */
int store_file_check(const struct store_file *f, const char *path, struct mer_err *err);
/* The reader's number of a host of the file; UINT32_MAX: there is no such host. */
static inline uint32_t store_host_of(const struct store_file *f, uint32_t number)
{
	return !f->hosts ? number : number < f->n_hosts ? f->hosts[number] : UINT32_MAX;
}
/* For what is of no host: numbers are the file's. */
static inline struct store_file store_without_numbers(const struct store_file *f)
{
	return (struct store_file){ .file = f->file, .sections = f->sections, .n = f->n };
}
/* A section's elements, and their number; host: the reader's number. NULL: there is no such
 * section, or its elements have another size. */
const void *store_find(const struct store_file *f, uint32_t type, uint32_t host, uint32_t number,
	size_t bytes_each, uint64_t *n);
/* The block's bytes; NULL: its checksum is wrong. */
const uint8_t *store_block_bytes(const struct store_file *f, const struct store_block *b);

#endif
