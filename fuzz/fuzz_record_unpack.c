/* Fuzzer of what a host packed (record/unpack.h): nothing is written outside of the folder. */
#include <dirent.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "record/unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char dir[] = "/tmp/fuzz-unpack-XXXXXX", archive[64], folder[64];
	struct mer_err err = { 0 };
	if (size > 1 << 16 || !mkdtemp(dir))
		return 0;
	snprintf(archive, sizeof(archive), "%s/a.tar", dir);
	snprintf(folder, sizeof(folder), "%s/a", dir);
	FILE *f = fopen(archive, "wb");
	if (f) {
		fwrite(data, 1, size, f);
		fclose(f);
		(void)record_unpack(archive, folder, &err);
	}
	DIR *d = opendir(dir);
	for (struct dirent *e; d && (e = readdir(d));)
		if (e->d_name[0] != '.' && strcmp(e->d_name, "a") != 0 &&
			strcmp(e->d_name, "a.tar") != 0)
			abort();
	if (d)
		closedir(d);
	(void)mer_remove_folder(dir);
	return 0;
}
