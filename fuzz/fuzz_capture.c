/* Fuzzer of the reader of captures of packets: no bytes may crash it, or make it write
 * more than a few times what they are. */
#include "pcap/read.h"
#include "copy_of.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return copy_of(data, size, pcap_read);
}
