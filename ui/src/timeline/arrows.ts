// Arrows: who woke whom, and messages from host to host. What starts in the same part of the view
// and leads from the same row to the same row is one arrow, the wider the more it stands for.
import { useMemo } from "preact/hooks";
import { rowsOf, status, useAnswer, useText } from "../api";
import { MOST_MESSAGES } from "../commands";
import { parseCsv } from "../csv";
import { rangeWords, settled, since } from "../range";
import { isRecorded } from "../state";
import { colour, HEAD, LABELS, type Scene, xOf } from "./draw";
import { placesOf } from "./rows";

export interface Arrow { from: string; to: string; begin: number; end: number; count: number; isMessage?: boolean }

const MOST_WAKES = 4000, MOST_ARROWS = 1500, PARTS = 100, DENSE = 300, DENSE_OF_PROGRAMS = 100;
const COLUMNS = [{ key: "begin", title: "", type: "time" }];

function joinUp(all: Arrow[], begin: number, end: number): Arrow[] {
	const joined = new Map<string, Arrow>();
	for (const a of all) {
		const key = `${a.from} ${a.to} ${Math.floor((PARTS * (a.begin - begin)) / (end - begin))}`, one = joined.get(key);
		if (one) one.count++;
		else joined.set(key, { ...a });
	}
	return [...joined.values()].sort((a, b) => b.count - a.count);
}

const NET = [{ key: "begin", title: "", type: "time" }];
/** So soon after a packet a task is woken by it, if by any. */
const DELIVERY_NS = 1e6;

/** Messages from task to task: who sent is known of each packet; who got it is who was woken by the network next, there.
 *  Where nobody was, an arrow ends at the host. */
function ofMessages(all: any[], packets: Record<string, any>[], wakes: Record<string, any>[]): Arrow[] {
	const senders = new Map(packets.filter((r) => r.direction === "sent" && r.tid !== null && r.tid !== undefined)
		.map((r) => [`${r.host} ${r.begin}`, `t:${r.host}:${r.tid}`]));
	const arrows = all.map((m) => ({ from: senders.get(`${m.from} ${m.start}`) ?? `h:${m.from}`, to: `h:${m.to}`, begin: since(m.start),
		end: since(m.start) + Number(m.duration_ns), count: 1, isMessage: true }));
	const arrived = new Map<string, typeof arrows>();
	for (const a of arrows) arrived.set(a.to, [...(arrived.get(a.to) ?? []), a]);
	for (const list of arrived.values()) list.sort((a, b) => a.end - b.end);
	for (const r of wakes) {
		if (r.cause !== "network" || (r.waker_tid !== null && r.waker_tid !== undefined)) continue;
		const t = since(r.begin), last = arrived.get(`h:${r.host}`)?.filter((a) => a.end <= t && t - a.end < DELIVERY_NS).at(-1);
		if (last && last.to.startsWith("h:")) last.to = `t:${r.host}:${r.tid}`;
	}
	return arrows;
}

/** All of them, or those of one row. Are they the longest of the wake-ups only, since there are too many? */
export function useArrows(all: boolean, row: string | undefined): { arrows: Arrow[]; isCut: boolean } {
	const isOfRow = !all && !!row?.startsWith("t:"), isWanted = all || isOfRow;
	const range = rangeWords(settled.value), words = ["--all", "--limit", String(MOST_WAKES), ...range, "--format", "csv"];
	const wakes = useText(isWanted ? ["log", "sched", ...words] : null, -1);
	const rows = useMemo(() => parseCsv(wakes.data ?? "", COLUMNS), [wakes.data]);
	const isCut = rows.length >= MOST_WAKES;
	const longest = useText(isWanted && isCut ? ["top", "sched", ...words] : null, -1);
	const method = isRecorded.value ? ["--method", "none"] : [], areHosts = (status.value?.hosts.length ?? 0) > 1;
	const messages = useAnswer(isWanted && areHosts ? ["latency", "--messages", ...method, "--limit", String(MOST_MESSAGES)] : null, -1);
	const net = useText(isWanted && areHosts ? ["log", "net", "--all", "--limit", String(MOST_WAKES), ...range, "--format", "csv"] : null, -1);
	const packets = useMemo(() => parseCsv(net.data ?? "", NET), [net.data]);
	return useMemo(() => {
		const { begin, end } = settled.value;
		if (!isWanted) return { arrows: [], isCut: false };
		const woken = (isCut ? parseCsv(longest.data ?? "", COLUMNS) : rows).filter((r) => r.waker_tid !== null).map((r) => ({
			from: `t:${r.host}:${r.waker_tid}`, to: `t:${r.host}:${r.tid}`, begin: since(r.begin), end: since(r.begin), count: 1 }));
		// All of them are asked for at once: a range would be one of each host's own clock.
		const there = rowsOf(messages.data, "messages").filter((m) => m.from !== m.to && since(m.start) < end && since(m.start) + Number(m.duration_ns) > begin);
		const sent = ofMessages(there, packets, rows), mine = (a: Arrow) => !isOfRow || a.from === row || a.to === row;
		return { isCut: isCut && all, arrows: [...joinUp(woken.filter(mine), begin, end).slice(0, MOST_ARROWS), ...joinUp(sent.filter(mine), begin, end).slice(0, MOST_ARROWS)] };
	}, [rows, longest.data, messages.data, packets, isWanted, isCut, isOfRow && row, settled.value]);
}

/** The row that shows a task, which may be that of its folded process or host. */
function rowsByKey(s: Scene, tops: number[]): (key: string) => number | undefined {
	const places = placesOf(s.rows);
	return (key) => {
		const task = s.tasks.byKey.get(key), head = task ? places.get(`h:${task.host}`) : undefined;
		const i = places.get(key) ?? (head !== undefined && s.rows[head].isFolded ? head : undefined);
		return i === undefined ? undefined : tops[i] - s.scroll + s.rows[i].height / 2;
	};
}

const isOfProgram = (a: Arrow) => a.from.startsWith("s:") || a.from.startsWith("m:");

/** Those that programs tell of are above the kernel's. */
export function drawArrows(g: CanvasRenderingContext2D, s: Scene, tops: number[]) {
	if (!s.arrows.length) return;
	const yOf = rowsByKey(s, tops);
	g.save();
	g.beginPath();
	g.rect(LABELS, HEAD, s.width - LABELS, s.height - HEAD);
	g.clip();
	for (const arrows of [s.arrows.filter((a) => !isOfProgram(a)), s.arrows.filter(isOfProgram)]) {
		// Rows must be seen through many of them.
		g.globalAlpha = arrows.length > (arrows.some(isOfProgram) ? DENSE_OF_PROGRAMS : DENSE) ? 0.4 : 0.9;
		for (const arrow of arrows) drawArrow(g, s, arrow, yOf(arrow.from), yOf(arrow.to));
	}
	g.restore();
}

function drawArrow(g: CanvasRenderingContext2D, s: Scene, arrow: Arrow, y0: number | undefined, y1: number | undefined) {
	const x0 = xOf(s, arrow.begin), x1 = xOf(s, arrow.end);
	if (y0 === undefined || y1 === undefined || x1 < LABELS || x0 > s.width || y0 === y1) return;
	g.strokeStyle = g.fillStyle = colour(s, arrow.isMessage ? "net" : isOfProgram(arrow) ? "text" : "muted");
	g.lineWidth = Math.min(3, 1 + 0.3 * Math.log2(arrow.count));
	const down = y1 > y0 ? 1 : -1, head = 2 + g.lineWidth;
	g.beginPath();
	g.moveTo(x0, y0);
	g.lineTo(x1, y1 - 7 * down);
	g.stroke();
	g.beginPath();
	g.moveTo(x1, y1 - 4 * down);
	g.lineTo(x1 - head, y1 - (6 + head) * down);
	g.lineTo(x1 + head, y1 - (6 + head) * down);
	g.fill();
}
