// Rows of requests: one for each kind; its slow ones stand out.
import { useMemo } from "preact/hooks";
import { rowsOf, useAnswer, useText } from "../api";
import { parseCsv } from "../csv";
import { duration } from "../numbers";
import { rangeWords, settled, since } from "../range";
import { isReport } from "../report";
import { bar, type BarRow, rowsBy, stack } from "./bars";

/** A report has this many. */
const MOST_REQUESTS = isReport ? "500" : "5000", SLOW = 0.05;
const LIST = [{ key: "begin", title: "", type: "time" }, { key: "latency_ns", title: "", type: "duration" }];

/** From which latency on a request is one of the slowest of its kind, of all that there are. */
function slowest(listed: Record<string, any>[], kinds: any[]): (kind: string) => number {
	const all = new Map<string, number[]>();
	for (const r of listed) all.set(r.kind, [...(all.get(r.kind) ?? []), r.latency_ns]);
	const limits = new Map<string, number>();
	for (const k of kinds) {
		const lengths = (all.get(k.kind) ?? []).sort((a, b) => b - a);
		limits.set(k.kind, lengths[Math.floor(SLOW * k.count)] ?? Number(k.p99_ns));
	}
	return (kind) => limits.get(kind) ?? Infinity;
}

function ofRequests(listed: Record<string, any>[], isSlow: (kind: string) => number): BarRow[] {
	const kinds = rowsBy(listed.map((r) => {
		const begin = since(r.begin);
		return { key: r.kind as string, bar: bar(begin, begin + r.latency_ns, `${r.id} ${duration(r.latency_ns)}, ${r.client} → ${r.server}, mostly ${r.most}`,
			{ isStrong: r.latency_ns >= isSlow(r.kind), request: r.id }) };
	}));
	return [...kinds].map(([kind, bars]) => ({ host: null, key: `r:${kind}`, label: kind.replace("->", "→"), note: "", colour: "own",
		strips: stack(bars), bars, words: (b) => ["requests", "--tree", "--request", b.request!] }));
}

export function useRequests(isWanted: boolean): BarRow[] {
	const words = ["requests", "--list", "--limit", MOST_REQUESTS], range = rangeWords(settled.value);
	const everywhere = useText(isWanted ? [...words, "--format", "csv"] : null), counts = useAnswer(isWanted ? ["requests"] : null);
	const all = rowsOf(counts.data, "kinds").reduce((n: number, k: any) => n + k.count, 0), isCut = all > Number(MOST_REQUESTS);
	// The slowest of all leave most short ranges empty.
	const here = useText(isWanted && isCut && !isReport && range.length ? [...words, ...range, "--format", "csv"] : null);
	return useMemo(() => {
		if (!isWanted || !everywhere.data || !counts.data) return [];
		const listed = parseCsv(everywhere.data, LIST), isHere = isCut && range.length > 0 && here.data !== null;
		const rows = ofRequests(isHere ? parseCsv(here.data!, LIST) : listed, slowest(listed, rowsOf(counts.data, "kinds")));
		const n = rows.reduce((sum, r) => sum + r.bars.length, 0);
		// How many there are in a range is known where it has fewer than are asked for.
		if (rows.length) rows[0].all = !isCut || (isHere && n < Number(MOST_REQUESTS)) ? rows[0].bars.length : isHere ? Infinity : all - n + rows[0].bars.length;
		return rows;
	}, [isWanted, everywhere.data, counts.data, here.data, isCut]);
}
