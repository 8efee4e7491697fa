/* Layout: the fields of a record one by one, with where each lies, as rows for cmd_layout.
 *
 * Made from a record (by the plain decoder), or from the metadata alone: then offsets count from
 * the begin of their structure, as far as they are known without a record. */
#ifndef MER_ASK_EVENTS_LAYOUT_H
#define MER_ASK_EVENTS_LAYOUT_H

#include "base/str.h"
#include "ctf/plain.h"

enum { LAYOUT_MAX_ROWS = 20000 };

struct layout_row {
	enum ctf_scope scope;
	unsigned depth;	  /* 0: a scope's structure; its members have 1 */
	const char *name; /* of the field, of its variant option; NULL: an array's element */
	const struct ctf_fc *fc;
	uint64_t bit, n_bits; /* UINT64_MAX: not known */
	uint64_t index;	      /* of an array's element, else CTF_PLAIN_NO_INDEX */
	bool has_value;
	uint64_t value;
	const uint8_t *bytes;
	uint64_t n_bytes;
};

struct layout {
	struct layout_row *rows; /* in the order of the metadata; what contains comes first */
	size_t n, cap;
	uint64_t n_dropped; /* rows beyond LAYOUT_MAX_ROWS */
	bool failed;	    /* memory */
	/* Of compounds that are open, by depth: their rows. */
	size_t open[CTF_MAX_DEPTH + 2];
};

void layout_fini(struct layout *l);
/* A callback for ctf_plain.see; arg is the layout. */
void layout_see(void *arg, const struct ctf_plain_field *f);
/* The rows of a scope without a record. */
void layout_add_static(struct layout *l, enum ctf_scope scope, const struct ctf_fc *fc);

const char *layout_scope_name(enum ctf_scope scope);
/* "unsigned", "text[16]", "array[payload.len]", ... */
void layout_class(struct mer_str *out, const struct ctf_fc *fc);
/* "le", "be", "be, reversed"; "" for what has none. */
const char *layout_order(const struct ctf_fc *fc);
void layout_value(struct mer_str *out, const struct layout_row *row);
/* The way to the row's field from its scope: "v.extended.id", "fds[3].fd". */
void layout_path(struct mer_str *out, const struct layout *l, size_t row);

#endif
