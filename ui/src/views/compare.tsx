// Two ranges beside each other: what took longer in B than in A.
import { rowsOf, useAnswer } from "../api";
import { type Comparison, comparisons, named } from "../catalog";
import { Card } from "../parts/card";
import { Command } from "../parts/command";
import { cell, duration, real } from "../numbers";
import { fromSeconds, type Range, rangeWords, tabled, toSeconds, whole } from "../range";
import { ComparePaths } from "./compare_paths";
import { CompareTasks } from "./compare_tasks";
import { change, params } from "../state";

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

function sums(answer: any, of: Comparison): Map<string, number> {
	const all = new Map<string, number>();
	for (const r of rowsOf(answer, of.table)) all.set(named(of.name, r), (all.get(named(of.name, r)) ?? 0) + Number(r[of.value] ?? 0));
	return all;
}

function format(of: Comparison, isRate: boolean, v: number): string {
	return isRate ? of.type === "count" ? `${real(v)}/s` : `${cell(of.type, v)}/s` : cell(of.type, of.type === "count" ? Math.round(v) : v);
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
function Table({ of, a, b, seconds }: { of: Comparison; a: any; b: any; seconds: [number, number] | null }) {
	const left = sums(a, of), right = sums(b, of), text = (v: number) => format(of, !!seconds, v), [perA, perB] = seconds ?? [1, 1];
	const rows = [...new Set([...left.keys(), ...right.keys()])].map((name) => {
		const va = (left.get(name) ?? 0) / perA, vb = (right.get(name) ?? 0) / perB;
		return { name, va, vb, d: vb - va };
	}).sort((x, y) => Math.abs(y.d) - Math.abs(x.d)).slice(0, MOST_ROWS);
	const most = Math.max(...rows.map((r) => Math.abs(r.d))) || 1;
	return (
		<table class="dense" id="compare">
			<thead><tr><th>what</th><th class="n">A</th><th class="n">B</th><th class="n">B − A</th><th /></tr></thead>
			<tbody>{rows.map((r) => (
				<tr><td class="cut wide-cut">{r.name}</td><td class="n">{text(r.va)}</td><td class="n">{text(r.vb)}</td>
					<td class="n">{r.d > 0 ? "+" : r.d < 0 ? "−" : ""}{text(Math.abs(r.d))}</td>
					<td><div class="both"><i style={{ width: `${(50 * Math.abs(r.d)) / most}%`, marginLeft: r.d < 0 ? `${50 - (50 * -r.d) / most}%` : "50%",
						background: r.d < 0 ? "var(--good)" : "var(--bad)" }} /></div></td></tr>))}</tbody>
		</table>
	);
}

function Both({ of, a, b }: { of: Comparison; a: Range; b: Range }) {
	const wa = [...of.words, ...rangeWords(a)], wb = [...of.words, ...rangeWords(b)];
	const left = useAnswer(wa), right = useAnswer(wb);
	const error = left.error ?? right.error, isRate = !!of.total && params.value.per === "s";
	return (
		<Card title={of.title}>
			<div class="view-head"><Command words={wa} /><Command words={wb} /></div>
			{!!of.total && <div class="view-head"><Lengths a={a} b={b} isRate={isRate} /></div>}
			{error ? <div class="error">{error}</div> : left.data && right.data
				? <Table of={of} a={left.data} b={right.data} seconds={isRate ? [lengthOf(a) / 1e9, lengthOf(b) / 1e9] : null} />
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
	const { a, b } = ranges(), tab = params.value.tab ?? "cpu", other = OTHERS[tab], all = comparisons.value, of = all.find((c) => c.id === tab) ?? all[0];
	return (
		<div class="pad">
			<div class="view-head">
				<h1>Compare</h1>
				<div class="tabs">{all.map((c) => <button class={c === of && !other ? "on" : ""} key={c.id}
					onClick={() => change({ tab: c.id }, true)}>{c.title}</button>)}
					{Object.entries(OTHERS).map(([key, o]) => <button class={key === tab ? "on" : ""} key={key}
						onClick={() => change({ tab: key }, true)}>{o.title}</button>)}</div>
			</div>
			{other ? <other.View /> : <><div class="view-head"><Side name="A" range={a} param="ra" /><Side name="B" range={b} param="rb" />
				<button class="chip" onClick={() => change({ ra: params.value.rb, rb: params.value.ra }, true)}>swap</button></div>
			{of && <Both key={of.id} of={of} a={a} b={b} />}</>}
		</div>
	);
}
