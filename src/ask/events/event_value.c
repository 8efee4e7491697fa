#include "ask/events/event_value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/csv.h"
#include "base/json.h"
#include "base/real.h"
#include "base/safe_text.h"
#include "base/utf.h"

const char event_digit_pairs[201] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
	"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
	"8081828384858687888990919293949596979899";

/* ---- text ---- */

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Is any of the eight bytes 0? Says so also for some that follow such a byte, never wrongly. */
static inline uint64_t zero_bytes(uint64_t w)
{
	return (w - EACH(1)) & ~w & EACH(0x80);
}

/* None of the eight bytes is a control character, not ASCII, or one of two others. */
static inline bool plain_bytes(uint64_t w, uint8_t a, uint8_t b)
{
	uint64_t control = (w - EACH(0x20)) & ~w & EACH(0x80);
	return !((w & EACH(0x80)) | control | zero_bytes(w ^ EACH(a)) | zero_bytes(w ^ EACH(b)) |
		 zero_bytes(w ^ EACH(0x7f)));
}

static bool plain_text(const char *s, size_t len, uint8_t a, uint8_t b)
{
	uint64_t w;
	for (; len >= 8; s += 8, len -= 8) {
		memcpy(&w, s, 8);
		if (!plain_bytes(w, a, b))
			return false;
	}
	w = EACH(' ');
	memcpy(&w, s, len);
	return plain_bytes(w, a, b);
}

void event_json_text(struct mer_str *out, const char *s, size_t len)
{
	if (!len || !plain_text(s, len, '"', '\\')) {
		mer_json_quote(out, s, len);
		return;
	}
	if (!mer_str_reserve(out, len + 2))
		return;
	char *p = out->data + out->len;
	*p++ = '"';
	memcpy(p, s, len);
	p[len] = '"';
	out->len += len + 2;
}

/* As UTF-8: malloc'ed when it was not (then *owned), NULL when memory is out. */
static const char *utf8_of(const struct ctf_fc *fc, const uint64_t *slot, size_t *len, char **owned)
{
	unsigned e = fc->u.text.encoding, unit = e == CTF_UTF16BE || e == CTF_UTF16LE ? 2 : 4;
	*owned = NULL;
	*len = slot[1];
	if (e == CTF_UTF8)
		return *len ? (const char *)(uintptr_t)slot[0] : "";
	*owned = malloc(mer_utf8_room(slot[1], unit) + 1);
	if (*owned)
		*len = mer_utf8_from_wide((const uint8_t *)(uintptr_t)slot[0], slot[1], unit,
			e == CTF_UTF16BE || e == CTF_UTF32BE, *owned);
	return *owned;
}

static void put_hex(struct mer_str *out, const uint8_t *b, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	if (n > SIZE_MAX / 4 || !mer_str_reserve(out, n * 2)) {
		out->failed = true;
		return;
	}
	char *p = out->data + out->len;
	for (size_t i = 0; i < n; i++) {
		*p++ = hex[b[i] >> 4];
		*p++ = hex[b[i] & 15];
	}
	out->len += n * 2;
}

/* ---- numbers ---- */

static void put_integer(struct mer_str *out, const struct ctf_fc *fc, uint64_t v)
{
	if (!mer_str_reserve(out, EVENT_NUMBER_ROOM))
		return;
	char *p = out->data + out->len;
	bool is_signed = (fc->kind == CTF_INT || fc->kind == CTF_VARINT) && fc->u.bits.is_signed;
	p = is_signed ? event_put_i64(p, (int64_t)v) : event_put_u64(p, v);
	out->len = (size_t)(p - out->data);
}

/* ---- JSON ---- */

static void put_text_value(struct mer_str *out, const struct ctf_fc *fc, const uint64_t *slot,
	void (*put)(struct mer_str *, const char *, size_t))
{
	size_t len;
	char *owned;
	const char *s = utf8_of(fc, slot, &len, &owned);
	if (s)
		put(out, s, len);
	else
		out->failed = true;
	free(owned);
}

static void put_array(struct mer_str *out, const struct ctf_fc *fc, const uint64_t *slot)
{
	const struct ctf_fc *element = fc->u.array.element.fc;
	const uint64_t *row = (const uint64_t *)(uintptr_t)slot[1];
	uint32_t width = ctf_slot_width(element);
	mer_str_putc(out, '[');
	for (uint64_t i = 0; i < slot[0] && !out->failed; i++) {
		if (i)
			mer_str_putc(out, ',');
		event_json_value(out, element, row + i * width);
	}
	mer_str_putc(out, ']');
}

void event_json_value(struct mer_str *out, const struct ctf_fc *fc, const uint64_t *slot)
{
	switch (fc->kind) {
	case CTF_INT:
	case CTF_VARINT:
	case CTF_BIT_MAP:
	case CTF_BIT_ARRAY: put_integer(out, fc, slot[0]); break;
	case CTF_BOOL: mer_str_puts(out, slot[0] ? "true" : "false"); break;
	case CTF_FLOAT: {
		double d;
		memcpy(&d, slot, sizeof(d));
		if (isfinite(d))
			mer_put_real(out, d, fc->u.bits.len_bits <= 32);
		else
			mer_str_puts(out, "null");
		break;
	}
	case CTF_STRING:
	case CTF_TEXT: put_text_value(out, fc, slot, event_json_text); break;
	case CTF_BLOB:
		mer_str_putc(out, '"');
		put_hex(out, (const uint8_t *)(uintptr_t)slot[0], slot[1]);
		mer_str_putc(out, '"');
		break;
	case CTF_STRUCT:
		mer_str_putc(out, '{');
		for (uint32_t i = 0; i < fc->u.record.n; i++) {
			const struct ctf_field *f = &fc->u.record.fields[i];
			if (i)
				mer_str_putc(out, ',');
			event_json_text(out, f->name, strlen(f->name));
			mer_str_putc(out, ':');
			event_json_value(out, f->fc, slot);
			slot += ctf_slot_width(f->fc);
		}
		mer_str_putc(out, '}');
		break;
	case CTF_ARRAY: put_array(out, fc, slot); break;
	case CTF_VARIANT:
		event_json_value(out, fc->u.variant.options[slot[0]].field.fc, slot + 1);
		break;
	case CTF_OPTIONAL:
		if (slot[0])
			event_json_value(out, fc->u.optional.content.fc, slot + 1);
		else
			mer_str_puts(out, "null");
		break;
	}
}

/* ---- CSV ---- */

void event_csv_text(struct mer_str *out, const char *s, size_t len)
{
	if (!len || plain_text(s, len, '"', ',')) {
		mer_str_add(out, s, len);
		return;
	}
	mer_csv_text(out, s, len);
}

void event_csv_value(struct mer_str *out, const struct ctf_fc *fc, const uint64_t *slot)
{
	size_t since = out->len;
	double d;
	switch (fc->kind) {
	case CTF_STRING:
	case CTF_TEXT: put_text_value(out, fc, slot, event_csv_text); break;
	case CTF_BLOB: put_hex(out, (const uint8_t *)(uintptr_t)slot[0], slot[1]); break;
	case CTF_FLOAT:
		memcpy(&d, slot, sizeof(d));
		if (isfinite(d))
			mer_put_real(out, d, fc->u.bits.len_bits <= 32);
		else
			mer_str_puts(out, isnan(d) ? "nan" : d > 0 ? "inf" : "-inf");
		break;
	case CTF_VARIANT:
		event_csv_value(out, fc->u.variant.options[slot[0]].field.fc, slot + 1);
		break;
	case CTF_OPTIONAL:
		if (slot[0])
			event_csv_value(out, fc->u.optional.content.fc, slot + 1);
		break;
	case CTF_STRUCT:
	case CTF_ARRAY:
		event_json_value(out, fc, slot);
		mer_csv_quote(out, since);
		break;
	default: event_json_value(out, fc, slot);
	}
}
