// CPUs, disks, network, calls, interrupts, locks: charts and the tables of the range.
import { useEffect, useMemo, useState } from "preact/hooks";
import { useAnswer } from "../api";
import { Card, Cut, Loaded } from "../parts/card";
import { BYTE_STEPS, Chart } from "../parts/chart";
import { Histogram } from "../parts/histogram";
import { coloursOf } from "../parts/pairs";
import { AnswerTable, LongList } from "../parts/table";
import { bytes, count, duration, percent, real } from "../numbers";
import { rangeWords, setRange, since, tabled, whole } from "../range";
import { isReport, storedTargets } from "../report";
import { change, params } from "../state";
import { GAPS, isUnknown } from "../unknown";
import { Lives, OneProcess, Processes, Sectors, useDiskColours } from "./resources_more";

interface Curve { value: string; unit: (v: number) => string; name: (row: any) => string; keep?: (row: any) => boolean; title: string;
	/** Rows whose value is not known, though they have one. */
	isGap?: (rows: any[]) => (row: any) => boolean;
	/** Bins that are no rows had none; values of one bin and name add up. */
	isSparse?: boolean; per?: (row: any) => number }
interface Topic { name: string; title: string; words: string[][]; curves: Curve[]; freq?: (row: any) => string }

const rate = (v: number) => `${bytes(Math.round(v))}/s`;
const ofHost = (row: any) => row.of === "host";
const length = (row: any) => Number(BigInt(row.end) - BigInt(row.begin));
const inPercent = (row: any) => length(row) / 100;
const inSeconds = (row: any) => length(row) / 1e9;
const TOPICS: Topic[] = [
	{ name: "cpu", title: "CPU", words: [["top", "cpu"], ["top", "cpu", "--table", "processes"], ["top", "cpu", "--table", "cpus"]],
		curves: [{ value: "percent", unit: percent, name: (r) => r.host, keep: ofHost, isGap: isUnknown, title: "busy, % of the host's CPUs" }] },
	{ name: "sched", title: "Scheduling", words: [["top", "sched"], ["stats", "sched"], ["top", "rates"]], freq: (r) => r.host,
		curves: [{ value: "p50_ns", unit: duration, name: (r) => r.host, title: "latency that half do not exceed" },
			{ value: "p99_ns", unit: duration, name: (r) => r.host, title: "latency that 99 % do not exceed" }] },
	{ name: "disk", title: "Disks", words: [["top", "disk"], ["log", "disk"]], freq: (r) => `${r.host} ${r.disk} ${r.name}`,
		curves: [{ value: "in_flight", unit: real, name: (r) => `${r.host} ${r.disk}`, title: "requests in flight" },
			{ value: "read_bytes_per_s", unit: rate, name: (r) => `${r.host} ${r.disk}`, title: "read" },
			{ value: "write_bytes_per_s", unit: rate, name: (r) => `${r.host} ${r.disk}`, title: "written" }] },
	{ name: "net", title: "Network", words: [["top", "net"], ["top", "net", "--table", "interfaces"], ["top", "net", "--table", "sockets"], ["log", "net"]],
		freq: (r) => `${r.from_host} → ${r.to_host}`,
		curves: [{ value: "sent_bytes_per_s", unit: rate, name: (r) => `${r.host} ${r.interface}`, title: "sent" },
			{ value: "received_bytes_per_s", unit: rate, name: (r) => `${r.host} ${r.interface}`, title: "received" }] },
	{ name: "io", title: "Files", words: [["top", "io"], ["log", "io"]], freq: (r) => `${r.host} ${r.name}`,
		curves: [{ value: "read_bytes", unit: rate, name: (r) => `${r.host} ${r.comm}/${r.tid}`, title: "read, of threads", isSparse: true, per: inSeconds },
			{ value: "written_bytes", unit: rate, name: (r) => `${r.host} ${r.comm}/${r.tid}`, title: "written, of threads", isSparse: true, per: inSeconds }] },
	{ name: "syscall", title: "Calls", words: [["stats", "syscall"], ["top", "syscall"]], freq: (r) => r.name,
		curves: [{ value: "p99_ns", unit: duration, name: (r) => `${r.host} ${r.name}`, title: "99 % took at most" }] },
	{ name: "irq", title: "Interrupts", words: [["stats", "irq"], ["top", "irq"]], freq: (r) => `${r.host} ${r.kind} ${r.name ?? r.nr}`,
		curves: [{ value: "total_ns", unit: percent, name: (r) => `${r.host} ${r.kind} ${r.name ?? r.nr}`, title: "in handlers, % of one CPU", isSparse: true, per: inPercent },
			{ value: "p99_ns", unit: duration, name: (r) => `${r.host} ${r.kind} ${r.name ?? r.nr}`, title: "99 % took at most" }] },
	{ name: "futex", title: "Locks", words: [["top", "futex"], ["log", "futex"]], freq: (r) => r.host, curves: [] },
	{ name: "mem", title: "Memory", words: [["top", "mem"], ["top", "faults"]],
		curves: [{ value: "held_bytes", unit: bytes, name: (r) => r.host, keep: ofHost, title: "allocated and not yet freed" }] },
	{ name: "servers", title: "Servers", words: [["top", "servers"]], curves: [] },
	{ name: "rates", title: "Rates", words: [["top", "rates"]],
		curves: [{ value: "switches_per_s", unit: (v) => count(Math.round(v)), name: (r) => r.host, title: "context switches per second" }] },
	{ name: "mpi", title: "MPI", words: [["top", "mpi"], ["log", "mpi"]], curves: [] },
	{ name: "vm", title: "VMs", words: [["top", "vm"]], curves: (["guest", "hypervisor", "preempted", "runnable", "halted"] as const).map((state) => ({
		value: `${state}_ns`, unit: percent, name: (r: any) => `${r.host} ${r.comm}/${r.tid}`, keep: (r: any) => r.of === "vCPU",
		title: `${state === "guest" ? "in the guest" : state}, % of the time of vCPUs`, isSparse: true, per: inPercent })) },
];
const MOST_CURVES = 8;
/** A report has less of what is not of CPUs: it is sent by mail. */
const rowsOf = (words: string[]) => ["--limit", isReport && words[1] !== "cpu" ? "60" : "200"];
const binsOf = (topic: Topic) => isReport && topic.name !== "cpu" ? "60" : "150";

function curvesOf(answer: any, c: Curve) {
	const rows = answer.tables[0].rows.filter(c.keep ?? (() => true));
	const x = [...new Set<string>(rows.map((r: any) => String(r.begin)))].map((b) => BigInt(b)).sort((a, b) => (a < b ? -1 : 1));
	const at = new Map(x.map((b, i) => [String(b), i]));
	const lines = new Map<string, (number | null)[]>(), isGap = c.isGap?.(answer.tables[0].rows);
	let hasGaps = false;
	for (const r of rows) {
		const isHere = !!isGap?.(r);
		hasGaps ||= isHere;
		const name = c.name(r), v = isHere || r[c.value] === null || r[c.value] === undefined ? null : Number(r[c.value]) / (c.per?.(r) ?? 1);
		if (!lines.has(name)) lines.set(name, x.map(() => c.isSparse ? 0 : null));
		const values = lines.get(name)!, i = at.get(String(r.begin))!;
		values[i] = c.isSparse ? (values[i] ?? 0) + (v ?? 0) : v;
	}
	const sum = (values: (number | null)[]) => values.reduce<number>((n, v) => n + (v ?? 0), 0);
	const largest = [...lines].sort((a, b) => sum(b[1]) - sum(a[1]));
	const colours = coloursOf(lines.keys());
	return { n: lines.size, hasGaps, x: x.map((b) => since(b) / 1e9), lines: largest.slice(0, MOST_CURVES).map(([name, values]) =>
		({ name, colour: colours.get(name)!, values })) };
}

function OneChart({ topic, curve }: { topic: Topic; curve: Curve }) {
	const words = ["top", topic.name, "--bins", binsOf(topic), ...rangeWords(tabled.value)];
	const answer = useAnswer(words);
	const data = useMemo(() => answer.data && curvesOf(answer.data, curve), [answer.data, curve]);
	return (
		<Card title={`${topic.title}: ${curve.title}`} words={words}>
			<Loaded of={answer}>{() => data && data.x.length > 1
				? <><Chart x={data.x} lines={data.lines} format={curve.unit} height={170} range={tabled.value ?? whole.value}
					steps={curve.unit === rate || curve.unit === bytes ? BYTE_STEPS : undefined}
					onSelect={(b, e) => change(setRange({ begin: b * 1e9, end: e * 1e9 }), true)} />
					<Cut shown={data.lines.length} all={data.n} which="largest" things="curves" />
					{data.hasGaps && <div class="note">{GAPS}</div>}</>
				: <div class="note">None in this range.</div>}</Loaded>
		</Card>
	);
}

/** How many lasted how long. */
function Durations({ topic }: { topic: Topic }) {
	const isNamed = topic.name === "syscall" && params.value.name;
	const words = ["freq", topic.name, "--limit", "0", ...(isNamed ? ["--name", params.value.name] : []), ...rangeWords(tabled.value)];
	const answer = useAnswer(words), table = answer.data?.tables?.[0], disks = useDiskColours(topic.name === "disk");
	return (
		<Card title={table?.title ?? "How many lasted how long"} words={words}>
			<Loaded of={answer}>{(a) => <Histogram colourOf={disks} buckets={(a.tables[0]?.rows ?? []).filter((r: any) => Number(r.count)).map((r: any) => ({
				group: topic.freq!(r), from: Number(r.from_ns), to: Number(r.to_ns), count: Number(r.count) }))} />}</Loaded>
		</Card>
	);
}

function OneTable({ words }: { words: string[] }) {
	const all = [...words, ...rowsOf(words), ...rangeWords(tabled.value)];
	const answer = useAnswer(all);
	const title = answer.data?.tables?.[0]?.title ?? words.join(" ");
	return (
		<Card title={title} words={all}>
			<Loaded of={answer}>{(a) => <LongList><AnswerTable answer={a} /></LongList>}</Loaded>
		</Card>
	);
}

/** How a report calls the answer of a command. */
const targetOf = (words: string[]) => `api/run?${words.map((w) => `w=${encodeURIComponent(w)}`).join("&")}&`;

/** Topics of which there is anything; in a report those whose tables were put into it. */
function useTopics(): { topics: Topic[]; has: (words: string[]) => boolean } {
	const [stored, setStored] = useState<string[] | null>(null);
	useEffect(() => {
		if (isReport) void storedTargets("api/run?").then(setStored);
	}, []);
	const has = (words: string[]) => !isReport || !!stored?.some((target) => target.startsWith(targetOf(words)));
	return { topics: TOPICS.filter((t) => t.name === "cpu" || t.words.some((w) => has([...w, ...rowsOf(w)]))), has };
}

export function ResourcesView() {
	return <Resources printed={false} />;
}

/** printed: of a report on paper, all topics one after the other. */
export function Resources({ printed }: { printed: boolean }) {
	const { topics, has } = useTopics();
	const topic = topics.find((t) => t.name === params.value.tab) ?? TOPICS[0];
	return (
		<div class="pad">
			<div class="view-head">
				<h1>Resources</h1>
				{!printed && topics.length > 1 && <div class="tabs">{topics.map((t) => <button key={t.name} class={t === topic ? "on" : ""}
					onClick={() => change({ tab: t.name }, true)}>{t.title}</button>)}</div>}
			</div>
			{(printed ? topics : [topic]).map((t) => <OneTopic key={t.name} topic={t} has={has} />)}
		</div>
	);
}

function OneTopic({ topic, has }: { topic: Topic; has: (words: string[]) => boolean }) {
	const isNamed = topic.name === "syscall" && !!params.value.name;
	const words = topic.words.filter((w) => has([...w, ...rowsOf(w)]));
	return (
		<>
			{topic.name === "disk" && !isReport && <Sectors />}
			{topic.name === "mem" && !isReport && <Lives />}
			{topic.curves.filter(() => has(["top", topic.name, "--bins", binsOf(topic)])).map((c) => <OneChart key={topic.name + c.value} topic={topic} curve={c} />)}
			{topic.name === "cpu" && <Processes />}
			{topic.name === "cpu" && !isReport && <OneProcess />}
			{topic.freq && has(["freq", topic.name, "--limit", "0"]) && <Durations topic={topic} />}
			{isNamed && <div class="view-head"><button class="chip on" onClick={() => change({ name: null }, true)}>only {params.value.name} ×</button></div>}
			{words.map((w) => isNamed ? [...w, "--name", params.value.name] : w).map((w) => <OneTable key={w.join(" ")} words={w} />)}
		</>
	);
}
