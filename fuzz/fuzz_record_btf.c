/* Fuzzer of BTF (record/btf.h): an offset is one within a structure, whatever the bytes are, and
 * the search ends. */
#include <stdlib.h>
#include <stdint.h>
#include "record/btf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int64_t at = record_btf_offset(data, size, "sk_buff", "data");
	if (at < -1 || at > (INT64_MAX >> 3))
		abort();
	return 0;
}
