/* Headers: packet headers in the fields of an event, found by their names.
 *
 * The tracers' layouts are trees of structures and variants in which a member's name says which
 * header it is: "tcp" below "transport_header" below "ipv4", or "thtype_tcp" below
 * "transport_fields". A form is one choice of options of the variants, with the slots of the header
 * fields found there. Reading an event means to compare a few selectors and load a few slots. */
#ifndef MER_SYNC_MATCH_HEADERS_H
#define MER_SYNC_MATCH_HEADERS_H

#include "ctf/program.h"
#include "sync/match/end.h"

enum sync_header { /* where a field is */
	SYNC_NO_HEADER,
	SYNC_IP_HEADER,
	SYNC_TCP_HEADER,
	SYNC_UDP_HEADER,
	SYNC_ICMP_HEADER
};

enum sync_header_field {
	SYNC_SEQ,
	SYNC_ACK,
	SYNC_FLAGS,
	SYNC_SOURCE_PORT,
	SYNC_DEST_PORT,
	SYNC_DATA_OFFSET,
	SYNC_ICMP_TYPE,
	SYNC_ICMP_CODE,
	SYNC_ICMP_REST,
	SYNC_IP_ID,
	SYNC_TOTAL_LEN,	  /* IPv4 */
	SYNC_PAYLOAD_LEN, /* IPv6 */
	SYNC_IP_HEADER_LEN,
	SYNC_FRAGMENT,
	SYNC_SOURCE,
	SYNC_DESTINATION,
	SYNC_N_HEADER_FIELDS
};

enum { SYNC_MAX_FORMS = 24, SYNC_MAX_CHOICES = 4 };

struct sync_form {
	uint8_t n_choices, header; /* header: of the transport, enum sync_header */
	struct {
		uint32_t slot, option;
	} choices[SYNC_MAX_CHOICES];
	uint32_t slots[SYNC_N_HEADER_FIELDS]; /* CTF_NO_SLOT: not there */
	uint8_t address_bits; /* bits of one element of an address array; 0: addresses are
				 single numbers */
};

struct sync_forms {
	struct sync_form form[SYNC_MAX_FORMS];
	uint32_t n;
	bool packed; /* read as sync_header_inner says */
};

/* Is the member a header field, or does it contain one? top: the header that the payload itself is.
 * Used to select the fields to read. */
bool sync_header_wants(const struct ctf_field *member, enum sync_header top);
/* How much of the member and of its own members to read (ctf_wants.inner); around: the header that
 * contains it; inside: the header that contains its members. */
enum ctf_inner sync_header_inner(
	const struct ctf_field *member, enum sync_header around, enum sync_header *inside);
/* plan: of a reading with these fields; packed: it was made with sync_header_inner. Only forms that
 * can be ends are kept. */
void sync_forms_find(
	struct sync_forms *f, const struct ctf_plan *plan, enum sync_header top, bool packed);
/* Fills all of e but time, host, is_send. False: no header that identifies a message. */
bool sync_forms_read(
	const struct sync_form *forms, uint32_t n, const uint64_t *row, struct sync_end *e);

#endif
