#include "record/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file.h"
#include "base/grow.h"
#include "base/now.h"
#include "base/safe_text.h"
#include "record/words.h"

bool record_is_path(const char *path)
{
	size_t len = strlen(path);
	if (len == 0 || len > 1000 || path[0] == '/' || mer_safe_span(path, len) != len)
		return false;
	for (const char *p = path; *p;) {
		size_t n = strcspn(p, "/");
		if (n == 0 || (n == 1 && p[0] == '.') || (n == 2 && p[0] == '.' && p[1] == '.'))
			return false;
		p += n;
		if (*p == '/' && !*++p)
			return false;
	}
	return true;
}

int record_files_read(const char *text, size_t len, struct mer_arena *arena,
	struct record_file **files, size_t *n, struct mer_err *err)
{
	struct record_file *list = NULL;
	size_t cap = 0;
	int rc = 0;
	*files = NULL;
	*n = 0;
	for (const char *p = text, *stop = text + len; p < stop && rc == 0;) {
		const char *end = memchr(p, '\n', (size_t)(stop - p));
		if (!end)
			end = stop;
		char *line = mer_arena_strndup(arena, p, (size_t)(end - p)), *rest;
		p = end + 1;
		if (!line) {
			rc = mer_fail_nomem(err);
			break;
		}
		errno = 0;
		int64_t size = strtoll(line, &rest, 10);
		if (rest == line || errno || size < 0 || strncmp(rest, " ./", 3) != 0 ||
			!record_is_path(rest + 3)) {
			rc = mer_fail(
				err, MER_ERR_INPUT, "its list of files has a line that is none");
		} else if (*n >= RECORD_MOST_FILES) {
			rc = mer_fail(err, MER_ERR_LIMIT, "more than %d files", RECORD_MOST_FILES);
		} else if (!mer_grow(&list, *n, &cap, sizeof(*list))) {
			rc = mer_fail_nomem(err);
		} else {
			list[(*n)++] = (struct record_file){ rest + 3, size };
		}
	}
	if (rc == 0 && *n) {
		*files = mer_arena_zalloc(arena, *n, sizeof(**files));
		if (*files)
			memcpy(*files, list, *n * sizeof(**files));
		else
			rc = mer_fail_nomem(err);
	}
	free(list);
	return rc;
}

struct fetching {
	struct record_host *h;
	struct record_file *files;
	size_t n, at;
	int fd;	     /* of the file that is being fetched; -1: none */
	int64_t had; /* bytes of it that were here already */
};

static bool has_data(const struct record_host *h)
{
	return h->has_data && (h->target || h->is_elsewhere);
}

static const char *place_of(const struct record_run *r, const struct fetching *f)
{
	return mer_arena_printf(r->arena, "%s/%s/%s", r->folder, f->h->name, f->files[f->at].path);
}

/* Opens the next file that is not complete; false: there is none, or rc says why. */
static bool open_next(struct record_run *r, struct fetching *f, int *rc, struct mer_err *err)
{
	for (; f->at < f->n; f->at++) {
		const char *path = place_of(r, f);
		char *own = path ? mer_arena_strdup(r->arena, path) : NULL;
		struct stat st;
		if (!own) {
			*rc = mer_fail_nomem(err);
			return false;
		}
		f->fd = mer_make_folders_of(own, 0777)
				? open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)
				: -1;
		if (f->fd < 0 || fstat(f->fd, &st) != 0) {
			*rc = mer_fail_errno(err, "write", path);
			return false;
		}
		f->had = st.st_size;
		if (f->had > f->files[f->at].size) {
			/* It cannot be the beginning of the file to fetch. */
			f->had = 0;
			if (ftruncate(f->fd, 0) != 0) {
				*rc = mer_fail_errno(err, "write", path);
				return false;
			}
		}
		if (f->had < f->files[f->at].size) {
			lseek(f->fd, f->had, SEEK_SET);
			return true;
		}
		close(f->fd);
		f->fd = -1;
	}
	return false;
}

static int begin_file(struct record_run *r, struct fetching *f, struct mer_err *err)
{
	struct mer_str line = { 0 };
	mer_str_printf(&line, "cd %s && tail -c +%" PRId64 " ", f->h->folder, f->had + 1);
	mer_str_puts(&line, "./");
	record_put_word(&line, f->files[f->at].path);
	const char *text = line.failed ? NULL : mer_arena_strdup(r->arena, line.data);
	const char *const *argv = text ? record_host_argv(r, f->h, text) : NULL;
	mer_str_fini(&line);
	record_child_free(&f->h->step);
	if (!argv)
		return mer_fail_nomem(err);
	return record_loop_spawn(&r->loop, &f->h->step,
		&(struct record_spawn){ .argv = argv, .output_fd = f->fd, .owner = f->h }, err);
}

/* Fetching a file has ended: checks that it is complete. */
static int end_file(struct record_run *r, struct fetching *f, struct mer_err *err)
{
	struct stat st = { 0 };
	const struct record_file *file = &f->files[f->at];
	bool known = fstat(f->fd, &st) == 0;
	close(f->fd);
	f->fd = -1;
	if (record_child_code(&f->h->step) != 0) {
		static const struct record_step fetch = { "fetch", "fetch the trace", NULL, 0,
			false };
		return record_step_failed(r, f->h, &fetch, &f->h->step, err);
	}
	if (!known || st.st_size != file->size)
		return mer_fail(err, MER_ERR_INPUT,
			"%s: cannot fetch the trace: %s has %" PRId64 " bytes of %" PRId64,
			f->h->name, file->path, (int64_t)st.st_size, file->size);
	f->at++;
	return 0;
}

static int fetch_all(struct record_run *r, struct fetching *all, size_t n, struct mer_err *err)
{
	int rc = 0;
	for (bool any = true; any && rc == 0;) {
		any = false;
		for (size_t i = 0; i < n && rc == 0; i++) {
			struct fetching *f = &all[i];
			if (f->fd >= 0 && f->h->step.ended)
				rc = end_file(r, f, err);
			if (rc == 0 && f->fd < 0 && open_next(r, f, &rc, err))
				rc = begin_file(r, f, err);
			any |= f->fd >= 0;
		}
		if (rc == 0 && r->loop.n_interrupts)
			rc = mer_fail(err, MER_ERR_CANCELLED, "interrupted");
		if (any && rc == 0)
			record_loop_turn(&r->loop, mer_now_ns() + INT64_C(1000000000));
	}
	for (size_t i = 0; i < n; i++) {
		record_child_free(&all[i].h->step);
		if (all[i].fd >= 0)
			close(all[i].fd);
	}
	return rc;
}

int record_fetch(struct record_run *r, struct mer_err *err)
{
	struct fetching *all = calloc(r->n_hosts + 1, sizeof(*all));
	size_t n = 0;
	if (!all)
		return mer_fail_nomem(err);
	int rc = record_step_do(r, RECORD_STEP_LIST, has_data, false, err);
	for (size_t i = 0; i < r->n_hosts && rc == 0; i++) {
		struct record_host *h = &r->hosts[i];
		struct mer_err own = { 0 };
		if (!has_data(h))
			continue;
		struct fetching *f = &all[n++];
		*f = (struct fetching){ .h = h, .fd = -1 };
		rc = record_files_read(h->step.output.data ? h->step.output.data : "",
			h->step.output.len, r->arena, &f->files, &f->n, &own);
		if (rc)
			mer_fail(err, rc, "%s: cannot fetch the trace: %s", h->name, own.text);
		h->bytes = 0;
		for (size_t k = 0; k < f->n; k++)
			if (__builtin_add_overflow(h->bytes, f->files[k].size, &h->bytes))
				h->bytes = INT64_MAX;
	}
	if (rc == 0)
		rc = fetch_all(r, all, n, err);
	free(all);
	return rc;
}

int record_fetched_remove(struct record_run *r, struct mer_err *err)
{
	return record_step_do(r, RECORD_STEP_REMOVE, has_data, true, err);
}

static bool was_recorded(const struct record_host *h)
{
	return h->has_data && h->bytes < 0;
}

void record_measure(struct record_run *r)
{
	struct mer_err ignored = { 0 };
	record_step_do(r, RECORD_STEP_MEASURE, was_recorded, true, &ignored);
	for (size_t i = 0; i < r->n_hosts; i++) {
		struct record_host *h = &r->hosts[i];
		const char *text = h->step.output.data;
		if (!was_recorded(h) || record_child_code(&h->step) != 0 || !text ||
			strncmp(text, "kib ", 4) != 0)
			continue;
		int64_t kib = strtoll(text + 4, NULL, 10);
		if (kib >= 0 && kib < INT64_MAX >> 10)
			h->bytes = kib << 10;
	}
}
