#include "ftrace/proc/proc_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"

void proc_folder_fini(struct proc_folder *f)
{
	free(f->text);
}

int proc_open_below(int dir, const char *name)
{
	char part[256];
	int at = dir;
	while (*name) {
		size_t len = strcspn(name, "/");
		if (len == 0 || len >= sizeof(part))
			break;
		memcpy(part, name, len);
		part[len] = '\0';
		name += len + (name[len] == '/');
		int next = openat(at, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (at != dir)
			close(at);
		at = next;
		if (at < 0)
			return -1;
	}
	if (at != dir && *name) {
		close(at);
		return -1;
	}
	return at == dir ? -1 : at;
}

static bool make_room(struct proc_folder *f, size_t size)
{
	if (size < f->cap)
		return true;
	char *text = realloc(f->text, size + 1);
	if (!text) {
		f->is_out_of_memory = true;
		return false;
	}
	f->text = text;
	f->cap = size + 1;
	return true;
}

/* Does not rely on the file's size: it may grow. */
static bool read_up_to(struct proc_folder *f, int fd, size_t most)
{
	enum { STEP = 1 << 16 };
	f->len = 0;
	for (;;) {
		size_t wanted = most - f->len < STEP ? most - f->len : STEP;
		if (wanted == 0)
			break;
		size_t double_it = f->len + wanted < 2 * f->cap ? 2 * f->cap : f->len + wanted;
		if (f->len + wanted >= f->cap && !make_room(f, double_it))
			return false;
		ssize_t n = read(fd, f->text + f->len, wanted);
		if (n <= 0)
			return true;
		f->len += (size_t)n;
	}
	char more;
	if (read(fd, &more, 1) == 1) {
		f->n_cut++;
		while (f->len && f->text[f->len - 1] != '\n')
			f->len--;
	}
	return true;
}

char *proc_text(struct proc_folder *f, int dir, const char *name, size_t most)
{
	struct stat st;
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && make_room(f, 1);
	if (ok && f->n_bytes >= PROC_MOST_BYTES) {
		f->n_cut++;
		ok = false;
	}
	ok = ok && read_up_to(f, fd, most);
	close(fd);
	if (!ok)
		return NULL;
	f->text[f->len] = '\0';
	f->n_bytes += f->len;
	return f->text;
}

static int by_number(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
	return (x > y) - (x < y);
}

/* 0: it is none, or not as the kernel writes one. */
static int32_t number_of(const char *name)
{
	int64_t v = 0;
	size_t n = 0;
	for (; name[n] >= '0' && name[n] <= '9' && n < 10; n++)
		v = v * 10 + (name[n] - '0');
	return n == 0 || name[n] || name[0] == '0' || v > INT32_MAX ? 0 : (int32_t)v;
}

bool proc_each_number(struct proc_folder *f, int dir,
	bool (*act)(void *ctx, int dir, const char *name, int32_t number), void *ctx)
{
	int32_t *list = NULL;
	size_t n = 0, cap = 0;
	bool ok = true;
	int own = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = own < 0 ? NULL : fdopendir(own);
	if (!d && own >= 0)
		close(own);
	for (struct dirent *e; ok && d && (e = readdir(d));) {
		int32_t number = number_of(e->d_name);
		if (!number)
			continue;
		if (f->n_entries == PROC_MOST_ENTRIES) {
			f->n_cut++;
			break;
		}
		f->n_entries++;
		ok = mer_grow(&list, n, &cap, sizeof(*list));
		f->is_out_of_memory |= !ok;
		if (ok)
			list[n++] = number;
	}
	if (d)
		closedir(d);
	if (n)
		qsort(list, n, sizeof(*list), by_number);
	for (size_t i = 0; ok && i < n; i++) {
		char name[16];
		snprintf(name, sizeof(name), "%d", (int)list[i]);
		ok = act(ctx, dir, name, list[i]);
	}
	free(list);
	return ok;
}
