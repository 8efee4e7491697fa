// Rows that are no lanes: requests by kind, disks, interfaces, interrupts, vCPUs; bars of lists of the
// program. Where there are too many to list, they are bins: bars whose height is how much there was.
import { useMemo } from "preact/hooks";
import { rangeWords } from "../range";
import { isRecorded, params } from "../state";
import { useDisks, useInterfaces, useInterrupts, useVcpus } from "./bars_devices";
import { useRequests } from "./bars_requests";
import { ROW, type Row } from "./rows";

export interface Bar {
	begin: number;
	end: number;
	strip: number;
	isStrong: boolean;
	text: string;
	request: string | null;
	colour?: string; // its own, instead of the row's
	height?: number; // of its strip, 0 to 1
}
export interface BarRow {
	host: string | null; // null: of all hosts
	key: string;
	label: string;
	note: string;
	colour: string;
	strips: number;
	bars: Bar[];
	all?: number; // how many there are, where not all are here
	group?: string; // key of the row that it is under
	words: (b: Bar) => string[]; // the command that prints one
}

const MOST_STRIPS = 5;

export function bar(begin: number, end: number, text: string, more: Partial<Bar> = {}): Bar {
	return { begin, end, strip: 0, isStrong: true, request: null, text, ...more };
}

/** Words of a command, with the time of a bar; a moment has an end, too. */
export function during(b: Bar, ...words: string[]): string[] {
	return [...words, ...rangeWords({ begin: b.begin, end: Math.max(b.end, b.begin + 1) })];
}

/** What overlaps stands above each other, as far as there is room. */
export function stack(bars: Bar[]): number {
	const ends: number[] = [];
	bars.sort((a, b) => a.begin - b.begin);
	for (const bar of bars) {
		let strip = ends.findIndex((end) => end <= bar.begin);
		if (strip < 0) strip = ends.length < MOST_STRIPS ? ends.length : ends.indexOf(Math.min(...ends));
		bar.strip = strip;
		ends[strip] = bar.end;
	}
	return Math.max(1, ends.length);
}

/** Rows by key, in the order in which they appear. */
export function rowsBy(bars: Iterable<{ key: string; bar: Bar }>): Map<string, Bar[]> {
	const all = new Map<string, Bar[]>();
	for (const { key, bar } of bars) {
		const list = all.get(key);
		if (list) list.push(bar);
		else all.set(key, [bar]);
	}
	return all;
}

export function useBars(): BarRow[] {
	const isWanted = params.value.bars !== "0";
	// Requests are known by aligned clocks only: there is no place for them beside other times.
	const requests = useRequests(isWanted && !isRecorded.value), disks = useDisks(isWanted), interfaces = useInterfaces(isWanted);
	const interrupts = useInterrupts(isWanted), vcpus = useVcpus(isWanted);
	return useMemo(() => [...requests, ...vcpus, ...interrupts, ...disks, ...interfaces],
		[requests, disks, interfaces, interrupts, vcpus]);
}

export function rowOf(of: BarRow, depth: number): Row {
	return { key: of.key, kind: "bars", label: of.label, note: of.note, depth, lanes: [], task: null, height: ROW, isFolded: false,
		isPinned: false, bars: of };
}

/** Those of several rows as one. */
export function joined(rows: BarRow[], key: string, label: string): BarRow {
	const isBins = rows.some((r) => r.bars.some((b) => b.height !== undefined));
	const bars = rows.flatMap((r) => r.bars.map((b) => ({ ...b, strip: 0 })));
	return { ...rows[0], key, label, note: `${rows.length}`, strips: isBins ? 1 : stack(bars), bars };
}

/** What is drawn at t, in the strip where there are several; the shortest, which is harder to hit. */
export function barAt(of: BarRow, t: number, room: number, strip: number): Bar | null {
	let best: Bar | null = null;
	const rank = (b: Bar) => (b.strip === strip ? 0 : 1e18) + b.end - b.begin;
	for (const b of of.bars)
		if (b.begin - room <= t && b.end + room >= t && (!best || rank(b) < rank(best))) best = b;
	return best;
}
