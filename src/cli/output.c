#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ask/verb.h"
#include "base/new_file.h"
#include "cli/sink.h"

enum { OUTPUT_BUFFER = 1 << 18 };

struct cli_output {
	struct cli_sink sink;
	const char *name;	   /* of the file; NULL: standard output */
	struct mer_new_file *file; /* the same; NULL: none */
};

static bool wants_color(const struct ask *ask, bool terminal)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");
	if (ask->color != ASK_AUTO)
		return ask->color == ASK_ALWAYS;
	return terminal && !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0);
}

/* Text that people read, as opposed to what programs do. */
static bool is_for_people(const struct ask *ask)
{
	/* 'events' makes its text safe by itself, and there may be gigabytes of it. */
	return ask->verb->formats && !ask->picture_only && !ask->part &&
	       (ask->format == ASK_FORMAT_TABLE || ask->format == ASK_FORMAT_LTTV);
}

/* The terminal's, else $COLUMNS; 0: neither says. */
static int width_of(const struct ask *ask, int fd)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");
	if (ask->out_is_terminal && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	int n = columns ? atoi(columns) : 0;
	return n > 0 && n < 10000 ? n : 0;
}

/* name: NULL: standard output. */
static int open_output(struct ask *ask, const char *name)
{
	struct mer_new_file *file = NULL;
	if (name) {
		file = mer_arena_zalloc(&ask->arena, 1, sizeof(*file));
		if (!file)
			return mer_fail_nomem(&ask->err);
		if (!mer_new_file_open(file, name))
			return mer_fail_errno(&ask->err, "write", name);
	}
	int fd = file ? file->fd : STDOUT_FILENO;
	ask->out_is_terminal = isatty(fd);
	ask->width = width_of(ask, fd);
	ask->bold_out = wants_color(ask, ask->out_is_terminal);
	struct cli_output *o = mer_arena_zalloc(&ask->arena, 1, sizeof(*o));
	struct cli_sink *sink = o ? &o->sink : NULL;
	if (sink)
		*sink = (struct cli_sink){ .fd = fd,
			.is_text = is_for_people(ask),
			.ascii = ask->ascii,
			.bold = ask->bold_out,
			.is_guarded =
				ask->csv_safe && ask->format == ASK_FORMAT_CSV && !ask->part };
	FILE *out = sink ? cli_sink_open(sink) : NULL;
	if (!out) {
		if (file)
			mer_new_file_abandon(file);
		return mer_fail_nomem(&ask->err);
	}
	setvbuf(out, NULL, ask->out_is_terminal ? _IOLBF : _IOFBF, OUTPUT_BUFFER);
	o->name = name;
	o->file = file;
	ask->behind = o;
	ask->out = out;
	return 0;
}

/* What -o means for verbs with several tables. */
static bool is_folder(const char *name)
{
	size_t len = strlen(name);
	struct stat s;
	return (len && name[len - 1] == '/') || (stat(name, &s) == 0 && S_ISDIR(s.st_mode));
}

/* The end of the names of files in a folder; NULL: the format is none for a file of each table. */
static const char *file_ending(const struct ask *ask)
{
	switch (ask->format) {
	case ASK_FORMAT_CSV: return "csv";
	case ASK_FORMAT_JSON: return "json";
	case ASK_FORMAT_JSONL: return "jsonl";
	default: return NULL;
	}
}

bool cli_writes_itself(const struct ask *ask)
{
	const char *dot = ask->output ? strrchr(ask->output, '.') : NULL;
	return dot && ask->verb->writes &&
	       ask_choice_index(ask->verb->writes, dot + 1, strlen(dot + 1)) >= 0;
}

int cli_open_output(struct ask *ask)
{
	const char *name = ask->output && strcmp(ask->output, "-") != 0 ? ask->output : NULL;
	if (cli_writes_itself(ask))
		return open_output(ask, NULL);
	if (!name || !(ask->verb->uses & ASK_USES_TABLES) || !is_folder(name))
		return open_output(ask, name);
	if (ask->picture_only)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"-o %.200s: a picture goes to a file, not to a folder", name);
	if (!file_ending(ask))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"-o %.200s: a folder needs --format csv, jsonl or json", name);
	if (mkdir(name, 0777) != 0 && errno != EEXIST)
		return mer_fail_errno(&ask->err, "create", name);
	ask->folder = name;
	return 0; /* until the first table there is no output */
}

int cli_output_file(struct ask *ask, const char *id)
{
	size_t len = strlen(ask->folder);
	bool has_slash = len && ask->folder[len - 1] == '/';
	const char *name = mer_arena_printf(
		&ask->arena, "%s%s%s.%s", ask->folder, has_slash ? "" : "/", id, file_ending(ask));
	if (!name)
		return mer_fail_nomem(&ask->err);
	int rc = cli_close_output(ask);
	return rc ? rc : open_output(ask, name);
}

int cli_close_output(struct ask *ask)
{
	struct cli_output *o = ask->behind;
	const struct cli_sink *sink = o ? &o->sink : NULL;
	const char *name = o && o->name ? o->name : "standard output";
	bool failed = ferror(ask->out) != 0;
	errno = 0;
	if (sink ? fclose(ask->out) != 0 : fflush(ask->out) != 0)
		failed = true;
	int e = sink && sink->error ? sink->error : errno;
	/* What could be read of damaged traces is kept, also where the verb then failed. */
	bool is_void =
		ask->failed_with && !(ask->failed_with == MER_ERR_INPUT && sink && sink->n_bytes);
	if (o && o->file && (failed || is_void)) {
		mer_new_file_abandon(o->file);
	} else if (o && o->file && !mer_new_file_commit(o->file)) {
		e = errno;
		failed = true;
	}
	ask->behind = NULL;
	ask->out = stdout;
	if (!failed)
		return 0;
	return mer_fail(
		&ask->err, MER_ERR_BUG, "cannot write to %s: %s", name, strerror(e ? e : EIO));
}

int cli_exit_of(int code)
{
	switch (code) {
	case MER_ERR_INPUT:
	case MER_ERR_SYS:
	case MER_ERR_LIMIT: return ASK_INPUT;
	case MER_ERR_USAGE: return ASK_USAGE;
	case MER_ERR_CANCELLED: return ASK_INTERRUPTED;
	default: return ASK_INTERNAL;
	}
}
