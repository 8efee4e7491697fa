// Arrows: who woke whom, and messages from host to host. What starts in the same part of the view
// and leads from the same row to the same row is one arrow, the wider the more it stands for.
import { useMemo } from "preact/hooks";
import { status, useAnswer, useText } from "../api";
import { MOST_MESSAGES } from "../commands";
import { parseCsv } from "../csv";
import { rangeWords, settled, since } from "../range";
import { isRecorded } from "../state";
import { colour, HEAD, LABELS, type Scene, xOf } from "./draw";

export interface Arrow { from: string; to: string; begin: number; end: number; count: number }

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

/** Are they the longest of the wake-ups only, since there are too many? */
export function useArrows(isWanted: boolean): { arrows: Arrow[]; isCut: boolean } {
	const words = ["--all", "--limit", String(MOST_WAKES), ...rangeWords(settled.value), "--format", "csv"];
	const wakes = useText(isWanted ? ["log", "sched", ...words] : null);
	const rows = useMemo(() => parseCsv(wakes.data ?? "", COLUMNS), [wakes.data]);
	const isCut = rows.length >= MOST_WAKES;
	const longest = useText(isWanted && isCut ? ["top", "sched", ...words] : null);
	const method = isRecorded.value ? ["--method", "none"] : [];
	const messages = useAnswer(isWanted && (status.value?.hosts.length ?? 0) > 1 ? ["latency", "--messages", ...method, "--limit", String(MOST_MESSAGES)] : null);
	return useMemo(() => {
		const { begin, end } = settled.value;
		if (!isWanted) return { arrows: [], isCut: false };
		const woken = (isCut ? parseCsv(longest.data ?? "", COLUMNS) : rows).filter((r) => r.waker_tid !== null).map((r) => ({
			from: `t:${r.host}:${r.waker_tid}`, to: `t:${r.host}:${r.tid}`, begin: since(r.begin), end: since(r.begin), count: 1 }));
		// All of them are asked for at once: a range would be one of each host's own clock.
		const sent = (messages.data?.messages ?? []).map((m: any) => ({ from: `h:${m.from}`, to: `h:${m.to}`, begin: since(m.start),
			end: since(m.start) + Number(m.duration_ns), count: 1 })).filter((m: Arrow) => m.from !== m.to && m.begin < end && m.end > begin);
		return { isCut, arrows: [...joinUp(woken, begin, end).slice(0, MOST_ARROWS), ...joinUp(sent, begin, end).slice(0, MOST_ARROWS)] };
	}, [rows, longest.data, messages.data, isWanted, isCut, settled.value]);
}

/** The row that shows a task, which may be that of its folded process or host. */
function rowsByKey(s: Scene, tops: number[]): (key: string) => number | undefined {
	const yOf = new Map(s.rows.map((row, i) => [row.key, { y: tops[i] - s.scroll + row.height / 2, isFolded: row.isFolded }]));
	return (key) => {
		const row = yOf.get(key), task = s.tasks.byKey.get(key);
		if (row || !task) return row?.y;
		return [`p:${task.host}:${task.pid}`, `h:${task.host}`].map((k) => yOf.get(k)).find((r) => r?.isFolded)?.y;
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
	g.strokeStyle = g.fillStyle = colour(s, arrow.from.startsWith("h:") ? "net" : isOfProgram(arrow) ? "text" : "muted");
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
