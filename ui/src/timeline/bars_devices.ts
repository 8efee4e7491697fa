// Rows of what a host has besides CPUs and tasks: disks, interfaces, interrupts, vCPUs. A list of
// what happened, while that is short; else bins.
import { useMemo } from "preact/hooks";
import { useText } from "../api";
import { parseCsv } from "../csv";
import { bytes, count, duration, percent } from "../numbers";
import { rangeWords, settled, since } from "../range";
import { isReport } from "../report";
import { bar, type Bar, type BarRow, during, rowsBy, stack } from "./bars";

const MOST = 4000, BINS = "700", SOURCE_BINS = "300", PIXELS = 1000;
const COLUMNS = [...["begin", "end"].map((key) => ({ key, title: "", type: "time" })),
	...["duration_ns", "total_ns", "max_ns", "count", "in_flight", "sent_bytes_per_s", "received_bytes_per_s"].map((key) =>
		({ key, title: "", type: "duration" }))];

type Cells = Record<string, any>;

/** A list of the range; bins of it where the list would be too long. bins null: the list as far as it goes. */
function useRows(isWanted: boolean, list: string[], bins: string[] | null, range = rangeWords(settled.value)): { rows: Cells[]; isInBins: boolean } {
	const listed = useText(isWanted && !isReport ? [...list, "--limit", String(MOST), ...range, "--format", "csv"] : null);
	const rows = useMemo(() => parseCsv(listed.data ?? "", COLUMNS), [listed.data]);
	const isInBins = bins !== null && rows.length >= MOST;
	const binned = useText(isInBins ? [...bins!, ...range, "--format", "csv"] : null);
	const binRows = useMemo(() => parseCsv(firstTable(binned.data ?? ""), COLUMNS), [binned.data]);
	return useMemo(() => ({ rows: isInBins ? binRows : rows, isInBins }), [rows, binRows, isInBins]);
}

/** Tables of CSV have an empty line between. */
const firstTable = (text: string) => text.split("\n\n")[0];

const lasts = (r: Cells) => Number(r.duration_ns ?? 0);
const width = (r: Cells) => Math.max(1, since(r.end) - since(r.begin));
/** Of bins the sums, else the list. */
const printed = (isInBins: boolean, analysis: string, host: string) => (b: Bar) =>
	isInBins ? during(b, "top", analysis, "--host", host) : during(b, "log", analysis, "--all", "--host", host);
const after = (key: string, n: number) => key.split(":").slice(n).join(":");

// ---- Disks ----

export function useDisks(isWanted: boolean): BarRow[] {
	const { rows, isInBins } = useRows(isWanted, ["log", "disk", "--all"], ["top", "disk", "--bins", BINS]);
	return useMemo(() => [...rowsBy(rows.filter((r) => !isInBins || r.in_flight > 0).map((r) => ({ key: `d:${r.host}:${r.disk}`, bar: isInBins
		? bar(since(r.begin), since(r.end), `${r.disk}: ${r.in_flight.toFixed(2)} requests in flight`, { height: Math.min(1, r.in_flight) })
		: bar(since(r.begin), since(r.begin) + lasts(r), `${r.disk} ${r.name}, ${duration(lasts(r))}, for ${r.comm}/${r.tid}`) })))]
		.map(([key, bars]) => ({ host: key.split(":")[1], key, label: after(key, 2), note: "disk", colour: "disk", words: printed(isInBins, "disk", key.split(":")[1]),
			strips: isInBins ? 1 : stack(bars), bars })), [rows, isInBins]);
}

// ---- Interfaces: what is sent above, what is received below ----

function ofPacket(r: Cells): Bar {
	const isSent = r.direction === "sent";
	return bar(since(r.begin), since(r.begin), `${r.interface} ${r.direction} ${bytes(Number(r.bytes ?? 0))}${
		r.peer ? ` ${isSent ? "to" : "from"} ${r.peer}` : ""}${r.duration_ns ? `, in flight ${duration(lasts(r))}` : ""}${
		r.comm ? `, ${r.comm}/${r.tid}` : ""}`, { strip: isSent ? 0 : 1 });
}

function ofTraffic(rows: Cells[]): { key: string; bar: Bar }[] {
	const most = new Map<string, number>(), key = (r: Cells) => `n:${r.host}:${r.interface}`;
	for (const r of rows) most.set(key(r), Math.max(most.get(key(r)) ?? 0, r.sent_bytes_per_s ?? 0, r.received_bytes_per_s ?? 0));
	return rows.flatMap((r) => [r.sent_bytes_per_s, r.received_bytes_per_s].map((rate, strip) => ({ key: key(r),
		bar: bar(since(r.begin), since(r.end), `${r.interface}: ${bytes(Math.round(rate ?? 0))}/s ${strip ? "received" : "sent"}`,
			{ strip, height: Math.sqrt((rate ?? 0) / (most.get(key(r)) || 1)) }) }))).filter((x) => x.bar.height! > 0);
}

export function useInterfaces(isWanted: boolean): BarRow[] {
	const { rows, isInBins } = useRows(isWanted, ["log", "net", "--all"], ["top", "net", "--all", "--bins", BINS]);
	return useMemo(() => [...rowsBy(isInBins ? ofTraffic(rows) : rows.map((r) => ({ key: `n:${r.host}:${r.interface}`, bar: ofPacket(r) })))]
		.map(([key, bars]) => ({ host: key.split(":")[1], key, label: after(key, 2), note: "network", colour: "net", strips: 2, bars,
			words: printed(isInBins, "net", key.split(":")[1]) })),
	[rows, isInBins]);
}

// ---- Interrupts: a row for each handler ----

const handler = (r: Cells) => `${r.kind} ${r.name ?? r.nr ?? "?"}`;

function ofHandlers(r: Cells): Bar {
	const share = r.total_ns / width(r);
	return bar(since(r.begin), since(r.end), `${handler(r)}: ${count(r.count)} times, ${duration(r.total_ns)}, longest ${
		duration(r.max_ns)}, ${percent(100 * share)} of the time`, { height: Math.min(1, Math.sqrt(share)) });
}

export function useInterrupts(isWanted: boolean): BarRow[] {
	const { rows, isInBins } = useRows(isWanted, ["log", "irq", "--all"], ["top", "irq", "--bins", SOURCE_BINS]);
	return useMemo(() => [...rowsBy(rows.map((r) => ({ key: `i:${r.host}:${handler(r)}`, bar: isInBins ? ofHandlers(r)
		: bar(since(r.begin), since(r.begin) + lasts(r), `${handler(r)}, ${duration(lasts(r))}, on CPU ${r.cpu}${
			r.comm ? `, interrupted ${r.comm}/${r.tid}` : ""}`) })))]
		.sort(([a], [b]) => a.localeCompare(b))
		.map(([key, bars]) => ({ host: key.split(":")[1], key, label: after(key, 2), note: "", colour: "irq", words: printed(isInBins, "irq", key.split(":")[1]),
			strips: isInBins ? 1 : stack(bars), bars, group: `g:${key.split(":")[1]}:interrupts` })), [rows, isInBins]);
}

// ---- vCPUs: in the guest, unless it was elsewhere ----

const OUTSIDE: Record<string, string> = { hypervisor: "sys", preempted: "cpu", runnable: "cpu", halted: "timer", user: "irq" };

/** What is shorter than a pixel is not seen, and there may be a lot of it; and what is beyond the view says how its ends go on. */
function around(): { least: string[]; range: string[] } {
	const { begin, end } = settled.value, length = end - begin, seen = Math.floor(length / PIXELS / 1000);
	return { least: seen ? ["--min", `${seen}us`] : [], range: rangeWords({ begin: begin - length / 2, end: end + length / 2 }) };
}

/** With bars for the time between the bars. */
function filled(bars: Bar[], colour: string, text: (ns: number) => string): Bar[] {
	const between: Bar[] = [];
	bars.sort((a, b) => a.begin - b.begin);
	let from = bars[0].end;
	for (const b of bars) {
		if (b.begin > from) between.push(bar(from, b.begin, text(b.begin - from), { colour }));
		from = Math.max(from, b.end);
	}
	return [...between, ...bars];
}

export function useVcpus(isWanted: boolean): BarRow[] {
	const { least, range } = around();
	const { rows } = useRows(isWanted, ["log", "vm", ...least], null, range);
	return useMemo(() => [...rowsBy(rows.map((r) => {
		const state = String(r.state);
		return { key: `v:${r.host}:${r.tid}:${r.vcpu}`, bar: bar(since(r.begin), since(r.begin) + lasts(r), `vCPU ${r.vcpu} ${state}, ${
			duration(lasts(r))}${r.reason ? `, exit ${r.reason}` : ""}${r.by_comm ? `, by ${r.by_comm}/${r.by_tid}` : ""}`,
			{ colour: OUTSIDE[state] ?? "unknown", height: state === "halted" ? 0.28 : 1 }) };
	}))].map(([key, bars]) => {
		const [, host, tid, vcpu] = key.split(":");
		return { host, key, label: `vCPU ${vcpu}`, note: `of ${tid}`, colour: "user", strips: 1, words: (b: Bar) => during(b, "log", "vm", "--host", host),
			bars: filled(bars, "user", (ns) => `vCPU ${vcpu} in the guest, ${duration(ns)}`) };
	}), [rows]);
}
