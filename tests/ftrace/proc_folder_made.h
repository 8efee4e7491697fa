/* A copy of /proc made by hand, in a folder of its own. */
#ifndef MER_TESTS_PROC_FOLDER_MADE_H
#define MER_TESTS_PROC_FOLDER_MADE_H

#include <stdarg.h>
#include <stddef.h>

/* A new folder; made_end removes it. */
void made_begin(void);
const char *made_folder(void);
void made_end(void);
/* The file below it, with all folders on its way; the text as printf has it. */
void made_put(const char *path, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Bytes as they are. */
void made_bytes(const char *path, const void *bytes, size_t n);
/* FOLDER/PID/stat, or that of a thread, where path says so ("proc-before/7/task/8"); start: 1/100 s
 * since boot. A thread of the kernel has the flag for it. */
void made_task(const char *path, int tid, const char *comm, char state, int ppid, int start,
	int is_kernel);

#endif
