#include "trace/foreign.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { HEAD = 512 };

static const char stream[] =
	"this is a stream of a trace; name the folder that it is in (the one that has a file `metadata`)";
static const char archive[] =
	"this is an archive, or compressed; unpack it ('tar -xf FILE -C FOLDER'), then name the folder";
static const char zip[] =
	"this is an archive; unpack it ('unzip FILE -d FOLDER'), then name the folder";
static const char perfetto[] =
	"this is a recording of Perfetto, which is not read; record with LTTng ('meridian record')";

static const struct kind { /* recognized by bytes of the file, or by the end of its name */
	const char *what;
	unsigned n;
	const char *magic;
	unsigned at; /* byte of the file */
	const char *suffix;
} kinds[] = {
	/* CTF 1.8, section 5.1 */
	{ stream, 4, "\xc1\x1f\xfc\xc1", 0, NULL },
	{ stream, 4, "\xc1\xfc\x1f\xc1", 0, NULL },
	{ archive, 2, "\x1f\x8b", 0, NULL },	     /* gzip */
	{ archive, 6, "\xfd\x37zXZ", 0, NULL },	     /* with the NUL behind it */
	{ archive, 4, "\x28\xb5\x2f\xfd", 0, NULL }, /* zstd */
	{ archive, 3, "BZh", 0, NULL },
	{ archive, 5, "ustar", 257, NULL },
	{ zip, 4, "PK\x03\x04", 0, NULL },
	{ perfetto, 0, NULL, 0, ".pftrace" },
	{ perfetto, 0, NULL, 0, ".perfetto-trace" },
};

static bool ends_with(const char *text, const char *with)
{
	size_t len = strlen(text), n = strlen(with);
	return len >= n && strcmp(text + len - n, with) == 0;
}

static bool is_kind(const struct kind *k, const char *path, const char *head, size_t len)
{
	if (k->suffix)
		return ends_with(path, k->suffix);
	return k->at + k->n <= len && memcmp(head + k->at, k->magic, k->n) == 0;
}

void trace_foreign_file(const char *path, char *text, size_t size)
{
	char head[HEAD];
	FILE *f = fopen(path, "rbe");
	size_t len = f ? fread(head, 1, sizeof(head), f) : 0;
	if (f)
		fclose(f);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (is_kind(&kinds[i], path, head, len)) {
			snprintf(text, size, "%s", kinds[i].what);
			return;
		}
	snprintf(text, size, "%s",
		f && !len
			? "this file is empty; a trace is a folder with a file `metadata`"
			: "this file is none that is read (perf.data, trace.dat, their text, pcap); of other traces name the folder (the one with a file `metadata`)");
}

const char *trace_foreign_address(const char *given)
{
	return strncmp(given, "net://", 6) == 0 || strncmp(given, "net4://", 7) == 0 ||
			       strncmp(given, "net6://", 7) == 0
		       ? "this is the address of a live session, which is not read; stop or rotate the session (lttng stop, lttng rotate), and name the folder that it wrote"
		       : NULL;
}

static bool has(const char *folder, const char *name)
{
	char path[4300];
	struct stat st;
	int n = snprintf(path, sizeof(path), "%s/%s", folder, name);
	return n > 0 && (size_t)n < sizeof(path) && stat(path, &st) == 0;
}

const char *trace_foreign_folder(const char *path)
{
	if (has(path, "per_cpu/cpu0") || has(path, "per_cpu/cpu1"))
		return "these are ftrace's raw pages (per_cpu/cpuN), without what their events look like: copy /sys/kernel/tracing/events into this folder, too";
	return NULL;
}
