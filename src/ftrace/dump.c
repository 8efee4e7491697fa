#include "ftrace/dump.h"

#include <string.h>

#include "ctf/writer.h"
#include "ftrace/copy.h"

enum { MAX_TEXT = 4096 + 64, CONTEXT = 6 };

static const struct {
	const char *name;
	const char *numbers[FTRACE_DUMP_NUMBERS];
	const char *texts[FTRACE_DUMP_TEXTS];
	bool is_unsigned;
} kinds[FTRACE_N_DUMPS] = {
	[FTRACE_DUMP_TASK] = { "lttng_statedump_process_state",
		{ "tid", "pid", "ppid", "type", "status" }, { "name" }, false },
	[FTRACE_DUMP_PID_NS] = { "lttng_statedump_process_pid_ns",
		{ "tid", "vtid", "vpid", "ns_inum" }, { NULL }, false },
	[FTRACE_DUMP_FILE] = { "lttng_statedump_file_descriptor", { "pid", "fd" }, { "filename" },
		false },
	[FTRACE_DUMP_SOCKET] = { "meridian_statedump_socket", { "pid", "fd", "family" },
		{ "name", "local" }, false },
	[FTRACE_DUMP_DISK] = { "lttng_statedump_block_device", { "dev" }, { "diskname" }, true },
	[FTRACE_DUMP_IRQ] = { "lttng_statedump_interrupt", { "irq" }, { "action" }, true },
	[FTRACE_DUMP_INTERFACE] = { "lttng_statedump_network_interface", { NULL }, { "name" },
		false },
	[FTRACE_DUMP_CPU] = { "lttng_statedump_cpu_topology", { "cpu_id", "physical_id" }, { NULL },
		true },
};

static struct ctf_fc *payload_of(
	struct mer_arena *a, enum ctf_byte_order order, enum ftrace_dump_kind kind)
{
	struct ctf_fc *payload = ctf_new_struct(a, 8);
	for (unsigned i = 0; i < FTRACE_DUMP_NUMBERS && kinds[kind].numbers[i]; i++)
		ctf_struct_add(a, payload, kinds[kind].numbers[i],
			ctf_new_int(a, 32, !kinds[kind].is_unsigned, 8, order));
	for (unsigned i = 0; i < FTRACE_DUMP_TEXTS && kinds[kind].texts[i]; i++)
		ctf_struct_add(a, payload, kinds[kind].texts[i], ctf_new_string(a));
	return payload;
}

int ftrace_stream_dump(
	struct ftrace_stream *s, uint64_t time, const struct ftrace_dump *d, struct mer_err *err)
{
	uint8_t bytes[CONTEXT + 4 * FTRACE_DUMP_NUMBERS + FTRACE_DUMP_TEXTS * (MAX_TEXT + 1)];
	uint8_t *p = bytes + CONTEXT;
	struct ftrace_copy_of of = ftrace_copy_of(s);
	const struct ctf_event_class **class = &of.dumps[d->kind];
	if (!*class)
		*class = ftrace_copy_class(
			of.copy, kinds[d->kind].name, payload_of(of.arena, of.order, d->kind), err);
	if (!*class)
		return MER_ERR_NOMEM;
	memset(bytes, 0, CONTEXT); /* no task did it */
	for (unsigned i = 0; i < FTRACE_DUMP_NUMBERS && kinds[d->kind].numbers[i]; i++) {
		uint32_t v = (uint32_t)d->numbers[i];
		v = of.order == CTF_BE ? __builtin_bswap32(v) : v;
		memcpy(p, &v, sizeof(v));
		p += sizeof(v);
	}
	for (unsigned i = 0; i < FTRACE_DUMP_TEXTS && kinds[d->kind].texts[i]; i++) {
		const char *text = d->texts[i] ? d->texts[i] : "";
		size_t len = strnlen(text, MAX_TEXT);
		memcpy(p, text, len);
		p[len] = '\0';
		p += len + 1;
	}
	return ftrace_stream_own(s, *class, time, bytes, (size_t)(p - bytes), err);
}
