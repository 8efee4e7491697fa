#!/usr/bin/env python3
"""Are the events of a recording those that the tracer's own tool prints, in every field?

    same_text.py OURS REPORT [RAW]

OURS: meridian events --format jsonl; REPORT: trace-cmd report -t, or perf script --ns; RAW: trace-cmd
report -R -t, which has all fields. What differs in form alone is put into one: numbers in other
bases, states and devices by name, addresses. An event or a field that no rule below knows is an
error: nothing is left out because it is not understood."""
import ipaddress
import json
import re
import sys

STATES = ({1: "S", 2: "D", 4: "T", 8: "t", 16: "X", 32: "Z", 64: "P", 128: "I"},
	{1: "S", 2: "D", 4: "T", 8: "t", 16: "Z", 32: "X", 64: "x", 128: "W"})  # the kernel's; libtraceevent's
SOFTIRQS = "HI TIMER NET_TX NET_RX BLOCK IRQ_POLL TASKLET SCHED HRTIMER RCU".split()
TCP = ("ESTABLISHED SYN_SENT SYN_RECV FIN_WAIT1 FIN_WAIT2 TIME_WAIT CLOSE CLOSE_WAIT LAST_ACK LISTEN "
	"CLOSING NEW_SYN_RECV").split()


def i(text, value):
	return int(text) == value


def x(text, value):
	return int(text, 16) == value % (1 << 64)


def s(text, value):
	return text == value


def state(text, value):
	kernel, library = ("|".join(n for bit, n in of.items() if value & bit) or "R" for of in STATES)
	return text in (kernel + ("+" if value & 256 else ""), library)  # without the mark: RAW has the number


def dev(text, value):
	return text == f"{value >> 20},{value & 0xfffff}"


def args(text, value):
	return [int(a, 16) for a in text.split(", ")] == value


def array(text, value):
	return [int(a, 16) for a in text.split(",")] == value


def named(names, first=0):
	return lambda text, value: text == names[value - first]


def address(text, value):
	return ipaddress.ip_address(text).packed == bytes(value)


def family(text, value):
	return text == {2: "AF_INET", 10: "AF_INET6"}[value]


def protocol(text, value):
	return text == {6: "IPPROTO_TCP"}[value]


def handled(text, value):
	return text == ("handled" if value else "unhandled")


def path(text, value):
	# Of a page that was not in memory the path is empty: trace-cmd prints the bytes behind it.
	return value == "" or text == f'"{value}"'


def symbol(text, value):
	return True  # by the symbols of the recorded machine: RAW has the number


KINDS = {f.__name__: f for f in (i, x, s, state, dev, args, array, address, family, protocol, handled, path, symbol)}
KINDS.update(softirq=named(SOFTIRQS), tcp=named(["TCP_" + n for n in TCP], 1))

WAKE = ("comm={comm:s} pid={pid:i} prio={prio:i} target_cpu={target_cpu:i}",
	"{comm:s}:{pid:i} [{prio:i}] CPU:{target_cpu:i}")
TASK = ("comm={comm:s} pid={pid:i} prio={prio:i}",)
SOFTIRQ = ("vec={vec:i} [action={vec:softirq}]",)
PACKET = ("dev={name:s} skbaddr={skbaddr:x} len={len:i}",)
REQUEST = ("{dev:dev} {rwbs:s} {bytes:i} ({cmd:s}) {sector:i} + {nr_sector:i} [{comm:s}]",)
SOCKET = ("({__probe_ip:x}) sk={sk:x} size={size:i} dport={dport:i} sport={sport:i} daddr={daddr:x} saddr={saddr:x}",)
HEADERS = ("skb={skb:x} len={len:i} hdr={{{hdr:array}}}",)
FORMS = {
	"sched:sched_switch": (
		"prev_comm={prev_comm:s} prev_pid={prev_pid:i} prev_prio={prev_prio:i} prev_state={prev_state:state} ==> "
		"next_comm={next_comm:s} next_pid={next_pid:i} next_prio={next_prio:i}",
		"{prev_comm:s}:{prev_pid:i} [{prev_prio:i}] {prev_state:state} ==> {next_comm:s}:{next_pid:i} [{next_prio:i}]"),
	"sched:sched_waking": WAKE, "sched:sched_wakeup": WAKE, "sched:sched_wakeup_new": WAKE,
	"sched:sched_process_exit": TASK, "sched:sched_process_free": TASK, "sched:sched_process_wait": TASK,
	"sched:sched_migrate_task": ("comm={comm:s} pid={pid:i} prio={prio:i} orig_cpu={orig_cpu:i} dest_cpu={dest_cpu:i}",),
	"sched:sched_process_exec": ("filename={filename:s} pid={pid:i} old_pid={old_pid:i}",),
	"sched:sched_process_fork": (
		"comm={parent_comm:s} pid={parent_pid:i} child_comm={child_comm:s} child_pid={child_pid:i}",),
	"sched:sched_stat_runtime": ("comm={comm:s} pid={pid:i} runtime={runtime:i} [ns] vruntime={vruntime:i} [ns]",),
	"task:task_newtask": ("pid={pid:i} comm={comm:s} clone_flags={clone_flags:x} oom_score_adj={oom_score_adj:i}",),
	"task:task_rename": ("pid={pid:i} oldcomm={oldcomm:s} newcomm={newcomm:s} oom_score_adj={oom_score_adj:i}",),
	"irq:irq_handler_entry": ("irq={irq:i} name={name:s}",),
	"irq:irq_handler_exit": ("irq={irq:i} ret={ret:handled}",),
	"irq:softirq_raise": SOFTIRQ, "irq:softirq_entry": SOFTIRQ, "irq:softirq_exit": SOFTIRQ,
	"timer:hrtimer_expire_entry": ("hrtimer={hrtimer:x} now={now:i} function={function:symbol}",
		"hrtimer={hrtimer:x} function={function:symbol} now={now:i}"),
	"timer:hrtimer_expire_exit": ("hrtimer={hrtimer:x}",),
	"raw_syscalls:sys_enter": ("NR {id:i} ({args:args})",),
	"raw_syscalls:sys_exit": ("NR {id:i} = {ret:i}",),
	"block:block_rq_insert": REQUEST, "block:block_rq_issue": REQUEST,
	"block:block_rq_complete": ("{dev:dev} {rwbs:s} ({cmd:s}) {sector:i} + {nr_sector:i} [{error:i}]",),
	"net:net_dev_queue": PACKET, "net:netif_receive_skb": PACKET,
	"signal:signal_generate": (
		"sig={sig:i} errno={errno:i} code={code:i} comm={comm:s} pid={pid:i} grp={group:i} res={result:i}",),
	"sock:inet_sock_set_state": (
		"family={family:family} protocol={protocol:protocol} sport={sport:i} dport={dport:i} "
		"saddr={saddr:address} daddr={daddr:address} saddrv6={saddr_v6:address} daddrv6={daddr_v6:address} "
		"oldstate={oldstate:tcp} newstate={newstate:tcp}",),
	"mer:tx": HEADERS, "mer:rx": HEADERS,
	"mer:open": ('dfd={dfd:x} flags={flags:x} path={path:path}',),
	"mer:exec": ('path={path:path}',),
	"mer:connect": ("({__probe_ip:x}) fd={fd:i} family={family:i} port={port:i} v4={v4:x}",),
	"mer:sendto": ("fd={fd:x} port={port:i} v4={v4:x}",),
	"mer:accept": ("({__probe_func:x} <- {__probe_ret_ip:x}) sk={sk:x} dport={dport:i} sport={sport:i} "
		"daddr={daddr:x} saddr={saddr:x}",),
	"mer:acceptfd": ("({__probe_func:x} <- {__probe_ret_ip:x}) fd={fd:i}",),
	"mer:send": SOCKET, "mer:recv": SOCKET,
}


def compiled(form):
	"""A form as a regular expression, and the fields of its groups."""
	pattern, fields = "", []
	for part in re.split(r"(\{\w+:\w+\})", form):
		m = re.fullmatch(r"\{(\w+):(\w+)\}", part)
		if m:
			pattern += {"s": "(.*?)", "i": r"(-?\d+)", "x": "([0-9a-fx]+)"}.get(m[2], "(.+?)")
			fields.append((m[1], KINDS[m[2]]))
		else:
			pattern += re.escape(part.replace("{{", "{").replace("}}", "}"))
	return re.compile(pattern), fields


COMPILED = {name: [compiled(f) for f in forms] for name, forms in FORMS.items()}
SHORT = {}
for full in FORMS:
	SHORT.setdefault(full.split(":")[1], full)

# "sh-275  [001] 49.87: sys_exit: ...", or with a system, and a blank before the thread.
LINE = re.compile(r"(.*?)([ /-])(-?\d+) +\[(\d+)\] +([\d.]+): +(?:(\w+):)?(\w+): *(.*)")
GONE = -1  # perf's thread of a task that has ended


def ns(text):
	seconds, dot, part = text.partition(".")
	return int(seconds) * 10**9 + int(part) if dot else int(seconds)


def events_of(path):
	"""(time, CPU, thread, name, text), in order of time. An address of a raw report has line ends in it."""
	found = []
	with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as lines:
		for line in lines:
			m = LINE.match(line)
			if m:
				name = f"{m[6]}:{m[7]}" if m[6] else SHORT.get(m[7], m[7])
				found.append([ns(m[5]), int(m[4]), int(m[3]), name, m[8].rstrip("\n")])
			elif found and not re.match(r"cpus=|(\S+: )?CPU:\d+ \[\d+ EVENTS DROPPED\]$", line):
				found[-1][4] += "\n" + line.rstrip("\n")
	return sorted(found, key=lambda e: e[:2])


def ours_of(path):
	with open(path, encoding="utf-8") as lines:
		all_events = [json.loads(line) for line in lines]
	found = [e for e in all_events if "_statedump_" not in e["name"] and not e["name"].startswith("perf_")]
	return sorted(found, key=lambda e: (e["time"], e["cpu"]))


def is_same(name, text, payload):
	"""None, or what differs."""
	for pattern, fields in COMPILED[name]:
		m = pattern.fullmatch(text)
		if not m:
			continue
		for (field, kind), found in zip(fields, m.groups()):
			if not kind(found, payload[field]):
				return f"{field}: {found!r} is {payload[field]!r} here"
		return None
	return "no form fits"


# Of packets, these come from a probe's record (ftrace/join.h).
JOINED = {"network_header_type", "network_header"}
LONG = {"clone_flags", "__probe_ip", "__probe_func", "__probe_ret_ip"}  # hexadecimal, without 0x


def raw_value(name, text, value):
	if isinstance(value, str):
		return value == "" or text == value  # as in path()
	if isinstance(value, list):
		if not text.startswith("ARRAY["):
			return True  # bytes that may be a text; REPORT has them as numbers
		data = bytes(int(b, 16) for b in text[6:-1].split(", "))
		size = len(data) // len(value)
		return [int.from_bytes(data[k * size:(k + 1) * size], "little") for k in range(len(value))] == value
	if name not in LONG and re.fullmatch(r"-?\d+", text):
		return int(text) == value
	is_hex = name in LONG or text.startswith("0x")
	return is_hex and re.fullmatch(r"[0-9a-fx]+", text) is not None and int(text, 16) == value % (1 << 64)


def is_same_raw(text, payload):
	"""All fields are in it, in the order of the payload; None, or what differs."""
	names = [n for n in payload if n not in JOINED]
	at, values = 0, []
	for k, name in enumerate(names):
		front = name + "="
		end = text.find(f" {names[k + 1]}=", at) if k + 1 < len(names) else len(text)
		if not text.startswith(front, at) or end < 0:
			return f"not the fields {' '.join(names)}"
		values.append(text[at + len(front):end])
		at = end + 1
	for field, found in zip(names, values):
		if not raw_value(field, found, payload[field]):
			return f"{field}: {found!r} is {payload[field]!r} here"
	return None


def compare(ours, theirs, differs):
	"""The number of differences, of which some are printed; the kinds of event."""
	bad = 0
	if len(ours) != len(theirs):
		print(f"{len(ours)} events, not {len(theirs)}")
		bad += 1
	offset = ours[0]["time"] - theirs[0][0] if ours and theirs else 0
	for a, b in zip(ours, theirs):
		got = [a["time"] - offset, a["cpu"], GONE if b[2] == GONE else a["context"]["common_pid"], a["name"]]
		if got != b[:4]:
			what = f"{got} is not {b[:4]}"
		elif a["name"] not in FORMS:
			what = f"no form of {a['name']}: {b[4]}"
		else:
			what = differs(a, b)
		if what:
			bad += 1
			if bad <= 5:
				print(f"{a['name']} at {b[0]}: {what}: {b[4][:200]}")
	return bad


def main():
	ours = ours_of(sys.argv[1])
	bad = compare(ours, events_of(sys.argv[2]), lambda a, b: is_same(a["name"], b[4], a["payload"]))
	if len(sys.argv) > 3:
		bad += compare(ours, events_of(sys.argv[3]), lambda a, b: is_same_raw(b[4], a["payload"]))
	kinds = len({e["name"] for e in ours})
	print(f"{len(ours)} events of {kinds} kinds: {bad} differ")
	sys.exit(1 if bad or not ours else 0)


main()
