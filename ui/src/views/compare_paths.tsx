// Two requests: on which parts of their critical paths they differ, and by how much.
import { useState } from "preact/hooks";
import { useAnswer, useText } from "../api";
import { Card, Loaded } from "../parts/card";
import { Bar, byCause, Legend } from "../parts/bar";
import { causeName, colour } from "../parts/states";
import { parseCsv } from "../csv";
import { duration, percent } from "../numbers";
import { change, params } from "../state";
import { openRequest } from "./request_link";

const LIST = ["requests", "--list", "--limit", "500"];
const COLUMNS = [{ key: "latency_ns", title: "", type: "duration" }];

/** Of the same kind, one that took as long as half of them. */
function typicalOf(rows: any[], id: string): string | null {
	const one = rows.find((r) => r.id === id);
	const same = rows.filter((r) => r.kind === one?.kind && r.id !== id).sort((a, b) => a.latency_ns - b.latency_ns);
	return same[Math.floor(same.length / 2)]?.id ?? null;
}

/** Which two: those of the address, or the slowest and a typical one. */
function chosen(rows: any[]): { a: string | null; b: string | null } {
	const a = params.value.da ?? rows[0]?.id ?? null;
	return { a, b: params.value.db ?? (a ? typicalOf(rows, a) : null) };
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

function Parts({ rows, id, names }: { rows: any[]; id: string; names: (r: any) => preact.ComponentChildren }) {
	return (
		<table class="dense" id={id}>
			<thead><tr><th>what</th><th class="n">A</th><th class="n">B</th><th class="n">B − A</th><th class="n">of the difference</th></tr></thead>
			<tbody>{rows.slice(0, 20).map((r, i) => (
				<tr key={i}><td>{names(r)}</td><td class="n">{duration(r.a_ns)}</td><td class="n">{duration(r.b_ns)}</td>
					<td class="n">{signed(Number(r.delta_ns))}</td><td class="n">{r.share === null ? "-" : percent(100 * r.share).replace("-", "−")}</td></tr>))}</tbody>
		</table>
	);
}

const dot = (cause: string) => <i class="dot" style={{ background: colour(cause) }} />;

function Difference({ answer }: { answer: any }) {
	const whole = Math.max(Number(answer.a.total_ns), Number(answer.b.total_ns));
	const side = (key: string) => byCause(answer.by_cause.map((c: any) => ({ cause: c.cause, ns: Number(c[key]) })));
	return <>
		<div class="kv diff">
			{(["a", "b"] as const).map((k) => <>
				<span>{k.toUpperCase()} {answer[k].request} {duration(answer[k].total_ns)}</span>
				<span><Bar parts={side(`${k}_ns`)} whole={whole} /></span></>)}
		</div>
		<div style={{ margin: "8px 0 14px" }}><Legend causes={side("a_ns").concat(side("b_ns")).map((p) => p.cause).filter((c, i, all) => all.indexOf(c) === i)} /></div>
		<div class="split">
			<Parts id="diff-causes" rows={answer.by_cause} names={(r) => <>{dot(r.cause)}{causeName(r.cause)}</>} />
			<Parts id="diff-hosts" rows={answer.by_host} names={(r) => r.in_flight ? "packets in flight" : r.host ?? "-"} />
		</div>
		<h2 class="table-title">By host, program and cause</h2>
		<Parts id="diff-parts" rows={answer.parts} names={(r) => <>{dot(r.cause)}{r.in_flight ? "packets in flight" : `${r.comm} on ${r.host}`}: {causeName(r.cause)}</>} />
	</>;
}

export function ComparePaths() {
	const list = useText([...LIST, "--format", "csv"]);
	const { a, b } = chosen(list.data ? parseCsv(list.data, COLUMNS) : []);
	const words = a && b ? ["diff", "--request", `${a},${b}`] : null;
	const answer = useAnswer(words);
	return <>
		{list.data && <Choose key={`${a} ${b}`} a={a} b={b} />}
		{words ? <Card title="Why one took longer than the other" words={words}><Loaded of={answer}>{(d) => <Difference answer={d} />}</Loaded></Card>
			: <div class="note">{list.busy ? "reading …" : "There are no two requests of a kind."}</div>}
	</>;
}
