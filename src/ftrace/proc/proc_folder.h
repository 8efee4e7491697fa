/* Folder: files of a copy of /proc, which is hostile input. Symbolic links are never followed;
 * only regular files are read, each up to a limit, and all together up to PROC_MOST_BYTES. */
#ifndef MER_FTRACE_PROC_FOLDER_H
#define MER_FTRACE_PROC_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROC_MOST_ENTRIES = 1 << 18 };
#define PROC_MOST_BYTES ((uint64_t)256 << 20)

struct proc_folder { /* zeroed */
	char *text;  /* of the file that was read last, NUL-terminated */
	size_t cap, len;
	uint64_t n_bytes;   /* of all files so far */
	uint32_t n_entries; /* of all folders so far */
	uint32_t n_cut;	    /* files that were too large, folders with too many entries */
	bool is_out_of_memory;
};
void proc_folder_fini(struct proc_folder *f);

/* Opens a folder below dir; the name may be a path with '/'. -1: there is none. */
int proc_open_below(int dir, const char *name);
/* The folder's file as text, up to `most` bytes; NULL: there is none. From a longer file: the
 * complete lines before the limit. Valid until the next call. */
char *proc_text(struct proc_folder *f, int dir, const char *name, size_t most);
/* Calls for each entry whose name is a number above 0, in the order of the numbers. act returns
 * false to stop, which is then returned. No descriptor is closed. */
bool proc_each_number(struct proc_folder *f, int dir,
	bool (*act)(void *ctx, int dir, const char *name, int32_t number), void *ctx);

#endif
