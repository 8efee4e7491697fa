/* Values of events for programs: as JSON, and as fields of CSV.
 *
 *   integer, enumeration, bit map, bit array   a number, exact over the whole 64 bits
 *   boolean                                    true, false
 *   float                                      the shortest number that reads back the same (for
 *                                              its own size: 0.1 for a float of 32 bits); what is
 *                                              not finite is null in JSON, and nan, inf, -inf in
 *                                              CSV
 *   text                                       UTF-8, whatever it was; bytes that are none are
 *                                              U+FFFD; control characters are escapes (a row of CSV
 *                                              is one line)
 *   blob                                       text of hexadecimal digits
 *   structure                                  object
 *   array                                      array
 *   variant, optional                          what it holds; null when it holds nothing
 *
 * In CSV null is an empty field, and a structure or array is its JSON. */
#ifndef MER_ASK_EVENTS_EVENT_VALUE_H
#define MER_ASK_EVENTS_EVENT_VALUE_H

#include <string.h>

#include "base/str.h"
#include "ctf/program.h"

enum { EVENT_NUMBER_ROOM = 24 }; /* the longest number */

extern const char event_digit_pairs[201];

/* Writes v in decimal at p (with EVENT_NUMBER_ROOM); returns the end. */
static inline char *event_put_u64(char *p, uint64_t v)
{
	char buf[20], *q = buf + 20;
	while (v >= 100) {
		q -= 2;
		memcpy(q, event_digit_pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10) {
		q -= 2;
		memcpy(q, event_digit_pairs + v * 2, 2);
	} else {
		*--q = (char)('0' + v);
	}
	size_t n = (size_t)(buf + 20 - q);
	memcpy(p, q, n);
	return p + n;
}

static inline char *event_put_i64(char *p, int64_t v)
{
	if (v < 0) {
		*p++ = '-';
		return event_put_u64(p, 0 - (uint64_t)v);
	}
	return event_put_u64(p, (uint64_t)v);
}

/* Text in UTF-8, as a JSON string. */
void event_json_text(struct mer_str *out, const char *s, size_t len);
void event_json_value(struct mer_str *out, const struct ctf_fc *fc, const uint64_t *slot);

/* Text in UTF-8, as a field. */
void event_csv_text(struct mer_str *out, const char *s, size_t len);
void event_csv_value(struct mer_str *out, const struct ctf_fc *fc, const uint64_t *slot);

#endif
