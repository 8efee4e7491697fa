/* What a snapshot says of the host: sockets, disks, interrupts, CPUs, interfaces, its name. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "ftrace/proc/proc_snapshot.h"

enum { MOST_TEXT = 1 << 22, MOST_NET_TEXT = 1 << 26, MOST_SOCKETS = 1 << 20, MOST_LIST = 1 << 16 };
enum { ADDRESS_TEXT = INET6_ADDRSTRLEN + 16 };

/* The token n of the line, from 0; NULL: there are fewer. */
static const char *token(const char *line, unsigned n)
{
	const char *p = line + strspn(line, " \t");
	for (; n && *p; n--) {
		p += strcspn(p, " \t");
		p += strspn(p, " \t");
	}
	return *p ? p : NULL;
}

static bool hex(const char **p, unsigned digits, uint32_t *n)
{
	uint32_t v = 0;
	for (unsigned i = 0; i < digits; i++, (*p)++) {
		char c = **p;
		if (c >= '0' && c <= '9')
			v = v << 4 | (uint32_t)(c - '0');
		else if (c >= 'A' && c <= 'F')
			v = v << 4 | (uint32_t)(c - 'A' + 10);
		else
			return false;
	}
	*n = v;
	return true;
}

/* ---- sockets ---- */

struct address {
	uint8_t bytes[16];
	uint32_t port;
};

/* "0100007F:1F40": numbers of 32 bits, each as the host has the bytes of the wire in memory. */
static bool parse_address(const char *p, bool is_be, unsigned words, struct address *a)
{
	for (unsigned i = 0; i < words; i++) {
		uint32_t v;
		if (!hex(&p, 8, &v))
			return false;
		for (unsigned k = 0; k < 4; k++)
			a->bytes[4 * i + k] = (uint8_t)(v >> 8 * (is_be ? 3 - k : k));
	}
	return *p++ == ':' && hex(&p, 4, &a->port) && (*p == ' ' || *p == '\0');
}

/* Named as addresses of system calls are: an IPv4-mapped IPv6 address as IPv4, as it is on the
 * wire. */
static const char *name_address(struct proc_reading *r, const struct address *a, bool is_v6)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	char text[ADDRESS_TEXT];
	const uint8_t *b = a->bytes;
	if (is_v6 && memcmp(b, mapped, sizeof(mapped)) != 0) {
		char v6[INET6_ADDRSTRLEN];
		if (!inet_ntop(AF_INET6, b, v6, sizeof(v6)))
			return NULL;
		snprintf(text, sizeof(text), "[%s]:%u", v6, (unsigned)a->port);
	} else {
		b += is_v6 ? 12 : 0;
		snprintf(text, sizeof(text), "%u.%u.%u.%u:%u", b[0], b[1], b[2], b[3],
			(unsigned)a->port);
	}
	return mer_arena_strdup(r->arena, text);
}

static bool add_socket(struct proc_reading *r, const struct proc_socket *socket)
{
	struct proc_snapshot *s = r->s;
	if (s->n_sockets == MOST_SOCKETS) {
		s->n_cut++;
		return true;
	}
	uint32_t *at = mer_map_put(&s->by_inode, socket->inode);
	if (!at || !mer_grow(&s->sockets, s->n_sockets, &s->cap_sockets, sizeof(*s->sockets)))
		return false;
	if (*at) {
		s->n_damaged++;
		return true;
	}
	s->sockets[s->n_sockets++] = *socket;
	*at = (uint32_t)s->n_sockets;
	return true;
}

/* "0: 0100007F:14E1 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 12350 ..." */
static bool parse_inet(struct proc_reading *r, const char *line, bool is_v6, bool is_tcp)
{
	enum { LOCAL = 1, REMOTE, STATE, INODE = 9, LISTEN = 10 };
	struct address local = { 0 }, remote = { 0 };
	const char *a = token(line, LOCAL), *b = token(line, REMOTE), *c = token(line, STATE),
		   *d = token(line, INODE);
	unsigned words = is_v6 ? 4 : 1;
	struct proc_socket s = { .family = is_v6 ? PROC_INET6 : PROC_INET };
	uint32_t state;
	if (!a || !b || !c || !d || !parse_address(a, r->is_be, words, &local) ||
		!parse_address(b, r->is_be, words, &remote) || !hex(&c, 2, &state) ||
		!proc_number(&d, UINT64_MAX - 1, &s.inode)) {
		r->s->n_damaged++;
		return true;
	}
	if (s.inode == 0) /* no descriptor has it any more */
		return true;
	s.is_listening = is_tcp && state == LISTEN;
	s.local = name_address(r, &local, is_v6);
	s.remote = remote.port ? name_address(r, &remote, is_v6) : NULL;
	return add_socket(r, &s);
}

static bool read_inet(struct proc_reading *r, int net, const char *name, bool is_v6, bool is_tcp)
{
	char *at = proc_text(&r->folder, net, name, MOST_NET_TEXT), *line;
	bool is_first = true;
	while (at && proc_next_line(&at, &line)) {
		if (!is_first && *line && !parse_inet(r, line, is_v6, is_tcp))
			return false;
		is_first = false;
	}
	return true;
}

/* "000000000cd6c346: 00000003 00000000 00010000 0001 01 11192 /run/x", the path of which may have
 * blanks. */
static bool parse_unix(struct proc_reading *r, const char *line)
{
	enum { FLAGS = 3, INODE = 6, PATH, LISTENS = 0x10000 };
	const char *a = token(line, FLAGS), *b = token(line, INODE), *path = token(line, PATH);
	struct proc_socket s = { .family = PROC_UNIX };
	uint32_t flags;
	if (!a || !b || !hex(&a, 8, &flags) || !proc_number(&b, UINT64_MAX - 1, &s.inode)) {
		r->s->n_damaged++;
		return true;
	}
	if (s.inode == 0) /* not accepted yet */
		return true;
	s.is_listening = flags & LISTENS;
	s.local = path ? mer_arena_strndup(r->arena, path, strnlen(path, 256)) : NULL;
	return add_socket(r, &s);
}

static bool read_unix(struct proc_reading *r, int net)
{
	char *at = proc_text(&r->folder, net, "unix", MOST_NET_TEXT), *line;
	bool is_first = true;
	while (at && proc_next_line(&at, &line)) {
		if (!is_first && *line && !parse_unix(r, line))
			return false;
		is_first = false;
	}
	return true;
}

/* ---- lists ---- */

static bool add_named(struct proc_reading *r, struct proc_list *l, uint32_t number, uint32_t other,
	const char *name, size_t len)
{
	char *own = mer_arena_strndup(r->arena, name, len < 256 ? len : 256);
	if (l->n == MOST_LIST) {
		r->s->n_cut++;
		return true;
	}
	if (!own || !mer_grow(&l->item, l->n, &l->cap, sizeof(*l->item)))
		return false;
	l->item[l->n++] = (struct proc_named){ .number = number, .other = other, .name = own };
	return true;
}

static bool read_interfaces(struct proc_reading *r, int net)
{
	char *at = proc_text(&r->folder, net, "dev", MOST_TEXT), *line;
	for (unsigned n = 0; at && proc_next_line(&at, &line); n++) {
		const char *name = line + strspn(line, " "), *colon = strrchr(name, ':');
		if (n >= 2 && colon && colon > name &&
			!add_named(r, &r->s->interfaces, 0, 0, name, (size_t)(colon - name)))
			return false;
	}
	return true;
}

static bool read_net(struct proc_reading *r, int dir)
{
	int net = proc_open_below(dir, "net");
	if (net < 0)
		return true;
	bool ok = read_inet(r, net, "tcp", false, true) && read_inet(r, net, "tcp6", true, true) &&
		  read_inet(r, net, "udp", false, false) &&
		  read_inet(r, net, "udp6", true, false) && read_unix(r, net) &&
		  read_interfaces(r, net);
	close(net);
	return ok;
}

/* "major minor  #blocks  name", then numbers of the kernel's dev_t. */
static bool read_disks(struct proc_reading *r, int dir)
{
	enum { MINOR_BITS = 20 };
	char *at = proc_text(&r->folder, dir, "partitions", MOST_TEXT), *line;
	while (at && proc_next_line(&at, &line)) {
		const char *a = token(line, 0), *b = token(line, 1), *name = token(line, 3);
		uint64_t major, minor;
		if (!name || !proc_number(&a, (1 << 12) - 1, &major) || *a != ' ' ||
			!proc_number(&b, (1 << MINOR_BITS) - 1, &minor))
			continue;
		if (!add_named(r, &r->s->disks, (uint32_t)(major << MINOR_BITS | minor), 0, name,
			    strcspn(name, " ")))
			return false;
	}
	return true;
}

/* After the counts of all CPUs come the chip, the number on that chip with the trigger type, and
 * the names of the handlers, separated by commas:
 *
 *   25:   457   0   PCI-MSI 81921-edge      virtio3-req.0
 *   33:   120   4   GICv3  30 Level     arch_timer, other */
static bool parse_irq(struct proc_reading *r, const char *line, unsigned n_cpus)
{
	const char *p = token(line, 0);
	uint64_t irq, count;
	if (!p || !proc_number(&p, UINT32_MAX, &irq) || *p++ != ':')
		return true;
	for (unsigned i = 0; i < n_cpus; i++) {
		p += strspn(p, " ");
		if (!proc_number(&p, UINT64_MAX, &count) || *p != ' ')
			return true;
	}
	p = token(p, 1); /* the number, after the chip */
	if (!p)
		return true;
	bool has_kind = memchr(p, '-', strcspn(p, " "));
	p = token(p, 1);
	if (p && !has_kind && (strncmp(p, "Level ", 6) == 0 || strncmp(p, "Edge ", 5) == 0))
		p = token(p, 1);
	while (p && *p) {
		const char *end = strstr(p, ", ");
		size_t len = end ? (size_t)(end - p) : strlen(p);
		while (len && p[len - 1] == ' ')
			len--;
		if (len && !add_named(r, &r->s->irqs, (uint32_t)irq, 0, p, len))
			return false;
		p = end ? end + 2 : NULL;
	}
	return true;
}

static bool read_irqs(struct proc_reading *r, int dir)
{
	char *at = proc_text(&r->folder, dir, "interrupts", MOST_NET_TEXT), *line;
	unsigned n_cpus = 0;
	if (!at || !proc_next_line(&at, &line))
		return true;
	for (const char *p = line; (p = strstr(p, "CPU")); p += 3)
		n_cpus++;
	while (proc_next_line(&at, &line))
		if (!parse_irq(r, line, n_cpus))
			return false;
	return true;
}

/* "processor : 0", then "physical id : 0" of some machines. */
static bool read_cpus(struct proc_reading *r, int dir)
{
	char *at = proc_text(&r->folder, dir, "cpuinfo", MOST_NET_TEXT), *line;
	uint64_t cpu = UINT64_MAX, package;
	while (at && proc_next_line(&at, &line)) {
		const char *p = strchr(line, ':');
		if (!p)
			continue;
		p += 1 + strspn(p + 1, " ");
		if (strncmp(line, "proc", 4) == 0) { /* the only such line of a CPU */
			if (!proc_number(&p, UINT16_MAX, &cpu))
				cpu = UINT64_MAX;
		} else if (strncmp(line, "physical id", 11) == 0 && cpu != UINT64_MAX &&
			   proc_number(&p, UINT16_MAX, &package)) {
			if (!add_named(r, &r->s->cpus, (uint32_t)cpu, (uint32_t)package, "", 0))
				return false;
		}
	}
	return true;
}

/* "98.17 150.02": s since boot. */
static void read_uptime(struct proc_reading *r, int dir)
{
	const char *p = proc_text(&r->folder, dir, "uptime", MOST_TEXT);
	uint64_t s, hundredths;
	if (p && proc_number(&p, INT64_MAX / 4 / 1000000000, &s) && *p++ == '.' &&
		proc_number(&p, 99, &hundredths))
		r->s->uptime_ns = (int64_t)(s * 1000000000 + hundredths * 10000000);
}

static void read_hostname(struct proc_reading *r, int dir)
{
	int below = proc_open_below(dir, "sys/kernel");
	if (below < 0)
		return;
	const char *text = proc_text(&r->folder, below, "hostname", 4096);
	if (text && *text)
		r->s->hostname = mer_arena_strndup(r->arena, text, strcspn(text, "\n"));
	close(below);
}

bool proc_read_host(struct proc_reading *r, int dir)
{
	read_uptime(r, dir);
	read_hostname(r, dir);
	return read_net(r, dir) && read_disks(r, dir) && read_irqs(r, dir) && read_cpus(r, dir);
}
