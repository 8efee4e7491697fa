/* CTF 2 metadata parser: declarations shared by its files. Other files use ctf_json_parse only.
 *
 *   json_fragment.c  fragments in order: preamble, aliases, trace, clocks, streams, events
 *   json_class.c     a field class, recursively, with all that hangs on it
 *   json_location.c  field locations to registers
 *   json_value.c     checked access to JSON values, and how errors are reported
 *
 * Every failure does a longjmp to ctf_json_parse, which frees everything outside the schema's
 * arena: so a function that returns has succeeded. One fragment's JSON tree lives in scratch until
 * the next fragment; aliases are kept as trees and built anew for each use, since a register
 * belongs to one field. */
#ifndef MER_CTF_JSON_PARSER_H
#define MER_CTF_JSON_PARSER_H

#include <setjmp.h>
#include "base/json_read.h"
#include "base/map.h"
#include "ctf/metadata.h"

/* The scopes in the order in which they are decoded. */
enum json_scope {
	SCOPE_PACKET_HEADER,
	SCOPE_PACKET_CONTEXT,
	SCOPE_EVENT_HEADER,
	SCOPE_COMMON_CONTEXT,
	SCOPE_SPECIFIC_CONTEXT,
	SCOPE_PAYLOAD,
	N_SCOPES
};

/* A compound field class that is being built: all of its fields before `n` are complete, the one
 * at n is under construction (in the next frame, when that is a compound too). */
struct json_frame {
	struct ctf_fc *fc;
	const struct mer_json_value *json; /* for "comes later" */
	uint32_t n;
};

struct json_event {
	struct json_event *next;
	struct ctf_event_class class;
};

struct json_stream {
	struct ctf_stream_class class;
	struct json_event *events; /* newest first */
	struct mer_map event_ids;
};

struct json_alias {
	struct mer_json_value field_class;
};

/* A place in the schema that holds a register number, to be made final when all are known. */
struct json_reg_use {
	uint16_t *slot;
	bool global;
};

struct json_parser {
	/* Input. */
	const char *text, *path;
	size_t len;
	struct mer_arena *arena; /* of the schema */
	struct mer_diags *diags;
	struct mer_err *err;
	jmp_buf failed;
	int code;

	/* Where objects are allocated. out: the schema's arena, or scratch for objects that are
	 * only checked. */
	struct mer_arena scratch, keep;
	struct mer_arena *out;
	struct mer_json_reader reader;
	struct ctf_schema *schema;

	/* Growing lists, freed at the end. */
	struct json_stream *streams;
	size_t n_streams, cap_streams;
	uint32_t n_events; /* of all of them */
	struct ctf_clock *clocks;
	size_t n_clocks, cap_clocks;
	struct json_alias *aliases; /* by the number of their name in alias_names */
	size_t n_aliases, cap_aliases;
	struct mer_intern alias_names, clock_ids;
	struct mer_map stream_ids;

	/* Current position. */
	const char *fragment;			    /* "event record class", for messages */
	const struct mer_json_value *fragment_name; /* NULL: none */
	enum json_scope scope;			    /* N_SCOPES: in none */
	bool checking_alias;			    /* no scope: locations cannot be resolved */
	unsigned in_alias;			    /* nesting depth of alias uses */
	uint64_t n_from_alias;			    /* field classes built from aliases, limited */
	struct json_stream *stream;		    /* of the fragment; NULL: none */
	const struct ctf_fc *scopes[N_SCOPES];
	struct json_frame frames[CTF_MAX_DEPTH];
	unsigned depth;
	struct mer_map members; /* struct and name to index, for long structures */
	struct mer_intern names;
	uint64_t walk_steps; /* spent on locations, limited */

	/* Registers: see json_location.c. */
	struct json_reg_use *reg_uses;
	size_t n_reg_uses, cap_reg_uses;
	uint16_t *globals, *locals; /* union-find parents, CTF_MAX_REGS + 1 each */
	uint32_t n_globals, n_locals, most_locals;
	size_t event_uses; /* where in reg_uses the current event begins */
	bool preamble_seen, trace_seen;
	unsigned n_warnings;
};

/* json_value.c. The text of errors is a sentence without place and final dot. */
_Noreturn void ctf_json_nomem(struct json_parser *p);
_Noreturn void ctf_json_error(struct json_parser *p, int code, size_t at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void ctf_json_warn(struct json_parser *p, const char *code, size_t at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Never return NULL. */
void *ctf_json_alloc(struct json_parser *p, size_t n, size_t bytes_each);
/* Room for one more in a malloc'ed list. */
void *ctf_json_grow(struct json_parser *p, void *list, size_t n, size_t *cap, size_t bytes_each);
const char *ctf_json_copy_text(struct json_parser *p, const struct mer_json_value *string);
const char *ctf_json_copy(struct json_parser *p, const char *text, size_t len, size_t at);
/* Fails unless v is of the kind. what names it: "property `length`". */
void ctf_json_expect(struct json_parser *p, const struct mer_json_value *v, enum mer_json_kind kind,
	const char *what);
/* The property or NULL; the second fails when it is not there. what: the object that has the
 * property. */
const struct mer_json_value *ctf_json_get(const struct mer_json_value *object, const char *key);
const struct mer_json_value *ctf_json_need(struct json_parser *p,
	const struct mer_json_value *object, const char *key, const char *what);
/* Of a given kind, NULL when it is not there. */
const struct mer_json_value *ctf_json_get_kind(struct json_parser *p,
	const struct mer_json_value *object, const char *key, enum mer_json_kind kind);
uint64_t ctf_json_get_uint(struct json_parser *p, const struct mer_json_value *object,
	const char *key, uint64_t fallback);
int64_t ctf_json_sint(struct json_parser *p, const struct mer_json_value *v, const char *what);
const char *ctf_json_get_text(
	struct json_parser *p, const struct mer_json_value *object, const char *key);
void ctf_json_uuid(struct json_parser *p, const struct mer_json_value *v, uint8_t uuid[16]);
/* Warns about a property that is not in the list (words separated by a space, ending with NULL);
 * fails if the layout may depend on it, and on any extension; checks that attributes are an
 * object. */
void ctf_json_check_keys(struct json_parser *p, const struct mer_json_value *object,
	const char *what, const char *const *known);

/* json_class.c: the field class v; field (NULL: root of a scope) gets it and its roles. */
struct ctf_fc *ctf_json_class(
	struct json_parser *p, const struct mer_json_value *v, struct ctf_field *field);
/* The structure of a scope, with the checks on its roles; NULL when the property is not there. */
struct ctf_fc *ctf_json_scope(struct json_parser *p, const struct mer_json_value *fragment,
	const char *key, enum json_scope scope);
extern const char *const ctf_json_scope_names[N_SCOPES];

/* json_location.c */
enum json_target { TARGET_LENGTH, TARGET_SELECTOR_INT, TARGET_SELECTOR_ANY };
/* Makes ref refer to the fields at location v; *is_bool: these are booleans. */
void ctf_json_resolve(struct json_parser *p, const struct mer_json_value *v,
	enum json_target target, struct ctf_ref *ref, bool *is_bool);
/* Indexes the members of a long structure as they are completed. */
void ctf_json_index_member(struct json_parser *p, const struct ctf_fc *fc, uint32_t i);
void ctf_json_begin_event(struct json_parser *p);
void ctf_json_finish_regs(struct json_parser *p);

#endif
