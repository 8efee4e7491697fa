/* Fuzzer of the readers of trace.dat, perf.data and the text of their tools: no bytes may crash
 * them, or make them write more than a few times what they are. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "ftrace/read.h"
#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[] = "/tmp/fuzz_recording.XXXXXX", path[64];
	struct mer_err err = { 0 };
	int fd = memfd_create("recording", MFD_CLOEXEC);
	check(fd >= 0 && mkdtemp(folder));
	check(mer_write_all(fd, data, size));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (ftrace_read(path, folder, 1, &err))
		check(err.text[0] != '\0');
	close(fd);
	check(mer_remove_folder(folder));
	return 0;
}
