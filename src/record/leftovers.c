#include "record/leftovers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "record/run.h"
#include "record/words.h"

/* When a process began, in ticks; 0: there is no such process. */
static uint64_t start_of(long pid)
{
	char path[64], text[1024];
	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return 0;
	size_t n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = '\0';
	/* The 22nd field, counted from the end of the name, which may have blanks and brackets. */
	char *at = strrchr(text, ')');
	for (int field = 2; at && field < 22; field++) {
		at = strchr(at + 1, ' ');
	}
	return at ? strtoull(at, NULL, 10) : 0;
}

const char *record_leftover_path(struct mer_arena *arena, const char *dir, const char *session)
{
	long pid = (long)getpid();
	return mer_arena_printf(
		arena, "%s/%s.%ld.%" PRIu64 ".json", dir, session, pid, start_of(pid));
}

/* Is it SESSION.PID.START.json of a process that has ended? Cuts the name after the session. */
static bool is_left(char *name)
{
	size_t len = strlen(name);
	if (len < 6 || strcmp(name + len - 5, ".json") != 0)
		return false;
	name[len - 5] = '\0';
	char *start = strrchr(name, '.');
	if (!start)
		return false;
	*start++ = '\0';
	char *pid = strrchr(name, '.');
	if (!pid)
		return false;
	*pid++ = '\0';
	long number = strtol(pid, NULL, 10);
	return number > 0 && record_is_name(name) && start_of(number) != strtoull(start, NULL, 10);
}

size_t record_leftovers_find(
	struct mer_arena *arena, const char *dir, struct record_leftover *found, size_t most)
{
	DIR *d = opendir(dir);
	size_t n = 0;
	for (struct dirent *e; d && n < most && (e = readdir(d));) {
		char *path = mer_arena_printf(arena, "%s/%s", dir, e->d_name);
		char *name = mer_arena_strdup(arena, e->d_name);
		if (path && name && is_left(name))
			found[n++] = (struct record_leftover){ path, name };
	}
	if (d)
		closedir(d);
	return n;
}

/* Is it PREFIX and PID-XXXXXX, of a process that has ended? Folders of other users do not count. */
static bool is_left_folder(int dir_fd, const char *entry, const char *prefix)
{
	size_t n = strlen(prefix);
	char *end;
	struct stat st;
	if (strncmp(entry, prefix, n) != 0)
		return false;
	long pid = strtol(entry + n, &end, 10);
	if (pid <= 0 || *end != '-' || (kill((pid_t)pid, 0) == 0 || errno != ESRCH))
		return false;
	return fstatat(dir_fd, entry, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode) &&
	       st.st_uid == geteuid();
}

/* Removes the folder and the sockets in it. An ssh connection that is still open cannot be reached
 * any more, and ends when it has been idle. */
static bool remove_folder(int dir_fd, const char *entry)
{
	int fd = openat(dir_fd, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	if (!d) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	for (struct dirent *e; (e = readdir(d));) {
		struct stat st;
		if (fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(st.st_mode))
			unlinkat(fd, e->d_name, 0);
	}
	closedir(d);
	return unlinkat(dir_fd, entry, AT_REMOVEDIR) == 0;
}

size_t record_leftover_folders_remove(void)
{
	char parent[] = RECORD_CONTROL;
	char *slash = strrchr(parent, '/');
	*slash = '\0';
	DIR *d = opendir(parent);
	size_t n = 0;
	for (struct dirent *e; d && (e = readdir(d));)
		n += is_left_folder(dirfd(d), e->d_name, slash + 1) &&
		     remove_folder(dirfd(d), e->d_name);
	if (d)
		closedir(d);
	return n;
}
