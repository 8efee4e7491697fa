/* Packet: header and context of one packet of a data stream, and how large it is.
 *
 * A data stream file is a sequence of packets; this file reads and validates one of them, whatever
 * the bytes are. Finding the next one after damage is left to the caller (trace/scan.c). */
#ifndef MER_CTF_PACKET_H
#define MER_CTF_PACKET_H

#include "ctf/decode.h"

enum { CTF_PACKET_MAGIC = 0xC1FC1FC1 };

enum ctf_packet_status {
	CTF_PACKET_OK,
	CTF_PACKET_TRUNCATED, /* usable: the file ends before the packet does */
	/* Not usable: */
	CTF_PACKET_MAGIC_BAD,
	CTF_PACKET_UUID_BAD,	  /* belongs to another trace */
	CTF_PACKET_CLASS_UNKNOWN, /* no data stream class has this id */
	CTF_PACKET_HEADER_BAD,	  /* header or context cannot be decoded */
	CTF_PACKET_SIZE_BAD,	  /* sizes that contradict each other */
	CTF_PACKET_CONTENT_BAD	  /* content size impossible, but the packet's own size is fine */
};

struct ctf_packet {	       /* 64 bytes: a stream file may have millions of them */
	uint64_t offset;       /* in its file, bytes */
	uint64_t size_bits;    /* as far as the file reaches */
	uint64_t content_bits; /* <= size_bits */
	uint64_t begin, end;   /* cycles */
	uint64_t discarded;    /* counter snapshot */
	uint64_t seq_num;
	uint32_t file;		    /* set by the owner: index of the file */
	uint32_t stream_class : 18; /* index in schema->streams */
	uint32_t has_begin : 1, has_end : 1, has_discarded : 1, has_seq_num : 1;
	uint32_t discarded_len : 7; /* bits of the counter */
	uint32_t is_cut : 1;	    /* the file ends before its content does */
};
_Static_assert(sizeof(struct ctf_packet) == 64, "a packet costs 64 bytes");
_Static_assert(CTF_MAX_STREAM_CLASSES <= 1 << 18, "stream_class has too few bits");

/* Reads the packet at offset of a file of so many bytes. row: program->max_slots, header_row the
 * same: they hold the values of the context and header until the next call. If the status is not
 * usable, packet->size_bits is the offset of the next possible packet (0: unknown) and *bit that of
 * the damage, both from the packet's start. */
enum ctf_packet_status ctf_packet_read(struct ctf_decoder *d, const uint8_t *file, uint64_t bytes,
	uint64_t offset, uint64_t *header_row, uint64_t *row, struct ctf_packet_info *info,
	struct ctf_packet *packet, enum ctf_status *why, uint64_t *bit);

/* The UUID in a packet header that was read (also with CTF_PACKET_UUID_BAD); false: it has none. */
bool ctf_packet_uuid(const struct ctf_program *p, const uint64_t *header_row, uint8_t uuid[16]);

/* A sentence for people; why is used with CTF_PACKET_HEADER_BAD. */
const char *ctf_packet_status_text(enum ctf_packet_status s);

/* Position of the first event record, at body_bit, of a packet that was read before. The clock
 * begins at the packet's begin time, or goes on from `clock` when there is none. bytes: of the
 * file. */
struct ctf_pos ctf_packet_body(const struct ctf_packet *p, uint64_t body_bit, const uint8_t *file,
	uint64_t bytes, uint64_t clock);

#endif
