#include "ask/context.h"

#include <errno.h>
#include <unistd.h>

#include "ask/verb.h"
#include "base/file.h"
#include "base/new_file.h"

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

int ask_width(const struct ask *ask)
{
	enum { USUAL = 80 };
	return ask->width ? ask->width : USUAL;
}

unsigned ask_jobs(const struct ask *ask)
{
	if (ask->jobs)
		return ask->jobs < MER_POOL_THREADS ? (unsigned)ask->jobs : MER_POOL_THREADS;
	return mer_pool_processors();
}
