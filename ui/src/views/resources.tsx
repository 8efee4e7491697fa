// CPUs, disks, network, calls, interrupts, locks: charts and the tables of the range.
import { useMemo } from "preact/hooks";
import { useAnswer } from "../api";
import { Card, Loaded } from "../parts/card";
import { Chart } from "../parts/chart";
import { AnswerTable } from "../parts/table";
import { bytes, count, percent, real } from "../numbers";
import { rangeWords, setRange, since, tabled } from "../range";
import { isReport } from "../report";
import { change, params } from "../state";
import { Lives, OneProcess, Sectors } from "./resources_more";

interface Curve { value: string; unit: (v: number) => string; name: (row: any) => string; keep?: (row: any) => boolean; title: string }
interface Topic { name: string; title: string; words: string[][]; curves: Curve[] }

const rate = (v: number) => `${bytes(Math.round(v))}/s`;
const ofHost = (row: any) => row.of === "host";
const TOPICS: Topic[] = [
	{ name: "cpu", title: "CPU", words: [["top", "cpu"], ["top", "cpu", "--table", "processes"], ["top", "cpu", "--table", "cpus"]],
		curves: [{ value: "percent", unit: percent, name: (r) => r.host, keep: ofHost, title: "busy, % of the host's CPUs" }] },
	{ name: "sched", title: "Scheduling", words: [["top", "sched"], ["stats", "sched"], ["top", "rates"]],
		curves: [] },
	{ name: "disk", title: "Disks", words: [["top", "disk"], ["log", "disk"]],
		curves: [{ value: "in_flight", unit: real, name: (r) => `${r.host} ${r.disk}`, title: "requests in flight" },
			{ value: "write_bytes_per_s", unit: rate, name: (r) => `${r.host} ${r.disk}`, title: "written" }] },
	{ name: "net", title: "Network", words: [["top", "net"], ["log", "net"]],
		curves: [{ value: "sent_bytes_per_s", unit: rate, name: (r) => `${r.host} ${r.interface}`, title: "sent" }] },
	{ name: "io", title: "Files", words: [["top", "io"], ["log", "io"]], curves: [] },
	{ name: "syscall", title: "Calls", words: [["stats", "syscall"], ["top", "syscall"]], curves: [] },
	{ name: "irq", title: "Interrupts", words: [["stats", "irq"], ["top", "irq"]], curves: [] },
	{ name: "futex", title: "Locks", words: [["top", "futex"], ["log", "futex"]], curves: [] },
	{ name: "mem", title: "Memory", words: [["top", "mem"], ["top", "faults"]], curves: [] },
	{ name: "servers", title: "Servers", words: [["top", "servers"]], curves: [] },
	{ name: "rates", title: "Rates", words: [["top", "rates"]],
		curves: [{ value: "switches_per_s", unit: (v) => count(Math.round(v)), name: (r) => r.host, title: "context switches per second" }] },
	{ name: "vm", title: "VMs", words: [["top", "vm"]], curves: [] },
];
/** Colours of curves: hosts have none of their own, and states are not meant here. */
const COLOURS = ["#3e7bd6", "#e07b39", "#2f9e77", "#a45bb8", "#b8902a", "#c4485c", "#4aa3b8", "#7a8699"];

function curvesOf(answer: any, c: Curve) {
	const rows = answer.tables[0].rows.filter(c.keep ?? (() => true));
	const x = [...new Set<string>(rows.map((r: any) => String(r.begin)))].map((b) => BigInt(b)).sort((a, b) => (a < b ? -1 : 1));
	const at = new Map(x.map((b, i) => [String(b), i]));
	const lines = new Map<string, (number | null)[]>();
	for (const r of rows) {
		const name = c.name(r);
		if (!lines.has(name)) lines.set(name, x.map(() => null));
		lines.get(name)![at.get(String(r.begin))!] = r[c.value] === null || r[c.value] === undefined ? null : Number(r[c.value]);
	}
	return { x: x.map((b) => since(b) / 1e9), lines: [...lines].slice(0, 8).map(([name, values], i) => ({ name, colour: COLOURS[i], values })) };
}

function OneChart({ topic, curve }: { topic: Topic; curve: Curve }) {
	const words = ["top", topic.name, "--bins", "150", ...rangeWords(tabled.value)];
	const answer = useAnswer(words);
	const data = useMemo(() => answer.data && curvesOf(answer.data, curve), [answer.data, curve]);
	return (
		<Card title={`${topic.title}: ${curve.title}`} words={words}>
			<Loaded of={answer}>{() => data && data.x.length > 1
				? <Chart x={data.x} lines={data.lines} format={curve.unit} height={170}
					onSelect={(b, e) => change(setRange({ begin: b * 1e9, end: e * 1e9 }), true)} />
				: <div class="note">None in this range.</div>}</Loaded>
		</Card>
	);
}

function OneTable({ words }: { words: string[] }) {
	const all = [...words, "--limit", "200", ...rangeWords(tabled.value)];
	const answer = useAnswer(all);
	const title = answer.data?.tables?.[0]?.title ?? words.join(" ");
	return (
		<Card title={title} words={all}>
			<Loaded of={answer}>{(a) => <div class="scroll short"><AnswerTable answer={a} /></div>}</Loaded>
		</Card>
	);
}

export function ResourcesView() {
	const tab = isReport ? "cpu" : params.value.tab, topic = TOPICS.find((t) => t.name === tab) ?? TOPICS[0];
	return (
		<div class="pad">
			<div class="view-head">
				<h1>Resources</h1>
				{!isReport && <div class="tabs">{TOPICS.map((t) => <button key={t.name} class={t === topic ? "on" : ""}
					onClick={() => change({ tab: t.name }, true)}>{t.title}</button>)}</div>}
				{isReport && <span class="dim">of CPUs; the program prints the others: disks, network, calls, locks, …</span>}
			</div>
			{topic.name === "cpu" && !isReport && <OneProcess />}
			{topic.name === "disk" && <Sectors />}
			{topic.name === "mem" && <Lives />}
			{topic.curves.map((c) => <OneChart key={topic.name + c.value} topic={topic} curve={c} />)}
			{topic.words.map((w) => <OneTable key={w.join(" ")} words={w} />)}
		</div>
	);
}
