/* Forms: parses the text after an event's name in ftrace's text into fields of a record (plan.h).
 *
 *   known events     by templates of the output of TP_printk and of libtraceevent's
 *                    printers, with the kernel's field names and numbers
 *   "key=value ..."  a field for each key, a number or a text
 *   anything else    one text
 *
 * An event may have several forms; each is a format of its own, under the same name. */
#ifndef MER_FTRACE_TEXT_FORM_H
#define MER_FTRACE_TEXT_FORM_H

#include "base/arena.h"
#include "base/map.h"
#include "ftrace/formats.h"
#include "ftrace/text/text_line.h"

struct ftrace_forms;

struct ftrace_forms *ftrace_forms_new(struct mer_arena *a, struct ftrace_formats *formats);
void ftrace_forms_free(struct ftrace_forms *f); /* NULL is fine */

/* The line's event as a record of the kernel, which is valid until the next call. False: memory is
 * out. */
bool ftrace_forms_record(struct ftrace_forms *f, const struct ftrace_line *l,
	const uint8_t **record, uint32_t *size);

/* The first such line of an event gives it a format, so that formats are there before records
 * are. False: memory is out. */
bool ftrace_forms_look(struct ftrace_forms *f, const struct ftrace_line *l);

struct ftrace_form_counts {
	uint64_t n_hashed; /* pointers that the kernel printed hashed */
	uint64_t n_long;   /* texts that were shortened */
};
const struct ftrace_form_counts *ftrace_forms_counts(const struct ftrace_forms *f);

#endif
