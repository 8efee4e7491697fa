/* Writer: writes a schema and values as a trace on disk; the inverse of the decoder.
 *
 *   ctf_write_metadata   schema -> TSDL or JSON text, plain or in packets
 *   struct ctf_writer    one data stream file: packets, event records, its LTTng index
 *   ctf_new_*            a schema built by hand
 *
 * It is not a tracer: it checks everything, buffers one packet, and is meant for tests, for
 * generated traces and for copies of traces with corrected clocks. A parsed schema can be written
 * as it is, also in the other language as far as that has the means.
 *
 * Values are leaves in the order of the schema. A structure, array, variant or optional has no
 * value of its own: how many elements there are and which option is selected follows from the
 * fields that they refer to, exactly as for the decoder. Fields with a role in the packet header,
 * packet context and event header are filled in by the writer; others there are 0, unless given.
 *  */
#ifndef MER_CTF_WRITER_H
#define MER_CTF_WRITER_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "ctf/schema.h"

/* Metadata. */

enum ctf_framing { CTF_PLAIN, CTF_PACKETS_LE, CTF_PACKETS_BE };

struct ctf_metadata_options {
	uint8_t major;		  /* 1: TSDL, 2: JSON; 0: the schema's own */
	enum ctf_framing framing; /* of the text */
	size_t packet_bytes;	  /* of framed text, 0: 4096 */
};

/* Appends to out. MER_ERR_USAGE: the language cannot say what the schema has. */
int ctf_write_metadata(const struct ctf_schema *s, const struct ctf_metadata_options *o,
	struct mer_str *out, struct mer_err *err);
int ctf_write_tsdl(const struct ctf_schema *s, struct mer_str *out, struct mer_err *err);
int ctf_write_json(const struct ctf_schema *s, struct mer_str *out, struct mer_err *err);

/* Data streams. */

enum ctf_value_kind { CTF_VALUE_UINT, CTF_VALUE_INT, CTF_VALUE_REAL, CTF_VALUE_BYTES };

struct ctf_value {
	enum ctf_value_kind kind;
	union {
		uint64_t u; /* integers, booleans, bit arrays: whichever sign they have, ... */
		int64_t i;  /* ... as long as the value fits the field */
		double f;
		struct {
			const void *data; /* strings without their NUL, blobs; borrowed */
			size_t len;
		} bytes;
	} v;
};

struct ctf_writer_options {
	const char *path;	/* of the file, replaced when it is there */
	const char *index_path; /* of the LTTng index, NULL: none */
	uint64_t stream_id;	/* data stream (instance) id */
	uint32_t cpu_id;
	size_t packet_bytes; /* a packet is closed before it grows beyond; 0: 256 KB */
	bool pad;	     /* every packet has packet_bytes, except for one too big event */
};

struct ctf_writer;

/* The schema and the stream class are borrowed until the close; event classes and registers may be
 * added to them meanwhile. */
int ctf_writer_open(const struct ctf_schema *s, const struct ctf_stream_class *c,
	const struct ctf_writer_options *o, struct ctf_writer **w, struct mer_err *err);
/* Ends the packet, if one is open, at its last event; frees w in any case. */
int ctf_writer_close(struct ctf_writer *w, struct mer_err *err);

/* Opens a packet that begins at this clock value; ends the open one, if any, at its last event. */
int ctf_writer_begin(struct ctf_writer *w, uint64_t clock, struct mer_err *err);
/* Ends the open packet at this clock value; without one does nothing. */
int ctf_writer_end(struct ctf_writer *w, uint64_t clock, struct mer_err *err);
bool ctf_writer_is_open(const struct ctf_writer *w);
/* Bytes so far, those of the open packet included. */
uint64_t ctf_writer_bytes(const struct ctf_writer *w);

/* One event record: the values are those of the stream's event context, the event's own context
 * and the payload, in this order. Opens a packet when none is open. After an error that is not
 * MER_ERR_SYS or MER_ERR_NOMEM the record is not there and writing may go on. */
int ctf_writer_event(struct ctf_writer *w, const struct ctf_event_class *e, uint64_t clock,
	const struct ctf_value *values, size_t n_values, struct mer_err *err);

/* The same for an event whose contexts and payload are given as encoded bytes (not NULL), laid out
 * as in CTF from a byte boundary. */
int ctf_writer_record(struct ctf_writer *w, const struct ctf_event_class *e, uint64_t clock,
	const void *bytes, size_t n, struct mer_err *err);

/* Values of the fields without a role: of the packet header and context from the next packet on,
 * and of the next event headers. Borrowed as long as packets, or events, are written with them. */
void ctf_writer_packet_values(struct ctf_writer *w, const struct ctf_value *values, size_t n);
void ctf_writer_header_values(struct ctf_writer *w, const struct ctf_value *values, size_t n);

/* n event records were lost: counted from the open packet on, or the next one. */
void ctf_writer_discard(struct ctf_writer *w, uint64_t n);
/* n packets were lost: the next packet's sequence number jumps. */
void ctf_writer_skip_packets(struct ctf_writer *w, uint64_t n);

/* To make damaged traces: writes raw bytes inside the open packet; sets a role in the header and
 * context of the open (else the next) packet to a false value. */
int ctf_writer_raw(struct ctf_writer *w, const void *data, size_t len, struct mer_err *err);
void ctf_writer_override(struct ctf_writer *w, enum ctf_role role, uint64_t value);

/* Schemas by hand. Everything is allocated in the arena; when memory is out the functions return
 * NULL, take NULL as well, and a->failed tells at the end. */

struct ctf_fc *ctf_new_bits(struct mer_arena *a, enum ctf_kind kind, unsigned len_bits,
	unsigned align_bits, enum ctf_byte_order order);
struct ctf_fc *ctf_new_int(struct mer_arena *a, unsigned len_bits, bool is_signed,
	unsigned align_bits, enum ctf_byte_order order);
struct ctf_fc *ctf_new_varint(struct mer_arena *a, bool is_signed);
struct ctf_fc *ctf_new_string(struct mer_arena *a);
/* CTF_TEXT or CTF_BLOB of this many bytes. */
struct ctf_fc *ctf_new_bytes(struct mer_arena *a, enum ctf_kind kind, uint64_t len_bytes);
struct ctf_fc *ctf_new_struct(struct mer_arena *a, unsigned min_align_bits);
struct ctf_fc *ctf_new_array(struct mer_arena *a, struct ctf_fc *element, uint64_t n);
struct ctf_fc *ctf_new_variant(struct mer_arena *a);
struct ctf_fc *ctf_new_optional(struct mer_arena *a, struct ctf_fc *content);

/* The new member or option; the pointer holds until the next one is added. */
struct ctf_field *ctf_struct_add(
	struct mer_arena *a, struct ctf_fc *record, const char *name, struct ctf_fc *fc);
struct ctf_option *ctf_variant_add(struct mer_arena *a, struct ctf_fc *variant, const char *name,
	struct ctf_fc *fc, uint64_t lo, uint64_t hi);
/* Makes an integer an enumeration, or adds to it. */
void ctf_enum_add(
	struct mer_arena *a, struct ctf_fc *fc, const char *label, uint64_t lo, uint64_t hi);
/* Lets fc (dynamic text, blob, array; variant, optional) refer to target: gives target a register
 * when it has none. False when there are no more registers. */
bool ctf_refer(struct ctf_schema *s, struct ctf_fc *fc, struct ctf_field *target);

/* The structures that LTTng has. clock: index of the stream's clock, -1: no timestamps. */
enum ctf_header_shape {
	CTF_WRITE_COMPACT, /* 5-bit id and 27-bit time, or 32-bit id and 64-bit time */
	CTF_WRITE_LARGE,   /* 16-bit id and 32-bit time, or 32-bit id and 64-bit time */
	CTF_WRITE_PLAIN	   /* 64-bit time, 32-bit id */
};
struct ctf_fc *ctf_new_packet_header(struct mer_arena *a, enum ctf_byte_order order);
struct ctf_fc *ctf_new_packet_context(struct mer_arena *a, enum ctf_byte_order order, int clock);
struct ctf_fc *ctf_new_event_header(struct mer_arena *a, struct ctf_schema *s,
	enum ctf_header_shape shape, enum ctf_byte_order order, int clock);

#endif
