/* Replays inputs through a fuzz target without a fuzzer: every file given, every file of every
 * folder given. A folder that does not exist counts as empty. Each input lies in memory of
 * exactly its size, so that a sanitizer sees the first byte read past it. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t n_replayed;

static int replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	if (!f || fstat(fileno(f), &st) != 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		if (f)
			fclose(f);
		return 1;
	}
	size_t size = (size_t)st.st_size;
	uint8_t *data = malloc(size ? size : 1);
	if (!data || fread(data, 1, size, f) != size) {
		fprintf(stderr, "%s: cannot read\n", path);
		free(data);
		fclose(f);
		return 1;
	}
	fclose(f);
	/* Printed before, so that a crash has a name. */
	if (getenv("REPLAY_VERBOSE"))
		fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	n_replayed++;
	return 0;
}

static int replay(const char *path)
{
	struct stat st;
	if (stat(path, &st) != 0) {
		if (errno == ENOENT)
			return 0;
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return 1;
	}
	if (!S_ISDIR(st.st_mode))
		return replay_file(path);
	struct dirent **names;
	int n = scandir(path, &names, NULL, alphasort);
	if (n < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return 1;
	}
	int bad = 0;
	for (int i = 0; i < n; i++) {
		char child[4096];
		snprintf(child, sizeof(child), "%s/%s", path, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			bad |= replay(child);
		free(names[i]);
	}
	free(names);
	return bad;
}

int main(int argc, char **argv)
{
	int bad = 0;
	for (int i = 1; i < argc; i++)
		bad |= replay(argv[i]);
	/* The empty input is everybody's corpus. */
	uint8_t *nothing = malloc(1);
	if (nothing)
		LLVMFuzzerTestOneInput(nothing, 0);
	free(nothing);
	printf("%zu inputs replayed\n", n_replayed);
	return bad;
}
