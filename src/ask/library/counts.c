/* How many facts of each kind began when. */
#include "ask/library/api.h"
#include "base/err.h"
#include "session/counts.h"
#include "store/counts.h"

int mer_session_counts(struct mer_session *s, const struct mer_count_options *options,
	struct mer_result **result, struct mer_err *err)
{
	API_ERR(err);
	enum { HOST, KIND, BEGIN, END, COUNT, BYTES, N };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", "Host", MER_TEXT },
		[KIND] = { "kind", "Kind", MER_TEXT },
		[BEGIN] = { "begin", "Begin", MER_DATE },
		[END] = { "end", "End", MER_DATE },
		[COUNT] = { "count", "Count", MER_COUNT },
		[BYTES] = { "bytes", "Bytes", MER_BYTES },
	};
	struct mer_count_options o;
	struct session_selection selection;
	struct session_counts c = { 0 };
	int rc = api_begin_table(s, "counts", "Counts", columns, result, err);
	if (rc)
		return rc;
	rc = mer_options_read(&o, sizeof(o), 0, options, err);
	if (rc == 0)
		rc = api_selection(s, o.selection, &(*result)->arena, &selection, err);
	if (rc == 0)
		rc = session_counts_find(s->session, &selection, o.kinds, o.max_bins, &c, err);
	for (size_t i = 0; rc == 0 && i < c.n; i++) {
		const struct session_count *x = &c.item[i];
		const struct fact_kind *kind = c.kinds[x->kind];
		mer_table_add(&(*result)->own,
			(struct mer_cell[N]){
				[HOST] = mer_text(
					session_experiment(s->session)->hosts[x->host].name),
				[KIND] = mer_text(kind->id),
				[BEGIN] = MER_INT(x->begin),
				[END] = MER_INT(x->end),
				[COUNT] = MER_INT((int64_t)x->count),
				[BYTES] = store_counts_field(kind) ? MER_INT((int64_t)x->bytes)
								   : MER_NONE,
			});
	}
	session_counts_fini(&c);
	return api_end(result, rc, err);
}
