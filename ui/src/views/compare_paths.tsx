// Two requests: on which parts of their critical paths they differ, and by how much.
import { useState } from "preact/hooks";
import { rowsOf, useAnswer, useText } from "../api";
import { Card, Loaded } from "../parts/card";
import { Bar, byCause, Legend } from "../parts/bar";
import { causeName, colour } from "../parts/states";
import { parseCsv } from "../csv";
import { duration, percent } from "../numbers";
import { isReport } from "../report";
import { change, params } from "../state";
import { openRequest } from "./request_link";

const LIST = ["requests", "--list", "--limit", "500"], MOST = 50000;
const COLUMNS = [{ key: "latency_ns", title: "", type: "duration" }];

/** Where the program knows none of its shape: of the same kind, the one whose latency is closest to half of them. */
function typicalOf(rows: any[], id: string, p50: number): string | null {
	const off = (r: any) => Math.abs(r.latency_ns - p50);
	return rows.filter((r) => r.id !== id).sort((x, y) => off(x) - off(y))[0]?.id ?? null;
}

/** A list is by latency: its first half, and the one behind it, is all that is needed. A report has only the slowest. */
function halfOf(kind: any): string[] {
	return isReport ? LIST : ["requests", "--list", "--kind", kind.kind, "--limit", String(Math.min(MOST, Math.floor(kind.count / 2) + 2))];
}

const read = (text: string | null) => text ? parseCsv(text, COLUMNS) : [];

/** Which two: those of the address, or the slowest and a typical one. */
function useTwo(): { a: string | null; b: string | null; isBusy: boolean } {
	const list = useText([...LIST, "--format", "csv"]), kinds = useAnswer(["requests"]);
	const slowest = read(list.data), a = params.value.da ?? slowest[0]?.id ?? null, given = params.value.db;
	const isListed = slowest.some((r) => r.id === a);
	const alone = useText(a && list.data && !isListed ? ["requests", "--list", "--request", a, "--format", "csv"] : null);
	const one = [...slowest, ...read(alone.data)].find((r) => r.id === a);
	const kind = rowsOf(kinds.data, "kinds").find((k) => k.kind === one?.kind);
	// What typical ones of its shape do, --explain compares it with; another shape asks others, or none.
	const explain = useAnswer(a && !given && !isReport ? ["requests", "--explain", "--request", a] : null);
	const alike = explain.busy ? null : rowsOf(explain.data, "groups")[0]?.typical_request ?? null, isUnlike = isReport || (!explain.busy && !alike);
	const same = useText(kind && !given && isUnlike ? [...halfOf(kind), "--format", "csv"] : null);
	const b = given ?? alike ?? (a && kind && isUnlike ? typicalOf(read(same.data).filter((r) => r.kind === kind.kind), a, Number(kind.p50_ns)) : null);
	return { a, b, isBusy: list.busy || kinds.busy || alone.busy || explain.busy || same.busy };
}

function Choose({ a, b }: { a: string | null; b: string | null }) {
	const [left, setLeft] = useState(a ?? ""), [right, setRight] = useState(b ?? "");
	const apply = (e: Event) => { e.preventDefault(); change({ da: left, db: right }, true); };
	return (
		<form class="view-head" onSubmit={apply}>
			<label>A <input type="text" size={10} value={left} aria-label="request A" onInput={(e) => setLeft(e.currentTarget.value)} /></label>
			<label>B <input type="text" size={10} value={right} aria-label="request B" onInput={(e) => setRight(e.currentTarget.value)} /></label>
			<button class="chip">compare</button>
			{[a, b].map((id) => id && <button type="button" class="chip" onClick={() => void openRequest(id)}>show {id}</button>)}
		</form>
	);
}

const signed = (ns: number) => `${ns > 0 ? "+" : ns < 0 ? "−" : ""}${duration(Math.abs(ns))}`;

/** Where others go the other way, it is more than all. */
const ofDifference = (v: number | null) => v === null || v < 0 || v > 100 ? "-" : percent(v);

function Parts({ rows, id, names }: { rows: any[]; id: string; names: (r: any) => preact.ComponentChildren }) {
	return (
		<table class="dense" id={id}>
			<thead><tr><th>what</th><th class="n">A</th><th class="n">B</th><th class="n">B − A</th><th class="n">of the difference</th></tr></thead>
			<tbody>{rows.slice(0, 20).map((r, i) => (
				<tr key={i}><td>{names(r)}</td><td class="n">{duration(r.a_ns)}</td><td class="n">{duration(r.b_ns)}</td>
					<td class="n">{signed(Number(r.delta_ns))}</td><td class="n">{ofDifference(r.percent)}</td></tr>))}</tbody>
		</table>
	);
}

const dot = (cause: string) => <i class="dot" style={{ background: colour(cause) }} />;

export function Difference({ answer }: { answer: any }) {
	const causes = rowsOf(answer, "by_cause"), shares = rowsOf(answer, "part_shares"), sides = rowsOf(answer, "sides");
	const parts = rowsOf(answer, "parts").map((r, i) => ({ ...r, percent: shares[i].percent }));
	const whole = Math.max(...sides.map((s) => Number(s.total_ns)));
	const side = (key: string) => byCause(causes.map((c: any) => ({ cause: c.cause, ns: Number(c[key]) })));
	return <>
		<div class="kv diff">
			{sides.map((s) => <>
				<span>{s.side.toUpperCase()} {s.request ?? `${s.comm}/${s.tid}`} {duration(s.total_ns)}</span>
				<span><Bar parts={side(`${s.side}_ns`)} whole={whole} /></span></>)}
		</div>
		<div style={{ margin: "8px 0 14px" }}><Legend causes={side("a_ns").concat(side("b_ns")).map((p) => p.cause).filter((c, i, all) => all.indexOf(c) === i)} /></div>
		<div class="split">
			<Parts id="diff-causes" rows={causes} names={(r) => <>{dot(r.cause)}{causeName(r.cause)}</>} />
			<Parts id="diff-hosts" rows={rowsOf(answer, "by_host")} names={(r) => r.in_flight ? "packets in flight" : r.host ?? "-"} />
		</div>
		<h2 class="table-title">By host, program and cause</h2>
		<Parts id="diff-parts" rows={parts} names={(r) => <>{dot(r.cause)}{r.in_flight ? "packets in flight" : `${r.comm} on ${r.host}`}: {causeName(r.cause)}</>} />
	</>;
}

export function ComparePaths() {
	const { a, b, isBusy } = useTwo();
	const words = a && b ? ["diff", "--request", `${a},${b}`] : null;
	const answer = useAnswer(words);
	return <>
		{!isBusy && <Choose key={`${a} ${b}`} a={a} b={b} />}
		{words ? <Card title="Why one took longer than the other" words={words}><Loaded of={answer}>{(d) => <Difference answer={d} />}</Loaded></Card>
			: <div class="note">{isBusy ? "reading …" : "There are no two requests of a kind."}</div>}
	</>;
}
