// What the timeline shows, out of the address and answers: rows, path, load.
import { useMemo } from "preact/hooks";
import { type Answer, status, useAnswer, useLoaded } from "../api";
import { MOST_MESSAGES } from "../commands";
import { rangeWords, settled, since, whole } from "../range";
import { change, isRecorded, params } from "../state";
import { loadTasks, type Tasks } from "../tasks";
import { type Piece, piecesOf, usePath } from "./path";
import { useBars } from "./bars";
import { buildRows, type Row } from "./rows";

export interface Model {
	tasks: Tasks | null;
	error: string | null;
	rows: Row[];
	path: Piece[];
	pathAnswer: Answer<any>;
	load: { host: string; values: number[] }[];
	losses: { host: string; begin: number; end: number }[];
	arrows: { from: string; to: string; begin: number; end: number }[];
	areArrowsCut: boolean; // there are more than can be drawn
}

const list = (text: string | undefined) => new Set((text ?? "").split(",").filter(Boolean));

/** Adds a word to a list of the address, or takes it out. */
export function toggle(key: string, word: string) {
	const all = list(params.value[key]);
	if (!all.delete(word)) all.add(word);
	change({ [key]: [...all].join(",") });
}

function activityOf(answer: any): Map<string, number> {
	const all = new Map<string, number>();
	for (const r of answer?.tables?.[0]?.rows ?? [])
		all.set(`t:${r.host}:${r.tid}`, Number(r.self_ns ?? 0) + Number(r.runnable_ns ?? 0));
	return all;
}

function loadOf(answer: any): { host: string; values: number[] }[] {
	const all = new Map<string, number[]>();
	for (const r of answer?.tables?.[0]?.rows ?? []) {
		if (r.of !== "host") continue;
		if (!all.has(r.host)) all.set(r.host, []);
		all.get(r.host)!.push(Math.min(1, Number(r.percent ?? 0) / 100));
	}
	return [...all].map(([host, values]) => ({ host, values }));
}

/** Without the tracer: its tasks count as idle. */
const USERS = ["top", "cpu", "--limit", "0"];

/** Who woke whom in the range, and messages from host to host, when that is wanted. */
function useArrows(isWanted: boolean) {
	const limited = ["--limit", String(MOST_ARROWS), ...rangeWords(settled.value)];
	const wakes = useAnswer(isWanted ? ["log", "sched", "--all", ...limited] : null);
	const method = isRecorded.value ? ["--method", "none"] : [];
	const messages = useAnswer(isWanted && (status.value?.hosts.length ?? 0) > 1 ? ["latency", "--messages", ...method, "--limit", String(MOST_MESSAGES)] : null);
	return useMemo(() => {
		const woken = isWanted ? wakes.data?.tables?.[0]?.rows ?? [] : [];
		const { begin, end } = settled.value;
		// All of them are asked for at once: a range would be one of each host's own clock.
		const sent = (isWanted ? messages.data?.messages ?? [] : []).filter((m: any) => m.from !== m.to &&
			since(m.start) < end && since(m.start) + Number(m.duration_ns) > begin);
		const arrows = woken.filter((r: any) => r.waker_tid !== null).map((r: any) => ({
			from: `t:${r.host}:${r.waker_tid}`, to: `t:${r.host}:${r.tid}`, begin: since(r.begin), end: since(r.begin) }));
		for (const m of sent.slice(0, MOST_ARROWS))
			arrows.push({ from: `h:${m.from}`, to: `h:${m.to}`, begin: since(m.start), end: since(m.start) + Number(m.duration_ns) });
		return { isCut: woken.length >= MOST_ARROWS || sent.length >= MOST_ARROWS, arrows };
	}, [wakes.data, messages.data, isWanted, settled.value]);
}

/** When events were lost; asked only where some were. */
function useLosses() {
	const check = useAnswer(["check"]);
	const areThere = check.data?.traces.some((t: any) => t.lost_events > 0 || t.lost_packets > 0);
	const stats = useAnswer(areThere ? ["stats", "--limit", "0"] : null);
	return useMemo(() => (stats.data?.losses ?? []).filter((l: any) => l.begin !== null && l.end !== null).map((l: any) =>
		({ host: l.host, begin: since(l.begin), end: since(l.end) })), [stats.data]);
}

const MOST_ARROWS = 1500;

export function useModel(): Model {
	const p = params.value;
	const tasks = useLoaded("tasks", loadTasks);
	const always = useAnswer(USERS), load = useAnswer(["top", "cpu", "--bins", "240"]);
	const hideIdle = p.idle !== "1";
	const range = settled.value;
	const isAll = range.begin <= 0 && range.end >= whole.value.end;
	const now = useAnswer(isAll ? USERS : [...USERS, ...rangeWords(range)]);
	const pathAnswer = usePath();
	const path = useMemo(() => piecesOf(pathAnswer.data), [pathAnswer.data]);
	const bars = useBars();
	const rows = useMemo(() => {
		if (!tasks.data) return [];
		const onPath = new Set(path.map((s) => s.row));
		return buildRows(tasks.data, {
			bars,
			filter: p.q ?? "", hideIdle: hideIdle && now.data !== null,
			only: p.only === "1" && path.length ? onPath : null,
			keep: new Set([...(p.row ? [p.row] : []), ...onPath]),
			pinned: list(p.pin), folded: list(p.fold),
			activity: activityOf(now.data), order: activityOf(p.rank === "here" ? now.data : always.data),
		});
	}, [tasks.data, always.data, now.data, path, bars, p.q, p.only, p.row, p.pin, p.fold, p.rank, hideIdle]);
	const losses = useLosses(), { arrows, isCut } = useArrows(p.wake === "1");
	return { losses, arrows, areArrowsCut: isCut, tasks: tasks.data, error: tasks.error, rows, path, pathAnswer, load: useMemo(() => loadOf(load.data), [load.data]) };
}
