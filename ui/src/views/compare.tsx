// Two ranges beside each other: what took longer in B than in A.
import { rowsOf, useAnswer } from "../api";
import { Card } from "../parts/card";
import { Command } from "../parts/command";
import { count, duration, real } from "../numbers";
import { fromSeconds, type Range, rangeWords, tabled, toSeconds, whole } from "../range";
import { ComparePaths } from "./compare_paths";
import { CompareTasks } from "./compare_tasks";
import { change, params } from "../state";

interface Topic { title: string; words: string[]; rows: (a: any) => any[]; name: (r: any) => string; value: string; format: (v: number) => string;
	/** Of totals, which a longer range has more of: how they are written per second. */
	rate?: (v: number) => string }

const timeRate = (v: number) => `${duration(v)}/s`;

const TOPICS: Record<string, Topic> = {
	cpu: { title: "CPU time of processes", words: ["top", "cpu", "--table", "processes", "--limit", "0"], rows: (a) => a.tables[0].rows,
		name: (r) => `${r.host}: ${r.comm}/${r.pid}`, value: "self_ns", format: duration, rate: timeRate },
	waits: { title: "Waits", words: ["blocked", "--flat", "--limit", "0"], rows: (a) => rowsOf(a, "waits"),
		name: (r) => `${r.host}: ${r.comm}/${r.tid} ${r.call ?? r.kind ?? ""}${r.object ? ` ${r.object}` : ""}, ${r.cause ?? "?"}`, value: "total_ns", format: duration, rate: timeRate },
	calls: { title: "System calls", words: ["stats", "syscall", "--limit", "0"], rows: (a) => a.tables[0].rows,
		name: (r) => r.name, value: "total_ns", format: duration, rate: timeRate },
	counts: { title: "Events", words: ["stats", "--by", "name", "--limit", "0"], rows: (a) => rowsOf(a, "by_name"),
		name: (r) => `${r.host}: ${r.name}`, value: "count", format: (v) => count(Math.round(v)), rate: (v) => `${real(v)}/s` },
	requests: { title: "Requests, p50", words: ["requests"], rows: (a) => rowsOf(a, "kinds"), name: (r) => r.kind, value: "p50_ns", format: duration },
	tails: { title: "Requests, p99", words: ["requests"], rows: (a) => rowsOf(a, "kinds"), name: (r) => r.kind, value: "p99_ns", format: duration },
};
const MOST_ROWS = 60, SAME_LENGTH = 0.01;

function rangeFrom(text: string | undefined): Range | null {
	const [b, e] = (text ?? "").split("~").map((t) => fromSeconds(t));
	if (b === null || e === null || b === undefined || e === undefined) return null;
	// What was not recorded has no length.
	const inside = { begin: Math.max(0, b), end: Math.min(whole.value.end, e) };
	return inside.begin < inside.end ? inside : null;
}

/** The longer part of the recording that has nothing of the range. */
function apartFrom(r: Range): Range {
	const all = whole.value;
	return r.begin > all.end - r.end ? { begin: 0, end: r.begin } : { begin: r.end, end: all.end };
}

/** Without a choice: the two halves of the recording. */
function ranges(): { a: Range; b: Range } {
	const all = whole.value, middle = Math.round(all.end / 2), a = rangeFrom(params.value.ra), b = rangeFrom(params.value.rb);
	return {
		a: a ?? (b ? apartFrom(b) : { begin: 0, end: middle }),
		b: b ?? (a ? apartFrom(a) : { begin: middle, end: all.end }),
	};
}

function sums(answer: any, topic: Topic): Map<string, number> {
	const all = new Map<string, number>();
	for (const r of topic.rows(answer)) all.set(topic.name(r), (all.get(topic.name(r)) ?? 0) + Number(r[topic.value] ?? 0));
	return all;
}

function Side({ name, range, param }: { name: string; range: Range; param: string }) {
	const now = tabled.value;
	return (
		<span class="chip">{name} <i>+{toSeconds(range.begin)} s … +{toSeconds(range.end)} s, {duration(range.end - range.begin)}</i>{" "}
			{now && <button class="text" title="the range that is selected in the timeline"
				onClick={() => change({ [param]: `${toSeconds(now.begin)}~${toSeconds(now.end)}` }, true)}>take the selected range</button>}</span>
	);
}

const lengthOf = (r: Range) => r.end - r.begin;

/** Totals of ranges of different lengths say little: it is said, and the way out offered. */
function Lengths({ a, b, isRate }: { a: Range; b: Range; isRate: boolean }) {
	const la = lengthOf(a), lb = lengthOf(b), differ = Math.abs(la - lb) > SAME_LENGTH * Math.max(la, lb);
	const lengths = `A is ${duration(la)} long, B ${duration(lb)}`;
	return <>
		<button class={isRate ? "chip on" : "chip"} aria-pressed={isRate} title="each total divided by the length of its range"
			onClick={() => change({ per: isRate ? null : "s" }, true)}>per second</button>
		{differ && <span class={isRate ? "dim small" : "warn small"} id="lengths">{isRate ? `${lengths}.`
			: `${lengths}: the longer range has larger totals. Compare them per second.`}</span>}
	</>;
}

/** seconds: of both ranges, by which totals are divided. */
function Table({ topic, a, b, seconds }: { topic: Topic; a: any; b: any; seconds: [number, number] | null }) {
	const left = sums(a, topic), right = sums(b, topic), format = seconds ? topic.rate! : topic.format, [perA, perB] = seconds ?? [1, 1];
	const rows = [...new Set([...left.keys(), ...right.keys()])].map((name) => {
		const va = (left.get(name) ?? 0) / perA, vb = (right.get(name) ?? 0) / perB;
		return { name, va, vb, d: vb - va };
	}).sort((x, y) => Math.abs(y.d) - Math.abs(x.d)).slice(0, MOST_ROWS);
	const most = Math.max(...rows.map((r) => Math.abs(r.d))) || 1;
	return (
		<table class="dense" id="compare">
			<thead><tr><th>what</th><th class="n">A</th><th class="n">B</th><th class="n">B − A</th><th /></tr></thead>
			<tbody>{rows.map((r) => (
				<tr><td class="cut wide-cut">{r.name}</td><td class="n">{format(r.va)}</td><td class="n">{format(r.vb)}</td>
					<td class="n">{r.d > 0 ? "+" : r.d < 0 ? "−" : ""}{format(Math.abs(r.d))}</td>
					<td><div class="both"><i style={{ width: `${(50 * Math.abs(r.d)) / most}%`, marginLeft: r.d < 0 ? `${50 - (50 * -r.d) / most}%` : "50%",
						background: r.d < 0 ? "var(--good)" : "var(--bad)" }} /></div></td></tr>))}</tbody>
		</table>
	);
}

function Both({ topic, a, b }: { topic: Topic; a: Range; b: Range }) {
	const wa = [...topic.words, ...rangeWords(a)], wb = [...topic.words, ...rangeWords(b)];
	const left = useAnswer(wa), right = useAnswer(wb);
	const error = left.error ?? right.error, isRate = !!topic.rate && params.value.per === "s";
	return (
		<Card title={topic.title}>
			<div class="view-head"><Command words={wa} /><Command words={wb} /></div>
			{topic.rate && <div class="view-head"><Lengths a={a} b={b} isRate={isRate} /></div>}
			{error ? <div class="error">{error}</div> : left.data && right.data
				? <Table topic={topic} a={left.data} b={right.data} seconds={isRate ? [lengthOf(a) / 1e9, lengthOf(b) / 1e9] : null} />
				: <div class="note">reading …</div>}
		</Card>
	);
}

/** Not two ranges of everything. */
const OTHERS: Record<string, { title: string; View: () => preact.JSX.Element }> = {
	paths: { title: "Two requests", View: ComparePaths },
	tasks: { title: "Two tasks", View: CompareTasks },
};

export function CompareView() {
	const { a, b } = ranges(), tab = params.value.tab ?? "cpu", name = tab in TOPICS ? tab : "cpu", other = OTHERS[tab];
	return (
		<div class="pad">
			<div class="view-head">
				<h1>Compare</h1>
				<div class="tabs">{Object.entries(TOPICS).map(([key, t]) => <button class={key === name && !other ? "on" : ""} key={key}
					onClick={() => change({ tab: key }, true)}>{t.title}</button>)}
					{Object.entries(OTHERS).map(([key, o]) => <button class={key === tab ? "on" : ""} key={key}
						onClick={() => change({ tab: key }, true)}>{o.title}</button>)}</div>
			</div>
			{other ? <other.View /> : <><div class="view-head"><Side name="A" range={a} param="ra" /><Side name="B" range={b} param="rb" />
				<button class="chip" onClick={() => change({ ra: params.value.rb, rb: params.value.ra }, true)}>swap</button></div>
			<Both key={name} topic={TOPICS[name]} a={a} b={b} /></>}
		</div>
	);
}
