/* Lake: a folder of facts as Parquet files, for programs that answer questions about many
 * recordings: DuckDB, Spark, ClickHouse.
 *
 *   LAKE/kind=K/date=D/host=H/part-N.parquet    facts that begin on that day of UTC
 *   LAKE/_meridian/kind=K/host=H/RECORDING      what is there of a recording, by which key
 *
 * Whatever decides what is in the files is in the key: the traces, their clocks, the window, the
 * schema. Of a recording that is exported again with the same key nothing is made; with another
 * one its files are replaced. Other recordings of the same host and day have other numbers N.
 *
 * Invariant: what the list of a recording names is its own; a file that it does not name is not.
 * So the list is written before files get their names, and an export that was interrupted is made
 * again in the same places. */
#ifndef MER_ASK_LAKE_LAKE_H
#define MER_ASK_LAKE_LAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

/* Of columns and what is in them: raised when either changes. */
#define LAKE_SCHEMA "1"

enum { LAKE_KEY = 17, LAKE_DATE = 11, LAKE_NAME = 256, LAKE_PATH = 4096 };

struct lake_place { /* of a kind of facts of a host, of one recording */
	const char *folder, *kind;
	char host[LAKE_NAME];	  /* as in paths */
	char recording[LAKE_KEY]; /* hexadecimal digits */
};

/* False: the paths would be too long. host: any text; what a path or a reader could take for
 * something else is %XX. */
bool lake_place_set(struct lake_place *p, const char *folder, const char *kind, const char *host,
	uint64_t recording);

struct lake_file {
	char date[LAKE_DATE]; /* "2026-11-30" */
	unsigned part;
	uint64_t bytes, rows;
};
struct lake_list { /* zeroed: nothing is there */
	char key[LAKE_KEY];
	struct lake_file *files;
	size_t n, cap;
};

void lake_list_fini(struct lake_list *l);
/* What a recording has in the lake; what cannot be understood counts as nothing. */
void lake_list_read(struct lake_list *l, const struct lake_place *p);
/* Is it of this key, and are all of its files there? */
bool lake_list_is_current(
	const struct lake_list *l, const struct lake_place *p, const char key[LAKE_KEY]);
int lake_list_write(const struct lake_list *l, const struct lake_place *p, struct mer_err *err);
/* Removes the files of `old` that `new` does not have, and folders that are empty then. */
void lake_list_remove_others(
	const struct lake_list *old, const struct lake_list *new, const struct lake_place *p);

void lake_date(char date[LAKE_DATE], int64_t ns);
/* The number of the file of this day: what it was, or the first one that nobody has. */
unsigned lake_part(const struct lake_list *old, const struct lake_place *p, const char *date);
void lake_file_path(char path[LAKE_PATH], const struct lake_place *p, const struct lake_file *f);
/* The folders that a file is in, those above included. */
int lake_make_folders(const char *path, struct mer_err *err);

#endif
