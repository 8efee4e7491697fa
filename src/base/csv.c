#include "base/csv.h"

#include "base/safe_text.h"
#include "base/utf.h"

void mer_csv_quote(struct mer_str *out, size_t since)
{
	if (out->failed || out->len == since)
		return;
	size_t n_quotes = 0, n = out->len - since;
	bool need = false;
	for (size_t i = since; i < out->len; i++) {
		char c = out->data[i];
		n_quotes += c == '"';
		need |= c == '"' || c == ',' || c == '\n' || c == '\r';
	}
	if (!need || !mer_str_reserve(out, n_quotes + 2))
		return;
	char *from = out->data + out->len, *to = from + n_quotes + 2;
	*to = '\0';
	out->len += n_quotes + 2;
	*--to = '"';
	while (n--) {
		*--to = *--from;
		if (*from == '"')
			*--to = '"';
	}
	*--to = '"';
}

void mer_csv_text(struct mer_str *out, const char *s, size_t len)
{
	size_t since = out->len;
	for (size_t i = 0, n; i < len; i += n) {
		n = mer_safe_span(s + i, len - i);
		if (n) {
			mer_str_add(out, s + i, n);
		} else if (mer_utf8_length(s + i, len - i)) {
			n = mer_safe_escape(out, s + i, len - i);
		} else {
			mer_str_add(out, "\xef\xbf\xbd", 3);
			n = 1;
		}
	}
	mer_csv_quote(out, since);
}
