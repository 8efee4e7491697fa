/* Filter: an expression that selects events.
 *
 *   name == "sched_*" && (prev_tid == 42 || next_tid == 42) && $cpu < 2 && !(prev_prio >= 120)
 *
 * Left and right of a comparison stand
 *
 *   name                              the event's name
 *   $host $domain                     text; $trace and $stream are numbers, or paths when compared
 *   $cpu $stream $trace               with text; $cpu is the stream's
 *   $time                             ns since 1970
 *   field  a.b  seq[3]  v.option.a    a value (path.h); payload.x, context.x, packet.x, header.x
 *                                     give the scope (header needs it); payload."odd name" is for
 *                                     names that are no words, and payload.name for a field whose
 *                                     name means something else here
 *   len(field)                        elements of an array, bytes of text or of a blob
 *   42 -1 0x2a 052 1.5 1e9            numbers
 *   10us 3ms 1.5s 2min                durations, in ns
 *   "text" 'text'                     escapes \\ \" \' \n \t \r \xHH \* \?
 *   true false                        1 and 0
 *
 * Operators are == != < <= > >=, =~ and !~ (POSIX extended regular expression, found anywhere in
 * the text), && before ||, and ! for what follows it, a comparison included: !a == 1 is !(a == 1).
 * In a text that == or != compares with, * stands for any characters and ? for one. A regular
 * expression is taken as it is, but for \" (or \'), \n, \t and \r. Enumerations compare as numbers,
 * or with text as their labels; so do bit maps, where a label means that one of its bits is set.
 * Text compares byte by byte.
 *
 * A value alone means that it is there and neither 0 nor empty.
 *
 * A comparison with a value that the event lacks is false, even with != and !~; so is one between a
 * number and text. Hence x != 1 selects only events that have x, and !(x == 1) does not need x.
 *
 * An expression is parsed once, after which it can say which event record classes may match at all.
 * It is then bound to a reading; matching looks up no names and allocates nothing (except for long
 * text in UTF-16 and UTF-32, and in regular expressions). A filter and a bound filter are
 * immutable: any number of threads may use them. */
#ifndef MER_TRACE_FILTER_FILTER_H
#define MER_TRACE_FILTER_FILTER_H

#include "trace/cursor.h"

enum {
	FILTER_MAX_BYTES = 1 << 16,
	FILTER_MAX_DEPTH = 100, /* of parentheses and ! */
	FILTER_MAX_COMPARISONS = 500,
	FILTER_MAX_REGEX_STEPS = 100000, /* limit for one comparison with a regular expression */
	FILTER_MAX_REGEX_KIB = 10000	 /* and its memory */
};

struct trace_filter;
struct trace_bound_filter;

/* The error is "filter:COLUMN: expected ..., found ...", then the expression, then a caret. */
int trace_filter_parse(const char *text, struct trace_filter **filter, struct mer_err *err);
/* For expressions and paths inside a file, whose messages give their own position: reduces such an
 * error, or one of trace_path_parse, to its sentence. The result points into err->text, which is
 * changed. *column: position in the text, from 0. */
const char *trace_filter_mistake(struct mer_err *err, size_t *column);
/* Parses two expressions, "BEGIN : END". Here a word or text on its own is the name of an event:
 * syscall_exit_read && ret < 0; to test that a field is there, write payload.x. what: name of the
 * expression in errors, instead of "filter". */
int trace_filter_parse_pair(const char *what, const char *text, struct trace_filter **begin,
	struct trace_filter **end, struct mer_err *err);
void trace_filter_free(struct trace_filter *);
/* Number of regular expression comparisons abandoned because they took too long; they count as no
 * match. */
uint64_t trace_filter_given_up(const struct trace_filter *f);

/* False: no event of this class can match, whatever its values are. */
bool trace_filter_may_match(const struct trace_filter *f, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec);
/* Does the filter look at this member of the scope's structure, for events of this class? A reading
 * needs at least these. */
bool trace_filter_reads(const struct trace_filter *f, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec, enum ctf_scope scope, const struct ctf_field *field);
/* Does it look at any field of packet contexts? */
bool trace_filter_needs_contexts(const struct trace_filter *f, const struct mer_experiment *e);
/* A field named in the filter that no event record class has (probably mistyped); NULL: none. */
const char *trace_filter_unknown(const struct trace_filter *f, const struct mer_experiment *e);
/* A text that the filter compares with event names or $host, and that matches no event record class
 * or host of these traces (probably mistyped); NULL: none. *is_host: it was compared with $host.
 * Patterns with a wildcard are not checked. */
const char *trace_filter_unmatched(
	const struct trace_filter *f, const struct mer_experiment *e, bool *is_host);
/* The most similar name of an event record class; NULL: none is similar. */
const char *trace_nearest_event(const struct mer_experiment *e, const char *name);
/* The same for hosts. */
const char *trace_nearest_host(const struct mer_experiment *e, const char *name);

/* The filter, the experiment and the reading must outlive the bound filter. MER_ERR_BUG: the
 * reading lacks a field. */
int trace_filter_bind(const struct trace_filter *f, const struct mer_experiment *e,
	const struct trace_reading *reading, struct trace_bound_filter **bound,
	struct mer_err *err);
void trace_filter_unbind(struct trace_bound_filter *);

/* context: the row of its packet, NULL where contexts are not read. */
bool trace_filter_match(
	const struct trace_bound_filter *b, const uint64_t *context, const struct mer_event *ev);

#endif
