/* Findings of a session: what was found when the traces were opened, and by each reading whose
 * result is kept. A question tells both of what it uses, whoever asked for it first. */
#ifndef MER_SESSION_FINDINGS_H
#define MER_SESSION_FINDINGS_H

#include "base/diag.h"

enum session_kept { /* what was read, and is used again */
	SESSION_KEPT_CLOCKS,
	SESSION_KEPT_STORE,
	SESSION_KEPT_VIEWS,
	SESSION_KEPT_WORLD,
	SESSION_KEPT_REQUESTS,
	SESSION_N_KEPT
};

struct session_found {
	struct mer_arena arena;
	struct mer_diags diags;
	struct mer_diags before; /* while it is read: those of the experiment */
	/* They are among the experiment's: those of all so far, and those of a question. */
	bool is_told[2];
};

/* Between both, what is found is of that, and what was found before is forgotten. Then it is told
 * (session_found_tell). */
struct session;
void session_found_begin(struct session *s, enum session_kept what);
void session_found_end(struct session *s, enum session_kept what);
/* It is used: its findings are among the experiment's from now on, once. */
void session_found_tell(struct session *s, enum session_kept what);
void session_found_forget(struct session *s); /* all */

#endif
