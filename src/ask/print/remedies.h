/* Remedies in words: what could be done about an error or a finding (mer_remedy), as options of the
 * program. The layers below do not know them. */
#ifndef MER_ASK_PRINT_REMEDIES_H
#define MER_ASK_PRINT_REMEDIES_H

#include "base/str.h"
#include "meridian/meridian.h"

/* Adds text, a sentence that is complete without, with the words of its remedy in their places. */
void ask_put_remedied(struct mer_str *out, const char *text, enum mer_remedy remedy);

#endif
