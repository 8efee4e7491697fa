/* Fuzzer of the reader of parts: no bytes may crash it, lead out of its folder, or make it write
 * more than a few times what they are. */
#include "part/file.h"
#include "copy_of.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return copy_of(data, size, part_file.read);
}
