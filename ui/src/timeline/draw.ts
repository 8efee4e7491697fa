// Draws rows of states onto a canvas. Knows nothing of pages; all lengths in CSS pixels.
import { clock, duration } from "../numbers";
import { absolute, type Range } from "../range";
import type { Tasks } from "../tasks";
import type { Picture } from "./picture";
import { type Arrow, drawArrows } from "./arrows";
import { drawLane } from "./lane";
import { drawMarks } from "./marks";
import type { Palette } from "./palette";
import type { Piece } from "./path";
import { drawProgram } from "./program_draw";
import type { States } from "./programs";
import { colourName } from "../parts/states";
import { placesOf, ROW, type Row } from "./rows";

export const LABELS = 196, DENSITY = 12, OVERVIEW = 52, RULER = 22, HEAD = OVERVIEW + RULER;
export const FONT = 'Inter, system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
export const BAR = 14;
const PATH_Y = 19.5, LEAST_PATH = 20, MARK = 12;

export interface Scene {
	width: number;
	height: number;
	view: Range;
	whole: Range;
	rows: Row[];
	scroll: number;
	tasks: Tasks;
	palette: Palette;
	pictures: (Picture | null)[]; // the first that has a lane is taken
	states: (States | null)[]; // likewise, of rows of programs
	path: Piece[];
	selectedRow: string | undefined;
	selected: Range | null;
	span: Range | null; // the selected one of the selected row
	isAbsolute: boolean; // times of day on the ruler
	load: { host: string; values: number[]; unknown: number[] }[];
	losses: { host: string; begin: number; end: number }[];
	arrows: Arrow[];
	density: number[];
	likely: number; // ns that clocks of other hosts are off, likely and at most; 0: none are
	bound: number;
}

export function xOf(s: Scene, t: number): number {
	return LABELS + ((s.width - LABELS) * (t - s.view.begin)) / (s.view.end - s.view.begin);
}
export function timeAt(s: Scene, x: number): number {
	return s.view.begin + ((x - LABELS) / (s.width - LABELS)) * (s.view.end - s.view.begin);
}

/** The first y of each row, without scrolling. */
export function layout(rows: Row[]): { tops: number[]; height: number } {
	const tops: number[] = [];
	let y = HEAD;
	for (const row of rows) {
		tops.push(y);
		y += row.height;
	}
	return { tops, height: y };
}

export const colour = (s: Scene, name: string) => s.palette[name] as string;

/** 1, 2 or 5 times a power of ten ns, so that lines are not too close. */
export function stepOf(view: Range, pixels: number, room = 76): number {
	const least = ((view.end - view.begin) * room) / Math.max(1, pixels);
	const power = 10 ** Math.floor(Math.log10(least));
	return [1, 2, 5, 10].map((m) => m * power).find((v) => v >= least)!;
}

const LETTER = 6.6, LEAST_ROOM = 76;

/** Lines at which all times of the ruler fit: the closer they are, the more digits these have. */
function gridOf(s: Scene): { step: number; room: number } {
	let step = 1, room = LEAST_ROOM;
	// More room makes fewer digits, which then need no more.
	for (let i = 0; i < 2; i++) {
		step = Math.max(1, stepOf(s.view, s.width - LABELS, room));
		room = Math.max(room, 10 + LETTER * Math.max(ruled(s, s.view.end, step).length, ruled(s, s.view.end - step, step).length));
	}
	return { step: Math.max(1, stepOf(s.view, s.width - LABELS, room)), room };
}

/** All of one kind: as commands take them, from the begin of the traces; or of the day. */
function ruled(s: Scene, t: number, step: number): string {
	if (s.isAbsolute) return clock(absolute(t), digitsOf(step));
	const digits = Math.min(9, Math.max(0, Math.ceil(9 - Math.log10(step) - 1e-9)));
	return `${(Math.round(t) / 1e9).toFixed(digits)} s`;
}

function drawGrid(g: CanvasRenderingContext2D, s: Scene) {
	const { step, room } = gridOf(s);
	g.font = `11px ${FONT}`;
	for (let t = Math.ceil(s.view.begin / step) * step; t <= s.view.end; t += step) {
		const x = Math.round(xOf(s, t));
		g.fillStyle = colour(s, "line");
		g.fillRect(x, OVERVIEW + 6, 1, s.height);
		g.fillStyle = colour(s, "muted");
		if (x + room - 6 < s.width) g.fillText(ruled(s, t, step), x + 4, OVERVIEW + 15);
	}
	g.fillStyle = colour(s, "muted");
	// Of the left edge, beside which it stands.
	g.fillText(clock(absolute(s.view.begin), digitsOf(step)), 10, OVERVIEW + 15);
}

/** Of the second, so that neighbouring lines differ. */
const digitsOf = (step: number) => step < 1e3 ? 9 : step < 1e6 ? 6 : 3;

/** How much was recorded when, on all hosts together. */
function drawDensity(g: CanvasRenderingContext2D, s: Scene, left: number, width: number) {
	const most = Math.max(1, ...s.density), w = width / Math.max(1, s.density.length);
	g.fillStyle = colour(s, "muted");
	g.font = `10px ${FONT}`;
	g.fillText("events", 10, DENSITY - 2);
	g.globalAlpha = 0.55;
	s.density.forEach((n, i) => {
		const h = (DENSITY - 2) * Math.sqrt(n / most);
		g.fillRect(left + i * w, DENSITY - h, w, h);
	});
	g.globalAlpha = 1;
}

/** Above hosts that have no room for their names. */
const MOST_NAMED = 4, LEAST_UNKNOWN = 0.02;

/** Load of all hosts over the whole recording, and where the view is in it. */
function drawOverview(g: CanvasRenderingContext2D, s: Scene) {
	const left = LABELS, width = s.width - LABELS;
	g.fillStyle = colour(s, "panel");
	g.fillRect(0, 0, s.width, OVERVIEW);
	drawDensity(g, s, left, width);
	const band = (OVERVIEW - DENSITY - 3) / Math.max(1, s.load.length);
	s.load.forEach(({ host, values, unknown }, i) => {
		const bottom = DENSITY + 1 + band * (i + 1), w = width / values.length;
		g.fillStyle = colour(s, "user");
		// With little room shades say it, else heights.
		values.forEach((v, k) => {
			const h = s.load.length > MOST_NAMED ? band - 0.5 : (band - 1) * v;
			g.globalAlpha = s.load.length > MOST_NAMED ? Math.min(1, 1.4 * Math.sqrt(v)) : 0.6;
			if (v > 0) g.fillRect(left + k * w, bottom - h, Math.max(1, w - 0.3), h);
		});
		g.globalAlpha = 1;
		// What is not known hangs from above: it may have been load, too.
		g.fillStyle = s.palette.hatch;
		unknown.forEach((u, k) => u > LEAST_UNKNOWN && g.fillRect(left + k * w, bottom - band + 0.5, Math.max(1, w), (band - 1) * u));
		g.fillStyle = colour(s, "muted");
		g.font = `${Math.min(11, band + 1)}px ${FONT}`;
		if (s.load.length <= MOST_NAMED) g.fillText(host, 10, bottom - 1);
	});
	g.font = `11px ${FONT}`;
	if (s.load.length > MOST_NAMED) g.fillText(`CPU load of ${s.load.length} hosts`, 10, DENSITY + (OVERVIEW - DENSITY) / 2 + 4);
	const x = (t: number) => left + (width * (t - s.whole.begin)) / (s.whole.end - s.whole.begin);
	const a = x(s.view.begin), b = Math.max(x(s.view.end), a + 3);
	g.fillStyle = colour(s, "bg");
	g.globalAlpha = 0.65;
	g.fillRect(left, 0, a - left, OVERVIEW);
	g.fillRect(b, 0, s.width - b, OVERVIEW);
	g.globalAlpha = 1;
	g.strokeStyle = colour(s, "accent");
	g.strokeRect(a + 0.5, 0.5, b - a - 1, OVERVIEW - 1);
	g.fillStyle = colour(s, "line");
	g.fillRect(0, OVERVIEW, s.width, 1);
}

function drawRow(g: CanvasRenderingContext2D, s: Scene, row: Row, y: number) {
	if (row.kind === "host") {
		g.fillStyle = colour(s, row.key === s.selectedRow ? "sel" : "panel");
		g.fillRect(0, y + 3, s.width, row.height - 5);
	} else if (row.key === s.selectedRow) {
		g.fillStyle = colour(s, "sel");
		g.fillRect(0, y, s.width, row.height);
	}
	if (row.program) return drawProgram(g, s, row.program, y, row.height);
	if (row.bars) return drawBars(g, s, row, y);
	const strips = row.lanes.length;
	const top = y + (row.height - BAR) / 2;
	row.lanes.forEach((lane, i) => drawLane(g, s, lane, { y: top + (BAR / strips) * i,
		height: BAR / strips - (strips > 1 ? 0.5 : 0), hasNames: strips === 1 && row.kind === "cpu" }));
}

function drawBars(g: CanvasRenderingContext2D, s: Scene, row: Row, y: number) {
	const of = row.bars!, height = BAR / of.strips, top = y + (row.height - BAR) / 2;
	for (const isStrong of [false, true]) {
		g.globalAlpha = isStrong ? 1 : 0.4;
		for (const bar of of.bars) {
			if (bar.isStrong !== isStrong || bar.end < s.view.begin || bar.begin > s.view.end) continue;
			const a = Math.max(LABELS, xOf(s, bar.begin)), b = Math.min(s.width, xOf(s, bar.end));
			const h = (height - (of.strips > 1 ? 0.4 : 0)) * (bar.height ?? 1);
			g.fillStyle = colour(s, bar.colour ?? of.colour);
			g.fillRect(a, top + (bar.strip + 1) * height - h, Math.max(0.8, b - a - (b - a > 4 ? 0.4 : 0)), h);
		}
	}
	g.globalAlpha = 1;
}

/** The strip of a row's bars at y; -1: none. */
export function stripAt(row: Row, y: number): number {
	const strip = Math.floor(((y - (row.height - BAR) / 2) / BAR) * (row.bars?.strips ?? 1));
	return strip >= 0 && strip < (row.bars?.strips ?? 1) ? strip : -1;
}

function outline(g: CanvasRenderingContext2D, s: Scene, span: Range, y: number, tall: number) {
	const a = Math.max(LABELS, xOf(s, span.begin)), b = Math.min(s.width, xOf(s, span.end));
	if (b < LABELS || a > s.width) return;
	g.strokeStyle = colour(s, "text");
	g.lineWidth = 1.5;
	g.strokeRect(a - 0.75, y + 2, Math.max(3, b - a + 1.5), tall - 4);
}

/** In what it is the name of, as far as there is room. */
export function drawName(g: CanvasRenderingContext2D, ink: string, text: string, x: number, y: number, width: number) {
	const most = Math.floor((width - 6) / 6.2);
	if (most < 3) return;
	g.fillStyle = ink;
	g.font = `10.5px ${FONT}`;
	g.fillText(text.length > most ? text.slice(0, most - 1) + "…" : text, x + 3, y + 11, width - 5);
}

/** The whole is beside the pointer. */
function shorten(g: CanvasRenderingContext2D, text: string, width: number): string {
	if (g.measureText(text).width <= width) return text;
	let keep = text.length - 1;
	const cut = (n: number) => `${text.slice(0, n)}…`;
	while (keep > 2 && g.measureText(cut(keep)).width > width) keep--;
	return cut(keep);
}

function drawLabel(g: CanvasRenderingContext2D, s: Scene, row: Row, y: number) {
	// Names of high rows stand beside their first states.
	const x = 10 + row.depth * 12, base = y + (row.program ? ROW : row.height) / 2 + 4;
	const isHead = row.kind === "host" || row.kind === "process";
	g.font = `${row.kind === "host" ? "600 " : ""}12px ${FONT}`;
	g.fillStyle = colour(s, row.kind === "cpu" ? "muted" : "text");
	const text = (isHead ? (row.isFolded ? "▸ " : "▾ ") : "") + row.label;
	const left = x - (row.kind === "process" ? 12 : 0);
	const cut = shorten(g, text, LABELS - 8 - left);
	g.fillText(cut, left, base);
	const end = left + g.measureText(cut).width + 8;
	if (!row.note) return;
	g.font = `11px ${FONT}`;
	g.fillStyle = colour(s, "muted");
	if (end + g.measureText(row.note).width < LABELS - 6) g.fillText(row.note, end, base);
}

/** In the row of each host: when the path was on it, and what its time was. */
function drawPathBands(g: CanvasRenderingContext2D, s: Scene, tops: number[]) {
	const tall = 8, hosts = new Map(s.rows.map((row, i) => [row.key, tops[i] - s.scroll + (row.height - tall) / 2]));
	for (const piece of s.path) {
		const y = hosts.get(`h:${piece.row.split(":")[1]}`), a = Math.max(LABELS, xOf(s, piece.begin)), b = xOf(s, piece.end);
		if (y === undefined || b < LABELS || a > s.width) continue;
		g.fillStyle = colour(s, colourName(piece.cause));
		g.fillRect(a, y, Math.max(0.5, b - a), tall);
	}
}

/** So many pixels with several changes of rows are a band: as lines they would be a wall. */
const BAND = 3;

interface Band { changes: number; low: number; high: number }

/** Where the path changes rows so often that its lines would lie side by side. */
function bandsOf(s: Scene, at: { x0: number; y: number }[]): Map<number, Band> {
	const bands = new Map<number, Band>();
	for (let i = 1; i < at.length; i++) {
		const y0 = at[i - 1].y, { x0: x, y } = at[i];
		if (y === y0 || x < LABELS || x > s.width) continue;
		const b = bands.get(Math.floor(x / BAND)) ?? { changes: 0, low: Infinity, high: -Infinity };
		b.changes++;
		b.low = Math.min(b.low, y, y0);
		b.high = Math.max(b.high, y, y0);
		bands.set(Math.floor(x / BAND), b);
	}
	for (const [i, b] of bands) if (b.changes < 2) bands.delete(i);
	return bands;
}

/** A line over the rows: where it is, what the selected one waited for was going on. */
function drawPath(g: CanvasRenderingContext2D, s: Scene, tops: number[]) {
	if (!s.path.length) return;
	// All of it in a few pixels would be a bar; the selection shows where it is.
	if (xOf(s, s.path[s.path.length - 1].end) - xOf(s, s.path[0].begin) < LEAST_PATH) return;
	const places = placesOf(s.rows);
	const yOf = (key: string) => {
		const i = places.get(key) ?? places.get(`h:${key.split(":")[1]}`);
		return i === undefined ? undefined : tops[i] - s.scroll + PATH_Y;
	};
	const at = s.path.flatMap((piece) => {
		const y = yOf(piece.row);
		return y === undefined ? [] : [{ piece, y, x0: xOf(s, piece.begin), x1: xOf(s, piece.end) }];
	});
	const bands = bandsOf(s, at), isDense = (x: number) => bands.has(Math.floor(x / BAND));
	g.save();
	g.beginPath();
	g.rect(LABELS, HEAD, s.width - LABELS, s.height - HEAD);
	g.clip();
	drawPathBands(g, s, tops);
	g.fillStyle = colour(s, "path");
	g.globalAlpha = 0.1;
	for (const [i, b] of bands) g.fillRect(i * BAND, b.low, BAND, b.high - b.low);
	g.globalAlpha = 1;
	g.lineJoin = "round";
	for (const [width, name] of [[4.6, "bg"], [2.1, "path"]] as const) {
		g.strokeStyle = colour(s, name);
		g.lineWidth = width;
		g.beginPath();
		at.forEach(({ piece, y, x0, x1 }, i) => {
			const isApart = i === 0 || (isDense(x0) && at[i - 1].y !== y);
			// What is in flight comes from the row before, at a slant.
			if (isApart) g.moveTo(x0, y);
			else if (!piece.isInFlight) g.lineTo(x0, y);
			// In a band a dash says which rows it was in.
			g.lineTo(isApart && i > 0 ? Math.max(x1, x0 + 1) : x1, y);
		});
		g.stroke();
	}
	g.restore();
}

export function drawScene(g: CanvasRenderingContext2D, s: Scene, tops: number[]) {
	g.clearRect(0, 0, s.width, s.height);
	g.fillStyle = colour(s, "bg");
	g.fillRect(0, 0, s.width, s.height);
	drawGrid(g, s);
	g.save();
	g.beginPath();
	g.rect(0, HEAD, s.width, s.height - HEAD);
	g.clip();
	s.rows.forEach((row, i) => {
		const y = tops[i] - s.scroll;
		if (y > s.height || y + row.height < HEAD) return;
		drawRow(g, s, row, y);
		if (s.span && row.key === s.selectedRow) outline(g, s, s.span, y, row.program ? row.height : ROW);
		drawLabel(g, s, row, y);
	});
	drawLosses(g, s, tops);
	drawArrows(g, s, tops);
	g.restore();
	g.fillStyle = colour(s, "line");
	g.fillRect(LABELS - 1, OVERVIEW, 1, s.height);
	drawSelection(g, s);
	drawMarks(g, s);
	drawPath(g, s, tops);
	drawOverview(g, s);
}

function drawSelection(g: CanvasRenderingContext2D, s: Scene) {
	if (!s.selected) return;
	const a = Math.max(LABELS, xOf(s, s.selected.begin)), b = Math.min(s.width, xOf(s, s.selected.end));
	if (b < LABELS || a > s.width) return;
	g.fillStyle = colour(s, "sel");
	g.fillRect(a, HEAD - RULER, b - a, s.height);
	g.fillStyle = colour(s, "accent");
	g.font = `600 10px ${FONT}`;
	for (const [name, t] of [["A", s.selected.begin], ["B", s.selected.end]] as const) {
		const x = xOf(s, t);
		if (x < LABELS || x > s.width) continue;
		g.fillRect(x, HEAD - 6, 1, s.height);
		// Outside of a selection that has no room for both.
		const isInside = b - a > 2 * MARK;
		g.fillText(name, (name === "A") === isInside ? x + 3 : x - 9, HEAD);
	}
}

/** Where events of a host were lost, nothing that is drawn is certain. */
function drawLosses(g: CanvasRenderingContext2D, s: Scene, tops: number[]) {
	for (const loss of s.losses) {
		const a = Math.max(LABELS, xOf(s, loss.begin)), b = Math.min(s.width, xOf(s, loss.end));
		if (b < LABELS || a > s.width) continue;
		g.fillStyle = s.palette.hatch;
		s.rows.forEach((row, i) => {
			const y = tops[i] - s.scroll;
			if (hostOf(row) === loss.host && y < s.height && y + row.height > HEAD) g.fillRect(a, y, Math.max(1, b - a), row.height);
		});
	}
}

export const hostOf = (row: Row) => row.key.split(":")[1];

/** What "now" of the pointer's host may be on other hosts: likely, and at most. */
function drawBound(g: CanvasRenderingContext2D, s: Scene, x: number, y: number, tops: number[]) {
	const pixels = (ns: number) => ((s.width - LABELS) * ns) / (s.view.end - s.view.begin);
	if (!s.bound || pixels(s.bound) < 2) return;
	const at = s.rows.findIndex((row, i) => y >= tops[i] - s.scroll && y < tops[i] - s.scroll + row.height);
	if (at < 0 || y < HEAD) return;
	g.save();
	g.beginPath();
	g.rect(LABELS, HEAD, s.width - LABELS, s.height - HEAD);
	g.clip();
	g.fillStyle = colour(s, "sel");
	s.rows.forEach((row, i) => {
		if (hostOf(row) === hostOf(s.rows[at])) return;
		for (const ns of [s.bound, s.likely])
			g.fillRect(x - pixels(ns), tops[i] - s.scroll, 2 * pixels(ns), row.height);
	});
	g.restore();
}

/** Above all this: where the pointer is. */
export function drawPointer(g: CanvasRenderingContext2D, s: Scene, x: number | null, y: number, drag: Range | null, tops: number[]) {
	g.clearRect(0, 0, s.width, s.height);
	if (drag) {
		const a = xOf(s, drag.begin), b = xOf(s, drag.end);
		g.fillStyle = colour(s, "sel");
		g.fillRect(a, OVERVIEW, b - a, s.height);
		g.fillStyle = colour(s, "accent");
		g.font = `11px ${FONT}`;
		g.fillText(duration(drag.end - drag.begin), Math.min(b + 4, s.width - 60), HEAD + 12);
	}
	if (x !== null && x > LABELS) {
		drawBound(g, s, x, y, tops);
		g.fillStyle = colour(s, "muted");
		g.globalAlpha = 0.6;
		g.fillRect(Math.round(x), OVERVIEW, 1, s.height);
		g.globalAlpha = 1;
	}
}
