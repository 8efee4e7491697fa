#include "store/findings.h"

#include <string.h>

#include "store/pack.h"
#include "store/types.h"

static void put_text(struct mer_str *out, const char *text)
{
	size_t n = text ? strlen(text) + 1 : 0; /* 0: there is none */
	store_put_varint(out, n);
	if (n)
		mer_str_add(out, text, n);
}

static void put_diag(struct mer_str *out, const struct mer_diag *d)
{
	store_put_varint(out, (uint64_t)d->severity);
	store_put_varint(out, store_zigzag(d->stream));
	store_put_varint(out, store_zigzag(d->packet));
	store_put_varint(out, store_zigzag(d->offset_bits));
	store_put_varint(out, d->count);
	store_put_varint(out, (uint64_t)d->remedy);
	put_text(out, d->code);
	put_text(out, d->host);
	put_text(out, d->path);
	put_text(out, d->message);
}

int store_put_findings(struct store_writer *w, enum store_findings which,
	const struct mer_diags *diags, struct mer_err *err)
{
	struct mer_str out = { 0 };
	size_t n = diags ? diags->n : 0;
	store_put_varint(&out, n);
	for (size_t i = 0; i < n; i++)
		put_diag(&out, &diags->rows[i]);
	bool failed = out.failed;
	if (!failed)
		store_put_section(w, STORE_DIAGS, 0, which, out.data, out.len, 1);
	mer_str_fini(&out);
	return failed ? mer_fail_nomem(err) : 0;
}

static bool get_text(struct store_in *in, const char **text)
{
	uint64_t n;
	*text = NULL;
	if (!store_get_varint(in, &n) || n > (uint64_t)(in->end - in->at))
		return false;
	if (n == 0)
		return true;
	*text = (const char *)in->at;
	in->at += n;
	return in->at[-1] == '\0';
}

static bool get_diag(struct store_in *in, struct mer_diag *d)
{
	uint64_t severity, stream, packet, bits, remedy;
	bool ok = store_get_varint(in, &severity) && store_get_varint(in, &stream) &&
		  store_get_varint(in, &packet) && store_get_varint(in, &bits) &&
		  store_get_varint(in, &d->count) && store_get_varint(in, &remedy) &&
		  get_text(in, &d->code) && get_text(in, &d->host) && get_text(in, &d->path) &&
		  get_text(in, &d->message);
	if (!ok || severity > MER_ERROR || remedy >= MER_N_REMEDIES || !d->code || !d->message)
		return false;
	d->severity = (enum mer_severity)severity;
	d->remedy = (enum mer_remedy)remedy;
	d->stream = store_unzigzag(stream);
	d->packet = store_unzigzag(packet);
	d->offset_bits = store_unzigzag(bits);
	return true;
}

bool store_get_findings(
	const struct store_file *f, enum store_findings which, struct mer_diags *found)
{
	uint64_t bytes = 0, n = 0;
	struct mer_diag d;
	const uint8_t *at = store_find(f, STORE_DIAGS, 0, which, 1, &bytes);
	struct store_in in = { at, at ? at + bytes : NULL };
	bool ok = at && store_get_varint(&in, &n);
	for (uint64_t i = 0; ok && i < n; i++) {
		ok = get_diag(&in, &d);
		if (ok)
			mer_diag_add(found, &d, "%s", d.message);
	}
	return ok;
}
