// By keys from row to row, and from span to span of one: what a click selects, keys select as well.
import { moveTo, type Range, setSelected, shown, toSeconds } from "../range";
import { change, type Change, params } from "../state";
import { type Bar, barAt, type BarRow } from "./bars";
import type { Scene } from "./draw";
import { toggle } from "./model";
import type { ProgramSelection } from "./program_details";
import { allStates, nextState, states, statesFor } from "./programs";
import type { Row } from "./rows";

/** A bar in addresses: its row and a moment find it again, in the panel and after a reload. */
export function placeOfBar(row: Row, bar: Bar, t: number): Change {
	const place = { row: row.key, at: toSeconds(Math.min(bar.end, Math.max(bar.begin, t))), lvl: bar.strip || null, ...setSelected(bar) };
	return bar.request ? { ...place, req: bar.request, path: null, tab: "breakdown" } : place;
}

const middle = (b: Bar) => Math.floor((b.begin + b.end) / 2);

/** The one after or before now; without one now, after or before t, or else the nearest. */
function nextBar(of: BarRow, now: Bar | null, t: number, isForward: boolean): Bar | null {
	const all = [...of.bars].sort((a, b) => a.begin - b.begin || a.strip - b.strip || a.end - b.end), i = now ? all.indexOf(now) : -1;
	const rest = isForward ? all.filter((b, k) => now ? k > i : middle(b) >= t) : all.filter((b, k) => now ? k < i : middle(b) < t).reverse();
	// What lies under a shorter one is not what its moment finds.
	return rest.find((b) => barAt(of, middle(b), 0, b.strip) === b) ?? (now || !all.length ? null : isForward ? all[all.length - 1] : all[0]);
}

function nextOf({ of, state }: ProgramSelection, span: Range, isForward: boolean): number {
	const p = statesFor([states.peek(), allStates.peek()], of.id, shown.peek());
	return (p && nextState(p, of.id, isForward ? span.end : span.begin, state?.depth ?? 0, isForward)) ?? span.begin;
}

/** The view goes along. */
function follow({ begin, end }: Range, t: number) {
	if (t < begin || t > end) moveTo({ begin: t - (end - begin) / 2, end: t + (end - begin) / 2 });
}

/** What is selected: a row, at a moment or not, and the span or bar there. */
export interface Selected { row: Row | undefined; at: number | null; span: Range | null; program: ProgramSelection | null }

function stepInRow(s: Scene, { row, at, span, program }: Selected, isForward: boolean) {
	const t = at ?? (s.view.begin + s.view.end) / 2;
	if (row?.bars) {
		const bar = nextBar(row.bars, span as Bar | null, t, isForward);
		if (!bar) return;
		change(placeOfBar(row, bar, middle(bar)));
		return follow(s.view, middle(bar));
	}
	const to = !span ? (s.view.begin + s.view.end) / 2 : program ? nextOf(program, span, isForward) : isForward ? span.end : span.begin - 1;
	change({ at: toSeconds(Math.max(0, to)) });
	if (span) follow(s.view, to);
}

/** The selected row up or down, or its next or previous span; true: the key was one of these. */
export function step(s: Scene, selected: Selected, key: string): boolean {
	if (key === "ArrowUp" || key === "ArrowDown") {
		const i = s.rows.findIndex((r) => r.key === params.peek().row);
		const to = s.rows[key === "ArrowDown" ? i + 1 : i - 1];
		if (to) change({ row: to.key, lvl: null });
		return true;
	}
	if (!"[],.".includes(key) || !params.peek().row) return false;
	stepInRow(s, selected, key === "]" || key === ".");
	return true;
}

/** A (the begin of the selected range) or B (its end) to t; where the other one would be on the wrong side, it is at the view's edge. */
export function setEdge(isEnd: boolean, t: number, now: Range | null, view: Range, all: Range) {
	const at = Math.round(Math.min(all.end - (isEnd ? 0 : 1), Math.max(isEnd ? 1 : 0, t)));
	const other = isEnd ? [now?.begin, view.begin, all.begin].find((x) => x !== undefined && x < at)
		: [now?.end, view.end, all.end].find((x) => x !== undefined && x > at);
	change(setSelected(isEnd ? { begin: other!, end: at } : { begin: at, end: other! }), true);
}

/** Does it stand for others, which it hides and shows? */
export const isHead = (row: Row | undefined) => row?.kind === "host" || row?.kind === "process";

export function fold(row: Row) {
	toggle(row.bars || row.opens ? "open" : "fold", row.key);
}

/** What a row is in. */
export function foldAround(row: Row | undefined, key: string) {
	if (row && isHead(row)) fold(row);
	else toggle("fold", key.startsWith("r:") ? "q:requests" : `h:${key.split(":")[1]}`);
}
