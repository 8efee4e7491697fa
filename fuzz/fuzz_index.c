/* Fuzzer of the LTTng packet index: no entry lies outside of the bytes, and a search ends. */
#include <stdlib.h>
#include <string.h>
#include "ctf/index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ctf_index index;
	if (!ctf_index_open(&index, data, size))
		return 0;
	bool rising = true;
	uint64_t last = 0;
	for (uint64_t i = 0; i < index.n; i++) {
		uint64_t offset = ctf_index_get(&index, i).offset_bytes;
		rising &= i == 0 || offset > last;
		last = offset;
	}
	for (uint64_t i = 0; i < index.n; i++) {
		uint64_t offset = ctf_index_get(&index, i).offset_bytes;
		uint64_t at = ctf_index_find(&index, offset),
			 next = ctf_index_find(&index, offset + 1);
		if (at > index.n || next > index.n)
			abort();
		if (rising && (at != i || (offset != UINT64_MAX && next != i + 1)))
			abort();
	}
	return 0;
}
