#include "trace/files.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"
#include "trace/experiment.h"

struct trace_file_cache {
	pthread_mutex_t lock;
	uint32_t most, n_idle;	 /* mapped, but not in use */
	uint32_t newest, oldest; /* of these; plus 1 */
};

static struct trace_file *at(const struct mer_experiment *e, uint32_t link)
{
	return &e->files[link - 1];
}

static void push(const struct mer_experiment *e, uint32_t file)
{
	struct trace_file_cache *c = e->file_cache;
	struct trace_file *f = &e->files[file];
	f->newer = 0;
	f->older = c->newest;
	if (c->newest)
		at(e, c->newest)->newer = file + 1;
	else
		c->oldest = file + 1;
	c->newest = file + 1;
	c->n_idle++;
}

static void take_out(const struct mer_experiment *e, uint32_t file)
{
	struct trace_file_cache *c = e->file_cache;
	struct trace_file *f = &e->files[file];
	if (f->newer)
		at(e, f->newer)->older = f->older;
	else
		c->newest = f->older;
	if (f->older)
		at(e, f->older)->newer = f->newer;
	else
		c->oldest = f->newer;
	f->newer = f->older = 0;
	c->n_idle--;
}

static void unmap(struct trace_file *f)
{
	struct mer_file map = { .data = f->data, .size = (size_t)f->bytes };
	mer_file_close(&map);
	f->data = NULL;
}

static void unmap_idle(const struct mer_experiment *e, uint32_t left)
{
	struct trace_file_cache *c = e->file_cache;
	while (c->n_idle > left) {
		uint32_t file = c->oldest - 1;
		take_out(e, file);
		unmap(&e->files[file]);
	}
}

static int map(
	const struct mer_experiment *e, const char *path, struct mer_file *m, struct mer_err *err)
{
	int rc = mer_file_open(m, path, err);
	if (rc != MER_ERR_NOMEM || !e->file_cache || !e->file_cache->n_idle)
		return rc;
	unmap_idle(e, 0); /* the system has no room for more mappings */
	return mer_file_open(m, path, err);
}

bool trace_files_stay(const struct mer_experiment *e)
{
	return !e->file_cache;
}

bool trace_files_limit(struct mer_experiment *e, uint32_t most)
{
	if (!e->file_cache) {
		e->file_cache = calloc(1, sizeof(*e->file_cache));
		if (!e->file_cache)
			return false;
		pthread_mutex_init(&e->file_cache->lock, NULL);
		for (uint32_t i = 0; i < e->n_files; i++) {
			e->files[i].n_users = 0; /* users were not counted until now */
			push(e, i);
		}
	}
	e->file_cache->most = most;
	unmap_idle(e, most);
	return true;
}

int trace_file_add(struct mer_experiment *e, const char *path, uint32_t part, struct mer_err *err)
{
	if (e->n_files == TRACE_MAX_FILES)
		return mer_fail(err, MER_ERR_LIMIT, "%s: more than %d data stream files", path,
			TRACE_MAX_FILES);
	if (!mer_grow32(&e->files, e->n_files, &e->cap_files, sizeof(*e->files)))
		return mer_fail_nomem(err);
	if (e->n_files == TRACE_FILES_MAPPED && !trace_files_limit(e, TRACE_FILES_MAPPED))
		return mer_fail_nomem(err);
	struct mer_file m;
	const struct trace_part *p = &e->parts[part];
	const char *shown = path;
	if (strcmp(p->given, p->path) != 0)
		shown = mer_arena_printf(&e->arena, "%s/%s", p->given, strrchr(path, '/') + 1);
	if (!shown)
		return mer_fail_nomem(err);
	int rc = map(e, path, &m, err);
	if (rc)
		return rc;
	e->files[e->n_files++] = (struct trace_file){ .path = path,
		.shown = shown,
		.bytes = m.size,
		.data = m.data,
		.part = part,
		.n_users = 1 };
	return 0;
}

static const uint8_t *use(const struct mer_experiment *e, uint32_t file)
{
	struct trace_file *f = &e->files[file];
	if (f->data) {
		if (f->n_users++ == 0)
			take_out(e, file);
		return f->data;
	}
	struct mer_file m;
	struct mer_err err;
	unmap_idle(e, e->file_cache->most);
	if (map(e, f->path, &m, &err))
		return NULL;
	if (m.size != f->bytes) {
		mer_file_close(&m);
		return NULL;
	}
	f->data = m.data;
	f->n_users = 1;
	return f->data;
}

const uint8_t *trace_file_use(const struct mer_experiment *e, uint32_t file)
{
	if (__builtin_expect(!e->file_cache, 1))
		return e->files[file].data;
	pthread_mutex_lock(&e->file_cache->lock);
	const uint8_t *data = use(e, file);
	pthread_mutex_unlock(&e->file_cache->lock);
	return data;
}

void trace_file_done(const struct mer_experiment *e, uint32_t file)
{
	if (__builtin_expect(!e->file_cache, 1))
		return;
	pthread_mutex_lock(&e->file_cache->lock);
	if (--e->files[file].n_users == 0) {
		push(e, file);
		unmap_idle(e, e->file_cache->most);
	}
	pthread_mutex_unlock(&e->file_cache->lock);
}

void trace_file_report_gone(const struct mer_experiment *e, uint32_t file, struct mer_diags *diags)
{
	mer_diag_add(diags,
		&(struct mer_diag){ .severity = MER_ERROR,
			.code = "file-unreadable",
			.path = e->files[file].shown,
			.stream = -1,
			.packet = -1,
			.offset_bits = -1 },
		"the file could be read before, but cannot be read again, or has changed "
		"meanwhile; the rest of it is missing");
}

void trace_files_free(struct mer_experiment *e)
{
	for (uint32_t i = 0; i < e->n_files; i++)
		if (e->files[i].data)
			unmap(&e->files[i]);
	free(e->files);
	if (e->file_cache)
		pthread_mutex_destroy(&e->file_cache->lock);
	free(e->file_cache);
}
