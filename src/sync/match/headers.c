/* Headers: from names to forms, from forms to ends. See headers.h. */
#include "sync/match/headers.h"

#include <string.h>

static bool ends_with(const char *name, const char *suffix)
{
	size_t n = strlen(name), s = strlen(suffix);
	return n >= s && strcmp(name + n - s, suffix) == 0;
}

/* The header that a structure describes, by its name; `outer` if the name says nothing. */
static enum sync_header header_of(const char *name, enum sync_header outer)
{
	if (ends_with(name, "ipv4") || ends_with(name, "ipv6"))
		return SYNC_IP_HEADER;
	if (ends_with(name, "tcp"))
		return SYNC_TCP_HEADER;
	if (ends_with(name, "udp"))
		return SYNC_UDP_HEADER;
	if (ends_with(name, "icmp") || ends_with(name, "icmpv6"))
		return SYNC_ICMP_HEADER;
	return outer;
}

static const struct {
	uint8_t header, field;
	const char *name;
} known[] = {
	{ SYNC_TCP_HEADER, SYNC_SEQ, "seq" },
	{ SYNC_TCP_HEADER, SYNC_ACK, "ack_seq" },
	{ SYNC_TCP_HEADER, SYNC_FLAGS, "flags" },
	{ SYNC_TCP_HEADER, SYNC_SOURCE_PORT, "source_port" },
	{ SYNC_TCP_HEADER, SYNC_SOURCE_PORT, "source" },
	{ SYNC_TCP_HEADER, SYNC_SOURCE_PORT, "sport" },
	{ SYNC_TCP_HEADER, SYNC_DEST_PORT, "dest_port" },
	{ SYNC_TCP_HEADER, SYNC_DEST_PORT, "dest" },
	{ SYNC_TCP_HEADER, SYNC_DEST_PORT, "dport" },
	{ SYNC_TCP_HEADER, SYNC_DATA_OFFSET, "data_offset" },
	{ SYNC_TCP_HEADER, SYNC_DATA_OFFSET, "doff" },
	{ SYNC_UDP_HEADER, SYNC_SOURCE_PORT, "source_port" },
	{ SYNC_UDP_HEADER, SYNC_DEST_PORT, "dest_port" },
	{ SYNC_ICMP_HEADER, SYNC_ICMP_TYPE, "type" },
	{ SYNC_ICMP_HEADER, SYNC_ICMP_CODE, "code" },
	{ SYNC_ICMP_HEADER, SYNC_ICMP_REST, "gateway" },
	{ SYNC_IP_HEADER, SYNC_IP_ID, "id" },
	{ SYNC_IP_HEADER, SYNC_TOTAL_LEN, "tot_len" },
	{ SYNC_IP_HEADER, SYNC_PAYLOAD_LEN, "payload_len" },
	{ SYNC_IP_HEADER, SYNC_IP_HEADER_LEN, "ihl" },
	{ SYNC_IP_HEADER, SYNC_FRAGMENT, "frag_off" },
	{ SYNC_IP_HEADER, SYNC_SOURCE, "saddr" },
	{ SYNC_IP_HEADER, SYNC_DESTINATION, "daddr" },
};
enum { N_KNOWN = sizeof(known) / sizeof(known[0]) };

static bool is_number(const struct ctf_fc *fc)
{
	return fc->kind == CTF_INT || fc->kind == CTF_BIT_ARRAY;
}

/* SYNC_N_HEADER_FIELDS: none. */
static int field_of(const struct ctf_field *f, enum sync_header header)
{
	for (int i = 0; i < N_KNOWN; i++) {
		if (known[i].header != header || strcmp(known[i].name, f->name) != 0)
			continue;
		bool address = known[i].field == SYNC_SOURCE || known[i].field == SYNC_DESTINATION;
		if (is_number(f->fc) || (address && f->fc->kind == CTF_ARRAY &&
						is_number(f->fc->u.array.element.fc)))
			return known[i].field;
	}
	return SYNC_N_HEADER_FIELDS;
}

bool sync_header_wants(const struct ctf_field *member, enum sync_header top)
{
	return member->fc->kind == CTF_STRUCT || member->fc->kind == CTF_VARIANT ||
	       field_of(member, top) != SYNC_N_HEADER_FIELDS;
}

/* Is it an IPv4 address that can be read as one number? */
static bool is_packed(const struct ctf_fc *fc)
{
	return ctf_can_be_packed(fc) && fc->u.array.n == 4;
}

enum ctf_inner sync_header_inner(
	const struct ctf_field *member, enum sync_header around, enum sync_header *inside)
{
	enum ctf_kind kind = member->fc->kind;
	*inside = header_of(member->name, around);
	if (kind == CTF_STRUCT || kind == CTF_VARIANT)
		return CTF_INNER_WANTED;
	if (field_of(member, around) == SYNC_N_HEADER_FIELDS)
		return CTF_INNER_UNWANTED;
	return is_packed(member->fc) ? CTF_INNER_PACKED : CTF_INNER_WANTED;
}

static void walk(struct sync_forms *forms, const struct ctf_field *member, uint32_t slot,
	enum sync_header header);

static void walk_variant(
	struct sync_forms *forms, const struct ctf_fc *fc, uint32_t slot, enum sync_header header)
{
	struct sync_forms before = *forms;
	forms->n = 0;
	for (uint32_t o = 0; o < fc->u.variant.n && o < UINT16_MAX; o++) {
		struct sync_forms one = { .packed = before.packed };
		for (uint32_t i = 0; i < before.n; i++) {
			struct sync_form *f = &one.form[one.n];
			*f = before.form[i];
			if (f->n_choices == SYNC_MAX_CHOICES)
				continue;
			f->choices[f->n_choices].slot = slot;
			f->choices[f->n_choices++].option = o;
			one.n++;
		}
		walk(&one, &fc->u.variant.options[o].field, slot + 1, header);
		for (uint32_t i = 0; i < one.n && forms->n < SYNC_MAX_FORMS; i++)
			forms->form[forms->n++] = one.form[i];
	}
}

static void walk(struct sync_forms *forms, const struct ctf_field *member, uint32_t slot,
	enum sync_header header)
{
	const struct ctf_fc *fc = member->fc;
	int field = field_of(member, header);
	for (uint32_t i = 0; field != SYNC_N_HEADER_FIELDS && i < forms->n; i++) {
		struct sync_form *f = &forms->form[i];
		f->slots[field] = slot;
		if (header != SYNC_IP_HEADER)
			f->header = (uint8_t)header;
		if (fc->kind == CTF_ARRAY && !(forms->packed && is_packed(fc)))
			f->address_bits = (uint8_t)fc->u.array.element.fc->u.bits.len_bits;
	}
	header = header_of(member->name, header);
	if (fc->kind == CTF_VARIANT)
		walk_variant(forms, fc, slot, header);
	if (fc->kind != CTF_STRUCT)
		return;
	for (uint32_t i = 0; i < fc->u.record.n; i++) {
		walk(forms, &fc->u.record.fields[i], slot, header);
		slot += ctf_slot_width(fc->u.record.fields[i].fc);
	}
}

static bool has(const struct sync_form *f, enum sync_header_field field)
{
	return f->slots[field] != CTF_NO_SLOT;
}

static bool can_be_end(const struct sync_form *f)
{
	bool ip = has(f, SYNC_SOURCE) && has(f, SYNC_DESTINATION);
	bool len = has(f, SYNC_TOTAL_LEN) || has(f, SYNC_PAYLOAD_LEN);
	bool packet = ip && has(f, SYNC_IP_ID) && has(f, SYNC_TOTAL_LEN);
	switch (f->header) {
	case SYNC_TCP_HEADER: return has(f, SYNC_SEQ) && has(f, SYNC_ACK) && has(f, SYNC_FLAGS);
	case SYNC_UDP_HEADER:
		return ip && len && has(f, SYNC_SOURCE_PORT) && has(f, SYNC_DEST_PORT);
	case SYNC_ICMP_HEADER: return packet && has(f, SYNC_ICMP_TYPE) && has(f, SYNC_ICMP_REST);
	default: return false;
	}
}

void sync_forms_find(
	struct sync_forms *f, const struct ctf_plan *plan, enum sync_header top, bool packed)
{
	f->n = 1;
	f->packed = packed;
	f->form[0] = (struct sync_form){ 0 };
	for (int i = 0; i < SYNC_N_HEADER_FIELDS; i++)
		f->form[0].slots[i] = CTF_NO_SLOT;
	const struct ctf_fc *payload = plan->class->payload;
	const uint32_t *slots = plan->slots[CTF_SCOPE_PAYLOAD];
	for (uint32_t i = 0; payload && slots && i < payload->u.record.n; i++)
		if (slots[i] != CTF_NO_SLOT)
			walk(f, &payload->u.record.fields[i], slots[i], top);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < f->n; i++)
		if (can_be_end(&f->form[i]))
			f->form[kept++] = f->form[i];
	f->n = kept;
}

/* ---- reading ---- */

static uint64_t get(const struct sync_form *f, const uint64_t *row, enum sync_header_field field)
{
	return has(f, field) ? row[f->slots[field]] : 0;
}

/* An address as 32 bits: an IPv4 address itself, or a hash of another one. 0: none. */
static uint32_t get_address(const struct sync_form *f, const uint64_t *row,
	enum sync_header_field field, bool *is_local, bool *is_ipv4)
{
	if (!has(f, field))
		return 0;
	const uint64_t *p = row + f->slots[field];
	if (!f->address_bits) {
		*is_local |= p[0] >> 24 == 127;
		*is_ipv4 = true;
		return (uint32_t)p[0];
	}
	uint64_t n = p[0];
	const uint64_t *v = (const uint64_t *)(uintptr_t)p[1];
	if (n == 4 && f->address_bits == 8) {
		*is_ipv4 = true;
		*is_local |= v[0] == 127;
		return (uint32_t)(v[0] << 24 | v[1] << 16 | v[2] << 8 | v[3]);
	}
	if (n == 0 || n > 16)
		return 0;
	uint64_t any = 0, hash = 0;
	for (uint64_t i = 0; i + 1 < n; i++) {
		any |= v[i];
		hash = (hash ^ v[i]) * 0x9E3779B97F4A7C15u;
		hash ^= hash >> 29;
	}
	*is_local |= any == 0 && v[n - 1] == 1;
	return sync_hash((uint32_t)v[n - 1], (uint32_t)(hash >> 32), (uint32_t)hash);
}

static void read_ip(const struct sync_form *f, const uint64_t *row, struct sync_end *e)
{
	bool local = false, v4 = false;
	/* In registers: reading back both at once what was just written one by one takes long. */
	uint32_t from = get_address(f, row, SYNC_SOURCE, &local, &v4);
	uint32_t to = get_address(f, row, SYNC_DESTINATION, &local, &v4);
	e->from = from;
	e->to = to;
	e->is_local = local;
	e->is_ipv4 = v4;
	if (!from && !to)
		return;
	e->addresses = sync_hash(1, from, to);
	e->addresses += e->addresses == 0;
	e->id = (uint16_t)get(f, row, SYNC_IP_ID);
	uint64_t len = get(f, row, SYNC_TOTAL_LEN), head = get(f, row, SYNC_IP_HEADER_LEN) * 4;
	if (has(f, SYNC_PAYLOAD_LEN)) {
		head = 40;
		len = get(f, row, SYNC_PAYLOAD_LEN);
		len += len ? head : 0;
	}
	e->len = len <= UINT16_MAX ? (uint16_t)len : 0;
	e->head = head >= 20 && head <= 60 ? (uint8_t)head : 0;
}

static bool read_tcp(const struct sync_form *f, const uint64_t *row, struct sync_end *e)
{
	e->kind = SYNC_TCP;
	e->seq = (uint32_t)row[f->slots[SYNC_SEQ]];
	e->ack = (uint32_t)row[f->slots[SYNC_ACK]];
	e->flags = (uint16_t)row[f->slots[SYNC_FLAGS]];
	uint64_t tcp = get(f, row, SYNC_DATA_OFFSET) * 4;
	e->head = e->head && tcp >= 20 && tcp <= 60 ? (uint8_t)(e->head + tcp) : 0;
	return true;
}

static bool read_udp(struct sync_end *e)
{
	e->kind = SYNC_UDP;
	e->seq = e->ports;
	e->ack = (uint32_t)e->id << 16 | e->len;
	return e->addresses && e->len; /* without id: datagrams.h */
}

static bool read_icmp(const struct sync_form *f, const uint64_t *row, struct sync_end *e)
{
	uint64_t type = get(f, row, SYNC_ICMP_TYPE), code = get(f, row, SYNC_ICMP_CODE);
	bool echo = type == 0 || type == 8;
	e->kind = SYNC_ICMP;
	e->seq = (uint32_t)row[f->slots[SYNC_ICMP_REST]];
	e->ack = (uint32_t)e->id << 16 | e->len;
	e->flags = (uint16_t)(type << 8 | code);
	return e->addresses && (e->id || (echo && e->seq));
}

static bool fits(const struct sync_form *f, const uint64_t *row)
{
	for (uint32_t i = 0; i < f->n_choices; i++)
		if (row[f->choices[i].slot] != f->choices[i].option)
			return false;
	return true;
}

bool sync_forms_read(
	const struct sync_form *forms, uint32_t n, const uint64_t *row, struct sync_end *e)
{
	const struct sync_form *f = forms, *end = forms + n;
	while (f < end && !fits(f, row))
		f++;
	if (f == end)
		return false;
	*e = (struct sync_end){ 0 };
	read_ip(f, row, e);
	/* Fragments but the first have no transport header: what stands there is data. */
	if (get(f, row, SYNC_FRAGMENT) & 0x1fff)
		return false;
	e->ports = (uint32_t)(get(f, row, SYNC_SOURCE_PORT) & 0xffff) << 16 |
		   (uint32_t)(get(f, row, SYNC_DEST_PORT) & 0xffff);
	bool found = f->header == SYNC_TCP_HEADER   ? read_tcp(f, row, e)
		     : f->header == SYNC_UDP_HEADER ? read_udp(e)
						    : read_icmp(f, row, e);
	e->hash = sync_hash(e->kind, e->seq, e->ack);
	return found;
}
