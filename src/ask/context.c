#include "ask/context.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file.h"
#include "base/new_file.h"
#include "cli/sink.h"
#include "ask/verb.h"

enum { OUTPUT_BUFFER = 1 << 18 };

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
	return ask->verb->formats && !ask->picture_only &&
	       (ask->format == ASK_FORMAT_TABLE || ask->format == ASK_FORMAT_LTTV);
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
	ask->bold_out = wants_color(ask, ask->out_is_terminal);
	struct cli_sink *sink = mer_arena_zalloc(&ask->arena, 1, sizeof(*sink));
	if (sink)
		*sink = (struct cli_sink){ .fd = fd,
			.is_text = is_for_people(ask),
			.ascii = ask->ascii,
			.bold = ask->bold_out,
			.is_guarded = ask->csv_safe && ask->format == ASK_FORMAT_CSV };
	FILE *out = sink ? cli_sink_open(sink) : NULL;
	if (!out) {
		if (file)
			mer_new_file_abandon(file);
		return mer_fail_nomem(&ask->err);
	}
	setvbuf(out, NULL, ask->out_is_terminal ? _IOLBF : _IOFBF, OUTPUT_BUFFER);
	ask->sink = sink;
	ask->out = out;
	ask->out_name = name;
	ask->out_file = file;
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

int cli_open_output(struct ask *ask)
{
	const char *name = ask->output && strcmp(ask->output, "-") != 0 ? ask->output : NULL;
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

int ask_output_file(struct ask *ask, const char *id)
{
	if (!ask->folder)
		return 0;
	size_t len = strlen(ask->folder);
	bool has_slash = len && ask->folder[len - 1] == '/';
	const char *name = mer_arena_printf(
		&ask->arena, "%s%s%s.%s", ask->folder, has_slash ? "" : "/", id, file_ending(ask));
	if (!name)
		return mer_fail_nomem(&ask->err);
	int rc = cli_close_output(ask);
	return rc ? rc : open_output(ask, name);
}

int ask_put(struct ask *ask, struct mer_str *text, int rc)
{
	if (rc == 0 && text->failed)
		rc = mer_fail_nomem(&ask->err);
	if (rc == 0 && text->len)
		fwrite(text->data, 1, text->len, ask->out);
	mer_str_fini(text);
	return rc;
}

int ask_run_verb(struct ask *ask, const void *values)
{
	if (!ask->picture_only)
		return ask->verb->run(ask, values);
	FILE *nowhere = fopen("/dev/null", "w");
	if (!nowhere)
		return mer_fail_errno(&ask->err, "open", "/dev/null");
	ask->picture = ask->out;
	ask->out = nowhere;
	int rc = ask->verb->run(ask, values);
	ask->out = ask->picture;
	fclose(nowhere);
	return rc;
}

int ask_write_file(struct ask *ask, const char *path, const struct mer_str *text)
{
	struct mer_new_file f;
	if (!mer_new_file_open(&f, path))
		return mer_fail_errno(&ask->err, "create", path);
	if (mer_write_all(f.fd, text->data, text->len) && mer_new_file_commit(&f))
		return 0;
	int e = errno;
	mer_new_file_abandon(&f);
	errno = e;
	mer_fail_errno(&ask->err, "write", path);
	return MER_ERR_BUG; /* as standard output that is full: exit status 5 */
}

int ask_write_picture(struct ask *ask, const char *path, const struct mer_str *text)
{
	if (!ask->picture_only)
		return ask_write_file(ask, path, text);
	fwrite(text->data, 1, text->len, ask->picture);
	return 0;
}

int cli_close_output(struct ask *ask)
{
	const struct cli_sink *sink = ask->sink;
	const char *name = sink && ask->out_name ? ask->out_name : "standard output";
	bool failed = ferror(ask->out) != 0;
	errno = 0;
	if (sink ? fclose(ask->out) != 0 : fflush(ask->out) != 0)
		failed = true;
	int e = sink && sink->error ? sink->error : errno;
	/* What could be read of damaged traces is kept, also where the verb then failed. */
	bool is_void =
		ask->failed_with && !(ask->failed_with == MER_ERR_INPUT && sink && sink->n_bytes);
	if (ask->out_file && (failed || is_void)) {
		mer_new_file_abandon(ask->out_file);
	} else if (ask->out_file && !mer_new_file_commit(ask->out_file)) {
		e = errno;
		failed = true;
	}
	ask->sink = NULL;
	ask->out_file = NULL;
	ask->out = stdout;
	if (!failed)
		return 0;
	return mer_fail(
		&ask->err, MER_ERR_BUG, "cannot write to %s: %s", name, strerror(e ? e : EIO));
}

int ask_width(const struct ask *ask)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");
	if (ask->out_is_terminal && ask->sink && ioctl(ask->sink->fd, TIOCGWINSZ, &size) == 0 &&
		size.ws_col)
		return size.ws_col;
	int n = columns ? atoi(columns) : 0;
	return n > 0 && n < 10000 ? n : 80;
}

unsigned ask_jobs(const struct ask *ask)
{
	if (ask->jobs)
		return ask->jobs < MER_POOL_THREADS ? (unsigned)ask->jobs : MER_POOL_THREADS;
	return mer_pool_processors();
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
