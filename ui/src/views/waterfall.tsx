// One request with those that were made for it, each as a bar of what its time was.
import { rowsOf, useAnswer } from "../api";
import { Card, Loaded } from "../parts/card";
import { Legend } from "../parts/bar";
import { colour } from "../parts/states";
import { duration, percent } from "../numbers";
import { since, toSeconds } from "../range";
import { isReport } from "../report";
import { change, go } from "../state";
import { causeName } from "../parts/states";
import { pathOf } from "./path_answer";
import { causesOf } from "./path_causes";
import { openRequest } from "./request_link";

const WIDTH = 1000;

interface Line { r: any; depth: number }

function inOrder(requests: any[]): Line[] {
	const inside = new Map<string | null, any[]>();
	for (const r of requests) {
		const parent = requests.some((x) => x.id === r.parent) ? r.parent : null;
		inside.set(parent, [...(inside.get(parent) ?? []), r]);
	}
	const lines: Line[] = [];
	const add = (parent: string | null, depth: number) => {
		for (const r of (inside.get(parent) ?? []).sort((a, b) => since(a.begin) - since(b.begin))) {
			lines.push({ r, depth });
			add(r.id, depth + 1);
		}
	};
	add(null, 0);
	return lines;
}

/** Parts follow each other in time, from the request's begin on. */
function Parts({ r, parts, x, y }: { r: any; parts: any[]; x: (ns: number) => number; y: number }) {
	let at = since(r.begin);
	return <>{parts.map((p, i) => {
		const from = at;
		at += Number(p.ns);
		const width = x(at) - x(from);
		return width < 0.15 ? null : (
			<rect key={i} x={x(from)} y={y} width={width} height="12" fill={colour(p.cause)}>
				<title>{`${causeName(p.cause)} ${duration(p.ns)}${p.of ? `: ${p.of}` : ""}\n${p.tid === null && p.cause === "interrupted" ? "the kernel" : `${p.comm ?? ""}/${p.tid ?? ""}`} on ${p.host ?? ""}`}</title>
			</rect>);
	})}</>;
}

function Fall({ answer }: { answer: any }) {
	const lines = inOrder(rowsOf(answer, "requests")), parts = new Map<string, any[]>();
	for (const p of rowsOf(answer, "parts")) parts.set(p.id, [...(parts.get(p.id) ?? []), p]);
	const begin = Math.min(...lines.map((l) => since(l.r.begin)));
	const end = Math.max(...lines.map((l) => since(l.r.begin) + Number(l.r.latency_ns)));
	const x = (t: number) => (WIDTH * (t - begin)) / (end - begin);
	return (
		<div class="fall">
			{lines.map(({ r, depth }) => (
				<div class="fall-row" key={r.id}>
					<button class="text" onClick={() => void openRequest(r.id)} style={{ paddingLeft: `${depth * 14}px` }}
						title="show in the timeline">{r.id}</button>
					<span class="cut" title={`${r.client_comm}/${r.client_tid} ${r.client_host} → ${r.server_comm ?? "?"}/${r.server_tid ?? "?"} ${r.server_host ?? ""}`}>{r.client_comm}/{r.client_tid} <span class="dim">{r.client_host}</span> → {r.server_comm ?? "?"}/{r.server_tid ?? "?"}{" "}
						<span class="dim">{r.server_host ?? ""}{r.messages > 1 && ` (${r.messages} messages)`}</span></span>
					<span class="n">{duration(r.latency_ns)}</span>
					<svg viewBox={`0 0 ${WIDTH} 16`} preserveAspectRatio="none" height="16" width="100%">
						<rect x={x(since(r.begin))} y="2" width={Math.max(0.5, x(since(r.begin) + Number(r.latency_ns)) - x(since(r.begin)))}
							height="12" fill="var(--chip)" />
						<Parts r={r} parts={parts.get(r.id) ?? []} x={x} y={2} />
					</svg>
				</div>))}
		</div>
	);
}

/** By its path, whose causes are those of the bars. */
function Breakdown({ id }: { id: string }) {
	const words = ["path", "--request", id], answer = useAnswer(words);
	return (
		<Card title="Where its time went" words={words}>
			<Loaded of={answer}>{(a) => (
				<table class="dense" id="request-causes"><thead><tr><th>cause</th><th class="n">time</th><th class="n">share</th><th style={{ width: "55%" }} /></tr></thead>
					<tbody>{causesOf(pathOf(a)).map((c) => (
						<tr key={c.name}><td>{c.name === c.cause ? causeName(c.cause) : c.name}</td><td class="n">{duration(c.ns)}</td><td class="n">{percent(c.percent)}</td>
							<td><div style={{ height: "10px", borderRadius: "2px", background: colour(c.cause), width: `${c.percent}%` }} /></td></tr>))}
					</tbody></table>)}</Loaded>
		</Card>
	);
}

export function Waterfall({ id }: { id: string }) {
	const words = ["requests", "--tree", "--request", id];
	const answer = useAnswer(words);
	return <>
		<Card title={`Request ${id}`} words={words}>
			<Loaded of={answer}>{(a) => {
				const r = rowsOf(a, "requests")[0];
				if (!r) return <div class="note">There is no request {id}.</div>;
				return <>
					<div class="view-head">
						<span class="selected-name" id="request-latency">{duration(r.latency_ns)}</span>
						<span class="dim">{r.kind.replace("->", "→")} · begin +{toSeconds(since(r.begin))} s
							{r.parent && r.confidence < 1 ? ` · nested with ${percent(100 * r.confidence)} certainty` : ""}</span>
						<button class="chip on" id="to-timeline" onClick={() => void openRequest(id)}>show in the timeline, with its path</button>
						{!isReport && <button class="chip" onClick={() => go({ v: "compare", tab: "paths", da: id, db: null })}>compare with a typical one</button>}
						<button class="chip" onClick={() => change({ req: null }, true)}>all requests</button>
					</div>
					<Fall answer={a} />
					<div style={{ marginTop: "10px" }}>
						<Legend causes={["running", "runnable", "queued", "locks", "disk", "network", "requester", "interrupted"]} /></div>
				</>;
			}}</Loaded>
		</Card>
		{rowsOf(answer.data, "requests").length > 0 && <Breakdown id={id} />}
	</>;
}
