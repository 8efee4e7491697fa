/* Diagnostics as JSON, as in the "diagnostics" of every verb. */
#ifndef MER_BASE_DIAG_JSON_H
#define MER_BASE_DIAG_JSON_H

#include "base/diag.h"
#include "base/json.h"

/* "note", "warning", "error" */
const char *mer_severity_name(enum mer_severity severity);
/* One object, as the next value of j. */
void mer_diag_json(const struct mer_diag *d, struct mer_json *j);

#endif
