#include "analysis/cells.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void analysis_stats_cells(const struct analysis_stats *s, struct mer_cell *cells)
{
	double stddev = analysis_stats_stddev(s);
	int64_t n = (int64_t)s->n;
	memset(cells, 0, ANALYSIS_STATS_CELLS * sizeof(*cells));
	cells[0] = MER_INT(s->n);
	cells[5] = MER_INT(s->total);
	if (n == 0)
		return;
	cells[1] = MER_INT(s->min);
	cells[2] = MER_INT(s->max);
	cells[3] = MER_INT(s->total / n + (s->total % n * 2 >= n));
	if (!isnan(stddev))
		cells[4] = MER_INT(llround(stddev));
	cells[6] = MER_INT(s->min_at);
	cells[7] = MER_INT(s->max_at);
}

void analysis_task_cells(
	const struct analysis_run *run, uint32_t host, uint32_t task, struct mer_cell *cells)
{
	const struct kernel_host *h = &run->world->hosts[host];
	memset(cells, 0, ANALYSIS_TASK_CELLS * sizeof(*cells));
	cells[0] = mer_text(analysis_host_name(run, host));
	if (task == KERNEL_NONE)
		return;
	cells[1] = MER_INT(h->tasks[task].tid);
	if (h->tasks[task].pid >= 0)
		cells[2] = MER_INT(h->tasks[task].pid);
	if (h->tasks[task].name != KERNEL_NONE)
		cells[3] = mer_text(kernel_comm(h, task));
}

void analysis_freq_rows(struct mer_table *t, const struct mer_cell *before, size_t n_before,
	const struct analysis_histogram *f)
{
	enum { MAX_BEFORE = 8 };
	struct mer_cell cells[MAX_BEFORE + ANALYSIS_FREQ_CELLS];
	if (n_before > MAX_BEFORE)
		return;
	memcpy(cells, before, n_before * sizeof(*cells));
	for (unsigned b = 0; b < ANALYSIS_BUCKETS; b++) {
		if (!f->n[b])
			continue;
		cells[n_before] = MER_INT(analysis_bucket_begin(b));
		cells[n_before + 1] = MER_INT(analysis_bucket_begin(b + 1));
		cells[n_before + 2] = MER_INT(f->n[b]);
		mer_table_add(t, cells);
	}
}

const char *analysis_error_name(int64_t ret)
{
	enum { KERNEL_FIRST = 512, MAX = 4095 };
	/* Error numbers common to all architectures except alpha, mips, parisc and sparc. */
	static const char *const names[] = { NULL, "EPERM", "ENOENT", "ESRCH", "EINTR", "EIO",
		"ENXIO", "E2BIG", "ENOEXEC", "EBADF", "ECHILD", "EAGAIN", "ENOMEM", "EACCES",
		"EFAULT", "ENOTBLK", "EBUSY", "EEXIST", "EXDEV", "ENODEV", "ENOTDIR", "EISDIR",
		"EINVAL", "ENFILE", "EMFILE", "ENOTTY", "ETXTBSY", "EFBIG", "ENOSPC", "ESPIPE",
		"EROFS", "EMLINK", "EPIPE", "EDOM", "ERANGE", "EDEADLK", "ENAMETOOLONG", "ENOLCK",
		"ENOSYS", "ENOTEMPTY", "ELOOP", NULL, "ENOMSG", "EIDRM", "ECHRNG", "EL2NSYNC",
		"EL3HLT", "EL3RST", "ELNRNG", "EUNATCH", "ENOCSI", "EL2HLT", "EBADE", "EBADR",
		"EXFULL", "ENOANO", "EBADRQC", "EBADSLT", NULL, "EBFONT", "ENOSTR", "ENODATA",
		"ETIME", "ENOSR", "ENONET", "ENOPKG", "EREMOTE", "ENOLINK", "EADV", "ESRMNT",
		"ECOMM", "EPROTO", "EMULTIHOP", "EDOTDOT", "EBADMSG", "EOVERFLOW", "ENOTUNIQ",
		"EBADFD", "EREMCHG", "ELIBACC", "ELIBBAD", "ELIBSCN", "ELIBMAX", "ELIBEXEC",
		"EILSEQ", "ERESTART", "ESTRPIPE", "EUSERS", "ENOTSOCK", "EDESTADDRREQ", "EMSGSIZE",
		"EPROTOTYPE", "ENOPROTOOPT", "EPROTONOSUPPORT", "ESOCKTNOSUPPORT", "EOPNOTSUPP",
		"EPFNOSUPPORT", "EAFNOSUPPORT", "EADDRINUSE", "EADDRNOTAVAIL", "ENETDOWN",
		"ENETUNREACH", "ENETRESET", "ECONNABORTED", "ECONNRESET", "ENOBUFS", "EISCONN",
		"ENOTCONN", "ESHUTDOWN", "ETOOMANYREFS", "ETIMEDOUT", "ECONNREFUSED", "EHOSTDOWN",
		"EHOSTUNREACH", "EALREADY", "EINPROGRESS", "ESTALE", "EUCLEAN", "ENOTNAM",
		"ENAVAIL", "EISNAM", "EREMOTEIO", "EDQUOT", "ENOMEDIUM", "EMEDIUMTYPE", "ECANCELED",
		"ENOKEY", "EKEYEXPIRED", "EKEYREVOKED", "EKEYREJECTED", "EOWNERDEAD",
		"ENOTRECOVERABLE", "ERFKILL", "EHWPOISON" };
	static const char *const kernels[] = { "ERESTARTSYS", "ERESTARTNOINTR", "ERESTARTNOHAND",
		"ENOIOCTLCMD", "ERESTART_RESTARTBLOCK", "EPROBE_DEFER", "EOPENSTALE", "ENOPARAM",
		NULL, "EBADHANDLE", "ENOTSYNC", "EBADCOOKIE", "ENOTSUPP", "ETOOSMALL",
		"ESERVERFAULT", "EBADTYPE", "EJUKEBOX", "EIOCBQUEUED", "ERECALLCONFLICT" };
	uint64_t e = 0 - (uint64_t)ret;
	if (ret >= 0 || ret < -MAX)
		return NULL;
	const char *name = NULL;
	if (e < sizeof(names) / sizeof(names[0]))
		name = names[e];
	else if (e >= KERNEL_FIRST && e - KERNEL_FIRST < sizeof(kernels) / sizeof(kernels[0]))
		name = kernels[e - KERNEL_FIRST];
	return name ? name : "error";
}

const char *analysis_ret_text(struct mer_arena *arena, uint32_t classes, int64_t ret)
{
	const char *name = analysis_error_name(ret);
	if (name && strcmp(name, "error") != 0)
		return name;
	return !name && classes & KERNEL_CALLS_ADDRESS
		       ? mer_arena_printf(arena, "0x%" PRIx64, (uint64_t)ret)
		       : mer_arena_printf(arena, "%" PRId64, ret);
}
