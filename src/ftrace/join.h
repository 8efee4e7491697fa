/* Join: the kernel's event for a packet (net_dev_queue, netif_receive_skb) does not have the
 * packet's bytes, but a probe at the same place does. Both have the address of the sk_buff, and
 * they follow each other on a CPU in either order. They are joined into the event with the bytes:
 *
 *   net:net_dev_queue  skbaddr=A            net:net_dev_queue  skbaddr=A, headers
 *   mer:tx             skb=A hdr=...   ->   mer:tx             skb=A hdr=...
 *
 * The probe may be missing (kprobes do not fire inside another kprobe's handler); the event then
 * has no headers. Records keep their order: while an event waits for its probe, the few records
 * after it wait, too. */
#ifndef MER_FTRACE_JOIN_H
#define MER_FTRACE_JOIN_H

#include "base/err.h"
#include "ftrace/formats.h"

enum ftrace_part_kind {
	FTRACE_PART_NONE,
	FTRACE_PART_PACKET, /* the kernel's event */
	FTRACE_PART_BYTES   /* the probe's */
};

/* The role of a format's records in the join. */
struct ftrace_part {
	enum ftrace_part_kind kind;
	bool can_send, can_receive;
	uint32_t skb;		 /* offset of the address, 8 bytes */
	uint32_t bytes, n_bytes; /* of the packet, from the IP header on */
};
struct ftrace_part ftrace_part_of(const struct ftrace_format *f);
/* Does any of the formats have packet bytes? */
bool ftrace_has_bytes(const struct ftrace_formats *f);

struct ftrace_chain { /* a callchain: n addresses, 8 bytes each */
	const uint8_t *at;
	uint32_t n;
};

struct ftrace_joined {
	uint64_t time;
	const uint8_t *data;
	uint32_t size;
	struct ftrace_chain chain;
	const uint8_t *bytes; /* of the packet; NULL: not known */
	uint32_t n_bytes;
};
typedef int ftrace_joined_fn(void *arg, const struct ftrace_joined *, struct mer_err *err);

struct ftrace_join; /* of one CPU */
/* NULL: no memory. */
struct ftrace_join *ftrace_join_new(bool is_be, ftrace_joined_fn *write, void *arg);
void ftrace_join_free(struct ftrace_join *); /* NULL is fine */
/* Takes a record; records come out through `write`, now or later. part: that of its format, for
 * which the record must be long enough. */
int ftrace_join_record(struct ftrace_join *, const struct ftrace_part *part, uint64_t time,
	const uint8_t *data, uint32_t size, struct mer_err *err);
/* Sets the callchain of the next record. */
void ftrace_join_chain(struct ftrace_join *, struct ftrace_chain chain);
/* Does a record wait? If not, records that are no part of a join need not be passed. */
bool ftrace_join_waits(const struct ftrace_join *);
/* Writes all waiting records. */
int ftrace_join_flush(struct ftrace_join *, struct mer_err *err);

#endif
