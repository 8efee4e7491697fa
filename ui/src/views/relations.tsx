// Who talks to whom, over what, and who waits for whom: drawn, and as the table of the program.
import { useMemo } from "preact/hooks";
import dagre from "@dagrejs/dagre";
import { useAnswer } from "../api";
import { Card, Loaded } from "../parts/card";
import { AnswerTable } from "../parts/table";
import { bytes, count, duration } from "../numbers";
import { rangeWords, tabled } from "../range";
import { go } from "../state";

interface Edge { from: string; to: string; wait: number; bytes: number; count: number; kinds: Set<string> }
const MOST_EDGES = 40, BOX_HEIGHT = 34;

/** Relations of tasks as relations of programs, those with most wait time first. */
function edgesOf(rows: any[]): Edge[] {
	const all = new Map<string, Edge>();
	for (const r of rows) {
		const from = `${r.from_host}:${r.from_program ?? r.from_comm}`, to = `${r.to_host}:${r.to_program ?? r.to_comm}`;
		if (from === to) continue;
		const e = all.get(`${from} ${to}`) ?? { from, to, wait: 0, bytes: 0, count: 0, kinds: new Set<string>() };
		e.wait += Number(r.wait_ns ?? 0);
		e.bytes += Number(r.bytes ?? 0);
		e.count += Number(r.count ?? 0);
		e.kinds.add(r.object ? `${r.kind} ${r.object}` : r.kind);
		all.set(`${from} ${to}`, e);
	}
	return [...all.values()].sort((a, b) => b.wait - a.wait || b.count - a.count).slice(0, MOST_EDGES);
}

function layoutOf(edges: Edge[]) {
	const g = new dagre.graphlib.Graph({ multigraph: false });
	g.setGraph({ rankdir: "LR", nodesep: 14, ranksep: 110, marginx: 8, marginy: 8 });
	g.setDefaultEdgeLabel(() => ({}));
	for (const name of new Set(edges.flatMap((e) => [e.from, e.to])))
		g.setNode(name, { width: Math.max(70, 20 + 7 * name.split(":").slice(1).join(":").length), height: BOX_HEIGHT });
	for (const e of edges) g.setEdge(e.from, e.to);
	dagre.layout(g);
	return g;
}

/** Through the first and the last point, and smoothly past those between. */
function curve(points: { x: number; y: number }[]): string {
	const text = (p: { x: number; y: number }) => `${p.x.toFixed(1)} ${p.y.toFixed(1)}`;
	const middle = (p: { x: number; y: number }, q: { x: number; y: number }) => ({ x: (p.x + q.x) / 2, y: (p.y + q.y) / 2 });
	let d = `M${text(points[0])}`;
	for (let i = 1; i < points.length - 1; i++)
		d += ` Q${text(points[i])} ${text(i === points.length - 2 ? points[i + 1] : middle(points[i], points[i + 1]))}`;
	return points.length > 2 ? d : `${d} L${text(points[points.length - 1])}`;
}

function Drawing({ rows }: { rows: any[] }) {
	const edges = useMemo(() => edgesOf(rows), [rows]);
	const g = useMemo(() => layoutOf(edges), [edges]);
	if (!edges.length) return <div class="note">No relations in this range.</div>;
	const { width, height } = g.graph() as any, most = Math.max(...edges.map((e) => e.wait), 1);
	return (
		<div class="scroll drawing">
			<svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label="relations between programs">
				<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto" markerUnits="userSpaceOnUse">
					<path d="M0 0L8 4L0 8Z" fill="var(--muted)" /></marker></defs>
				{edges.map((e) => (
						<path d={curve((g.edge(e.from, e.to) as any).points)} fill="none" stroke="var(--muted)"
							stroke-width={0.8 + 4 * Math.sqrt(e.wait / most)} stroke-opacity=".65" marker-end="url(#tip)" stroke-linejoin="round">
							<title>{`${e.from} → ${e.to}\n${[...e.kinds].slice(0, 6).join(", ")}\n${count(e.count)} times, ${bytes(e.bytes)}\n${
								e.to.split(":")[1]} waited ${duration(e.wait)}`}</title>
						</path>))}
				{g.nodes().map((name: string) => {
					const n = g.node(name), [host, ...program] = name.split(":");
					return (
						<g transform={`translate(${n.x - n.width / 2},${n.y - n.height / 2})`} style={{ cursor: "pointer" }}
							onClick={() => go({ v: "timeline", q: `${host} ${program.join(":")}` })}>
							<rect width={n.width} height={n.height} rx="5" fill="var(--panel)" stroke="var(--line)" />
							<text x={n.width / 2} y="15" text-anchor="middle" font-size="12" fill="var(--text)">{program.join(":")}</text>
							<text x={n.width / 2} y="28" text-anchor="middle" font-size="10.5" fill="var(--muted)">{host}</text>
						</g>);
				})}
			</svg>
		</div>
	);
}

export function RelationsView() {
	const words = ["graph", "--limit", "0", ...rangeWords(tabled.value)];
	const answer = useAnswer(words);
	return (
		<div class="pad">
			<div class="view-head"><h1>Relations</h1>
				<span class="dim">An arrow points to who waited; the wider, the longer.</span></div>
			<Card title="Between programs" words={words}>
				<Loaded of={answer}>{(a) => <Drawing rows={a.tables[0].rows} />}</Loaded>
			</Card>
			<Card title="Between tasks" words={words}>
				<Loaded of={answer}>{(a) => <div class="scroll short"><AnswerTable answer={a} /></div>}</Loaded>
			</Card>
		</div>
	);
}
