/* Parts: files that are of some of an experiment's hosts each, made where the recordings of these
 * lie, and used together as one store.
 *
 *   recording of a host, ends of the others' messages ──store_record──→ file of that host
 *   files of all hosts ──store_open_parts──→ store
 *
 * A file has the spans of its own hosts alone, and the packets that these sent or received, with
 * numbers of its own; where the files are together they get the world's. What needs all hosts
 * (requests, who waited for whom) is found there, too. */
#ifndef MER_STORE_PARTS_H
#define MER_STORE_PARTS_H

#include "kernel/world.h"
#include "requests/requests.h"
#include "store/sections.h"

/* Says which hosts the file is of (own: by host), and whether facts of them are in it. */
int store_put_part(struct store_writer *w, const struct kernel_world *world, const bool *own,
	bool has_facts, struct mer_err *err);

/* Of a host that a file is of. Streams as the experiment that the file was made from numbers
 * them. */
struct store_part_host {
	uint32_t first_stream, n_streams;
	uint32_t has_facts, unused;
};
/* host: as numbered in f, which may be a view. NULL: the file is not of that host. */
const struct store_part_host *store_part_of(const struct store_file *f, uint32_t host);

/* A file, and the hosts of the experiment that it was made from. */
struct store_part_file {
	const char *path, *name; /* name: in messages */
	uint8_t key[STORE_KEY_BYTES];
	/* The reader's numbers of these hosts, all different; how many there are. */
	const uint32_t *hosts;
	uint32_t n_hosts;
};

/* *view: the file by the reader's numbers of its n_hosts hosts, which are below n_known; of no use
 * once f is closed. The result is malloc'ed, and to be freed after the view; NULL: no memory. */
uint32_t *store_view_make(struct store_file *view, const struct store_file *f,
	const uint32_t *hosts, uint32_t n_hosts, uint32_t n_known);

struct store_parts {
	const struct store_file *files; /* by the numbers of hosts that they have themselves */
	size_t n;
	struct store_file *views; /* the same, by the reader's */
	uint32_t **numbers;	  /* of the views */
	/* By file: the world's numbers of its packets; blocks of the world's spill. */
	struct store_part_packets {
		uint32_t *of;
		uint32_t n;
	} * packets;
	/* By host: the view of the file that is of it; of a host that none is of, one of a file
	 * that has it as a host without tasks. */
	const struct store_file **of;
	bool *is_there;		 /* by host: a file is of it */
	uint32_t *first_streams; /* by host: of the experiment */
	bool has_facts;		 /* all of them do */
};

/* Who is of which host. MER_ERR_INPUT: a file is of other hosts, of other streams than e has, or of
 * a host that another file is of. store_parts_fini in any case. */
int store_parts_find(struct store_parts *p, const struct store_file *files,
	const struct store_part_file *given, size_t n, const struct mer_experiment *e,
	struct mer_err *err);
void store_parts_fini(struct store_parts *p);

/* The packets of w, whose hosts are there, with what each file knows of its own hosts' sides: sets
 * w->bridges, a block of w's spill, and packets. MER_ERR_INPUT: damaged, or the files were made of
 * different messages. */
int store_parts_bridges(struct store_parts *p, struct kernel_world *w, struct mer_err *err);
/* The number, plus `plus`, of a packet in the file of the host becomes that in the world; less than
 * plus is none, and stays. False: there is no such packet. */
bool store_parts_packet(
	const struct store_parts *p, uint32_t host, uint32_t *packet, uint32_t plus);
/* How many packets the file of the host has. */
uint32_t store_parts_n_packets(const struct store_parts *p, uint32_t host);
/* What endpoints stand for, of all files: sets w->places, malloc'ed, and w->endpoints. */
int store_parts_places(const struct store_parts *p, struct kernel_world *w, struct mer_err *err);
/* CPUs without a stream that were at work, as each file's host knows: added to e. */
int store_parts_absent(const struct store_parts *p, struct mer_experiment *e, struct mer_err *err);
/* As store_get_found_requests: they are found from what each file has. groups: as
 * kernel_world.clock_groups; NULL: times of hosts cannot be compared. */
int store_parts_requests(const struct store_parts *p, struct kernel_world *w,
	const uint32_t *groups, struct requests **found, struct mer_err *err);

#endif
