/* Cache of answers: traces do not change while they are open, so the same request has the same
 * answer. Answers that took long are also kept in the cache folder, for the next start. */
#ifndef MER_SERVER_ANSWERS_H
#define MER_SERVER_ANSWERS_H

#include <pthread.h>
#include "base/str.h"
#include "store/cache.h"

enum { ANSWERS_BYTES = 64 << 20, ANSWERS_KEPT_BYTES = 8 << 20 };

struct answer_kept {
	uint64_t key[2];
	char *text;
	size_t len;
	const char *type; /* constant */
	uint64_t used;	  /* larger: used more recently */
};

struct answers {
	pthread_mutex_t lock;
	struct answer_kept *item; /* malloc'ed */
	size_t n, cap, bytes;
	uint64_t clock;
	const char *folder;   /* of the cache; NULL: nothing is kept there */
	struct store_key key; /* of the traces and the program */
};

/* traces: a key of everything else that answers depend on, such as the paths under which the
 * traces were opened. folder is borrowed. */
void answers_init(struct answers *a, const struct store_key *traces, const char *folder);
void answers_fini(struct answers *a);

/* types: all possible content types, NULL-terminated. Appends the answer to *text; false: it is
 * not in the cache. */
bool answers_find(struct answers *a, const struct store_key *question, const char *const *types,
	struct mer_str *text, const char **type);
/* type: one of types. took_ns: how long the answer took; only slow ones are kept in the
 * folder. */
void answers_add(struct answers *a, const struct store_key *question, const char *const *types,
	const struct mer_str *text, const char *type, int64_t took_ns);

#endif
