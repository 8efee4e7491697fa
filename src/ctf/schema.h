/* Schema: what the metadata of one trace says, whatever language it was written in.
 *
 *   schema ── packet_header
 *          ├─ clocks[]
 *          └─ streams[]  (data stream classes)
 *              ├─ packet_context, event_header, event_context   (structures, or NULL)
 *              └─ events[]  (event record classes, sorted by id)
 *                  └─ specific_context, payload               (structures, or NULL)
 *
 * Both metadata parsers (TSDL for CTF 1.8, JSON for CTF 2) end here; the decoder and the writer
 * begin here. A finished schema is immutable and lives in one arena. The parsers guarantee, so that
 * no other code has to check: sizes and alignments are legal, every reference is resolved, names
 * are not NULL, nesting is at most CTF_MAX_DEPTH deep.
 *
 * References (the length of a sequence, the selector of a variant or optional) are registers: the
 * decoder stores the value of each field that has a register, and references to the field read the
 * register. A reference therefore means the last decoded instance of the field, also inside array
 * elements and variant options. */
#ifndef MER_CTF_SCHEMA_H
#define MER_CTF_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"

enum {
	CTF_MAX_DEPTH = 1032,
	CTF_NO_REG = 0,
	CTF_MAX_REGS = 4096,
	CTF_MAX_STREAM_CLASSES = 1 << 18,
	CTF_MAX_EVENT_CLASSES = 1 << 19 /* of all data stream classes */
};

enum ctf_byte_order { CTF_LE, CTF_BE };

enum ctf_kind {
	CTF_BIT_ARRAY, /* fixed length, unsigned, no meaning as a number        (u.bits) */
	CTF_BIT_MAP,   /* fixed length, named bits: mappings are bit ranges     (u.bits) */
	CTF_BOOL,      /* fixed length, 0 or not                                (u.bits) */
	CTF_INT,       /* fixed length; an enumeration when it has mappings     (u.bits) */
	CTF_FLOAT,     /* fixed length, IEEE 754 binary16/32/64                 (u.bits) */
	CTF_VARINT,    /* LEB128, byte aligned, at most 10 bytes                (u.bits) */
	CTF_STRING,    /* ends with a NUL code point                            (u.text) */
	CTF_TEXT,      /* bytes of known or referenced number, cut at first NUL (u.text) */
	CTF_BLOB,      /* bytes of known or referenced number                   (u.text) */
	CTF_STRUCT,    /*                                                       (u.record) */
	CTF_ARRAY,     /* elements of known or referenced number                (u.array) */
	CTF_VARIANT,   /* one of several, by selector                           (u.variant) */
	CTF_OPTIONAL   /* there or not, by selector                             (u.optional) */
};

/* Roles: the meaning of a field for the reader itself. A field may have several. */
enum ctf_role {
	CTF_ROLE_MAGIC = 1 << 0,      /* packet header: 0xC1FC1FC1 */
	CTF_ROLE_TRACE_UUID = 1 << 1, /* packet header: 16 bytes, blob or array of 8-bit ints */
	CTF_ROLE_STREAM_CLASS_ID = 1 << 2,
	CTF_ROLE_STREAM_ID = 1 << 3,	 /* data stream (instance) id */
	CTF_ROLE_PACKET_SIZE = 1 << 4,	 /* total length, bits */
	CTF_ROLE_CONTENT_SIZE = 1 << 5,	 /* content length, bits */
	CTF_ROLE_TIMESTAMP = 1 << 6,	 /* default clock; in a packet context: packet begin */
	CTF_ROLE_TIMESTAMP_END = 1 << 7, /* packet end; does not advance the running clock */
	CTF_ROLE_SEQ_NUM = 1 << 8,	 /* packet sequence number */
	CTF_ROLE_DISCARDED = 1 << 9,	 /* discarded event counter snapshot */
	CTF_ROLE_EVENT_ID = 1 << 10,	 /* event record class id */
	CTF_ROLE_CPU_ID = 1 << 11 /* by its name cpu_id, packet context; not in the specification */
};

/* Where the structures of a schema are, in the order of decoding. */
enum ctf_scope {
	CTF_SCOPE_PACKET_HEADER,
	CTF_SCOPE_PACKET_CONTEXT,
	CTF_SCOPE_EVENT_HEADER,
	CTF_SCOPE_COMMON_CONTEXT,
	CTF_SCOPE_SPECIFIC_CONTEXT,
	CTF_SCOPE_PAYLOAD,
	CTF_N_SCOPES
};

enum ctf_encoding { CTF_UTF8, CTF_UTF16BE, CTF_UTF16LE, CTF_UTF32BE, CTF_UTF32LE };

/* lo <= hi; for signed fields both are the two's complement bit pattern of an int64_t. */
struct ctf_range {
	uint64_t lo, hi;
};

struct ctf_mapping {
	const char *label;
	uint32_t n_ranges;
	const struct ctf_range *ranges;
};

/* Index to find which of many sets of ranges contain a value (schema_ranges.c). */
struct ctf_range_index;

/* A reference to an earlier field, by the register that holds its value. */
struct ctf_ref {
	uint16_t reg;	  /* CTF_NO_REG: none */
	bool is_signed;	  /* of the field referred to */
	const char *path; /* as written in the metadata, for messages and the layout view */
};

struct ctf_field {
	const char *name; /* as shown: TSDL's one leading underscore removed; may be empty */
	struct ctf_fc *fc;
	uint32_t roles; /* of enum ctf_role */
	uint16_t reg;	/* the decoder stores the value there; CTF_NO_REG: nobody refers to it */
	int16_t clock;	/* index in schema->clocks of TSDL's "map", -1: none */
};

struct ctf_option {
	struct ctf_field field;
	uint32_t n_ranges; /* values of the selector that select it; 0: never selected */
	const struct ctf_range *ranges;
};

struct ctf_fc { /* field class */
	enum ctf_kind kind;
	uint32_t align_bits; /* power of two, at least 1; for compound kinds the greatest within */
	union {
		struct {
			uint16_t len_bits; /* 1..64; 0 for CTF_VARINT */
			bool is_signed;
			uint8_t order; /* enum ctf_byte_order */
			bool reversed; /* CTF 2 bit-order is not the natural one */
			uint8_t base;  /* to show it in: 2, 8, 10 or 16 */
			uint32_t n_mappings;
			const struct ctf_mapping *mappings;  /* as declared; may overlap */
			const struct ctf_range_index *index; /* of the mappings; NULL: few */
			bool is_enum; /* to be shown as one, even without mappings */
		} bits;
		struct {
			uint8_t encoding;	/* enum ctf_encoding; blobs: 0 */
			uint64_t len_bytes;	/* when ref.reg is CTF_NO_REG */
			struct ctf_ref ref;	/* else the length in bytes */
			const char *media_type; /* blobs; may be NULL */
		} text;
		struct {
			uint32_t n;
			struct ctf_field *fields;
		} record;
		struct {
			uint64_t n;		  /* when ref.reg is CTF_NO_REG */
			struct ctf_ref ref;	  /* else the number of elements */
			struct ctf_field element; /* name "" */
		} array;
		struct {
			struct ctf_ref ref;
			uint32_t n;
			struct ctf_option *options;
			const struct ctf_range_index *index; /* of the options; NULL: few */
		} variant;
		struct {
			struct ctf_ref ref;
			uint32_t n_ranges; /* 0: boolean selector, there when not 0 */
			const struct ctf_range *ranges;
			struct ctf_field content; /* name "" */
		} optional;
	} u;
};

struct ctf_clock {
	const char *name;	 /* CTF 2: its name, else its id */
	const char *description; /* may be NULL */
	uint8_t uuid[16];	 /* TSDL uuid, or CTF 2 origin/clock identity when it is a UUID */
	bool has_uuid;
	const char *uid;		 /* CTF 2: identity as text, may be NULL */
	uint64_t freq_hz;		 /* at least 1 */
	int64_t offset_s, offset_cycles; /* time = offset_s + (offset_cycles + value) / freq */
	uint64_t precision_cycles;
	/* origin is the Unix epoch (CTF 1.8: declared absolute, or by a tracer known for it) */
	bool is_absolute;
};

struct ctf_event_class {
	uint64_t id;
	const char *name;    /* never NULL: "event ID" made up when the metadata has none */
	int32_t log_level;   /* -1: none */
	const char *emf_uri; /* may be NULL */
	struct ctf_fc *specific_context, *payload; /* structures, or NULL */
};

struct ctf_stream_class {
	uint64_t id;
	const char *name; /* may be NULL */
	int16_t clock;	  /* default clock, index in schema->clocks, -1: none */
	struct ctf_fc *packet_context, *event_header, *event_context; /* structures, or NULL */
	uint32_t n_events;
	struct ctf_event_class *events; /* by rising id */
};

struct ctf_env {
	const char *name;
	const char *text; /* NULL: a number */
	int64_t number;
};

struct ctf_schema {
	uint8_t major, minor; /* 1.8 or 2.0 */
	bool has_uuid;
	bool any_uuid; /* packets may have another one */
	/* The clock starts again at 0 after so many cycles, whatever fields could hold; 0: it does
	 * not. */
	uint64_t clock_wrap;
	uint8_t uuid[16];
	const char *name, *uid;	      /* CTF 2 trace class; may be NULL */
	uint8_t order;		      /* enum ctf_byte_order: native (TSDL); CTF 2: CTF_LE */
	struct ctf_fc *packet_header; /* structure, or NULL */
	uint32_t n_clocks, n_streams, n_env;
	struct ctf_clock *clocks;
	struct ctf_stream_class *streams; /* by rising id */
	struct ctf_env *env;
	uint16_t n_regs; /* registers are 1 .. n_regs */
};

/* Reads "8b0c8a62-1f7d-4a8e-9c3b-0d5e6f708192". False: it has another form, and uuid may be half
 * written. */
bool ctf_uuid_parse(const char *text, size_t len, uint8_t uuid[16]);
/* The entry called name, or NULL. */
const struct ctf_env *ctf_env_find(const struct ctf_schema *s, const char *name);
const struct ctf_stream_class *ctf_stream_class_find(const struct ctf_schema *s, uint64_t id);
const struct ctf_event_class *ctf_event_class_find(const struct ctf_stream_class *c, uint64_t id);
/* Does the label apply to v: is v in its ranges or, in a bit map, one of v's set bits? */
bool ctf_mapping_has(const struct ctf_fc *fc, const struct ctf_mapping *m, uint64_t v);
/* The labels of v, in the order of the mappings:
 *
 *   ctf_labels_begin(&l, fc, v);
 *   while ((m = ctf_labels_next(&l)))
 *
 * The time depends on the number of matching labels, not on the number of labels in the class. */
enum { CTF_FEW_LABELS = 16 };
struct ctf_labels {
	const struct ctf_fc *fc;
	uint64_t value;
	uint32_t next, n;
	bool all; /* look at each mapping from next on; else found[next .. n) */
	uint32_t found[CTF_FEW_LABELS];
};
void ctf_labels_begin(struct ctf_labels *l, const struct ctf_fc *fc, uint64_t v);
const struct ctf_mapping *ctf_labels_next(struct ctf_labels *l);
/* For a variant with an index: the option found with it; fc->u.variant.n: none. */
uint32_t ctf_indexed_option_of(const struct ctf_fc *fc, uint64_t selector);
/* Makes the index of a class with many mappings or options; false: no memory. */
bool ctf_index_labels(struct ctf_fc *fc, struct mer_arena *arena);
bool ctf_index_options(struct ctf_fc *fc, struct mer_arena *arena);
/* Structure of a scope, or NULL. Classes needed only for other scopes may be NULL. */
const struct ctf_fc *ctf_scope_fc(const struct ctf_schema *s, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec, enum ctf_scope scope);

static inline unsigned ctf_unit_bytes(unsigned encoding)
{
	return encoding == CTF_UTF8 ? 1 : encoding <= CTF_UTF16LE ? 2 : 4;
}

/* Is the value in one of the ranges? Compared by distance from lo, which is the same for signed and
 * unsigned ranges. */
static inline bool ctf_in_ranges(const struct ctf_range *r, uint32_t n, uint64_t v)
{
	for (uint32_t i = 0; i < n; i++)
		if (v - r[i].lo <= r[i].hi - r[i].lo)
			return true;
	return false;
}

/* The option of a variant that the selector's value selects; fc->u.variant.n: none. */
static inline uint32_t ctf_option_of(const struct ctf_fc *fc, uint64_t selector)
{
	uint32_t i = 0, n = fc->u.variant.n;
	if (__builtin_expect(fc->u.variant.index != NULL, 0))
		return ctf_indexed_option_of(fc, selector);
	while (i < n && !ctf_in_ranges(fc->u.variant.options[i].ranges,
				fc->u.variant.options[i].n_ranges, selector))
		i++;
	return i;
}

#endif
