#include "pcap/read.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/plural.h"
#include "copied/files.h"
#include "copied/notes.h"
#include "copied/order.h"
#include "ctf/writer.h"
#include "pcap/layout.h"
#include "pcap/own.h"

enum { PATH_BYTES = 4200, MOST_BYTES = 128, MOST_WAITING = 1 << 22 };

struct slot { /* a packet that waits for earlier ones */
	struct pcap_packet packet;
	uint32_t next_free; /* plus 1 */
};

struct reading {
	const char *path, *folder, *top;
	uint64_t id;
	struct mer_file file;
	struct mer_arena arena;
	struct mer_str notes;
	struct mer_err *err;
	struct pcap_capture capture;
	struct pcap_own *own;
	struct ctf_schema *schema;
	struct ctf_writer *writer;
	uint64_t n_packets, n_written, n_foreign, n_other_links, n_short, n_guesses, n_early;
	uint64_t n_sent, n_received;
	/* Used only if packets are not in the order of time. */
	struct copied_order order;
	struct slot *slots;
	size_t n_slots, cap_slots;
	uint32_t free_slot; /* plus 1 */
	int64_t last;	    /* time of the last packet written */
	uint64_t n_back;
};

/* ---- the first look ---- */

static int look_at(struct reading *r, const struct pcap_packet *p)
{
	struct pcap_headers h;
	r->n_packets++;
	if (p->time > 0)
		copied_order_look(&r->order, (uint64_t)p->time);
	if (!pcap_headers_of(p, &h) || h.way != PCAP_WAY_UNKNOWN || h.is_loop || h.is_for_others)
		return 0;
	r->n_guesses++;
	return pcap_own_look(r->own, p, &h) ? 0 : mer_fail_nomem(r->err);
}

/* Goes over all packets. */
static int each(struct reading *r, int (*act)(struct reading *, const struct pcap_packet *))
{
	struct pcap_packet p;
	int rc = pcap_capture_open(&r->capture, r->file.data, r->file.size, r->err);
	while (rc == 0 && pcap_capture_next(&r->capture, &p))
		rc = act(r, &p);
	return rc;
}

/* ---- writing ---- */

static const char *name_of(const struct reading *r, const struct pcap_packet *p,
	const struct pcap_headers *h, char text[PCAP_NAME])
{
	const char *name = r->capture.is_ng && p->interface < PCAP_MAX_INTERFACES
				   ? r->capture.interfaces[p->interface].name
				   : "";
	if (*name)
		return name;
	if (h->device)
		snprintf(text, PCAP_NAME, "if%" PRIu32, h->device);
	else
		snprintf(text, PCAP_NAME, "%s", h->is_loop ? "lo" : "unknown");
	return text;
}

static int write_one(
	struct reading *r, const struct pcap_packet *p, const struct pcap_headers *h, bool is_send)
{
	char text[PCAP_NAME];
	uint8_t bytes[MOST_BYTES], *at = bytes;
	const char *name = name_of(r, p, h, text);
	size_t len = strnlen(name, PCAP_NAME);
	/* As in events of Linux: len includes the link's header in sent packets only. */
	uint32_t size = h->full_size + (is_send ? h->link_bytes : 0);
	uint64_t number = r->n_written++ + 1;
	memcpy(at, &number, sizeof(number));
	memcpy(at + 8, &size, sizeof(size));
	at += 12;
	memcpy(at, name, len);
	at[len] = '\0';
	at += len + 1;
	*at++ = h->version == 4 ? 1 : h->version == 6 ? 2 : 0;
	if (h->version) {
		size_t ip = h->version == 4 ? 20 : 40;
		memcpy(at, h->ip, ip);
		at += ip;
		*at++ = (uint8_t)h->transport;
		size_t header = h->transport == PCAP_TCP	    ? 20
				: h->transport == PCAP_NO_TRANSPORT ? 0
								    : 8;
		if (header)
			memcpy(at, h->header, header);
		at += header;
	}
	r->n_sent += is_send;
	r->n_received += !is_send;
	return ctf_writer_record(r->writer,
		&r->schema->streams[0].events[is_send ? PCAP_EVENT_SEND : PCAP_EVENT_RECEIVE],
		(uint64_t)r->last, bytes, (size_t)(at - bytes), r->err);
}

static int write_packet(struct reading *r, const struct pcap_packet *p)
{
	struct pcap_headers h;
	if (!pcap_headers_of(p, &h)) {
		r->n_other_links++;
		return 0;
	}
	if (p->time <= 0) {
		r->n_early++;
		return 0;
	}
	r->n_short += h.is_short;
	r->n_back += p->time < r->last;
	r->last = p->time > r->last ? p->time : r->last;
	if (h.is_loop && h.way == PCAP_WAY_UNKNOWN) {
		int rc = write_one(r, p, &h, true);
		return rc ? rc : write_one(r, p, &h, false);
	}
	enum pcap_way way = h.is_for_others		? PCAP_WAY_UNKNOWN
			    : h.way == PCAP_WAY_UNKNOWN ? pcap_own_way(r->own, p, &h)
							: h.way;
	if (way == PCAP_WAY_UNKNOWN) {
		r->n_foreign++;
		return 0;
	}
	return write_one(r, p, &h, way == PCAP_SENT);
}

static int write_ready(struct reading *r, bool is_end)
{
	struct copied_waiting w;
	int rc = 0;
	while (rc == 0 && copied_order_take(&r->order, is_end, &w)) {
		struct slot *slot = &r->slots[w.more];
		rc = write_packet(r, &slot->packet);
		slot->next_free = r->free_slot;
		r->free_slot = w.more + 1;
	}
	return rc;
}

static int put(struct reading *r, const struct pcap_packet *p)
{
	if (r->order.late == 0 || p->time <= 0)
		return write_packet(r, p);
	struct copied_waiting w = { .time = (uint64_t)p->time, .more = r->free_slot - 1 };
	if (r->free_slot) {
		r->free_slot = r->slots[w.more].next_free;
	} else {
		if (!mer_grow(&r->slots, r->n_slots, &r->cap_slots, sizeof(*r->slots)))
			return mer_fail_nomem(r->err);
		w.more = (uint32_t)r->n_slots++;
	}
	r->slots[w.more].packet = *p;
	return copied_order_put(&r->order, &w) ? write_ready(r, false) : mer_fail_nomem(r->err);
}

static int write_all(struct reading *r)
{
	copied_order_begin(&r->order);
	r->order.most = MOST_WAITING;
	int rc = each(r, put);
	return rc ? rc : write_ready(r, true);
}

static int make_schema(struct reading *r)
{
	r->schema = pcap_layout(&r->arena, r->capture.is_ng ? "pcapng" : "pcap");
	if (!r->schema)
		return mer_fail_nomem(r->err);
	r->schema->has_uuid = true;
	copied_uuid(r->schema->uuid, r->id, 0, 0);
	return 0;
}

static int write_trace(struct reading *r)
{
	char path[PATH_BYTES];
	int n = snprintf(path, sizeof(path), "%s/packets", r->folder);
	if ((size_t)n >= sizeof(path))
		return mer_fail(r->err, MER_ERR_LIMIT, "%s: the path is too long", r->folder);
	int rc = ctf_writer_open(r->schema, &r->schema->streams[0],
		&(struct ctf_writer_options){ .path = path }, &r->writer, r->err);
	if (rc)
		return rc;
	rc = write_all(r);
	int closed = ctf_writer_close(r->writer, rc ? NULL : r->err);
	rc = rc ? rc : closed;
	return rc ? rc : copied_write_metadata(r->folder, r->schema, r->err);
}

/* ---- notes ---- */

static void tell_own(struct reading *r)
{
	struct mer_str sure = { 0 }, guessed = { 0 };
	pcap_own_tell(r->own, &sure, &guessed);
	if (sure.len)
		copied_notef(&r->notes, MER_NOTE, "pcap-own", 1,
			"the capture does not say which packets were sent; %.300s is taken for this host's address, as it is in most of them, or answers first",
			sure.data);
	if (guessed.len)
		copied_notef(&r->notes, MER_WARNING, "pcap-own", 1,
			"the capture does not say which packets were sent; %.300s is taken for this host's address, but it may be that of the other host: record with 'tcpdump -i any', which says it",
			guessed.data);
	mer_str_fini(&sure);
	mer_str_fini(&guessed);
}

static void tell_left_out(struct reading *r)
{
	if (r->n_foreign)
		copied_notef(&r->notes, MER_NOTE, "pcap-foreign", r->n_foreign,
			"%" PRIu64 " %s left out", r->n_foreign,
			mer_plural(r->n_foreign, "packet was not this host's, and was",
				"packets were not this host's, and were"));
	if (r->n_other_links)
		copied_notef(&r->notes, MER_WARNING, "pcap-link", r->n_other_links,
			"%" PRIu64
			" %s a link of a kind that is not read (it is no Ethernet, loopback, raw IP or Linux' cooked capture), and %s left out",
			r->n_other_links,
			mer_plural(r->n_other_links, "packet is of", "packets are of"),
			mer_plural(r->n_other_links, "was", "were"));
	if (r->capture.n_without_time + r->n_early)
		copied_notef(&r->notes, MER_WARNING, "pcap-times",
			r->capture.n_without_time + r->n_early,
			"%" PRIu64 " %s no time, or no interface, and %s left out",
			r->capture.n_without_time + r->n_early,
			mer_plural(r->capture.n_without_time + r->n_early, "packet has",
				"packets have"),
			mer_plural(r->capture.n_without_time + r->n_early, "was", "were"));
}

static void tell(struct reading *r)
{
	copied_notef(&r->notes, MER_NOTE, "pcap-packets", 1,
		"of this host only packets were recorded: nothing is known of its tasks, CPUs and disks");
	tell_own(r);
	tell_left_out(r);
	if (r->n_short)
		copied_notef(&r->notes, MER_WARNING, "pcap-short", r->n_short,
			"of %" PRIu64
			" %s were kept that the headers are missing; record with 'tcpdump -s 128'",
			r->n_short,
			mer_plural(r->n_short, "packet so few bytes", "packets so few bytes"));
	if (r->n_back)
		copied_notef(&r->notes, MER_WARNING, "pcap-times", r->n_back,
			"%" PRIu64 " %s so late in the file that %s the time of the one before",
			r->n_back, mer_plural(r->n_back, "packet comes", "packets come"),
			mer_plural(r->n_back, "it got", "they got"));
	if (r->capture.n_dropped)
		copied_notef(&r->notes, MER_WARNING, "pcap-dropped", r->capture.n_dropped,
			"%" PRIu64 " %s lost while the capture was recorded; where is not said",
			r->capture.n_dropped,
			mer_plural(r->capture.n_dropped, "packet was", "packets were"));
	if (r->capture.is_cut)
		copied_notef(&r->notes, MER_ERROR, "pcap-cut", 1,
			"the file ends too early; what lies before its end is read");
	if (r->capture.is_damaged)
		copied_notef(&r->notes, MER_ERROR, "pcap-damaged", 1,
			"the file is damaged; what lies before the damage is read");
}

static int read_it(struct reading *r)
{
	r->own = pcap_own_new();
	if (!r->own)
		return mer_fail_nomem(r->err);
	int rc = each(r, look_at);
	if (rc)
		return rc;
	if (!r->n_packets)
		return mer_fail(r->err, MER_ERR_INPUT, "it has no packets");
	pcap_own_decide(r->own);
	if (!mer_make_folder(r->folder))
		return mer_fail_errno(r->err, "make the folder", r->folder);
	rc = make_schema(r);
	if (rc == 0)
		rc = write_trace(r);
	if (rc == 0 && !r->n_written)
		rc = mer_fail(r->err, MER_ERR_INPUT,
			r->n_other_links
				? "its packets are of a link of a kind that is not read (it is no Ethernet, loopback, raw IP or Linux' cooked capture)"
				: "it has no packets of the host that recorded it");
	if (rc)
		return rc;
	tell(r);
	return copied_write_notes(r->top, &r->notes, r->err);
}

int pcap_read(const char *path, const char *folder, uint64_t id, struct mer_err *err)
{
	char below[PATH_BYTES];
	int n = snprintf(below, sizeof(below), "%s/0", folder);
	struct reading *r = calloc(1, sizeof(*r));
	if (!r)
		return mer_fail_nomem(err);
	*r = (struct reading){ .path = path, .top = folder, .folder = below, .id = id, .err = err };
	mer_arena_init(&r->arena);
	int rc = (size_t)n < sizeof(below)
			 ? mer_file_open(&r->file, path, err)
			 : mer_fail(err, MER_ERR_LIMIT, "the path of its copy is too long");
	if (rc == 0) {
		rc = read_it(r);
		mer_file_close(&r->file);
	}
	pcap_own_free(r->own);
	copied_order_fini(&r->order);
	free(r->slots);
	mer_str_fini(&r->notes);
	mer_arena_fini(&r->arena);
	free(r);
	return rc;
}
