/* Path: the name that users give for a value of an event, and its place in an event record class.
 *
 *   next_tid   regs.ax   argv[0]   payload.name   context.vpid   packet.cpu_id   header.id
 *
 * A path is the parsed text, the same for all classes. A place is a path resolved in one class: its
 * top-level field, a slot, and steps that depend on the event (elements of arrays, options,
 * optionals). A path without a scope is searched in the payload first, then in specific context,
 * common context and packet context; the first that has the whole path wins. A field of the event
 * header needs the scope. */
#ifndef MER_TRACE_PATH_H
#define MER_TRACE_PATH_H

#include "base/arena.h"
#include "trace/experiment.h"

enum { TRACE_PATH_PARTS = CTF_MAX_DEPTH };

enum trace_path_scope {
	TRACE_PATH_ANY,
	TRACE_PATH_PAYLOAD,
	TRACE_PATH_CONTEXT, /* specific, then common */
	TRACE_PATH_PACKET,
	TRACE_PATH_HEADER
};

struct trace_path_part {
	const char *name; /* NULL: an element of an array */
	uint64_t index;
};

struct trace_path {
	const char *text; /* as typed */
	enum trace_path_scope scope;
	uint32_t n;
	const struct trace_path_part *parts;
};

/* Parses text, which is a path and nothing else, as part of what ("fields", "filter"). */
int trace_path_parse(const char *text, const char *what, struct mer_arena *arena,
	struct trace_path *path, struct mer_err *err);

enum trace_step_kind { TRACE_STEP_OPTION, TRACE_STEP_OPTIONAL, TRACE_STEP_ELEMENT };

struct trace_step {
	enum trace_step_kind kind;
	uint32_t width; /* of an element */
	uint32_t skip;	/* slots to skip afterwards */
	uint64_t index; /* of the option or element */
};

struct trace_place {
	enum ctf_scope scope;
	const struct ctf_field *top;  /* the member of the scope that contains it */
	const struct ctf_field *last; /* the member that the path ends at; NULL: an element */
	const struct ctf_fc *fc;      /* class of the value; may be a variant or optional */
	bool in_context;	      /* slot is in the row of the packet context */
	uint32_t slot;
	uint32_t n_steps;
	const struct trace_step *steps;
};

enum trace_found { TRACE_FOUND, TRACE_NOT_FOUND, TRACE_NOT_READ, TRACE_FIND_NOMEM };

/* Looks up a path in an event record class. plan: of the class, in a reading; NULL: no reading yet,
 * and the place gets no slot and no steps. contexts: the reading has packet contexts. */
enum trace_found trace_path_find(const struct trace_path *path, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec, const struct ctf_plan *plan, bool contexts,
	struct mer_arena *arena, struct trace_place *place);

/* For events of this class, is the path inside this member of the scope's structure? */
bool trace_path_reads(const struct trace_path *path, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec, enum ctf_scope scope, const struct ctf_field *field);
/* Does any event record class have the path in this scope (CTF_N_SCOPES: in any)? */
bool trace_path_exists(
	const struct trace_path *path, const struct mer_experiment *e, enum ctf_scope scope);

/* Finds the value in the row (of the event or of the packet context); NULL: it is absent. *fc is
 * its class, never a variant or optional: these are followed to their content. */
const uint64_t *trace_place_get(
	const struct trace_place *place, const uint64_t *row, const struct ctf_fc **fc);

#endif
