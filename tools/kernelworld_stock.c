/* kernelworld: events as the kernel names and lays them out (those of Linux 6.1 on x86-64), and the
 * probes that tell what these leave out. */
#include "kernelworld_stock.h"
#include "kernelworld_service.h"
#include "kernelworld_vm.h"

#include <stdlib.h>
#include <string.h>

/* ---- formats ---- */

/* Fields as NAME:TYPE; types: */
static const struct type {
	char letter;
	const char *before, *after;
	uint8_t size, align;
	bool is_signed;
} types[] = {
	{ 'c', "char ", "[16]", 16, 1, true },
	{ 'e', "char ", "[8]", 8, 1, true },
	{ 'p', "pid_t ", "", 4, 4, true },
	{ 'i', "int ", "", 4, 4, true },
	{ 'I', "unsigned int ", "", 4, 4, false },
	{ 'o', "short ", "", 2, 2, true },
	{ 'l', "long ", "", 8, 8, true },
	{ 'L', "unsigned long ", "", 8, 8, false },
	{ 'A', "unsigned long ", "[6]", 48, 8, false },
	{ 'v', "void * ", "", 8, 8, false },
	{ 'd', "dev_t ", "", 4, 4, false },
	{ 'S', "sector_t ", "", 8, 8, false },
	{ 'T', "__data_loc char[] ", "", 4, 4, true },
	{ 's', "s64 ", "", 8, 8, true },
	{ 'q', "u64 ", "", 8, 8, false },
	{ 'x', "s32 ", "", 4, 4, true },
	{ 'u', "u32 ", "", 4, 4, false },
	{ 'w', "u16 ", "", 2, 2, false },
	{ 'h', "u8 ", "[]", 60, 1, false },
};

/* from: the values of LTTng's event, a letter for each field: a the first one, ...; before it P:
 * a priority, R: what a request is; others: 0 a number, - no text. NULL: the values are the
 * fields'. */
struct kind {
	const char *system, *name;
	uint16_t id;
	const char *fields, *from, *print;
};

#define TASK "comm:c pid:p prio:i"
#define TASK_PRINT "\"comm=%s pid=%d prio=%d"
#define TASK_ARGS ", REC->comm, REC->pid, REC->prio"
#define WAKE                                                                                       \
	TASK " target_cpu:i", "abPcd", TASK_PRINT " target_cpu=%03d\"" TASK_ARGS ", REC->target_cpu"
#define VEC "vec:I", "a", "\"vec=%u\", REC->vec"
#define VECTOR "vector:i", "a", "\"vector=%d\", REC->vector"
#define REQUEST "dev:d sector:S nr_sector:I bytes:I rwbs:e comm:c cmd:T", "abcdRfg-", REQUEST_PRINT
#define REQUEST_PRINT                                                                               \
	"\"%d,%d %s %u (%s) %llu + %u [%s]\", ((unsigned int) ((REC->dev) >> 20)), "                \
	"((unsigned int) ((REC->dev) & ((1U << 20) - 1))), REC->rwbs, REC->bytes, __get_str(cmd), " \
	"(unsigned long long)REC->sector, REC->nr_sector, REC->comm"
#define PACKET                                                                                     \
	"skbaddr:v len:I name:T", "abc",                                                           \
		"\"dev=%s skbaddr=%p len=%u\", __get_str(name), REC->skbaddr, REC->len"
#define HEADERS "skb:q len:u hdr:h", NULL, "\" skb=0x%Lx len=%u\", REC->skb, REC->len"

static const struct kind kinds[ST_N] = {
	[EV_SWITCH] = { "sched", "sched_switch", 319,
		"prev_comm:c prev_pid:p prev_prio:i prev_state:l next_comm:c next_pid:p "
		"next_prio:i",
		"abPcdefPg",
		"\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s "
		"next_pid=%d next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, "
		"(REC->prev_state & 255) ? __print_flags(REC->prev_state & 255, \"|\", "
		"{ 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000004, \"T\" }, "
		"{ 0x00000008, \"t\" }, { 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, "
		"{ 0x00000040, \"P\" }, { 0x00000080, \"I\" }) : \"R\", REC->prev_state & 256 ? "
		"\"+\" : \"\", REC->next_comm, REC->next_pid, REC->next_prio" },
	[EV_WAKING] = { "sched", "sched_waking", 322, WAKE },
	[EV_WAKEUP] = { "sched", "sched_wakeup", 321, WAKE },
	[EV_WAKEUP_NEW] = { "sched", "sched_wakeup_new", 320, WAKE },
	[EV_MIGRATE] = { "sched", "sched_migrate_task", 318, TASK " orig_cpu:i dest_cpu:i",
		"abPcde",
		TASK_PRINT " orig_cpu=%d dest_cpu=%d\"" TASK_ARGS
			   ", REC->orig_cpu, REC->dest_cpu" },
	[EV_FORK] = { "sched", "sched_process_fork", 313,
		"parent_comm:c parent_pid:p child_comm:c child_pid:p", "abef",
		"\"comm=%s pid=%d child_comm=%s child_pid=%d\", REC->parent_comm, REC->parent_pid, "
		"REC->child_comm, REC->child_pid" },
	[EV_EXIT] = { "sched", "sched_process_exit", 316, TASK, "abPc", TASK_PRINT "\"" TASK_ARGS },
	[EV_FREE] = { "sched", "sched_process_free", 317, TASK, "abPc", TASK_PRINT "\"" TASK_ARGS },
	[EV_EXEC] = { "sched", "sched_process_exec", 312, "filename:T pid:p old_pid:p", "abc",
		"\"filename=%s pid=%d old_pid=%d\", __get_str(filename), REC->pid, REC->old_pid" },
	[EV_IRQ_ENTRY] = { "irq", "irq_handler_entry", 152, "irq:i name:T", "ab",
		"\"irq=%d name=%s\", REC->irq, __get_str(name)" },
	[EV_IRQ_EXIT] = { "irq", "irq_handler_exit", 151, "irq:i ret:i", "ab",
		"\"irq=%d ret=%s\", REC->irq, REC->ret ? \"handled\" : \"unhandled\"" },
	[EV_RAISE] = { "irq", "softirq_raise", 148, VEC },
	[EV_SOFTIRQ_ENTRY] = { "irq", "softirq_entry", 150, VEC },
	[EV_SOFTIRQ_EXIT] = { "irq", "softirq_exit", 149, VEC },
	[EV_HRTIMER_START] = { "timer", "hrtimer_start", 379,
		"hrtimer:v function:v expires:s softexpires:s mode:u", "abcde",
		"\"hrtimer=%p function=%ps expires=%llu softexpires=%llu mode=%u\", REC->hrtimer, "
		"REC->function, REC->expires, REC->softexpires, REC->mode" },
	[EV_HRTIMER_ENTRY] = { "timer", "hrtimer_expire_entry", 378, "hrtimer:v now:s function:v",
		"abc",
		"\"hrtimer=%p function=%ps now=%llu\", REC->hrtimer, REC->function, REC->now" },
	[EV_HRTIMER_EXIT] = { "timer", "hrtimer_expire_exit", 377, "hrtimer:v", "a",
		"\"hrtimer=%p\", REC->hrtimer" },
	[EV_TIMER_VEC_ENTRY] = { "irq_vectors", "local_timer_entry", 103, VECTOR },
	[EV_TIMER_VEC_EXIT] = { "irq_vectors", "local_timer_exit", 102, VECTOR },
	[EV_RESCHED_ENTRY] = { "irq_vectors", "reschedule_entry", 97, VECTOR },
	[EV_RESCHED_EXIT] = { "irq_vectors", "reschedule_exit", 96, VECTOR },
	[EV_INSERT] = { "block", "block_rq_insert", 1062, REQUEST },
	[EV_ISSUE] = { "block", "block_rq_issue", 1061, REQUEST },
	[EV_COMPLETE] = { "block", "block_rq_complete", 1064,
		"dev:d sector:S nr_sector:I error:i rwbs:e cmd:T", "abcdRe-",
		"\"%d,%d %s (%s) %llu + %u [%d]\", ((unsigned int) ((REC->dev) >> 20)), "
		"((unsigned int) ((REC->dev) & ((1U << 20) - 1))), REC->rwbs, __get_str(cmd), "
		"(unsigned long long)REC->sector, REC->nr_sector, REC->error" },
	[EV_QUEUE] = { "net", "net_dev_queue", 1313, PACKET },
	[EV_RECEIVE] = { "net", "netif_receive_skb", 1312, PACKET },
	[EV_VM_ENTRY] = { "kvm", "kvm_entry", 1402, "vcpu_id:I rip:L", "a0",
		"\"vcpu %u, rip 0x%lx\", REC->vcpu_id, REC->rip" },
	[EV_VM_EXIT] = { "kvm", "kvm_exit", 1410,
		"exit_reason:I guest_rip:L isa:u info1:q info2:q intr_info:u error_code:u vcpu_id:I",
		"abcdefgh",
		"\"vcpu %u reason %u rip 0x%lx info1 0x%016llx info2 0x%016llx intr_info 0x%08x "
		"error_code 0x%08x\", REC->vcpu_id, REC->exit_reason, REC->guest_rip, REC->info1, "
		"REC->info2, REC->intr_info, REC->error_code" },
	[EV_VM_INJECT] = { "kvm", "kvm_inj_virq", 1411, "vector:I", "a",
		"\"IRQ 0x%x\", REC->vector" },
	[EV_VM_USER] = { "kvm", "kvm_userspace_exit", 1425, "reason:u errno:i", "ab",
		"\"reason %u (%d)\", REC->reason, REC->errno" },
	[ST_NEWTASK] = { "task", "task_newtask", 132, "pid:p comm:c clone_flags:L oom_score_adj:o",
		NULL,
		"\"pid=%d comm=%s clone_flags=%lx oom_score_adj=%hd\", REC->pid, REC->comm, "
		"REC->clone_flags, REC->oom_score_adj" },
	[ST_ENTER] = { "raw_syscalls", "sys_enter", 351, "id:l args:A", NULL,
		"\"NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)\", REC->id, REC->args[0], REC->args[1], "
		"REC->args[2], REC->args[3], REC->args[4], REC->args[5]" },
	[ST_EXIT] = { "raw_syscalls", "sys_exit", 350, "id:l ret:l", NULL,
		"\"NR %ld = %ld\", REC->id, REC->ret" },
	[ST_TX] = { "mer", "tx", 1472, HEADERS },
	[ST_RX] = { "mer", "rx", 1473, HEADERS },
	[ST_OPEN] = { "mer", "open", 1474, "dfd:q flags:q path:T", NULL,
		"\" dfd=0x%Lx flags=0x%Lx path=\\\"%s\\\"\", REC->dfd, REC->flags, __get_str(path)" },
	[ST_EXECVE] = { "mer", "exec", 1475, "path:T", NULL,
		"\" path=\\\"%s\\\"\", __get_str(path)" },
	[ST_CONNECT] = { "mer", "connect", 1476, "__probe_ip:L fd:x family:w port:w v4:u", NULL,
		"\"(%lx) fd=%d family=%u port=%u v4=0x%x\", REC->__probe_ip, REC->fd, REC->family, "
		"REC->port, REC->v4" },
	[ST_ACCEPT] = { "mer", "accept", 1477,
		"__probe_func:L __probe_ret_ip:L sk:q dport:w sport:w daddr:u saddr:u", NULL,
		"\"(%lx <- %lx) sk=0x%Lx dport=%u sport=%u daddr=0x%x saddr=0x%x\", "
		"REC->__probe_func, REC->__probe_ret_ip, REC->sk, REC->dport, REC->sport, "
		"REC->daddr, REC->saddr" },
};

enum { COMMON_BYTES = 8 };

/* The next of a kind's fields, at *p; its name has *len letters. NULL: the end. */
static const struct type *next_field(const char **p, const char **name, int *len)
{
	*p += strspn(*p, " ");
	if (!**p)
		return NULL;
	*name = *p;
	*len = (int)strcspn(*p, ":");
	char letter = (*p)[*len + 1];
	*p += *len + 2;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].letter == letter)
			return &types[i];
	give_up("no type %c of a field", letter);
}

static size_t aligned(size_t n, size_t align)
{
	return (n + align - 1) / align * align;
}

static void put_format(struct bytes *b, const struct kind *k)
{
	static const char common[] =
		"format:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";
	char line[300];
	size_t at = COMMON_BYTES, size_at = b->n;
	put_u64(b, 0);
	put(b, line, (size_t)snprintf(line, sizeof(line), "name: %s\nID: %u\n", k->name, k->id));
	put(b, common, sizeof(common) - 1);
	const char *p = k->fields, *name;
	int len;
	for (const struct type *t; (t = next_field(&p, &name, &len)); at += t->size) {
		at = aligned(at, t->align);
		put(b, line,
			(size_t)snprintf(line, sizeof(line),
				"\tfield:%s%.*s%s;\toffset:%zu;\tsize:%u;\tsigned:%d;\n", t->before,
				len, name, t->after, at, t->size, t->is_signed));
	}
	put(b, "\nprint fmt: ", 12);
	put(b, k->print, strlen(k->print));
	put(b, "\n", 1);
	set_u64(b, size_at, b->n - size_at - 8);
}

bool stock_has(const struct machine *m, int event)
{
	if (event >= EV_VM_ENTRY && event <= EV_VM_USER && (m->is_guest || !m->sim->o.n_vms))
		return false;
	return kinds[event].name;
}

uint16_t stock_id(int event)
{
	return kinds[event].id;
}

void put_header_info(struct bytes *b)
{
	static const char page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				   "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				   "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				   "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
	static const char event[] =
		"# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n"
		"\tarray       :   32 bits\n\n\tpadding     : type == 29\n\ttime_extend : type == 30\n"
		"\ttime_stamp : type == 31\n\tdata max type_len  == 28\n";
	put_text(b, "header_page");
	put_u64(b, sizeof(page) - 1);
	put(b, page, sizeof(page) - 1);
	put_text(b, "header_event");
	put_u64(b, sizeof(event) - 1);
	put(b, event, sizeof(event) - 1);
}

void put_systems(struct bytes *b, const struct machine *m)
{
	static const char *const systems[] = { "sched", "irq", "timer", "irq_vectors", "block",
		"net", "kvm", "task", "raw_syscalls", "mer" };
	enum { N = sizeof(systems) / sizeof(systems[0]) };
	uint32_t counts[N] = { 0 }, n = 0;
	for (unsigned i = 0; i < N; i++) {
		for (int e = 0; e < ST_N; e++)
			counts[i] += stock_has(m, e) && !strcmp(kinds[e].system, systems[i]);
		n += counts[i] > 0;
	}
	put_u32(b, n);
	for (unsigned i = 0; i < N; i++) {
		if (!counts[i])
			continue;
		put_text(b, systems[i]);
		put_u32(b, counts[i]);
		for (int e = 0; e < ST_N; e++)
			if (stock_has(m, e) && !strcmp(kinds[e].system, systems[i]))
				put_format(b, &kinds[e]);
	}
}

/* ---- records ---- */

static void store(uint8_t *to, uint64_t x, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		to[i] = (uint8_t)(x >> 8 * i);
}

/* As in common_flags: inside of what it happened. */
static uint8_t flags_of(const struct cpu *c)
{
	enum { HARD = 0x08, SOFT = 0x10, RESCHEDULE = 0x04 };
	uint8_t flags = c->need_resched ? RESCHEDULE : 0;
	if (c->n_frames)
		flags |= c->frames[c->n_frames - 1].is_softirq ? SOFT : HARD;
	return flags;
}

/* A value for each field: numbers; texts and bytes. */
static void record(struct cpu *c, int event, const struct ctf_value *v)
{
	uint8_t data[STOCK_MOST_RECORD] = { 0 };
	const struct kind *k = &kinds[event];
	struct stock *stock = c->m->stock;
	size_t at = COMMON_BYTES, text_at[8], n_texts = 0;
	const struct ctf_value *texts[8];
	store(data, k->id, 2);
	data[2] = flags_of(c);
	store(data + 4, (uint32_t)c->current->tid, 4);
	const char *p = k->fields, *name;
	int len;
	for (const struct type *t; (t = next_field(&p, &name, &len)); at += t->size, v++) {
		at = aligned(at, t->align);
		if (t->letter == 'T') {
			text_at[n_texts] = at;
			texts[n_texts++] = v;
		} else if (v->kind == CTF_VALUE_BYTES) {
			/* The NUL of a text is there in any case. */
			size_t most = t->letter == 'c' || t->letter == 'e' ? t->size - 1u : t->size;
			size_t n = v->v.bytes.len < most ? v->v.bytes.len : most;
			memcpy(data + at, v->v.bytes.data, n);
		} else {
			store(data + at, v->v.u, t->size);
		}
	}
	for (size_t i = 0; i < n_texts; i++) {
		size_t n = texts[i]->v.bytes.len;
		n = n < 256 ? n : 256;
		store(data + text_at[i], at | (n + 1) << 16, 4);
		memcpy(data + at, texts[i]->v.bytes.data, n);
		at += n + 1;
	}
	uint64_t time = clock_of(c->m, c->sim->now);
	if (stock->dat)
		dat_record(stock->dat, c->id, time, data, at);
	else
		perf_record(stock->perf, c, event, time, data, at);
}

/* A probe, which may be missed: that changes nothing else. */
static void probe(struct cpu *c, int event, const struct ctf_value *v)
{
	struct sim *s = c->sim;
	if (s->o.missed <= 0 || world_random_unit(&s->probes) >= s->o.missed)
		record(c, event, v);
}

static struct ctf_value number(uint64_t x)
{
	return (struct ctf_value){ .kind = CTF_VALUE_UINT, .v.u = x };
}

static struct ctf_value bytes_value(const void *data, size_t n)
{
	return (struct ctf_value){ .kind = CTF_VALUE_BYTES, .v.bytes = { data, n } };
}

/* LTTng's bits of a request as the kernel's letters. */
static struct ctf_value request_letters(uint64_t rwbs, char text[16])
{
	enum {
		WRITE = 1,
		DISCARD = 2,
		READ = 4,
		AHEAD = 8,
		SYNC = 32,
		META = 64,
		FLUSH = 256,
		FUA = 512,
		PREFLUSH = 1024
	};
	char *p = text;
	if (rwbs & (PREFLUSH | FLUSH))
		*p++ = 'F';
	*p++ = rwbs & DISCARD ? 'D' : rwbs & WRITE ? 'W' : rwbs & READ ? 'R' : 'N';
	if (rwbs & FUA)
		*p++ = 'F';
	if (rwbs & AHEAD)
		*p++ = 'A';
	if (rwbs & SYNC)
		*p++ = 'S';
	if (rwbs & META)
		*p++ = 'M';
	return bytes_value(text, (size_t)(p - text));
}

/* The first 60 bytes from the IP header on. */
static void headers(struct cpu *c, int event, const struct ctf_value *v)
{
	enum { IP = 4, TCP = 22 };
	/* Bytes of each value of the two headers. */
	static const uint8_t ip[] = { 2, 2, 2, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1 };
	uint8_t hdr[60] = { 0 };
	size_t at = 2;
	hdr[0] = (uint8_t)(v[IP].v.u << 4 | v[IP + 1].v.u);
	hdr[1] = (uint8_t)v[IP + 2].v.u;
	const struct ctf_value *x = &v[IP + 3];
	for (size_t i = 0; i < sizeof(ip); at += ip[i++], x++) {
		store(hdr + at, ip[i] == 2 ? __builtin_bswap16((uint16_t)x->v.u) : x->v.u, ip[i]);
	}
	x = &v[TCP];
	store(hdr + at, __builtin_bswap16((uint16_t)x[0].v.u), 2);
	store(hdr + at + 2, __builtin_bswap16((uint16_t)x[1].v.u), 2);
	store(hdr + at + 4, __builtin_bswap32((uint32_t)x[2].v.u), 4);
	store(hdr + at + 8, __builtin_bswap32((uint32_t)x[3].v.u), 4);
	hdr[at + 12] = (uint8_t)(x[4].v.u << 4);
	hdr[at + 13] = (uint8_t)x[6].v.u;
	store(hdr + at + 14, __builtin_bswap16((uint16_t)x[7].v.u), 2);
	store(hdr + at + 16, __builtin_bswap16((uint16_t)x[8].v.u), 2);
	probe(c, event, (struct ctf_value[]){ v[0], v[1], bytes_value(hdr, sizeof(hdr)) });
}

static void new_task_record(struct cpu *c, const struct ctf_value *v)
{
	enum { COMM = 4, TID, PID = 8, THREAD = 0x3d0f00, PROCESS = 0x1200000 };
	record(c, ST_NEWTASK,
		(struct ctf_value[]){ v[TID], v[COMM],
			number(v[PID].v.u == v[TID].v.u ? PROCESS : THREAD), number(0) });
}

void stock_event(struct cpu *c, int event, const struct ctf_value *v, unsigned n)
{
	struct ctf_value out[16];
	char letters[16];
	unsigned k = 0;
	(void)n;
	if (event >= EV_DUMP_START) {
		proc_dump(&c->m->stock->proc, c, event, v);
		return;
	}
	if (event == EV_FORK)
		new_task_record(c, v);
	for (const char *p = kinds[event].from; *p; p++) {
		if (*p == '0') {
			out[k++] = number(0);
		} else if (*p == '-') {
			out[k++] = bytes_value("", 0);
		} else if (*p == 'P') {
			out[k++] = number(v[*++p - 'a'].v.u + 100);
		} else if (*p == 'R') {
			out[k++] = request_letters(v[*++p - 'a'].v.u, letters);
		} else {
			out[k++] = v[*p - 'a'];
		}
	}
	record(c, event, out);
	if (event == EV_QUEUE || event == EV_RECEIVE)
		headers(c, event == EV_QUEUE ? ST_TX : ST_RX, v);
}

/* ---- calls ---- */

static uint64_t argument(struct sim *s, char letter, int fd)
{
	switch (letter) {
	case 'f': return (uint64_t)fd;
	case 'n': return 4096;
	case 'p': return 0x7FFC12345678;
	case 'm': return UINT64_MAX;
	case 'd': return (uint64_t)-100;
	case 'h': return (uint64_t)s->other;
	case 'o': return FUTEX_PRIVATE | (fd == FUTEX_WAKES);
	case 'i': return 16; /* bytes of an address */
	default: return (uint64_t)(letter - '0');
	}
}

/* As the kernel has it: the bytes of the network. */
static uint32_t peer_address(const struct conn *k, const struct machine *m)
{
	uint32_t id = m->id + 1, a = k->loopback ? 127u << 24 | 1 : 10u << 24 | (id & 0xFFFFFF);
	return __builtin_bswap32(a);
}

static void probe_of_call(struct cpu *c, int call, int fd)
{
	static const char path[] = "/etc/ld.so.cache";
	const struct conn *k = c->sim->peer;
	const struct ctf_value text = bytes_value(path, sizeof(path) - 1);
	if (call == C_OPENAT || call == C_NEWFSTATAT)
		probe(c, ST_OPEN, (struct ctf_value[]){ number((uint64_t)-100), number(0), text });
	else if (call == C_EXECVE)
		probe(c, ST_EXECVE, &text);
	else if (call == C_CONNECT)
		probe(c, ST_CONNECT,
			(struct ctf_value[]){ number(0xFFFFFFFF818E2E30), number((uint64_t)fd),
				number(2), number(__builtin_bswap16(k->end[1].port)),
				number(peer_address(k, k->end[1].m)) });
}

void stock_call(struct cpu *c, int call, int fd)
{
	uint64_t args[6] = { 0 };
	uint8_t data[sizeof(args)];
	const char *letters = calls[call].registers;
	for (unsigned i = 0; letters[i]; i++)
		args[i] = argument(c->sim, letters[i], fd);
	for (unsigned i = 0; i < 6; i++)
		store(data + 8 * i, args[i], 8);
	record(c, ST_ENTER,
		(struct ctf_value[]){
			number(calls[call].number), bytes_value(data, sizeof(data)) });
	probe_of_call(c, call, fd);
}

void stock_return(struct cpu *c, int call, int64_t ret)
{
	const struct conn *k = c->sim->peer;
	if (call == C_ACCEPT4 && ret >= 0)
		probe(c, ST_ACCEPT,
			(struct ctf_value[]){ number(0xFFFFFFFF819A1B20),
				number(0xFFFFFFFF819D7A3C), number((uintptr_t)0xFFFF888004000000),
				number(__builtin_bswap16(k->end[0].port)), number(k->end[1].port),
				number(peer_address(k, k->end[0].m)),
				number(peer_address(k, k->end[1].m)) });
	record(c, ST_EXIT,
		(struct ctf_value[]){ number(calls[call].number), number((uint64_t)ret) });
}

/* ---- a host ---- */

void stock_open(struct machine *m)
{
	struct sim *s = m->sim;
	struct stock *stock = m->stock = need(calloc(1, sizeof(*stock)));
	if ((size_t)snprintf(stock->dir, sizeof(stock->dir), "%s/%s", s->o.dir, m->name) >=
		sizeof(stock->dir))
		give_up("the directory's name is too long");
	make_dirs(stock->dir);
	if (s->o.container >= CONTAINER_PERF)
		stock->perf = perf_open(m, stock->dir);
	else
		stock->dat = dat_open(m, stock->dir);
}

void stock_close(struct machine *m)
{
	if (m->stock->perf)
		perf_close(m->stock->perf);
	else
		dat_close(m->stock->dat);
}

/* ---- bytes and files ---- */

void put(struct bytes *b, const void *data, size_t n)
{
	if (b->cap - b->n < n) {
		b->cap = 2 * (b->n + n) + 256;
		b->of = need(realloc(b->of, b->cap));
	}
	memcpy(b->of + b->n, data, n);
	b->n += n;
}

void put_u16(struct bytes *b, uint16_t x)
{
	uint8_t data[2];
	store(data, x, sizeof(data));
	put(b, data, sizeof(data));
}

void put_u32(struct bytes *b, uint32_t x)
{
	uint8_t data[4];
	store(data, x, sizeof(data));
	put(b, data, sizeof(data));
}

void put_u64(struct bytes *b, uint64_t x)
{
	uint8_t data[8];
	store(data, x, sizeof(data));
	put(b, data, sizeof(data));
}

void put_text(struct bytes *b, const char *t)
{
	put(b, t, strlen(t) + 1);
}

void put_zeros(struct bytes *b, size_t align)
{
	while (b->n % align)
		put(b, "", 1);
}

void set_u64(struct bytes *b, size_t at, uint64_t x)
{
	store(b->of + at, x, 8);
}

FILE *open_in(const char *dir, const char *name, const char *mode)
{
	char path[4300];
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) >= sizeof(path))
		give_up("%s: the path is too long", dir);
	FILE *f = fopen(path, mode);
	if (!f)
		give_up("cannot write %s", path);
	return f;
}

void write_to(FILE *f, const void *data, size_t n)
{
	if (fwrite(data, 1, n, f) != n)
		give_up("cannot write all that there is");
}

void close_whole(FILE *f, const char *name)
{
	if (ferror(f) | fclose(f))
		give_up("cannot write all of %s", name);
}
