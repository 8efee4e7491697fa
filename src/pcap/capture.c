#include "pcap/capture.h"

#include <string.h>

enum {
	MAGIC_US = 0xa1b2c3d4,
	MAGIC_NS = 0xa1b23c4d,
	SECTION = 0x0a0d0d0a,
	SECTION_ORDER = 0x1a2b3c4d,
	INTERFACE = 1,
	OLD_PACKET = 2,
	SIMPLE_PACKET = 3,
	STATISTICS = 5,
	PACKET = 6,
	LEAST_BLOCK = 12,
	MAX_KEPT = 1 << 24,
	NS = 1000000000
};

static uint32_t magic_of(const uint8_t *p, bool is_be)
{
	return ftrace_load32(p, is_be);
}

bool pcap_capture_is(const void *head, size_t size)
{
	if (size < 4)
		return false;
	for (int is_be = 0; is_be < 2; is_be++) {
		uint32_t magic = magic_of(head, is_be);
		if (magic == MAGIC_US || magic == MAGIC_NS || magic == SECTION)
			return true;
	}
	return false;
}

static int64_t clamp(uint64_t seconds, uint64_t ns)
{
	return seconds < INT64_MAX / NS ? (int64_t)(seconds * NS + ns) : 0;
}

/* ---- pcap ---- */

static int open_pcap(struct pcap_capture *c, struct mer_err *err)
{
	const uint8_t *head = ftrace_take(&c->b, 24);
	if (!head)
		return mer_fail(err, MER_ERR_INPUT, "it ends within its first bytes");
	c->b.is_be = magic_of(head, true) == MAGIC_US || magic_of(head, true) == MAGIC_NS;
	c->interfaces[0] =
		(struct pcap_interface){ .link = ftrace_load32(head + 20, c->b.is_be) & 0xffff,
			.units_per_s = magic_of(head, c->b.is_be) == MAGIC_NS ? NS : 1000000 };
	c->n_interfaces = 1;
	return 0;
}

static bool next_pcap(struct pcap_capture *c, struct pcap_packet *p)
{
	if (ftrace_left(&c->b) == 0)
		return false;
	uint32_t s = ftrace_u32(&c->b), part = ftrace_u32(&c->b), kept = ftrace_u32(&c->b),
		 full = ftrace_u32(&c->b);
	const struct pcap_interface *i = &c->interfaces[0];
	if (!c->b.ended && (kept > MAX_KEPT || part >= i->units_per_s)) {
		c->is_damaged = true;
		return false;
	}
	const uint8_t *data = c->b.ended ? NULL : ftrace_take(&c->b, kept);
	if (!data) {
		c->is_cut = true;
		return false;
	}
	*p = (struct pcap_packet){ .time = clamp(s, (uint64_t)part * (NS / i->units_per_s)),
		.link = i->link,
		.data = data,
		.size = kept,
		.full_size = full < kept ? kept : full,
		.is_be = c->b.is_be };
	return true;
}

/* ---- pcapng ---- */

/* The next option of a block; false: there is none. */
static bool next_option(
	struct ftrace_bytes *o, uint16_t *code, const uint8_t **value, uint32_t *len)
{
	if (ftrace_left(o) < 4)
		return false;
	*code = ftrace_u16(o);
	*len = ftrace_u16(o);
	*value = ftrace_take(o, *len);
	ftrace_take(o, (4 - *len % 4) % 4 <= ftrace_left(o) ? (4 - *len % 4) % 4 : 0);
	return *value && *code != 0;
}

static void add_interface(struct pcap_capture *c, struct ftrace_bytes b)
{
	enum { IF_NAME = 2, IF_TSRESOL = 9, IF_TSOFFSET = 14 };
	struct pcap_interface i = { .link = ftrace_u16(&b), .units_per_s = 1000000 };
	uint16_t code;
	const uint8_t *v;
	uint32_t len;
	ftrace_take(&b, 6);
	while (next_option(&b, &code, &v, &len)) {
		if (code == IF_NAME) {
			uint32_t n = len < PCAP_NAME - 1 ? len : PCAP_NAME - 1;
			memcpy(i.name, v, n);
		} else if (code == IF_TSRESOL && len >= 1) {
			/* Powers of 10, or of 2 where the highest bit is set. */
			unsigned power = v[0] & 0x7f;
			i.units_per_s = 1;
			if (v[0] & 0x80)
				i.units_per_s = power < 60 ? UINT64_C(1) << power : 0;
			else
				for (unsigned k = 0; k < power; k++)
					i.units_per_s = power <= 18 ? i.units_per_s * 10 : 0;
		} else if (code == IF_TSOFFSET && len >= 8) {
			i.offset_s = (int64_t)ftrace_load64(v, c->b.is_be);
		}
	}
	/* Packets of interfaces beyond the limit, or with an unknown unit of time, are left out. */
	if (c->n_interfaces < PCAP_MAX_INTERFACES)
		c->interfaces[c->n_interfaces] = i;
	c->n_interfaces++;
}

static int64_t ng_time(const struct pcap_interface *i, uint64_t units)
{
	uint64_t s = units / i->units_per_s, rest = units % i->units_per_s;
	uint64_t ns = (uint64_t)((unsigned __int128)rest * NS / i->units_per_s);
	int64_t t = clamp(s, ns);
	if (i->offset_s > INT64_MAX / NS / 2 || i->offset_s < INT64_MIN / NS / 2 ||
		t > INT64_MAX / 2)
		return t;
	return t + i->offset_s * NS;
}

static bool take_packet(
	struct pcap_capture *c, uint32_t type, struct ftrace_bytes b, struct pcap_packet *p)
{
	enum { EPB_FLAGS = 2, WAY = 3, INBOUND = 1, OUTBOUND = 2 };
	uint32_t interface = type == PACKET ? ftrace_u32(&b) : ftrace_u16(&b);
	if (type == OLD_PACKET)
		ftrace_u16(&b);
	uint64_t units = (uint64_t)ftrace_u32(&b) << 32;
	units |= ftrace_u32(&b);
	uint32_t kept = ftrace_u32(&b), full = ftrace_u32(&b);
	const uint8_t *data = ftrace_take(&b, kept), *v;
	uint16_t code;
	uint32_t len;
	if (b.ended) {
		c->is_damaged = true;
		return false;
	}
	if (interface >= c->n_interfaces || interface >= PCAP_MAX_INTERFACES ||
		!c->interfaces[interface].units_per_s) {
		c->n_without_time++;
		return false;
	}
	const struct pcap_interface *i = &c->interfaces[interface];
	*p = (struct pcap_packet){ .time = ng_time(i, units),
		.link = i->link,
		.interface = interface,
		.data = data,
		.size = kept,
		.full_size = full < kept ? kept : full,
		.is_be = c->b.is_be };
	ftrace_take(&b, (4 - kept % 4) % 4);
	while (next_option(&b, &code, &v, &len))
		if (code == EPB_FLAGS && len >= 4) {
			uint32_t way = ftrace_load32(v, c->b.is_be) & WAY;
			p->way = way == INBOUND	   ? PCAP_RECEIVED
				 : way == OUTBOUND ? PCAP_SENT
						   : PCAP_WAY_UNKNOWN;
		}
	return true;
}

/* Packets that the interface or the operating system dropped. */
static void take_statistics(struct pcap_capture *c, struct ftrace_bytes b)
{
	enum { ISB_IFDROP = 5, ISB_OSDROP = 7 };
	uint16_t code;
	const uint8_t *v;
	uint32_t len;
	ftrace_take(&b, 12);
	while (next_option(&b, &code, &v, &len))
		if ((code == ISB_IFDROP || code == ISB_OSDROP) && len >= 8)
			c->n_dropped += ftrace_load64(v, c->b.is_be);
}

/* A block: its type, its length, what is in it, its length again. False: the file ends. */
static bool next_block(struct pcap_capture *c, uint32_t *type, struct ftrace_bytes *body)
{
	if (ftrace_left(&c->b) < LEAST_BLOCK) {
		c->is_cut |= ftrace_left(&c->b) > 0;
		return false;
	}
	const uint8_t *begin = c->b.at;
	*type = ftrace_load32(begin, c->b.is_be);
	if (*type == SECTION) {
		/* A section says its byte order itself. */
		c->b.is_be = ftrace_load32(begin + 8, true) == SECTION_ORDER;
		if (ftrace_load32(begin + 8, c->b.is_be) != SECTION_ORDER) {
			c->is_damaged = true;
			return false;
		}
		c->n_interfaces = 0;
	}
	uint32_t len = ftrace_load32(begin + 4, c->b.is_be);
	if (len < LEAST_BLOCK || len % 4 || len > MAX_KEPT * 2u) {
		c->is_damaged = true;
		return false;
	}
	if (!ftrace_take(&c->b, len)) {
		c->is_cut = true;
		return false;
	}
	*body = ftrace_bytes(begin + 8, len - LEAST_BLOCK, c->b.is_be);
	return true;
}

static bool next_ng(struct pcap_capture *c, struct pcap_packet *p)
{
	uint32_t type;
	struct ftrace_bytes body;
	while (next_block(c, &type, &body))
		switch (type) {
		case INTERFACE: add_interface(c, body); break;
		case PACKET:
		case OLD_PACKET:
			if (take_packet(c, type, body, p))
				return true;
			break;
		case SIMPLE_PACKET: c->n_without_time++; break;
		case STATISTICS: take_statistics(c, body); break;
		default: break;
		}
	return false;
}

int pcap_capture_open(struct pcap_capture *c, const uint8_t *data, size_t size, struct mer_err *err)
{
	memset(c, 0, sizeof(*c));
	c->b = ftrace_bytes(data, size, false);
	if (!pcap_capture_is(data, size))
		return mer_fail(err, MER_ERR_INPUT, "it does not begin as a capture does");
	c->is_ng = ftrace_load32(data, false) == SECTION;
	return c->is_ng ? 0 : open_pcap(c, err);
}

bool pcap_capture_next(struct pcap_capture *c, struct pcap_packet *p)
{
	return c->is_ng ? next_ng(c, p) : next_pcap(c, p);
}
