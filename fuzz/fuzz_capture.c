/* Fuzzer of the reader of captures of packets: no bytes may crash it, or make it write
 * more than a few times what they are. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "pcap/read.h"
#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[] = "/tmp/fuzz_capture.XXXXXX", path[64];
	struct mer_err err = { 0 };
	int fd = memfd_create("capture", MFD_CLOEXEC);
	check(fd >= 0 && mkdtemp(folder));
	check(mer_write_all(fd, data, size));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (pcap_read(path, folder, 1, &err))
		check(err.text[0] != '\0');
	close(fd);
	check(mer_remove_folder(folder));
	return 0;
}
