#include "record/probes.h"

#include <inttypes.h>
#include <string.h>

/* In a definition: {data} and {len} are the offsets of sk_buff, {1} {2} {3} the registers of a
 * function's first arguments. */
static const struct probe {
	const char *name;
	const char *definition[RECORD_N_PROBES]; /* after "e:mer/NAME "; NULL: none of this kind */
	bool returns;				 /* its kprobe is at the function's return */
} probes[] = {
	{ "tx",
		{ "net.net_dev_queue skb=$skbaddr:x64 len=$len:u32 hdr=+14(+{data}($skbaddr)):x8[60]",
			"net_dev_queue skb=skb:x64 len=skb->len hdr=+14(skb->data):x8[60]",
			"ip_output skb={3}:x64 len=+{len}({3}):u32 hdr=+0(+{data}({3})):x8[60]" },
		false },
	{ "rx",
		{ "net.netif_receive_skb skb=$skbaddr:x64 len=$len:u32 hdr=+0(+{data}($skbaddr)):x8[60]",
			"netif_receive_skb skb=skb:x64 len=skb->len hdr=+0(skb->data):x8[60]",
			"ip_rcv skb={1}:x64 len=+{len}({1}):u32 hdr=+0(+{data}({1})):x8[60]" },
		false },
	{ "open", { "syscalls.sys_enter_openat dfd=$dfd flags=$flags path=+u0($filename):ustring" },
		false },
	{ "exec", { "syscalls.sys_enter_execve path=+u0($filename):ustring" }, false },
	{ "connect",
		{ "syscalls.sys_enter_connect fd=$fd family=+u0($uservaddr):u16 port=+u2($uservaddr):u16 v4=+u4($uservaddr):x32",
			NULL,
			"__sys_connect fd={1}:s32 family=+u0({2}):u16 port=+u2({2}):u16 v4=+u4({2}):x32" },
		false },
	{ "accept",
		{ NULL, NULL,
			"inet_csk_accept sk=$retval:x64 dport=+12($retval):u16 sport=+14($retval):u16 daddr=+0($retval):x32 saddr=+4($retval):x32" },
		true },
	{ "acceptfd", { NULL, NULL, "__sys_accept4 fd=$retval:s32" }, true },
	{ "send",
		{ NULL, NULL,
			"tcp_sendmsg sk={1}:x64 size={3}:u32 dport=+12({1}):u16 sport=+14({1}):u16 daddr=+0({1}):x32 saddr=+4({1}):x32" },
		false },
	{ "recv",
		{ NULL, NULL,
			"tcp_recvmsg sk={1}:x64 size={3}:u32 dport=+12({1}):u16 sport=+14({1}):u16 daddr=+0({1}):x32 saddr=+4({1}):x32" },
		false },
	{ "sendto", { "syscalls.sys_enter_sendto fd=$fd port=+u2($addr):u16 v4=+u4($addr):x32" },
		false },
};
enum { N_PROBES = sizeof(probes) / sizeof(*probes), N_HEADERS = 2 };

int record_probe_find(const char *event)
{
	size_t n = strlen(RECORD_PROBE_GROUP);
	if (strncmp(event, RECORD_PROBE_GROUP, n) != 0 || event[n] != ':')
		return -1;
	for (int i = 0; i < N_PROBES; i++)
		if (strcmp(event + n + 1, probes[i].name) == 0)
			return i;
	return -1;
}

/* The register of a function's n-th argument, from 1; NULL: unknown architecture. */
static const char *argument(const char *architecture, char n)
{
	static const struct {
		const char *architecture, *registers[3];
	} all[] = {
		{ "x86_64", { "%di", "%si", "%dx" } },
		{ "aarch64", { "%x0", "%x1", "%x2" } },
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (strcmp(all[i].architecture, architecture) == 0)
			return all[i].registers[n - '1'];
	return NULL;
}

/* Copies the text, replacing the words in braces by their values; false: one is unknown. */
static bool fill_in(const char *text, const struct record_skb *skb, const char *architecture,
	struct mer_str *out)
{
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "{");
		mer_str_add(out, p, n);
		p += n;
		if (!*p)
			break;
		bool is_data = strncmp(p, "{data}", 6) == 0, is_len = strncmp(p, "{len}", 5) == 0;
		if (is_data || is_len) {
			int64_t offset = !skb ? -1 : is_data ? skb->data : skb->len;
			if (offset < 0)
				return false;
			mer_str_printf(out, "%" PRId64, offset);
		} else {
			const char *name = argument(architecture, p[1]);
			if (!name)
				return false;
			mer_str_puts(out, name);
		}
		p = strchr(p, '}') + 1;
	}
	return true;
}

bool record_probe_define(size_t i, enum record_probe_kind kind, const struct record_skb *skb,
	const char *architecture, struct mer_str *out)
{
	static const char letters[RECORD_N_PROBES] = {
		[RECORD_EPROBE] = 'e', [RECORD_TPROBE] = 't', [RECORD_KPROBE] = 'p'
	};
	const struct probe *p = &probes[i];
	struct mer_str text = { 0 };
	bool is = p->definition[kind] && fill_in(p->definition[kind], skb, architecture, &text);
	if (is)
		mer_str_printf(out, "%c:" RECORD_PROBE_GROUP "/%s %s",
			p->returns ? 'r' : letters[kind], p->name, text.data);
	out->failed |= text.failed;
	mer_str_fini(&text);
	return is;
}

struct record_rung record_rung_of(const struct record_facts *f, const struct record_skb *skb)
{
	struct record_rung rung = { 0 };
	struct mer_str unused = { 0 };
	for (size_t i = 0; i < N_PROBES; i++) {
		for (unsigned k = 0; k < RECORD_N_PROBES; k++) {
			if (!f->probes[k] || !record_probe_define(i, (enum record_probe_kind)k, skb,
						     f->architecture, &unused))
				continue;
			if (i < N_HEADERS && !rung.headers)
				rung.headers_by = (enum record_probe_kind)k;
			*(i < N_HEADERS ? &rung.headers : &rung.names) = true;
			break;
		}
	}
	mer_str_fini(&unused);
	return rung;
}
