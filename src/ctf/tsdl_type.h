/* TSDL types as written: the parser's form of type declarations, before they are used.
 *
 * A written type is immutable once it is complete and may be used any number of times; aliases
 * point to it. The schema's field classes are made from written types at each use (tsdl_use.c),
 * because a register belongs to a field of one use. Scalars have no registers inside them: their
 * field class is made once, and shared.
 *
 * A reference (length of a sequence, tag of a variant) is looked up twice: where it is written,
 * among the fields before it, and where the type is used. The former wins; the reference then
 * records the structure in which it was found. */
#ifndef MER_CTF_TSDL_TYPE_H
#define MER_CTF_TSDL_TYPE_H

#include "ctf/tsdl_lex.h"

enum tsdl_kind {
	TSDL_INT,
	TSDL_ENUM,
	TSDL_FLOAT,
	TSDL_STRING,
	TSDL_WIDE, /* an integer of more than 64 bits: an array of small ones */
	TSDL_STRUCT,
	TSDL_VARIANT,
	TSDL_ARRAY
};

struct tsdl_ref {
	struct tsdl_ref *older;
	const char *start; /* in the text */
	const char *path;  /* as written */
	uint32_t n_words;
	const uint32_t *words; /* ids in tsdl.names */
	bool is_absolute;
	bool is_env;	 /* env.NAME: a number of the trace's environment */
	bool is_settled; /* found where it is written, or used at least once */
	/* Found where it is written: in field bound_index of this structure. */
	const struct tsdl_type *bound_to;
	uint32_t bound_index;
};

struct tsdl_member {	   /* a field of a structure or an option of a variant */
	uint32_t name;	   /* id as written */
	const char *shown; /* its name for the schema */
	const char *start; /* in the text */
	struct tsdl_type *type;
};

struct tsdl_type {
	enum tsdl_kind kind;
	uint16_t depth; /* of types within types; scalars 1 */
	uint32_t align_bits;
	struct ctf_fc *fc; /* scalars; its byte order is set when the trace's is known */
	bool is_native;	   /* scalars: byte order is the trace's */
	bool is_text;	   /* integers: has a character encoding */
	/* Integers that are mapped to a clock. */
	uint32_t clock; /* name id, plus 1; 0: none */
	const char *clock_start;
	struct tsdl_type *older_map;
	uint16_t clock_index; /* plus 1, once the clocks are known */
	/* Enumerations: the label of each mapping of fc. */
	const uint32_t *labels;
	/* Structures and variants. */
	uint32_t n;
	struct tsdl_member *members;
	/* Variants and sequences; NULL: array of fixed length, or a variant that has no tag yet. */
	struct tsdl_ref *ref;
	/* Variants: the ranges of each option for the enumeration that they were computed for. */
	const struct tsdl_type *ranges_for;
	struct ctf_option *ranges;
	/* Arrays. */
	uint64_t length;
	struct tsdl_type *element;
	uint32_t wide_bits; /* TSDL_WIDE */
};

/* Names that can be seen. Each kind is a name space of its own. */
enum tsdl_space {
	SPACE_TYPE,
	SPACE_STRUCT,
	SPACE_VARIANT,
	SPACE_ENUM,
	SPACE_FIELD,  /* of the structures under construction */
	SPACE_OPTION, /* of the variants under construction */
	N_SPACES
};

struct tsdl_symbol {
	uint32_t head;	/* which head this symbol is (or was) under */
	uint32_t older; /* symbol that it hides, plus 1 */
	uint32_t scope;
	uint32_t index;		 /* SPACE_FIELD: of the field in its structure */
	struct tsdl_type *type;	 /* of the name */
	struct tsdl_type *owner; /* SPACE_FIELD: the structure */
};

/* tsdl_scope.c */
void tsdl_scope_open(struct tsdl *t);
void tsdl_scope_close(struct tsdl *t);
/* The innermost symbol of that name, or NULL. Valid until the next tsdl_define. */
const struct tsdl_symbol *tsdl_find(const struct tsdl *t, enum tsdl_space space, uint32_t name);
/* Fails (at start) when the innermost scope has the name already. */
void tsdl_define(struct tsdl *t, enum tsdl_space space, uint32_t name, const char *start,
	struct tsdl_type *type, struct tsdl_type *owner, uint32_t index);
void tsdl_scopes_fini(struct tsdl *t);

/* tsdl_ref.c */
/* A path from the current token on: word { . word }. */
struct tsdl_ref *tsdl_parse_ref(struct tsdl *t);
/* Looks the reference of a sequence or variant up among the fields that can be seen here. */
void tsdl_bind_ref(struct tsdl *t, struct tsdl_type *type);
/* The options' ranges for that tag; fails when the two do not fit together. */
struct ctf_option *tsdl_option_ranges(
	struct tsdl *t, struct tsdl_type *variant, const struct tsdl_type *tag);
/* Does a name as written mean the other? One leading underscore is an escape. */
bool tsdl_same_name(const struct tsdl *t, uint32_t a, uint32_t b);
/* The fields that path[i ..] leads to, from a field of that type. field is NULL for types that are
 * not in use; then only types are found. Each is given to found(). */
struct tsdl_targets {
	uint32_t n;
	const struct tsdl_type *type; /* of all of them */
	struct ctf_field *fields[16];
};
void tsdl_follow(struct tsdl *t, const struct tsdl_ref *ref, uint32_t i,
	const struct tsdl_type *type, struct ctf_field *field, struct tsdl_targets *out);
/* Fails when the type cannot be the length or tag that user wants. */
void tsdl_check_target(
	struct tsdl *t, const struct tsdl_type *user, const struct tsdl_type *target);

/* tsdl_type.c, tsdl_scalar.c */
/* typedef, typealias: the current token. Returns false when it is neither. */
bool tsdl_parse_alias(struct tsdl *t);
/* A type, without the dimensions after a declared name. *is_declaration: it was a declaration like
 * "struct x {...}" that may stand alone. */
struct tsdl_type *tsdl_parse_type(struct tsdl *t, bool *is_declaration);
bool tsdl_at_type(const struct tsdl *t);
struct tsdl_type *tsdl_parse_integer(struct tsdl *t);
struct tsdl_type *tsdl_parse_float(struct tsdl *t);
struct tsdl_type *tsdl_parse_string(struct tsdl *t);
struct tsdl_type *tsdl_parse_enum(struct tsdl *t, bool *is_declaration);
struct tsdl_type *tsdl_new_type(struct tsdl *t, enum tsdl_kind kind);
const char *tsdl_kind_name(const struct tsdl_type *type);

/* tsdl_value.c: attributes, name = value; */
enum tsdl_value_kind { VALUE_INT, VALUE_STRING, VALUE_WORDS };
struct tsdl_value {
	enum tsdl_value_kind kind;
	const char *start;
	bool is_negative;   /* integers */
	uint64_t magnitude; /* integers */
	const char *text;   /* strings: content; words: as written, e.g. clock.x.value */
	size_t len;
	uint32_t n_words; /* words */
};
/* The name of the attribute that begins at the current token, dots included. */
struct tsdl_name {
	const char *start;
	char text[64]; /* cut when longer: no such attribute is known then */
	size_t len;    /* in the text */
};
void tsdl_parse_name(struct tsdl *t, struct tsdl_name *name);
bool tsdl_name_is(const struct tsdl_name *name, const char *word);
/* "= value ;" and "= value" */
struct tsdl_value tsdl_parse_assigned(struct tsdl *t);
struct tsdl_value tsdl_parse_value(struct tsdl *t);
bool tsdl_value_is(const struct tsdl_value *v, const char *word);
uint64_t tsdl_value_unsigned(struct tsdl *t, const struct tsdl_value *v, const char *what);
int64_t tsdl_value_signed(struct tsdl *t, const struct tsdl_value *v, const char *what);
bool tsdl_value_bool(struct tsdl *t, const struct tsdl_value *v);
/* A power of two. */
uint32_t tsdl_value_align(struct tsdl *t, const struct tsdl_value *v);
/* -1: native. */
int tsdl_value_byte_order(struct tsdl *t, const struct tsdl_value *v);
void tsdl_value_uuid(struct tsdl *t, const struct tsdl_value *v, uint8_t uuid[16]);
/* The content of a string, or of a word that stands for one; in the schema's arena. */
const char *tsdl_value_text(struct tsdl *t, const struct tsdl_value *v);
/* Marks attribute bit as given; fails when it was. */
void tsdl_once(struct tsdl *t, uint32_t *given, unsigned bit, const struct tsdl_name *name);

#endif
