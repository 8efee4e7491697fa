// What the timeline shows, out of the address and answers: rows, path, load.
import { useMemo } from "preact/hooks";
import { type Answer, query, rowsOf, useAnswer, useLoaded } from "../api";
import { parseJson } from "../json";
import { inTurn } from "../queue";
import { get } from "../report";
import { rangeWords, settled, since, whole } from "../range";
import { change, params } from "../state";
import { loadTasks, type Tasks } from "../tasks";
import { unknownShare } from "../unknown";
import { type Arrow, useArrows } from "./arrows";
import { type Piece, piecesOf, usePath } from "./path";
import { useBars } from "./bars";
import { type Programs, usePrograms } from "./programs";
import { buildRows, type Row } from "./rows";

export interface Model {
	tasks: Tasks | null;
	programs: Programs | null;
	error: string | null;
	rows: Row[];
	path: Piece[];
	pathAnswer: Answer<any>;
	load: Load[];
	losses: { host: string; begin: number; end: number }[];
	density: number[]; // how much was recorded, of all hosts
	arrows: Arrow[];
	areArrowsCut: boolean; // there are more than can be drawn
}

export interface Load { host: string; values: number[]; unknown: number[] } // shares of the time of its CPUs

const list = (text: string | undefined) => new Set((text ?? "").split(",").filter(Boolean));

/** Adds a word to a list of the address, or takes it out. */
export function toggle(key: string, word: string) {
	const all = list(params.value[key]);
	if (!all.delete(word)) all.add(word);
	change({ [key]: [...all].join(",") });
}

/** ns on a CPU or waiting for one, by row. */
export function activityOf(answer: any): Map<string, number> {
	const all = new Map<string, number>();
	for (const r of answer?.tables?.[0]?.rows ?? [])
		all.set(`t:${r.host}:${r.tid}`, Number(r.self_ns ?? 0) + Number(r.runnable_ns ?? 0));
	return all;
}

function loadOf(answer: any): Load[] {
	const all = new Map<string, Load>(), rows = answer?.tables?.[0]?.rows ?? [], unknown = unknownShare(rows);
	for (const r of rows) {
		if (r.of !== "host") continue;
		if (!all.has(r.host)) all.set(r.host, { host: r.host, values: [], unknown: [] });
		all.get(r.host)!.values.push(Math.min(1, Number(r.percent ?? 0) / 100));
		all.get(r.host)!.unknown.push(unknown(r));
	}
	return [...all.values()];
}

/** Without the tracer: its tasks count as idle. */
export const USERS = ["top", "cpu", "--limit", "0"];

/** When events were lost; asked only where some were. */
function useLosses() {
	const check = useAnswer(["check"]);
	const areThere = rowsOf(check.data, "traces").some((t) => t.lost_events > 0 || t.lost_packets > 0);
	const stats = useAnswer(areThere ? ["stats", "--limit", "0"] : null);
	return useMemo(() => rowsOf(stats.data, "losses").filter((l) => l.begin !== null && l.end !== null).map((l: any) =>
		({ host: l.host, begin: since(l.begin), end: since(l.end) })), [stats.data]);
}

/** When the path first came to each row. */
function visitsOf(path: Piece[]): Map<string, number> {
	const first = new Map<string, number>();
	for (const piece of path) if (!first.has(piece.row)) first.set(piece.row, piece.begin);
	return first;
}

const PARTS = 480;

/** Bytes recorded over time, as the headers of packets say; of each host from its own begin to its end. */
function densityOf(hosts: any[]): number[] {
	const all = new Array<number>(PARTS).fill(0), end = whole.peek().end;
	for (const h of hosts) {
		if (!h.bytes) continue;
		const from = since(h.begin), width = (since(h.end) - from) / h.bytes.length;
		h.bytes.forEach((n: number, i: number) => {
			const part = Math.floor((PARTS * (from + (i + 0.5) * width)) / end);
			if (part >= 0 && part < PARTS) all[part] += n;
		});
	}
	return all;
}

export function useModel(): Model {
	const p = params.value;
	const tasks = useLoaded("tasks", loadTasks);
	// Which rows there are goes before what is in tables.
	const always = useAnswer(USERS, 2), load = useAnswer(["top", "cpu", "--bins", "240"], 1);
	const hideIdle = p.idle !== "1";
	const range = settled.value;
	const isAll = range.begin <= 0 && range.end >= whole.value.end;
	const now = useAnswer(isAll ? USERS : [...USERS, ...rangeWords(range)], 2);
	const pathAnswer = usePath();
	const path = useMemo(() => piecesOf(pathAnswer.data), [pathAnswer.data]);
	const bars = useBars(), programs = usePrograms(tasks.data?.hosts ?? null);
	const rows = useMemo(() => {
		if (!tasks.data) return [];
		const onPath = new Set(path.map((s) => s.row));
		return buildRows(tasks.data, {
			bars, programs: programs.data?.rows ?? [],
			filter: p.q ?? "", hideIdle: hideIdle && now.data !== null,
			visits: p.only === "1" && path.length ? visitsOf(path) : null, selected: p.row,
			keep: new Set([...(p.row ? [p.row] : []), ...onPath]),
			pinned: list(p.pin), folded: list(p.fold), opened: list(p.open), range,
			activity: activityOf(now.data), order: activityOf(p.rank === "here" ? now.data : always.data),
		});
	}, [tasks.data, always.data, now.data, path, bars, programs.data, p.q, p.only, p.row, p.pin, p.fold, p.open, p.rank, hideIdle, range]);
	const overview = useLoaded("overview", () => inTurn(0, undefined, async () => parseJson(await (await get(query("api/overview", []))).text())));
	const density = useMemo(() => densityOf(overview.data?.hosts ?? []), [overview.data]);
	const losses = useLosses(), { arrows, isCut } = useArrows(p.wake === "1", p.row);
	return { losses, density, arrows, areArrowsCut: isCut, tasks: tasks.data, programs: programs.data, error: tasks.error, rows, path, pathAnswer, load: useMemo(() => loadOf(load.data), [load.data]) };
}
