/* Fuzzer of the readers of trace.dat, perf.data and the text of their tools: no bytes may crash
 * them, or make them write more than a few times what they are. */
#include "ftrace/read.h"
#include "copy_of.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return copy_of(data, size, ftrace_read);
}
