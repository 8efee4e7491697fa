/* What failed of a comparison, as JUnit XML, which build servers show. */
#include <string.h>

#include "base/safe_text.h"
#include "cli/compare/compare.h"

/* Text as an attribute's value or content: control characters, which XML has no way to write, as
 * escapes. */
static void put_xml(struct mer_str *out, const char *text)
{
	struct mer_str safe = { 0 };
	mer_safe_add(&safe, text, strlen(text));
	for (const char *c = safe.data ? safe.data : ""; *c; c++) {
		const char *entity = *c == '<'	 ? "&lt;"
				     : *c == '>' ? "&gt;"
				     : *c == '&' ? "&amp;"
				     : *c == '"' ? "&quot;"
						 : NULL;
		if (entity)
			mer_str_puts(out, entity);
		else
			mer_str_putc(out, *c);
	}
	out->failed |= safe.failed;
	mer_str_fini(&safe);
}

static void put_case(struct mer_str *out, const struct compare_result *r,
	const struct compare_finding *f, bool fails)
{
	struct mer_str sentence = { 0 };
	compare_sentence(&sentence, r, f);
	mer_str_puts(out, "  <testcase classname=\"");
	put_xml(out, f->measure->kind);
	mer_str_puts(out, "\" name=\"");
	put_xml(out, f->measure->subject);
	mer_str_puts(out, ", ");
	put_xml(out, f->measure->name);
	mer_str_puts(out, fails ? "\">\n    <failure message=\"" : "\"/>\n");
	if (fails) {
		put_xml(out, sentence.data ? sentence.data : "");
		mer_str_puts(out, "\"/>\n  </testcase>\n");
	}
	out->failed |= sentence.failed;
	mer_str_fini(&sentence);
}

int compare_write_junit(struct ask *ask, const char *path, const struct compare_result *r,
	const struct compare_limit *limit)
{
	struct mer_str out = { 0 };
	size_t n = 0, n_failed = 0;
	for (size_t i = 0; i < r->n_findings; i++) {
		n += r->findings[i].m.is_tested && compare_worse(r->findings[i].measure);
		n_failed += compare_fails(&r->findings[i], limit);
	}
	/* Where nothing can be known that is an error, not a success. */
	bool unknown = r->all.least_p > r->alpha;
	mer_str_printf(&out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"meridian compare\" tests=\"%zu\" failures=\"%zu\" errors=\"%d\">\n",
		unknown ? 1 : n, n_failed, unknown);
	if (unknown)
		mer_str_printf(&out,
			"  <testcase classname=\"meridian\" name=\"enough recordings\">\n    <error message=\"%zu and %zu recordings are too few to rule out chance\"/>\n  </testcase>\n",
			r->n[0], r->n[1]);
	for (size_t i = 0; i < r->n_findings && !unknown; i++) {
		const struct compare_finding *f = &r->findings[i];
		if (f->m.is_tested && compare_worse(f->measure))
			put_case(&out, r, f, compare_fails(f, limit));
	}
	mer_str_puts(&out, "</testsuite>\n");
	int rc = out.failed ? mer_fail_nomem(&ask->err) : ask_write_file(ask, path, &out);
	mer_str_fini(&out);
	return rc;
}
