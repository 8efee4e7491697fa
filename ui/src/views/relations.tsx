// Who talks to whom, over what, and who waits for whom: the drawing of 'graph --plot', and the table of the program.
import { useMemo } from "preact/hooks";
import dagre from "@dagrejs/dagre";
import { useAnswer, useText } from "../api";
import { Card, Loaded } from "../parts/card";
import { AnswerTable } from "../parts/table";
import { rangeWords, tabled } from "../range";
import { go, isDark } from "../state";
import { type Box, type Dot, type Link, readDot } from "./dot";

const LINE = 14, LETTER = 7, SMALL = 12, SMALL_LETTER = 5.9, ROOM = 12, FRAME = 26, LOOP = 16, LEAST_SCALE = 0.6;

const widest = (lines: string[], letter: number) => Math.max(...lines.map((l) => letter * l.length), 0);

function layoutOf(dot: Dot) {
	const g = new dagre.graphlib.Graph({ multigraph: true, compound: true });
	g.setGraph({ rankdir: "LR", nodesep: 22, ranksep: 34, marginx: 10, marginy: FRAME });
	dot.hosts.forEach((host, i) => g.setNode(`h${i}`, { host }));
	for (const b of dot.boxes) {
		// What a program does with itself hangs below it.
		const own = dot.links.filter((l) => l.from === b.id && l.to === b.id), box = { width: 2 * ROOM + widest(b.lines, LETTER), height: 12 + LINE * b.lines.length };
		box.width = Math.max(box.width, ...own.map((l) => 8 + widest(l.label, SMALL_LETTER)));
		g.setNode(b.id, { box, own, width: box.width,
			height: box.height + (own.length && LOOP + own.reduce((n, l) => n + SMALL * l.label.length + 4, 0)) });
		const host = dot.hosts.indexOf(b.host);
		if (host >= 0) g.setParent(b.id, `h${host}`);
	}
	dot.links.forEach((l, i) => l.from !== l.to && g.setEdge(l.from, l.to, { link: l, labelpos: "c", width: widest(l.label, SMALL_LETTER) + 8, height: SMALL * l.label.length + 6 }, String(i)));
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

/** The program's colours are for white paper. */
const onPage = (colour: string, dark: boolean) => dark ? `color-mix(in srgb, ${colour} 55%, white)` : colour;

function Texts({ lines, x, y, size, step, fill, first }: { lines: string[]; x: number; y: number; size: number; step: number; fill: string; first?: string }) {
	return <>{lines.map((line, i) => <text key={i} x={x} y={y + step * i} text-anchor="middle" font-size={i && first ? size - 1.5 : size}
		fill={i && first ? first : fill}>{line}</text>)}</>;
}

function OneLink({ link, at, number }: { link: Link; at: any; number: number }) {
	const colour = onPage(link.colour, isDark.value), id = `tip${number}`, label = link.label;
	return (
		<g class="relation">
			<title>{link.more}</title>
			<marker id={id} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse" markerUnits="userSpaceOnUse">
				<path d="M0 0L8 4L0 8Z" style={{ fill: colour }} /></marker>
			<path d={curve(at.points)} fill="none" stroke-width={link.width} stroke-opacity=".8" style={{ stroke: colour }} stroke-linejoin="round"
				marker-end={link.isAtTo ? `url(#${id})` : undefined} marker-start={link.isAtFrom ? `url(#${id})` : undefined} />
			<rect x={at.x - at.width / 2} y={at.y - at.height / 2} width={at.width} height={at.height} rx="3" fill="var(--bg)" fill-opacity=".85" />
			<g style={{ fill: colour }}>{label.map((line, i) => <text key={i} x={at.x} y={at.y - at.height / 2 + SMALL * (i + 1)} text-anchor="middle" font-size="10.5">{line}</text>)}</g>
		</g>
	);
}

/** Of a program with itself: a loop below its box, with a label each. */
function Own({ links, x, y }: { links: Link[]; x: number; y: number }) {
	let at = y + LOOP;
	return <>{links.map((l, i) => {
		const top = at, colour = onPage(l.colour, isDark.value);
		at += SMALL * l.label.length + 4;
		return (
			<g key={i} class="relation"><title>{l.more}</title>
				{i === 0 && <path d={`M${x - 12} ${y} C${x - 12} ${y + LOOP + 4} ${x + 12} ${y + LOOP + 4} ${x + 12} ${y}`} fill="none" stroke-width={l.width} style={{ stroke: colour }} />}
				<g style={{ fill: colour }}>{l.label.map((line, k) => <text key={k} x={x} y={top + SMALL * (k + 1)} text-anchor="middle" font-size="10.5">{line}</text>)}</g>
			</g>);
	})}</>;
}

/** A frame reaches around the labels of links between its own boxes, too. */
function framesOf(dot: Dot, g: any) {
	return dot.hosts.map((host, i) => {
		const inside = dot.boxes.filter((b) => b.host === host).map((b) => g.node(b.id));
		const n = g.node(`h${i}`);
		if (!inside.length) return null;
		const left = Math.min(n.x - n.width / 2, ...inside.map((b: any) => b.x - b.width / 2 - 8)), right = Math.max(n.x + n.width / 2, ...inside.map((b: any) => b.x + b.width / 2 + 8));
		const top = Math.min(n.y - n.height / 2, ...inside.map((b: any) => b.y - b.height / 2 - 8)), bottom = Math.max(n.y + n.height / 2, ...inside.map((b: any) => b.y + b.height / 2 + 8));
		return { host, x: left, y: top - 14, width: right - left, height: bottom - top + 14 };
	}).filter((f) => f !== null);
}

/** "load2", "12 tasks": its rows in the timeline. */
const show = (b: Box) => go({ v: "timeline", q: `${b.host} ${b.lines[0].replace(/\/\d+$/, "")}` });

function Drawing({ text }: { text: string }) {
	const dot = useMemo(() => readDot(text), [text]), g = useMemo(() => layoutOf(dot), [dot]);
	if (!dot.links.length) return <div class="note">No relations in this range.</div>;
	const { width, height } = g.graph() as any, dark = isDark.value;
	return <>
		<div class="drawing">
			<svg id="relations" style={{ width: "100%", maxWidth: `${width}px`, minWidth: `${LEAST_SCALE * width}px` }} viewBox={`0 0 ${width} ${height}`} role="img" aria-label="relations between programs, in frames of their hosts">
				{framesOf(dot, g).map((f) => <g key={f.host} class="host">
					<rect x={f.x} y={f.y} width={f.width} height={f.height} rx="6" fill="var(--panel)" stroke="var(--line)" />
					<text x={f.x + 8} y={f.y + 13} font-size="12" font-weight="600" fill="var(--muted)">{f.host}</text></g>)}
				{dot.links.map((l, i) => l.from !== l.to && <OneLink key={i} link={l} number={i} at={g.edge({ v: l.from, w: l.to, name: String(i) })} />)}
				{dot.boxes.map((b) => {
					const n = g.node(b.id) as any, top = n.y - n.height / 2, { box, own } = n;
					return (
						<g key={b.id} class="box" style={{ cursor: "pointer" }} onClick={() => show(b)}>
							<rect x={n.x - box.width / 2} y={top} width={box.width} height={box.height} rx="6" fill="var(--bg)" stroke="var(--muted)" />
							<Own links={own} x={n.x} y={top + box.height} />
							<Texts lines={b.lines} x={n.x} y={top + 17} size={12} step={LINE} fill="var(--text)" first="var(--muted)" />
						</g>);
				})}
			</svg>
		</div>
		<div class="legend">{dot.legend.map((l) => <span key={l.name}><i style={{ background: onPage(l.colour, dark) }} />{l.name}</span>)}
			<span>Left end: waited longer. Arrow: received something. Width: wait time (not of exits and children).</span></div>
	</>;
}

export function RelationsView() {
	const words = ["graph", "--limit", "0", ...rangeWords(tabled.value)], drawn = ["graph", "--format", "dot", ...rangeWords(tabled.value)];
	const answer = useAnswer(words), dot = useText(drawn);
	return (
		<div class="pad">
			<div class="view-head"><h1>Relations</h1>
				<span class="dim">Who talks to whom, over what, and who waits for whom; details at the pointer.</span></div>
			<Card title="Between programs" words={drawn}>
				<Loaded of={dot}>{(text) => <Drawing text={text} />}</Loaded>
			</Card>
			<Card title="Between tasks" words={words}>
				<Loaded of={answer}>{(a) => <div class="sideways"><AnswerTable answer={a} /></div>}</Loaded>
			</Card>
		</div>
	);
}
