#include "kernel/files/object_name.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "sync/match/end.h"

enum { MAX_BYTES = 128 << 20 };

int kernel_name_object(struct kernel_namer *m, const char *text, size_t len,
	enum kernel_object_kind kind, struct kernel_fd *what, struct mer_err *err)
{
	struct mer_intern *names = &m->h->names;
	*what = (struct kernel_fd){ .name = KERNEL_NONE, .kind = (uint8_t)kind };
	if (len == 0)
		return 0;
	if (len <= KERNEL_MAX_OBJECT_NAME)
		what->name = mer_intern_find(names, text, len);
	if (what->name != MER_INTERN_NONE)
		return 0;
	if (len > KERNEL_MAX_OBJECT_NAME || m->n == KERNEL_MAX_OBJECT_NAMES ||
		m->bytes + len > MAX_BYTES)
		return 0;
	what->name = mer_intern_add(names, text, len);
	if (what->name == MER_INTERN_NONE)
		return mer_fail_nomem(err);
	m->n++;
	m->bytes += len;
	return 0;
}

static int name_fixed(struct kernel_namer *m, const char *text, enum kernel_object_kind kind,
	struct kernel_fd *what, struct mer_err *err)
{
	return kernel_name_object(m, text, strlen(text), kind, what, err);
}

static bool begins_with(const char *text, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);
	return len >= n && memcmp(text, prefix, n) == 0;
}

static enum kernel_object_kind kind_of_path(const char *text, size_t len)
{
	static const char *const ttys[] = { "/dev/tty", "/dev/pts/", "/dev/ptmx", "/dev/console" };
	for (size_t i = 0; i < sizeof(ttys) / sizeof(ttys[0]); i++)
		if (begins_with(text, len, ttys[i]))
			return KERNEL_OBJECT_TTY;
	return KERNEL_OBJECT_FILE;
}

int kernel_name_path(struct kernel_namer *m, uint32_t dir, const char *text, size_t len,
	struct kernel_fd *what, struct mer_err *err)
{
	char path[KERNEL_MAX_OBJECT_NAME];
	if (len == 0) { /* the tracer could not read it */
		*what = (struct kernel_fd){ .name = KERNEL_NONE };
		return 0;
	}
	if (dir != KERNEL_NONE && text[0] != '/') {
		const struct mer_intern_text *d = &m->h->names.texts[dir];
		bool slash = d->len && d->text[d->len - 1] == '/';
		if (d->len + !slash + len > sizeof(path)) {
			*what = (struct kernel_fd){ .name = KERNEL_NONE };
			return 0;
		}
		memcpy(path, d->text, d->len);
		path[d->len] = '/';
		memcpy(path + d->len + !slash, text, len);
		text = path;
		len += d->len + !slash;
	}
	return kernel_name_object(m, text, len, kind_of_path(text, len), what, err);
}

/* Numbers of the Linux ABI: those of the machine that runs this program need not be the same. */
enum { FAMILY_UNIX = 1, FAMILY_INET = 2, FAMILY_INET6 = 10, FAMILY_NETLINK = 16 };
enum { FAMILY_PACKET = 17, FAMILY_VSOCK = 40 };
enum { TYPE_MASK = 15, TYPE_STREAM = 1, TYPE_DGRAM = 2, PROTOCOL_TCP = 6, PROTOCOL_UDP = 17 };

int kernel_name_socket(struct kernel_namer *m, uint64_t family, uint64_t type, uint64_t protocol,
	struct kernel_fd *what, struct mer_err *err)
{
	const char *text = "socket";
	type &= TYPE_MASK;
	switch (family) {
	case FAMILY_UNIX: text = "unix socket"; break;
	case FAMILY_INET:
	case FAMILY_INET6:
		if (type == TYPE_STREAM && (protocol == 0 || protocol == PROTOCOL_TCP))
			text = "tcp socket";
		else if (type == TYPE_DGRAM && (protocol == 0 || protocol == PROTOCOL_UDP))
			text = "udp socket";
		break;
	case FAMILY_NETLINK: text = "netlink socket"; break;
	case FAMILY_PACKET: text = "packet socket"; break;
	case FAMILY_VSOCK: text = "vsock socket"; break;
	}
	int rc = name_fixed(m, text,
		family == FAMILY_UNIX ? KERNEL_OBJECT_UNIX : KERNEL_OBJECT_SOCKET, what, err);
	what->family = family <= UINT16_MAX ? (uint16_t)family : 0;
	what->flags = KERNEL_FD_GENERIC;
	return rc;
}

static const uint64_t *elements(const uint64_t *array, uint64_t n)
{
	return array[0] == n ? (const uint64_t *)(uintptr_t)array[1] : NULL;
}

/* "[::1]:80"; an IPv4 address inside an IPv6 one is what is on the wire, and shown as such. */
static void write_v6(const uint64_t *e, uint64_t n, unsigned port, char *out, size_t size)
{
	unsigned char a[16];
	char text[INET6_ADDRSTRLEN];
	for (unsigned i = 0; i < 16; i++) {
		uint64_t byte = n == 16 ? e[i] : e[i / 2] >> (i % 2 ? 0 : 8);
		a[i] = (unsigned char)byte;
	}
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
	if (memcmp(a, mapped, sizeof(mapped)) == 0)
		snprintf(out, size, "%u.%u.%u.%u:%u", a[12], a[13], a[14], a[15], port);
	else if (inet_ntop(AF_INET6, a, text, sizeof(text)))
		snprintf(out, size, "[%s]:%u", text, port);
	else
		out[0] = '\0';
}

int kernel_name_peer(struct kernel_namer *m, uint64_t family, uint64_t port, const uint64_t *v4,
	const uint64_t *v6, struct kernel_fd *what, struct mer_err *err)
{
	char text[INET6_ADDRSTRLEN + 16];
	unsigned p = (unsigned)port & 0xffff;
	const uint64_t *e;
	*what = (struct kernel_fd){ .name = KERNEL_NONE };
	if (family == FAMILY_UNIX) {
		int rc = name_fixed(m, "unix socket", KERNEL_OBJECT_UNIX, what, err);
		what->family = FAMILY_UNIX;
		return rc;
	}
	if (family == FAMILY_INET && (e = elements(v4, 4)))
		snprintf(text, sizeof(text), "%u.%u.%u.%u:%u", (unsigned)e[0] & 255,
			(unsigned)e[1] & 255, (unsigned)e[2] & 255, (unsigned)e[3] & 255, p);
	else if (family == FAMILY_INET6 && (e = elements(v6, 8)))
		write_v6(e, 8, p, text, sizeof(text)); /* LTTng: 8 numbers of 16 bits */
	else if (family == FAMILY_INET6 && (e = elements(v6, 16)))
		write_v6(e, 16, p, text, sizeof(text));
	else
		return 0;
	int rc = name_fixed(m, text, KERNEL_OBJECT_SOCKET, what, err);
	what->family = (uint16_t)family;
	return rc;
}

int kernel_name_pipe(struct kernel_namer *m, struct kernel_fd *what, struct mer_err *err)
{
	char text[32];
	snprintf(text, sizeof(text), "pipe#%u", ++m->n_pipes);
	return name_fixed(m, text, KERNEL_OBJECT_PIPE, what, err);
}

int kernel_name_pair(struct kernel_namer *m, struct kernel_fd *what, struct mer_err *err)
{
	char text[32];
	snprintf(text, sizeof(text), "socketpair#%u", ++m->n_pairs);
	int rc = name_fixed(m, text, KERNEL_OBJECT_UNIX, what, err);
	what->family = FAMILY_UNIX;
	return rc;
}

int kernel_name_dumped(struct kernel_namer *m, const char *text, size_t len, struct kernel_fd *what,
	struct mer_err *err)
{
	static const struct {
		const char *dumped, *name;
		enum kernel_object_kind kind;
	} inodes[] = {
		{ "[eventfd]", "eventfd", KERNEL_OBJECT_EVENT },
		{ "[signalfd]", "signalfd", KERNEL_OBJECT_EVENT },
		{ "inotify", "inotify", KERNEL_OBJECT_EVENT },
		{ "[timerfd]", "timerfd", KERNEL_OBJECT_TIMER },
		{ "[eventpoll]", "epoll", KERNEL_OBJECT_POLL },
	};
	static const char anon[] = "anon_inode:";
	if (begins_with(text, len, "pipe:["))
		return kernel_name_object(m, text, len, KERNEL_OBJECT_PIPE, what, err);
	if (begins_with(text, len, "socket:["))
		return kernel_name_object(m, text, len, KERNEL_OBJECT_SOCKET, what, err);
	if (!begins_with(text, len, anon))
		return kernel_name_path(m, KERNEL_NONE, text, len, what, err);
	const char *inode = text + sizeof(anon) - 1;
	size_t n = len - (sizeof(anon) - 1);
	for (size_t i = 0; i < sizeof(inodes) / sizeof(inodes[0]); i++)
		if (strlen(inodes[i].dumped) == n && memcmp(inode, inodes[i].dumped, n) == 0)
			return name_fixed(m, inodes[i].name, inodes[i].kind, what, err);
	return kernel_name_object(m, text, len, KERNEL_OBJECT_UNKNOWN, what, err);
}

uint32_t kernel_name_endpoint(const char *name)
{
	uint32_t parts[5], n = 0;
	for (const char *p = name; n < 5; n++) {
		uint32_t v = 0, digits = 0;
		for (; *p >= '0' && *p <= '9' && digits < 6; p++, digits++)
			v = v * 10 + (uint32_t)(*p - '0');
		if (!digits || v > (n < 4 ? 255 : UINT16_MAX) ||
			*p++ != (n < 3		 ? '.'
					: n == 3 ? ':'
						 : '\0'))
			return 0;
		parts[n] = v;
	}
	return sync_endpoint(parts[0] << 24 | parts[1] << 16 | parts[2] << 8 | parts[3], parts[4]);
}
