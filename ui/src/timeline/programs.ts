// Rows of programs: those that views declare (--view), and ranks of MPI programs. Which there are, and
// what they did in the range that is shown.
import { signal } from "@preact/signals";
import { query, useLoaded } from "../api";
import { parseJson } from "../json";
import { bytes, count, duration } from "../numbers";
import { absolute, type Range } from "../range";
import { inTurn } from "../queue";
import { get, isReport, storedTargets } from "../report";
import { isRecorded } from "../state";

export interface ProgramRow {
	key: string; // of the page: by the name of the host
	id: string; // of the server
	isRank: boolean;
	view: string; // its name; of ranks "mpi"
	title: string;
	host: string;
	label: string;
	under: string | null;
	depth: number; // of states in each other
	unit: string | null; // of its values; null: it has none
	low: number;
	high: number;
	threads: string[]; // keys of their rows
}

export interface Programs { rows: ProgramRow[]; allRows: number; byId: Map<string, ProgramRow>; hasViews: boolean; hasRanks: boolean }

/** In the order of views, declarations, groups and names. */
const inOrder = (a: string | null, b: string | null) => (a ?? "").localeCompare(b ?? "", undefined, { numeric: true });

function ofViews(answer: any, hosts: string[]): ProgramRow[] {
	const rows: any[] = [...answer.rows];
	rows.sort((a, b) => a.view - b.view || a.declared - b.declared || inOrder(a.under, b.under) || inOrder(a.label, b.label) || a.host - b.host);
	return rows.map((r) => ({ key: `s:${hosts[r.host]}:${r.row}`, id: `s:${r.host}:${r.row}`, isRank: false, view: answer.views[r.view].name,
		title: answer.views[r.view].title ?? answer.views[r.view].name, host: hosts[r.host], label: r.label ?? "without a name", under: r.under,
		depth: r.depth, unit: r.unit ?? null, low: Number(r.low ?? 0), high: Number(r.high ?? 0),
		threads: r.threads.map((tid: number) => `t:${hosts[r.host]}:${tid}`) }));
}

function ofRanks(answer: any, hosts: string[]): ProgramRow[] {
	const rows: any[] = [...answer.ranks];
	rows.sort((a, b) => a.program - b.program || a.rank - b.rank || (a.main ? -1 : 1));
	const areSeveral = new Set(rows.map((r) => r.program)).size > 1;
	return rows.map((r) => ({ key: `m:${hosts[r.host]}:${r.line}`, id: `m:0:${r.line}`, isRank: true, view: "mpi", title: "MPI",
		host: hosts[r.host], label: r.main || r.tid === undefined ? `rank ${r.rank}` : `rank ${r.rank}, ${r.tid}`,
		under: areSeveral ? `program ${r.program}` : null, depth: 0, unit: null, low: 0, high: 0,
		threads: r.tid === undefined ? [] : [`t:${hosts[r.host]}:${r.tid}`] }));
}

async function loadPrograms(hosts: string[]): Promise<Programs> {
	const answer = await inTurn(2, undefined, async () => {
		const text = await get(query("api/programs", [])), all = parseJson(await text.text()) as any;
		if (!text.ok) throw new Error(all.error);
		return all;
	});
	const rows = [...ofViews(answer, hosts), ...ofRanks(answer, hosts)];
	return { rows, allRows: Number(answer.all_rows), byId: new Map(rows.map((r) => [r.id, r])), hasViews: answer.views.length > 0, hasRanks: answer.ranks.length > 0 };
}

export function usePrograms(hosts: string[] | null) {
	return useLoaded(hosts && "programs", () => loadPrograms(hosts!));
}

// ---- What they did ----

export interface Word { text: string; view?: number; colour?: string; class?: string; wait?: string | null }
export interface StateRow { states: number[]; marks: number[]; values: number[] }
export interface States {
	window: Range;
	isCoarse: boolean; // what is shorter than a bin, or arrows at about the same time, are one
	rows: Map<string, StateRow>; // by id; times are from the window's begin
	words: Word[];
	arrows: [string, string, number, number, number, number][]; // from, to, begin, end, how many, word
	areArrowsCut: boolean;
}

/** The newest picture, and the one of everything. */
export const states = signal<States | null>(null);
export const allStates = signal<States | null>(null);

const STATE = 6, ROOM = 0.6, MOST_BINS = 8192, MOST_ROWS = 300, WHOLE_BINS = 1600;

function decode(answer: any, window: Range): States {
	const rows = new Map<string, StateRow>();
	let isCoarse = answer.arrows.some((a: number[]) => a[4] > 1);
	for (const r of answer.rows) {
		const of: StateRow = { states: r.states ?? [], marks: r.marks ?? [], values: r.values ?? [] };
		for (let i = 4; i < of.states.length && !isCoarse; i += STATE) isCoarse = of.states[i] < 255;
		rows.set(r.row, of);
	}
	return { window, isCoarse, rows, words: answer.words, arrows: answer.arrows, areArrowsCut: answer.arrows_left_out > 0 };
}

async function fetchStates(ids: string[], window: Range, bins: number): Promise<States> {
	const answer = await get(query("api/states", [["begin", String(absolute(window.begin))], ["end", String(absolute(window.end))],
		["bins", String(bins)], ["rows", ids.join(",")]]));
	const all = JSON.parse(await answer.text());
	if (!answer.ok) throw new Error(all.error);
	return decode(all, window);
}

const has = (p: States | null, ids: string[]) => p !== null && ids.every((id) => p.rows.has(id));

let wish: { ids: string[]; window: Range; bins: number } | null = null, isBusy = false;

async function fetchWishes() {
	isBusy = true;
	while (wish) {
		const now = wish;
		wish = null;
		const clocks = isRecorded.peek();
		const one = await fetchStates(now.ids, now.window, now.bins).catch(() => null);
		if (one && clocks === isRecorded.peek()) states.value = one;
	}
	isBusy = false;
}

let wholeOf = "";
/** Sees to it that these rows are there for this view of so many pixels. */
export function wantStates(ids: string[], view: Range, pixels: number, whole: Range) {
	if (!ids.length) return;
	if (isReport) return void wantStored(whole);
	if (!has(allStates.peek(), ids) && wholeOf !== ids.join()) {
		wholeOf = ids.join();
		void fetchStates(ids.slice(0, MOST_ROWS), whole, WHOLE_BINS).then((p) => (allStates.value = p), () => {});
	}
	const have = states.peek(), length = view.end - view.begin;
	const isThere = (p: States | null) => has(p, ids) && p!.window.begin <= view.begin && p!.window.end >= view.end &&
		(!p!.isCoarse || p!.window.end - p!.window.begin < 3.2 * length) && !(p!.areArrowsCut && p!.window.end - p!.window.begin > 3.2 * length);
	if (isThere(have) || isThere(allStates.peek())) return;
	const window = { begin: Math.max(whole.begin, Math.floor(view.begin - ROOM * length)), end: Math.min(whole.end, Math.ceil(view.end + ROOM * length)) };
	const bins = Math.round((pixels * (window.end - window.begin)) / length);
	wish = { ids, window, bins: Math.max(64, Math.min(MOST_BINS, bins)) };
	if (!isBusy) void fetchWishes();
}

let isStored = false;
async function wantStored(whole: Range) {
	if (isStored) return;
	isStored = true;
	const [target] = await storedTargets("api/states?");
	if (target) allStates.value = decode(JSON.parse(await (await get(target)).text()), whole);
}

export function forgetStates() {
	states.value = allStates.value = null;
	wholeOf = "";
}

/** The picture for a row in this view: the newest, unless that does not reach so far. */
export function statesFor(pictures: (States | null)[], id: string, view: Range): States | null {
	const all = pictures.filter((p) => p?.rows.has(id));
	return all.find((p) => p!.window.begin <= view.begin && p!.window.end >= view.end) ?? all[0] ?? null;
}

export interface OneState { begin: number; end: number; word: Word; depth: number; isExact: boolean; forRank: number; within: Word | null }

/** The state of a row at t, at this depth; at none of these, the innermost. */
export function stateAt(p: States, id: string, t: number, depth: number): OneState | null {
	const of = p.rows.get(id)?.states ?? [], at = t - p.window.begin, around: number[] = [];
	for (let i = 0; i < of.length; i += STATE)
		if (of[i] <= at && of[i + 1] > at && (around[of[i + 3]] === undefined || of[i + 4] === 255)) around[of[i + 3]] = i;
	const i = around[depth] ?? around.filter((x) => x !== undefined).at(-1);
	if (i === undefined) return null;
	const outer = around[of[i + 3] - 1];
	return { begin: p.window.begin + of[i], end: p.window.begin + of[i + 1], word: p.words[of[i + 2]], depth: of[i + 3], isExact: of[i + 4] === 255,
		forRank: of[i + 5], within: outer === undefined ? null : p.words[of[outer + 2]] };
}

/** When the next state of a row begins that is as deep, or the one before; they need not touch. */
export function nextState(p: States, id: string, t: number, depth: number, isForward: boolean): number | null {
	const of = p.rows.get(id)?.states ?? [], at = t - p.window.begin;
	let best: number | null = null;
	for (let i = 0; i < of.length; i += STATE) {
		if (of[i + 3] !== depth) continue;
		if (isForward ? of[i] >= at && (best === null || of[i] < best) : of[i + 1] <= at && (best === null || of[i] > best)) best = of[i];
	}
	return best === null ? null : p.window.begin + best;
}

/** The value of a row at t: of the last change before it. */
export function valueAt(p: States, id: string, t: number): number | null {
	const of = p.rows.get(id)?.values ?? [], at = t - p.window.begin;
	let value: number | null = null;
	for (let i = 0; i < of.length && of[i] <= at; i += 4) value = of[i + 3];
	return value;
}

export const valueText = (of: ProgramRow, value: number) =>
	of.unit === "bytes" ? bytes(value) : of.unit === "ns" ? duration(value) : count(value);

/** "MPI_Recv: late sender" */
export const wordText = (w: Word) => w.wait ? `${w.text}: ${w.wait}` : w.text;

const OF_CLASS: Record<string, string> = { compute: "user", outside: "own", unknown: "unknown" };

/** Colours of ranks are those of states everywhere; views bring their own. A name of the palette, or #rrggbb. */
export function wordColour(w: Word): string {
	if (w.colour) return w.colour;
	if (w.wait) return "mpi";
	return OF_CLASS[w.class ?? ""] ?? "sys";
}
