/* Path words: a segment of a path as people say it, and as programs read it.
 *
 * Texts come from traces and may be anything; here they are as they are. Who prints them for people
 * cleans them (ask/print/text.h). */
#ifndef MER_ASK_PATH_PATH_WORDS_H
#define MER_ASK_PATH_PATH_WORDS_H

#include "path/path.h"
#include "path/path_diff.h"
#include "base/str.h"

/* "running", "runnable", "disk", ... */
const char *path_cause_words(enum path_cause);
const char *path_host_name(const struct path *p, uint32_t host);
/* Its name (kernel_comm); "?" when it is not known, PATH_NOBODY for KERNEL_NONE. */
const char *path_comm(const struct path *p, uint32_t host, uint32_t task);
int32_t path_tid(const struct path *p, uint32_t host, uint32_t task); /* -1: none */
/* "wget/1234" */
void path_put_task(const struct path *p, uint32_t host, uint32_t task, struct mer_str *out);

/* The same with what it did by its own account: "wget/1234: connect". */
void path_put_task_state(const struct path *p, const struct path_segment *s, struct mer_str *out);

/* "irq 12 eth0", "softirq net_rx", "timer": what interrupts. */
void path_put_interrupt(
	const struct kernel_host *h, enum kernel_cause cause, uint32_t source, struct mer_str *out);
/* "vda", "8:16" */
void path_put_device(const struct kernel_host *h, uint32_t dev, struct mer_str *out);

/* "read 10.0.0.2:80", "vda write sync 4096", "python3/154": what the cause is about; may be
 * empty. */
void path_put_detail(const struct path *p, const struct path_segment *s, struct mer_str *out);
/* "waits for disk vda (write, sync) in fsync of /srv/x". others: another host is named where that
 * matters. */
void path_put_sentence(const struct path *p, const struct path_segment *s, struct mer_str *out);
/* "disk, python3 on server", "packets in flight": for people, its texts are cleaned. */
void path_put_part(const struct path_diff_row *r, struct mer_str *out);
/* How it goes on to the next task: "wakes nginx/12"; empty when there is nothing to say. */
void path_put_link(
	const struct path *p, const struct path_link *l, bool hosts, struct mer_str *out);

#endif
