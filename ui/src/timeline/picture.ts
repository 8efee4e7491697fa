// Lanes as bytes (src/server/lanes.c says how), and which of them are fetched when.
import { signal } from "@preact/signals";
import { query } from "../api";
import { first } from "../queue";
import { absolute, type Range, since } from "../range";
import { get, isReport, storedLanes } from "../report";

export interface Picture {
	lanes: string[];
	index: Map<string, number>;
	window: Range; // what was asked for
	isInBins: boolean;
	origin: number; // begin of the window
	unit: number; // ns
	first: Uint32Array;
	begin: Uint32Array;
	end: Uint32Array;
	task: Uint32Array;
	state: Uint8Array;
	cause: Uint8Array;
	share: Uint8Array;
}

const MAGIC = 0x314e4c4d, HEADER = 32;
export const NO_TASK = 0xffffffff;

function decode(bytes: ArrayBuffer, lanes: string[], window: Range): Picture {
	const head = new DataView(bytes);
	if (head.getUint32(0, true) !== MAGIC) throw new Error("these are no lanes");
	const n = head.getUint32(4, true), spans = head.getUint32(8, true);
	let at = HEADER;
	const u32 = (length: number) => { const a = new Uint32Array(bytes, at, length); at += 4 * length; return a; };
	const u8 = () => { const a = new Uint8Array(bytes, at, spans); at += spans; return a; };
	return {
		lanes, index: new Map(lanes.map((lane, i) => [lane, i])), window,
		isInBins: head.getUint32(12, true) !== 0,
		origin: since(head.getBigInt64(16, true)), unit: Number(head.getBigInt64(24, true)),
		first: u32(n + 1), begin: u32(spans), end: u32(spans), task: u32(spans),
		state: u8(), cause: u8(), share: u8(),
	};
}

export async function fetchPicture(lanes: string[], window: Range, bins: number): Promise<Picture> {
	const bytes = await first(async () => {
		const answer = await get(query("api/lanes", [["begin", String(absolute(window.begin))],
			["end", String(absolute(window.end))], ["bins", String(bins)], ["lanes", lanes.join(",")]]));
		if (!answer.ok) throw new Error(await answer.text());
		return answer.arrayBuffer();
	});
	return decode(bytes, lanes, window);
}

/** The newest picture, and one of everything, for what the newest does not reach. */
export const fine = signal<Picture | null>(null);
export const coarse = signal<Picture | null>(null);
export const failure = signal<string | null>(null);
/** Of a report: how long one bin of what is shown is, ns; 0: states are exact. */
export const binNs = signal(0);

interface Wish { lanes: string[]; window: Range; bins: number }
let wish: Wish | null = null;
let isBusy = false;
let later: (() => void) | null = null; // when the newest is there
const ROOM = 0.6, MOST_BINS = 8192; // of the window at each side, so that moving finds something

function has(p: Picture | null, lanes: string[]): boolean {
	return p !== null && lanes.every((l) => p.index.has(l));
}

async function fetchWishes() {
	isBusy = true;
	while (wish) {
		const now = wish;
		wish = null;
		try {
			fine.value = await fetchPicture(now.lanes, now.window, now.bins);
			failure.value = null;
		} catch (e) {
			failure.value = (e as Error).message;
		}
	}
	isBusy = false;
	later?.();
}

/** Sees to it that the lanes are there for this view of so many pixels; are they? */
export function want(lanes: string[], view: Range, pixels: number, whole: Range): boolean {
	if (!lanes.length) return false;
	if (isReport) {
		void wantStored(view);
		return true;
	}
	const have = fine.value, length = view.end - view.begin;
	const asked = have ? have.window.end - have.window.begin : 0;
	const isEnough = has(have, lanes) && have!.window.begin <= view.begin && have!.window.end >= view.end &&
		(!have!.isInBins || asked < 3.2 * length);
	if (isEnough) return true;
	const window = { begin: Math.max(whole.begin, Math.floor(view.begin - ROOM * length)),
		end: Math.min(whole.end, Math.ceil(view.end + ROOM * length)) };
	const bins = Math.round((pixels * (window.end - window.begin)) / length);
	wish = { lanes, window, bins: Math.max(64, Math.min(MOST_BINS, bins)) };
	if (!isBusy) void fetchWishes();
	return false;
}

// ---- Of a report: the pictures that it has ----

let stored: Promise<Picture[]> | null = null;

function loadStored(): Promise<Picture[]> {
	stored ??= storedLanes().then((all) => Promise.all(all.map(async (s) =>
		decode(await (await get(s.target)).arrayBuffer(), s.lanes, { begin: since(s.begin), end: since(s.end) }))));
	return stored;
}

/** That of everything, for paper. */
export async function widestStored(): Promise<Picture | null> {
	const length = (p: Picture) => p.window.end - p.window.begin;
	return (await loadStored()).sort((a, b) => length(b) - length(a))[0] ?? null;
}

/** The closest that has all of the view; the picture of everything stands behind it. */
async function wantStored(view: Range) {
	const length = (p: Picture) => p.window.end - p.window.begin;
	const all = (await loadStored()).sort((a, b) => length(a) - length(b));
	const close = all.find((p) => p.window.begin <= view.begin && p.window.end >= view.end) ?? null;
	if (fine.value !== close) fine.value = close;
	if (coarse.value !== all.at(-1)) coarse.value = all.at(-1) ?? null;
	const p = close ?? coarse.value;
	binNs.value = p?.isInBins && p.end.length ? (p.end[0] - p.begin[0]) * p.unit : 0;
}

async function storedSpan(lane: string, t: number): Promise<Span | null> {
	for (const p of await loadStored()) {
		const i = p.isInBins || t < p.window.begin || t > p.window.end ? -1 : spanAt(p, lane, t);
		if (i >= 0) return spanOf(p, i, true);
	}
	return null;
}

// ---- ----

let coarseOf = "";
export function wantCoarse(lanes: string[], whole: Range) {
	if (isReport || has(coarse.value, lanes) || coarseOf === lanes.join()) return;
	// Behind what is looked at.
	later = () => { later = null; wantCoarse(lanes, whole); };
	if (isBusy) return;
	later = null;
	coarseOf = lanes.join();
	fetchPicture(lanes, whole, 1024).then((p) => (coarse.value = p), () => {});
}

export function forget() {
	fine.value = coarse.value = null;
	coarseOf = "";
}

/** The span of a lane at t; -1: none. */
export function spanAt(p: Picture, lane: string, t: number): number {
	const i = p.index.get(lane);
	if (i === undefined) return -1;
	const at = (t - p.origin) / p.unit;
	let low = p.first[i], high = p.first[i + 1];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (p.end[middle] <= at) low = middle + 1;
		else high = middle;
	}
	if (low >= p.first[i + 1] || p.begin[low] > at) return -1;
	// Of a bin what took most of it.
	let best = low;
	for (let k = low + 1; k < p.first[i + 1] && p.begin[k] === p.begin[low]; k++) if (p.share[k] > p.share[best]) best = k;
	return best;
}

export interface Span {
	begin: number;
	end: number;
	state: number;
	cause: number;
	task: number;
	isCut: boolean; // it goes on beyond what is known
}

function spanOf(p: Picture, i: number, isCut: boolean): Span {
	return { begin: p.origin + p.begin[i] * p.unit, end: p.origin + p.end[i] * p.unit, state: p.state[i], cause: p.cause[i],
		task: p.task[i], isCut };
}

/** The whole span at t, exactly: around it more and more is fetched until both ends are there. */
export async function exactSpan(lane: string, t: number, whole: Range): Promise<Span | null> {
	if (isReport) return storedSpan(lane, t);
	for (let reach = 2e6; ; reach *= 8) {
		const window = { begin: Math.max(whole.begin, Math.floor(t - reach)), end: Math.min(whole.end, Math.ceil(t + reach)) };
		const p = await fetchPicture([lane], window, 1024);
		const i = spanAt(p, lane, t);
		if (i < 0 || p.isInBins) return null;
		const { begin, end } = spanOf(p, i, false);
		const isCut = (begin <= window.begin && window.begin > whole.begin) ||
			(end >= window.end && window.end < whole.end);
		if (!isCut) return spanOf(p, i, false);
	}
}
