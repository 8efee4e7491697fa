/* Answers that were given: the traces do not change while they are open, so the same question has
 * the same answer. What took long is also kept in the cache folder, for the next start. */
#ifndef MER_SERVER_ANSWERS_H
#define MER_SERVER_ANSWERS_H

#include <pthread.h>
#include "base/str.h"
#include "store/cache.h"

enum { ANSWERS_BYTES = 64 << 20, ANSWERS_KEPT_BYTES = 8 << 20 };

struct answer {
	uint64_t key[2];
	char *text;
	size_t len;
	const char *type; /* constant */
	uint64_t used;	  /* the greater, the later */
};

struct answers {
	pthread_mutex_t lock;
	struct answer *item; /* malloc'ed */
	size_t n, cap, bytes;
	uint64_t clock;
	const char *folder;   /* of the cache; NULL: nothing is kept there */
	struct store_key key; /* of the traces and the program */
};

/* traces: what else answers depend on, such as the names under which the traces were opened. folder
 * is borrowed. */
void answers_init(struct answers *a, const struct store_key *traces, const char *folder);
void answers_fini(struct answers *a);

/* types: the content types that there are, NULL at their end. false: not known. The text is added
 * to *text. */
bool answers_find(struct answers *a, const struct store_key *question, const char *const *types,
	struct mer_str *text, const char **type);
/* type: one of types. took_ns: what is kept in the folder is what took long. */
void answers_add(struct answers *a, const struct store_key *question, const char *const *types,
	const struct mer_str *text, const char *type, int64_t took_ns);

#endif
