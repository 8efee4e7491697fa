#include "base/diag_json.h"

const char *mer_severity_name(enum mer_severity severity)
{
	switch (severity) {
	case MER_NOTE: return "note";
	case MER_WARNING: return "warning";
	case MER_ERROR: break;
	}
	return "error";
}

/* Writes null if the number is unknown (negative). */
static void known_number(struct mer_json *j, const char *key, int64_t v)
{
	if (v < 0)
		mer_json_kv_null(j, key);
	else
		mer_json_kv_int(j, key, v);
}

void mer_diag_json(const struct mer_diag *d, struct mer_json *j)
{
	mer_json_begin_object(j);
	mer_json_kv_text(j, "severity", mer_severity_name(d->severity));
	mer_json_kv_text(j, "code", d->code);
	mer_json_kv_text(j, "host", d->host);
	mer_json_kv_text(j, "path", d->path);
	known_number(j, "stream", d->stream);
	known_number(j, "packet", d->packet);
	known_number(j, "offset_bits", d->offset_bits);
	mer_json_kv_uint(j, "count", d->count);
	mer_json_kv_text(j, "message", d->message);
	if (d->remedy)
		mer_json_kv_text(j, "remedy", mer_remedy_name(d->remedy));
	mer_json_end_object(j);
}
