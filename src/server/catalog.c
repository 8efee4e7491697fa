/* The catalog: questions worth opening, for viewers. */
#include "ask/catalog.h"
#include "server/state.h"

void server_catalog(struct server *s, const struct http_request *r, struct http_answer *a)
{
	struct answer catalog;
	struct mer_err err = { 0 };
	(void)s;
	(void)r;
	int rc = ask_catalog(&catalog, &err);
	if (rc == 0)
		rc = answer_json(&catalog, 0, catalog.n, &a->body, NULL, &err);
	answer_fini(&catalog);
	a->status = 200;
	a->type = "application/json";
	if (rc)
		server_refuse_err(a, rc, err.text);
}
