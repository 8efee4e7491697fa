/* Offsets: where packets have their headers in each host's kernel (btf.h). */
#include <sys/mman.h>
#include <unistd.h>
#include "base/now.h"
#include "record/btf.h"
#include "record/run.h"

enum { AT_ONCE = 8 };
enum { BTF_BYTES_MOST = 64 << 20 };

static bool wants(const struct record_run *r, const struct record_host *h)
{
	const struct record_facts *f = &h->facts;
	return *f->tracefs && f->btf && (f->probes[RECORD_EPROBE] || f->probes[RECORD_KPROBE]) &&
	       record_plan_has_probes(&r->plan) && r->plan.backend != RECORD_LTTNG &&
	       r->plan.backend != RECORD_PERF;
}

static void read_offsets(struct record_host *h, int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	if (record_child_code(&h->step) != 0 || size <= 0 || size > BTF_BYTES_MOST)
		return;
	void *data = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return;
	h->skb.data = record_btf_offset(data, (size_t)size, "sk_buff", "data");
	h->skb.len = record_btf_offset(data, (size_t)size, "sk_buff", "len");
	munmap(data, (size_t)size);
}

/* Reads the BTF of some hosts at once: a few MB each. */
static int learn(
	struct record_run *r, struct record_host *const *hosts, size_t n, struct mer_err *err)
{
	int fds[AT_ONCE], rc = 0;
	for (size_t i = 0; i < n; i++)
		fds[i] = -1;
	for (size_t i = 0; i < n && rc == 0; i++) {
		const char *const *argv =
			record_host_argv(r, hosts[i], "cat /sys/kernel/btf/vmlinux");
		fds[i] = argv ? memfd_create("btf", MFD_CLOEXEC) : -1;
		record_child_free(&hosts[i]->step);
		rc = !argv	  ? mer_fail_nomem(err)
		     : fds[i] < 0 ? mer_fail_errno(err, "make", "a file in memory")
				  : record_loop_spawn(&r->loop, &hosts[i]->step,
					    &(struct record_spawn){ .argv = argv,
						    .output_fd = fds[i],
						    .timeout_ns = INT64_C(60000000000),
						    .owner = hosts[i] },
					    err);
	}
	for (bool any = rc == 0; any;) {
		any = false;
		for (size_t i = 0; i < n; i++)
			any |= !hosts[i]->step.ended;
		if (any && r->loop.n_interrupts) {
			rc = mer_fail(err, MER_ERR_CANCELLED, "interrupted");
			break;
		}
		if (any)
			record_loop_turn(&r->loop, mer_now_ns() + INT64_C(1000000000));
	}
	for (size_t i = 0; i < n; i++) {
		if (rc == 0)
			read_offsets(hosts[i], fds[i]);
		record_child_free(&hosts[i]->step);
		if (fds[i] >= 0)
			close(fds[i]);
	}
	return rc;
}

int record_learn_offsets(struct record_run *r, struct mer_err *err)
{
	struct record_host *hosts[AT_ONCE];
	size_t n = 0;
	int rc = 0;
	for (size_t i = 0; i < r->n_hosts && rc == 0; i++) {
		if (wants(r, &r->hosts[i]))
			hosts[n++] = &r->hosts[i];
		if (n == AT_ONCE || (n && i + 1 == r->n_hosts)) {
			rc = learn(r, hosts, n, err);
			n = 0;
		}
	}
	return rc;
}
