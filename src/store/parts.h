/* Parts: files that are of some of an experiment's hosts each, made where the recordings of these
 * lie, and used together as one store.
 *
 *   recording of a host, ends of the others' messages ──store_record──→ file of that host
 *   files of all hosts ──store_open_parts──→ store
 *
 * Who makes such a file knows all messages, so packets have the same numbers in all of them; a file
 * has the spans of its own hosts alone. What needs all hosts (requests, who waited for whom) is
 * found where the files are together. */
#ifndef MER_STORE_PARTS_H
#define MER_STORE_PARTS_H

#include "kernel/world.h"
#include "requests/requests.h"
#include "store/sections.h"

/* Says which hosts the file is of (own: by host), and whether facts of them are in it. */
int store_put_part(struct store_writer *w, const struct kernel_world *world, const bool *own,
	bool has_facts, struct mer_err *err);

struct store_parts {
	const struct store_file *files;
	size_t n;
	/* By host: the file that is of it, or, of a host that none is of, the first one, which
	 * knows no tasks of it. */
	const struct store_file **of;
	bool *is_there; /* by host: a file is of it */
	bool has_facts; /* all of them do */
};

/* Who is of which host. MER_ERR_INPUT: a file is of other hosts, of other streams than e has, or of
 * a host that another file is of; the message names it by paths. store_parts_fini in any case. */
int store_parts_find(struct store_parts *p, const struct store_file *files,
	const char *const *paths, size_t n, const struct mer_experiment *e, struct mer_err *err);
void store_parts_fini(struct store_parts *p);

/* The packets of w, whose hosts are there, with what each file knows of its own side: an array of
 * w's spill. MER_ERR_INPUT: damaged, or the files were made of different messages. */
int store_parts_bridges(const struct store_parts *p, const struct kernel_world *w,
	struct kernel_bridge **bridges, struct mer_err *err);
/* CPUs without a stream that were at work, as each file's host knows: added to e. */
int store_parts_absent(const struct store_parts *p, struct mer_experiment *e, struct mer_err *err);
/* As store_get_found_requests: they are found from what each file has. groups: as
 * kernel_world.clock_groups; NULL: times of hosts cannot be compared. */
int store_parts_requests(const struct store_parts *p, struct kernel_world *w,
	const uint32_t *groups, struct requests **found, struct mer_err *err);

#endif
