/* Fuzzer of an agent's lines, which come from another host: however they are cut into pieces, no
 * line crashes the reader, and every round that is taken can have been. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/agents.h"
#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct record_host h = { .most_rounds = 8 };
	char *text = malloc(size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	/* Questions are asked at 1000, 2000, ...; pieces are of 1, 2, 3, ... bytes. */
	int64_t now = 1000;
	for (size_t n = 0, piece = 1; n < size; n += piece, piece++) {
		size_t len = n + piece < size ? n + piece : size;
		if (!h.asked_ns)
			h.asked_ns = now;
		now += 1000;
		record_agent_read(&h, text, len, now);
		check(h.parsed <= len && h.n_rounds <= 8);
	}
	for (size_t i = 0; i < h.n_rounds; i++) {
		const struct record_round *x = &h.rounds[i];
		check(x->arrived <= x->left && x->asked <= x->answered);
		check(x->left - x->arrived <= x->answered - x->asked);
	}
	free(h.rounds);
	free(text);
	return 0;
}
