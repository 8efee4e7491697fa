/* Questions to the library in the words of the program (meridian/session.h). */
#include <stdlib.h>

#include "ask/library/api.h"
#include "ask/catalog.h"
#include "ask/words.h"

struct mer_answer {
	atomic_uint n_holders; /* who frees it: its owner, and streams of its tables */
	struct answer answer;
	struct mer_result results[ANSWER_TABLES]; /* as its tables */
	struct mer_str json;			  /* once it was wanted */
};

static struct ask_asker asker_of(const struct mer_session *s)
{
	const struct mer_session_options *o = &s->made_with;
	return (struct ask_asker){ .traces = s->paths.item,
		.n_traces = s->paths.n,
		.sync = o->clocks == MER_CLOCKS_RECORDED ? "none"
			: o->clocks == MER_CLOCKS_SAVED	 ? o->clocks_file
							 : NULL,
		.vms = s->vms,
		.views = s->views,
		.jobs = o->n_threads };
}

int api_ask(struct mer_session *session, const struct session_selection *select,
	const char *const *words, size_t n_words, struct answer *answer, struct mer_err *err)
{
	struct ask_asker asker = asker_of(session);
	bool as_recorded = session->made_with.clocks == MER_CLOCKS_RECORDED;
	asker.select = select;
	int rc = n_words && ask_wants_recorded(words[0]) ? api_twin(session, &session, err) : 0;
	return rc ? rc : ask_answer(&asker, session, as_recorded, words, n_words, answer, err);
}

struct mer_answer *api_new_answer(void)
{
	struct mer_answer *a = calloc(1, sizeof(*a));
	if (!a)
		return NULL;
	a->n_holders = 1;
	answer_init(&a->answer, NULL);
	return a;
}

struct answer *api_answer_inside(struct mer_answer *a)
{
	return &a->answer;
}

void api_answer_is_filled(struct mer_answer *a)
{
	for (size_t i = 0; i < a->answer.n; i++) {
		a->results[i].table = a->answer.tables[i].table;
		a->results[i].within = a;
	}
}

int mer_ask(struct mer_session *session, const char *const *words, size_t n_words,
	struct mer_answer **answer, struct mer_err *err)
{
	API_ERR(err);
	*answer = NULL;
	if (!session->is_open)
		return mer_fail(err, MER_ERR_USAGE, "the session is not open");
	struct mer_answer *a = api_new_answer();
	if (!a)
		return mer_fail_nomem(err);
	session_next_question(session->session);
	int rc = api_ask(session, NULL, words, n_words, &a->answer, err);
	if (rc) {
		mer_answer_free(a);
		return rc;
	}
	api_answer_is_filled(a);
	*answer = a;
	return 0;
}

size_t mer_answer_n_tables(const struct mer_answer *answer)
{
	return answer->answer.n;
}

const struct mer_result *mer_answer_table(const struct mer_answer *answer, size_t i)
{
	return i < answer->answer.n ? &answer->results[i] : NULL;
}

bool mer_answer_window(const struct mer_answer *answer, int64_t *begin, int64_t *end)
{
	if (answer->answer.begin == MER_NO_TIME)
		return false;
	*begin = answer->answer.begin;
	*end = answer->answer.end;
	return true;
}

int mer_answer_diagnostics(
	const struct mer_answer *answer, struct mer_result **result, struct mer_err *err)
{
	API_ERR(err);
	const struct mer_diags *d = answer->answer.found;
	return api_diagnostics(d->rows, d->n, result, err);
}

int mer_answer_json(
	struct mer_answer *answer, const char **text, size_t *length, struct mer_err *err)
{
	struct answer *a = &answer->answer;
	API_ERR(err);
	int rc = answer->json.len ? 0 : answer_json(a, 0, a->n, &answer->json, NULL, err);
	*text = rc == 0 ? answer->json.data : NULL;
	*length = rc == 0 ? answer->json.len : 0;
	return rc;
}

void api_hold_answer(struct mer_answer *a)
{
	atomic_fetch_add(&a->n_holders, 1);
}

void mer_answer_free(struct mer_answer *answer)
{
	if (!answer || atomic_fetch_sub(&answer->n_holders, 1) > 1)
		return;
	answer_fini(&answer->answer);
	mer_str_fini(&answer->json);
	free(answer);
}

int mer_session_catalog(
	struct mer_session *session, struct mer_result **result, struct mer_err *err)
{
	API_ERR(err);
	(void)session;
	int rc = api_new_result("catalog", "Tables of analyses", ask_catalog_columns, result, err);
	if (rc)
		return rc;
	ask_catalog_tables(&(*result)->own);
	return api_end(result, 0, err);
}
