// Rows that are no lanes: requests by kind, and what disks had to do; bars of lists of the program.
import { useMemo } from "preact/hooks";
import { useAnswer, useText } from "../api";
import { parseCsv } from "../csv";
import { duration } from "../numbers";
import { rangeWords, settled, since } from "../range";
import { isReport } from "../report";
import { params } from "../state";
import { ROW, type Row } from "./rows";

export interface Bar { begin: number; end: number; strip: number; isStrong: boolean; text: string; request: string | null }
export interface BarRow { host: string | null; key: string; label: string; note: string; colour: string; strips: number; bars: Bar[]; all?: number }

/** A report has this many. */
const MOST_REQUESTS = isReport ? "500" : "5000", MOST_DISK = 4000, MOST_STRIPS = 5;
const LIST = [{ key: "begin", title: "", type: "time" }, { key: "latency_ns", title: "", type: "duration" }];

/** What overlaps stands above each other, as far as there is room. */
function stack(bars: Bar[]): number {
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

function ofRequests(text: string, counts: any): BarRow[] {
	const kinds = new Map<string, Bar[]>();
	for (const r of parseCsv(text, LIST)) {
		const begin = since(r.begin), bars = kinds.get(r.kind) ?? [];
		bars.push({ begin, end: begin + r.latency_ns, strip: 0, isStrong: false, request: r.id,
			text: `${r.id} ${duration(r.latency_ns)}, ${r.client} → ${r.server}, mostly ${r.most}` });
		kinds.set(r.kind, bars);
	}
	// Kinds of which none is among the slowest have no row; they count with the first.
	const missing = counts?.kinds.filter((k: any) => !kinds.has(k.kind)).reduce((n: number, k: any) => n + k.count, 0) ?? 0;
	return [...kinds].map(([kind, bars], i) => {
		// Slow ones, of which there are always some, stand out.
		const lengths = bars.map((b) => b.end - b.begin).sort((a, b) => a - b), slow = lengths[Math.floor(0.95 * lengths.length)];
		for (const b of bars) b.isStrong = b.end - b.begin >= slow;
		const all = (counts?.kinds.find((k: any) => k.kind === kind)?.count ?? bars.length) + (i ? 0 : missing);
		return { host: null, key: `r:${kind}`, label: kind.replace("->", "→"), note: "", colour: "own", strips: stack(bars), bars, all };
	});
}

function ofDisks(answer: any): BarRow[] {
	const disks = new Map<string, Bar[]>();
	for (const r of answer.tables[0]?.rows ?? []) {
		const key = `d:${r.host}:${r.disk}`, begin = since(r.begin), bars = disks.get(key) ?? [];
		bars.push({ begin, end: begin + Number(r.duration_ns ?? 0), strip: 0, isStrong: true, request: null,
			text: `${r.disk} ${r.name}, ${duration(r.duration_ns ?? 0)}, for ${r.comm}/${r.tid}` });
		disks.set(key, bars);
	}
	return [...disks].map(([key, bars]) => ({ host: key.split(":")[1], key, label: key.split(":").slice(2).join(":"), note: "disk",
		colour: "disk", strips: stack(bars), bars }));
}

/** Where there are too many to list: how busy disks were, by the height of bins. */
function ofDiskBins(answer: any): BarRow[] {
	const disks = new Map<string, Bar[]>();
	for (const r of answer.tables[0]?.rows ?? []) {
		const key = `d:${r.host}:${r.disk}`, bars = disks.get(key) ?? [];
		if (Number(r.in_flight) > 0)
			bars.push({ begin: since(r.begin), end: since(r.end), strip: 0, isStrong: Number(r.in_flight) > 0.3, request: null,
				text: `${r.disk}: ${Number(r.in_flight).toFixed(2)} requests in flight` });
		disks.set(key, bars);
	}
	return [...disks].map(([key, bars]) => ({ host: key.split(":")[1], key, label: key.split(":").slice(2).join(":"), note: "disk",
		colour: "disk", strips: 1, bars }));
}

export function useBars(): BarRow[] {
	const isWanted = params.value.bars !== "0";
	const range = rangeWords(settled.value);
	const requests = useText(isWanted ? ["requests", "--list", "--limit", MOST_REQUESTS, "--format", "csv"] : null);
	const counts = useAnswer(isWanted ? ["requests"] : null);
	const disks = useAnswer(isWanted ? ["log", "disk", "--all", "--limit", String(MOST_DISK), ...range] : null);
	const areMany = (disks.data?.tables[0]?.rows.length ?? 0) >= MOST_DISK;
	const bins = useAnswer(isWanted && areMany ? ["top", "disk", "--bins", "700", ...range] : null);
	return useMemo(() => isWanted ? [...(requests.data ? ofRequests(requests.data, counts.data) : []),
		...(areMany ? bins.data ? ofDiskBins(bins.data) : [] : disks.data ? ofDisks(disks.data) : [])] : [],
	[isWanted, requests.data, counts.data, disks.data, bins.data, areMany]);
}

export function rowOf(bar: BarRow, depth: number): Row {
	return { key: bar.key, kind: "bars", label: bar.label, note: bar.note, depth, lanes: [], task: null, height: ROW, isFolded: false,
		isPinned: false, bars: bar };
}

export function barAt(bar: BarRow, t: number, room: number): Bar | null {
	let best: Bar | null = null;
	for (const b of bar.bars)
		if (b.begin - room <= t && b.end + room >= t && (!best || b.end - b.begin > best.end - best.begin)) best = b;
	return best;
}
