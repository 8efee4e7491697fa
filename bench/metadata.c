/* Parses a metadata file again and again: the best time, everything included but reading the file.
 *
 *   metadata FILE [TIMES] */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/file.h"
#include "ctf/metadata.h"

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct mer_file f;
	struct mer_err err;
	if (argc < 2) {
		fprintf(stderr, "usage: metadata FILE [TIMES]\n");
		return 2;
	}
	if (mer_file_open(&f, argv[1], &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 3;
	}
	double best = 1e9;
	for (int i = argc > 2 ? atoi(argv[2]) : 50; i > 0; i--) {
		struct mer_arena arena;
		struct mer_diags diags;
		struct ctf_schema *schema;
		mer_arena_init(&arena);
		mer_diags_init(&diags, &arena);
		double t = now();
		int rc = ctf_metadata_read(f.data, f.size, argv[1], &arena, &diags, &schema, &err);
		t = now() - t;
		best = t < best ? t : best;
		mer_diags_fini(&diags);
		mer_arena_fini(&arena);
		if (rc) {
			fprintf(stderr, "%s\n", err.text);
			return 3;
		}
	}
	printf("%zu bytes: %.3f ms\n", f.size, best * 1e3);
	mer_file_close(&f);
	return 0;
}
