#include "ask/lake/lake.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/map.h"

/* ---- Places ---- */

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_' || c == '.';
}

/* As readers of such folders decode it. The rest of a long name is told by a hash. */
static void put_host(char out[LAKE_NAME], const char *host)
{
	enum { MOST = 200 };
	size_t n = 0;
	const char *c = host;
	for (; *c && n < MOST; c++)
		n += (size_t)snprintf(out + n, LAKE_NAME - n, is_plain(*c) ? "%c" : "%%%02X",
			is_plain(*c) ? *c : (unsigned char)*c);
	if (*c)
		snprintf(out + n, LAKE_NAME - n, "~%016" PRIx64, mer_hash(host, strlen(host)));
	if (!*host)
		snprintf(out, LAKE_NAME, "__HIVE_DEFAULT_PARTITION__");
}

bool lake_place_set(struct lake_place *p, const char *folder, const char *kind, const char *host,
	uint64_t recording)
{
	enum { REST = 400 }; /* of a path, behind the folder */
	*p = (struct lake_place){ .folder = folder, .kind = kind };
	put_host(p->host, host);
	snprintf(p->recording, sizeof(p->recording), "%016" PRIx64, recording);
	return strlen(folder) + REST < LAKE_PATH;
}

void lake_date(char date[LAKE_DATE], int64_t ns)
{
	time_t seconds = (time_t)(ns / 1000000000 - (ns % 1000000000 < 0));
	struct tm tm;
	char whole[64] = "1970-01-01";
	if (gmtime_r(&seconds, &tm))
		strftime(whole, sizeof(whole), "%Y-%m-%d", &tm);
	memcpy(date, whole, LAKE_DATE - 1);
	date[LAKE_DATE - 1] = '\0';
}

void lake_file_path(char path[LAKE_PATH], const struct lake_place *p, const struct lake_file *f)
{
	snprintf(path, LAKE_PATH, "%s/kind=%s/date=%s/host=%s/part-%u.parquet", p->folder, p->kind,
		f->date, p->host, f->part);
}

static void list_path(char path[LAKE_PATH], const struct lake_place *p)
{
	snprintf(path, LAKE_PATH, "%s/_meridian/kind=%s/host=%s/%s", p->folder, p->kind, p->host,
		p->recording);
}

int lake_make_folders(const char *path, struct mer_err *err)
{
	char folders[LAKE_PATH];
	snprintf(folders, sizeof(folders), "%s", path);
	return mer_make_folders_of(folders, 0777) ? 0 : mer_fail_errno(err, "create", folders);
}

unsigned lake_part(const struct lake_list *old, const struct lake_place *p, const char *date)
{
	struct lake_file f = { 0 };
	char path[LAKE_PATH];
	for (size_t i = 0; i < old->n; i++)
		if (strcmp(old->files[i].date, date) == 0)
			return old->files[i].part;
	memcpy(f.date, date, LAKE_DATE);
	for (;; f.part++) {
		lake_file_path(path, p, &f);
		if (access(path, F_OK) != 0)
			return f.part;
	}
}

/* ---- Lists ---- */

static const char heading[] = "meridian lake " LAKE_SCHEMA;

void lake_list_fini(struct lake_list *l)
{
	free(l->files);
	*l = (struct lake_list){ 0 };
}

static bool read_line(struct lake_list *l, const char *line)
{
	struct lake_file f;
	if (sscanf(line, "key %16[0-9a-f]", l->key) == 1)
		return true;
	if (sscanf(line, "file %10[0-9-] %u %" SCNu64 " %" SCNu64, f.date, &f.part, &f.bytes,
		    &f.rows) != 4 ||
		strlen(f.date) != LAKE_DATE - 1 ||
		!mer_grow(&l->files, l->n, &l->cap, sizeof(*l->files)))
		return false;
	l->files[l->n++] = f;
	return true;
}

void lake_list_read(struct lake_list *l, const struct lake_place *p)
{
	char path[LAKE_PATH], line[256];
	*l = (struct lake_list){ 0 };
	list_path(path, p);
	FILE *in = fopen(path, "re");
	bool ok = in && fgets(line, sizeof(line), in) &&
		  strncmp(line, "meridian lake ", sizeof("meridian lake ") - 1) == 0;
	while (ok && fgets(line, sizeof(line), in))
		ok = read_line(l, line);
	if (in)
		fclose(in);
	if (!ok)
		l->key[0] = '\0'; /* files that were named are still its own */
}

bool lake_list_is_current(
	const struct lake_list *l, const struct lake_place *p, const char key[LAKE_KEY])
{
	char path[LAKE_PATH];
	struct stat st;
	bool is = strcmp(l->key, key) == 0;
	for (size_t i = 0; i < l->n && is; i++) {
		lake_file_path(path, p, &l->files[i]);
		is = stat(path, &st) == 0 && (uint64_t)st.st_size == l->files[i].bytes;
	}
	return is;
}

int lake_list_write(const struct lake_list *l, const struct lake_place *p, struct mer_err *err)
{
	char path[LAKE_PATH];
	struct mer_str text = { 0 };
	list_path(path, p);
	mer_str_printf(&text, "%s\nkey %s\n", heading, l->key);
	for (size_t i = 0; i < l->n; i++)
		mer_str_printf(&text, "file %s %u %" PRIu64 " %" PRIu64 "\n", l->files[i].date,
			l->files[i].part, l->files[i].bytes, l->files[i].rows);
	int rc = text.failed ? mer_fail_nomem(err) : lake_make_folders(path, err);
	const struct mer_bytes part = { text.data, text.len };
	if (rc == 0 && !mer_file_replace(path, &part, 1))
		rc = mer_fail_errno(err, "write", path);
	mer_str_fini(&text);
	return rc;
}

static bool has_file(const struct lake_list *l, const struct lake_file *f)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->files[i].date, f->date) == 0 && l->files[i].part == f->part)
			return true;
	return false;
}

void lake_list_remove_others(
	const struct lake_list *old, const struct lake_list *new, const struct lake_place *p)
{
	for (size_t i = 0; i < old->n; i++) {
		char path[LAKE_PATH];
		if (has_file(new, &old->files[i]))
			continue;
		lake_file_path(path, p, &old->files[i]);
		unlink(path);
		for (int up = 0; up < 2; up++) { /* host=H and date=D, where they are empty */
			*strrchr(path, '/') = '\0';
			if (rmdir(path) != 0)
				break;
		}
	}
}
