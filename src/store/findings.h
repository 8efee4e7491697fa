/* Findings of readings, as a section of their own each. */
#ifndef MER_STORE_FINDINGS_H
#define MER_STORE_FINDINGS_H

#include "base/diag.h"
#include "store/sections.h"

enum store_findings {
	STORE_FINDINGS_OF_WORLD,
	STORE_FINDINGS_OF_MESSAGES /* of the reading that matched them */
};

/* diags NULL: none. */
int store_put_findings(struct store_writer *w, enum store_findings which,
	const struct mer_diags *diags, struct mer_err *err);
/* Adds them to found. False: damaged, or not there. */
bool store_get_findings(
	const struct store_file *f, enum store_findings which, struct mer_diags *found);

#endif
