#include "cli/context.h"

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
#include "cli/verb.h"

enum { OUTPUT_BUFFER = 1 << 18 };

static bool wants_color(const struct cli *cli, bool terminal)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");
	if (cli->color != CLI_AUTO)
		return cli->color == CLI_ALWAYS;
	return terminal && !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0);
}

/* Text that people read, as opposed to what programs do. */
static bool is_for_people(const struct cli *cli)
{
	/* 'events' makes its text safe by itself, and there may be gigabytes of it. */
	return cli->verb->formats && !cli->picture_only &&
	       (cli->format == CLI_FORMAT_TABLE || cli->format == CLI_FORMAT_LTTV);
}

/* name: NULL: standard output. */
static int open_output(struct cli *cli, const char *name)
{
	struct mer_new_file *file = NULL;
	if (name) {
		file = mer_arena_zalloc(&cli->arena, 1, sizeof(*file));
		if (!file)
			return mer_fail_nomem(&cli->err);
		if (!mer_new_file_open(file, name))
			return mer_fail_errno(&cli->err, "write", name);
	}
	int fd = file ? file->fd : STDOUT_FILENO;
	cli->out_is_terminal = isatty(fd);
	cli->bold_out = wants_color(cli, cli->out_is_terminal);
	struct cli_sink *sink = mer_arena_zalloc(&cli->arena, 1, sizeof(*sink));
	if (sink)
		*sink = (struct cli_sink){ .fd = fd,
			.is_text = is_for_people(cli),
			.ascii = cli->ascii,
			.bold = cli->bold_out,
			.is_guarded = cli->csv_safe && cli->format == CLI_FORMAT_CSV };
	FILE *out = sink ? cli_sink_open(sink) : NULL;
	if (!out) {
		if (file)
			mer_new_file_abandon(file);
		return mer_fail_nomem(&cli->err);
	}
	setvbuf(out, NULL, cli->out_is_terminal ? _IOLBF : _IOFBF, OUTPUT_BUFFER);
	cli->sink = sink;
	cli->out = out;
	cli->out_name = name;
	cli->out_file = file;
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
static const char *file_ending(const struct cli *cli)
{
	switch (cli->format) {
	case CLI_FORMAT_CSV: return "csv";
	case CLI_FORMAT_JSON: return "json";
	case CLI_FORMAT_JSONL: return "jsonl";
	default: return NULL;
	}
}

int cli_open_output(struct cli *cli)
{
	const char *name = cli->output && strcmp(cli->output, "-") != 0 ? cli->output : NULL;
	if (!name || !(cli->verb->uses & CLI_USES_TABLES) || !is_folder(name))
		return open_output(cli, name);
	if (cli->picture_only)
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"-o %.200s: a picture goes to a file, not to a folder", name);
	if (!file_ending(cli))
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"-o %.200s: a folder needs --format csv, jsonl or json", name);
	if (mkdir(name, 0777) != 0 && errno != EEXIST)
		return mer_fail_errno(&cli->err, "create", name);
	cli->folder = name;
	return 0; /* until the first table there is no output */
}

int cli_output_file(struct cli *cli, const char *id)
{
	if (!cli->folder)
		return 0;
	size_t len = strlen(cli->folder);
	bool has_slash = len && cli->folder[len - 1] == '/';
	const char *name = mer_arena_printf(
		&cli->arena, "%s%s%s.%s", cli->folder, has_slash ? "" : "/", id, file_ending(cli));
	if (!name)
		return mer_fail_nomem(&cli->err);
	int rc = cli_close_output(cli);
	return rc ? rc : open_output(cli, name);
}

int cli_put(struct cli *cli, struct mer_str *text, int rc)
{
	if (rc == 0 && text->failed)
		rc = mer_fail_nomem(&cli->err);
	if (rc == 0 && text->len)
		fwrite(text->data, 1, text->len, cli->out);
	mer_str_fini(text);
	return rc;
}

int cli_run_verb(struct cli *cli, const void *values)
{
	if (!cli->picture_only)
		return cli->verb->run(cli, values);
	FILE *nowhere = fopen("/dev/null", "w");
	if (!nowhere)
		return mer_fail_errno(&cli->err, "open", "/dev/null");
	cli->picture = cli->out;
	cli->out = nowhere;
	int rc = cli->verb->run(cli, values);
	cli->out = cli->picture;
	fclose(nowhere);
	return rc;
}

int cli_write_file(struct cli *cli, const char *path, const struct mer_str *text)
{
	struct mer_new_file f;
	if (!mer_new_file_open(&f, path))
		return mer_fail_errno(&cli->err, "create", path);
	if (mer_write_all(f.fd, text->data, text->len) && mer_new_file_commit(&f))
		return 0;
	int e = errno;
	mer_new_file_abandon(&f);
	errno = e;
	mer_fail_errno(&cli->err, "write", path);
	return MER_ERR_BUG; /* as standard output that is full: exit status 5 */
}

int cli_write_picture(struct cli *cli, const char *path, const struct mer_str *text)
{
	if (!cli->picture_only)
		return cli_write_file(cli, path, text);
	fwrite(text->data, 1, text->len, cli->picture);
	return 0;
}

int cli_close_output(struct cli *cli)
{
	const struct cli_sink *sink = cli->sink;
	const char *name = sink && cli->out_name ? cli->out_name : "standard output";
	bool failed = ferror(cli->out) != 0;
	errno = 0;
	if (sink ? fclose(cli->out) != 0 : fflush(cli->out) != 0)
		failed = true;
	int e = sink && sink->error ? sink->error : errno;
	/* What could be read of damaged traces is kept, also where the verb then failed. */
	bool is_void =
		cli->failed_with && !(cli->failed_with == MER_ERR_INPUT && sink && sink->n_bytes);
	if (cli->out_file && (failed || is_void)) {
		mer_new_file_abandon(cli->out_file);
	} else if (cli->out_file && !mer_new_file_commit(cli->out_file)) {
		e = errno;
		failed = true;
	}
	cli->sink = NULL;
	cli->out_file = NULL;
	cli->out = stdout;
	if (!failed)
		return 0;
	return mer_fail(
		&cli->err, MER_ERR_BUG, "cannot write to %s: %s", name, strerror(e ? e : EIO));
}

int cli_width(const struct cli *cli)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");
	if (cli->out_is_terminal && cli->sink && ioctl(cli->sink->fd, TIOCGWINSZ, &size) == 0 &&
		size.ws_col)
		return size.ws_col;
	int n = columns ? atoi(columns) : 0;
	return n > 0 && n < 10000 ? n : 80;
}

unsigned cli_jobs(const struct cli *cli)
{
	if (cli->jobs)
		return cli->jobs < MER_POOL_THREADS ? (unsigned)cli->jobs : MER_POOL_THREADS;
	return mer_pool_processors();
}

int cli_exit_of(int code)
{
	switch (code) {
	case MER_ERR_INPUT:
	case MER_ERR_SYS:
	case MER_ERR_LIMIT: return CLI_INPUT;
	case MER_ERR_USAGE: return CLI_USAGE;
	case MER_ERR_CANCELLED: return CLI_INTERRUPTED;
	default: return CLI_INTERNAL;
	}
}
