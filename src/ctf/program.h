/* Program: a schema compiled for one reading of its trace.
 *
 * The caller selects event record classes and their top-level fields; the compiler lays out the
 * wanted fields in rows of 64-bit slots, and reduces everything else to as few additions to the
 * position as possible. The decoder (decode.h) executes the result.
 *
 * Rows. Each wanted field has a fixed slot in the row of its event record class, whatever comes
 * before it in the record. Slots of a field class in a row (ctf_slot_width):
 *
 *   bit array, bit map, boolean, integer   1: the value; signed ones sign extended
 *   float                                  1: the bits of a double
 *   string, text, blob                     2: address of the bytes, number of bytes
 *   structure                              its members', one after the other
 *   array                                  2: number of elements, address of their rows in a row
 *   variant                                1 + the widest option: index of the option, its slots
 *   optional                               1 + the content: 1 or 0, its slots
 *
 * Addresses point into the mapped file or into the batch's memory: they live as long as the batch.
 *
 * Spans. Fields whose distance from each other is known at compile time share one span: one check
 * that all of it lies inside the packet, one addition to the position. Alignment is known as
 * "position = residue modulo m"; only where m is too small is an OP_ALIGN executed.   */
#ifndef MER_CTF_PROGRAM_H
#define MER_CTF_PROGRAM_H

#include "base/arena.h"
#include "base/err.h"
#include "ctf/schema.h"
#include "ctf/traits.h"

enum ctf_opcode {
	OP_END,
	/* x: size of the span in bits; checked and skipped at once. Its first len operations are
	 * loads, which are also in bit_loads, from y on. */
	OP_SPAN,
	/* Loads from the current span: x is the offset in bytes. */
	OP_U8,
	OP_S8,
	OP_U16,
	OP_S16,
	OP_U32,
	OP_S32,
	OP_U64,
	OP_U16BE,
	OP_S16BE,
	OP_U32BE,
	OP_S32BE,
	OP_U64BE,
	OP_F32,
	OP_F64,
	OP_TEXT_FIXED, /* y: bytes */
	OP_BLOB_FIXED, /* y: bytes */
	OP_BITS,       /* x: offset in bits, len, flags: any integer */
	OP_FLOAT,      /* the same for floats: any offset, length and byte order */
	/* What to do with the value loaded last. */
	/* to register reg; x: the register that marks reg as set, see ctf_program.n_regs */
	OP_SAVE,
	OP_ROLE, /* x: enum ctf_role bits, len */
	/* Fields whose size is not known before they are read. */
	OP_ALIGN, /* x: bits */
	OP_ORDER, /* flags: byte order of what follows; it may change at byte boundaries only */
	OP_VARINT,
	OP_STRING, /* x: encoding */
	OP_TEXT,   /* reg: holds the length, y: is it present, x: encoding */
	OP_BLOB,   /* reg: holds the length, y: is it there */
	/* of fixed length, but too long or not aligned for a span; y: index of the length */
	OP_LONG_TEXT,
	OP_LONG_BLOB,
	/* The inner operations follow, after an OP_END whose y is the first operation after
	 * them. */
	OP_ARRAY,   /* x: index in arrays; reg, if any: holds the length, y: is it there */
	OP_VARIANT, /* x: index in variants; reg: holds the selector, y: is it there */
	OP_OPTIONAL /* x: index in optionals; reg: holds the selector, y: is it there */
};

enum {
	CTF_OP_SIGNED = 1,
	CTF_OP_BE = 2,
	CTF_OP_REVERSED = 4,
	CTF_OP_SKIP = 8,
	CTF_OP_ON_BYTE = 16 /* OP_BITS: its span begins with a byte */
};

struct ctf_op {
	uint8_t code;	      /* enum ctf_opcode */
	uint8_t flags;	      /* CTF_OP_* */
	union {		      /* no operation has both */
		uint16_t len; /* bits */
		uint16_t reg;
	};
	uint32_t slot, x, y;
};

/* Registers of fields that may be absent: 0 until they are read. */
struct ctf_forget {
	uint32_t n;
	const uint16_t *regs;
};

struct ctf_array_op {
	const struct ctf_fc *fc;
	struct ctf_forget forget;
	uint64_t n;	     /* elements, when reg is CTF_NO_REG */
	uint32_t first_op;   /* program of one element, slots from 0 */
	uint32_t width;	     /* slots of an element */
	uint32_t align_bits; /* of an element */
	struct ctf_size one; /* of an element */
	uint8_t plain;	     /* opcode, when an element is one byte aligned load; else 0 */
	bool keep;	     /* rows wanted */
};

struct ctf_variant_op {
	const struct ctf_fc *fc;
	struct ctf_forget forget;
	uint32_t *first_op; /* per option, slots from the variant's slot + 1 */
	uint8_t quick[16];  /* by selector: its option; CTF_NOT_QUICK: to be looked for */
};

enum { CTF_NOT_QUICK = 255 };

struct ctf_optional_op {
	const struct ctf_fc *fc;
	struct ctf_forget forget;
	uint32_t first_op;
};

/* A body whose fields all lie at fixed offsets: fields of the usual kinds need no operations, only
 * two loops without a branch on the kind of field. An integer is (8 bytes from `at` & mask), sign
 * extended by (v ^ sign) - sign; for the big endian ones the bytes are turned and shifted first,
 * for bit fields they are shifted. The integers of a span are loaded in the same way. */
struct ctf_load {
	uint64_t mask, sign;
	uint32_t at; /* bytes */
	uint16_t slot;
	/* Bits to shift right after reversing the bytes; from CTF_NO_TURN on: little endian,
	 * shifted by the excess over CTF_NO_TURN. */
	uint16_t turn;
};
enum { CTF_NO_TURN = 64, CTF_LOADS_AT_ONCE = 5 };

struct ctf_bytes_at {
	uint32_t at, len;
	uint16_t slot;
	bool text; /* ends at the first NUL */
};

struct ctf_fixed {
	uint32_t n_loads; /* a multiple of CTF_LOADS_AT_ONCE: the last ones may be dummies */
	/* Load i goes to slot first_slot + i (dummies to slots that are overwritten later, or to
	 * scratch); otherwise each load names its slot. */
	bool dense;
	uint16_t first_slot;
	uint32_t n_bytes;
	struct ctf_load *loads;
	struct ctf_bytes_at *bytes;
	bool turns; /* some load is big endian */
};

/* One event record class, or a whole packet or event header (then all fields are in the row). */
struct ctf_plan {
	const struct ctf_event_class *class;  /* NULL for headers */
	const struct ctf_stream_plan *stream; /* NULL for the packet header */
	uint32_t first_op;
	uint32_t n_slots;    /* of a row, scratch at its end included */
	uint32_t n_clear;    /* slots to set to 0 before the operations; fixed does so itself */
	uint64_t fixed_bits; /* of the whole body when it is one span; else UINT64_MAX */
	const struct ctf_fixed *fixed; /* instead of the operations; NULL: execute them */
	uint32_t id;		       /* unique among the programs of one reading, which sets it */
	bool wanted;
	int32_t tag; /* returned by the caller's wants->event; 0 without one */
	/* First slot of each member of a scope's structure, or CTF_NO_SLOT; NULL: no such scope.*/
	uint32_t *slots[CTF_N_SCOPES];
};

/* Layout of event record headers: the usual ones have special code in the decoder. */
enum ctf_header_kind {
	CTF_HEADER_GENERIC,
	CTF_HEADER_COMPACT, /* 5-bit id, 27-bit time; id 31: 32-bit id, 64-bit time (LTTng) */
	CTF_HEADER_LARGE,   /* 16-bit id, 32-bit time; id 65535: 32-bit id, 64-bit time (LTTng) */
	CTF_HEADER_PLAIN    /* fixed offsets of an id of 8..64 bits and a 64-bit time */
};

/* Data of an event record class needed to skip a record: one entry per id, stored compactly. */
struct ctf_entry {
	struct ctf_plan *plan;
	uint32_t pass_bits;   /* size of a fixed body; CTF_NO_PASS: use the plan */
	uint32_t number : 31; /* of the class in its stream class */
	uint32_t wanted : 1;
};
enum { CTF_NO_PASS = -1 };

struct ctf_stream_plan {
	const struct ctf_stream_class *class;
	struct ctf_plan context; /* packet context */
	struct ctf_plan header;	 /* event record header, generic */
	enum ctf_header_kind header_kind;
	uint32_t head_align_bits; /* of an event record's first field */
	/* A body depends on state left by its header (registers, byte order): to decode a record
	 * again later, its header must be read again first. */
	bool header_lingers;
	struct { /* CTF_HEADER_PLAIN: offsets and sizes in bytes */
		uint8_t id_at, id_size, time_at, size;
	} plain;
	struct ctf_plan *events; /* as class->events */
	struct ctf_entry *by_id; /* for ids below n_by_id; plan NULL: no such class */
	uint32_t n_by_id;
	struct ctf_entry *entries; /* as class->events, for the other ids */
	uint32_t max_fixed_slots;  /* of the rows of wanted classes with a fixed body */
};

struct ctf_program {
	const struct ctf_schema *schema;
	struct ctf_op *ops;
	uint32_t n_ops, cap_ops;
	struct ctf_array_op *arrays;
	uint32_t n_arrays, cap_arrays;
	struct ctf_variant_op *variants;
	uint32_t n_variants, cap_variants;
	struct ctf_optional_op *optionals;
	uint32_t n_optionals, cap_optionals;
	struct ctf_load *bit_loads; /* of spans */
	uint32_t n_bit_loads, cap_bit_loads;
	uint64_t *lengths;
	uint32_t n_lengths, cap_lengths;
	struct ctf_plan packet_header;
	struct ctf_stream_plan *streams; /* as schema->streams */
	uint32_t max_slots;		 /* of any row, headers and array elements included */
	/* Registers of a decoder: those of the schema, then one for each that is set inside a
	 * variant, optional or array: not 0 if that field was present. */
	uint32_t n_regs;
};

/* Inner fields keep their slots even if unwanted; such slots hold undefined values. Packed: an
 * array of 4 or 8 bytes is stored as one big-endian number in the first of its slots; other fields
 * are treated as wanted. */
enum ctf_inner { CTF_INNER_WANTED, CTF_INNER_UNWANTED, CTF_INNER_PACKED };
bool ctf_can_be_packed(const struct ctf_fc *);

/* Selection of events and fields for a reading. Any function may be NULL: everything is wanted. */
struct ctf_wants {
	void *arg;
	/* Are records of this class wanted? Returns CTF_UNWANTED, or a number >= 0 that becomes the
	 * plan's tag. */
	int32_t (*event)(
		void *arg, const struct ctf_stream_class *, const struct ctf_event_class *);
	/* Is the member of the scope's structure wanted, and where? CTF_UNWANTED, CTF_ANYWHERE
	 * (slots in the schema's order) or its first slot; one reading must use only one of the
	 * two. Called for wanted classes only, and also for their event header
	 * (CTF_SCOPE_EVENT_HEADER), whose fields are usually not wanted. */
	int32_t (*field)(void *arg, const struct ctf_stream_class *, const struct ctf_event_class *,
		enum ctf_scope, const struct ctf_field *);
	/* How much of a wanted field, and of the fields inside it (except array elements), is
	 * wanted? NULL: all. *where: on entry the value this function stored for the enclosing
	 * field, 0 for members of the scope's structure; the value it stores is passed on to the
	 * inner fields. */
	enum ctf_inner (*inner)(
		void *arg, const struct ctf_event_class *, const struct ctf_field *, int *where);
	/* With exact slots: the minimum number of slots in a row of the class; those that no field
	 * fills read 0. */
	uint32_t (*n_slots)(
		void *arg, const struct ctf_stream_class *, const struct ctf_event_class *);
};

enum { CTF_UNWANTED = -1, CTF_ANYWHERE = -2 };

/* Compiles a program, allocated in arena. It keeps pointers into the schema. */
int ctf_program_compile(const struct ctf_schema *schema, const struct ctf_wants *wants,
	struct mer_arena *arena, struct ctf_program **program, struct mer_err *err);

/* NULL: no such class. */
static inline const struct ctf_entry *ctf_entry_find(const struct ctf_stream_plan *s, uint64_t id)
{
	if (__builtin_expect(id < s->n_by_id, 1))
		return s->by_id[id].plan ? &s->by_id[id] : NULL;
	const struct ctf_event_class *c = ctf_event_class_find(s->class, id);
	return c ? &s->entries[c - s->class->events] : NULL;
}

#endif
