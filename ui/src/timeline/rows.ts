// Which rows there are, in which order: hosts, their CPUs, processes and threads.
import { count } from "../numbers";
import type { TaskRow, Tasks } from "../tasks";
import { type BarRow, rowOf } from "./bars";

export interface Row {
	key: string; // of the task or CPU; h:HOST; p:HOST:PID
	kind: "host" | "process" | "cpu" | "task" | "bars";
	label: string;
	note: string;
	depth: number;
	lanes: string[]; // several where something folded stands for what is in it
	task: TaskRow | null;
	height: number;
	isFolded: boolean;
	isPinned: boolean;
	bars?: BarRow; // instead of lanes
}

export interface Wanted {
	filter: string;
	hideIdle: boolean;
	only: Set<string> | null; // rows of a path
	keep: Set<string>; // never hidden
	pinned: Set<string>;
	folded: Set<string>;
	activity: Map<string, number>; // ns on or waiting for a CPU in the range, by row
	bars: BarRow[];
	order: Map<string, number>; // the same in the whole recording: rows do not jump while one moves
}

export const ROW = 21, HOST_ROW = 26;
const MOST_STRIPS = 12;

/** Words of the filter, all of which a row has to have; * and ? are wildcards. */
export function matcher(filter: string): (text: string) => boolean {
	const words = filter.trim().toLowerCase().split(/\s+/).filter(Boolean).map((w) =>
		new RegExp(w.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".")));
	return (text) => words.every((w) => w.test(text.toLowerCase()));
}

function isWanted(t: TaskRow, w: Wanted, matches: (text: string) => boolean): boolean {
	if (w.keep.has(t.key)) return true;
	if (!matches(`${t.host} ${t.name} ${t.process ?? ""}`)) return false;
	if (t.isCpu) return true;
	if (w.only) return w.only.has(t.key);
	return !w.hideIdle || (w.activity.get(t.key) ?? 0) > 0;
}

function leaf(t: TaskRow, depth: number, w: Wanted): Row {
	return { key: t.key, kind: t.isCpu ? "cpu" : "task", label: t.name, note: t.process ?? "", depth,
		lanes: [t.lane], task: t, height: ROW, isFolded: false, isPinned: w.pinned.has(t.key) };
}

function group(key: string, kind: "host" | "process", label: string, note: string, depth: number, inside: TaskRow[],
	w: Wanted): Row {
	const isFolded = w.folded.has(key);
	return { key, kind, label, note, depth, lanes: isFolded ? inside.slice(0, MOST_STRIPS).map((t) => t.lane) : [],
		task: null, height: kind === "host" ? HOST_ROW : ROW, isFolded, isPinned: false };
}

function rank(w: Wanted, tasks: TaskRow[]): number {
	return Math.max(0, ...tasks.map((t) => w.order.get(t.key) ?? 0));
}

function processesOf(tasks: TaskRow[], w: Wanted): TaskRow[][] {
	const all = new Map<number, TaskRow[]>();
	for (const t of tasks) {
		const key = t.pid < 0 || t.isKernel ? -1 - t.number : t.pid;
		const list = all.get(key);
		if (list) list.push(t);
		else all.set(key, [t]);
	}
	for (const list of all.values()) list.sort((a, b) => (w.order.get(b.key) ?? 0) - (w.order.get(a.key) ?? 0));
	return [...all.values()].sort((a, b) => rank(w, b) - rank(w, a));
}

function rowsOfProcess(tasks: TaskRow[], names: Map<number, string>, w: Wanted): Row[] {
	if (tasks.length === 1) return [leaf(tasks[0], 1, w)];
	const { host, pid } = tasks[0];
	const head = group(`p:${host}:${pid}`, "process", `${names.get(pid) ?? tasks[0].comm}`,
		`${tasks.length} threads`, 1, tasks, w);
	return head.isFolded ? [head] : [head, ...tasks.map((t) => ({ ...leaf(t, 2, w), note: "" }))];
}

/** Above all hosts, since they are of several. */
function rowsOfRequests(w: Wanted, matches: (text: string) => boolean): Row[] {
	const bars = w.bars.filter((b) => b.host === null && matches(b.label));
	if (!bars.length || w.only) return [];
	const shown = bars.reduce((n, b) => n + b.bars.length, 0), all = bars.reduce((n, b) => n + (b.all ?? b.bars.length), 0);
	const head = { ...group("q:requests", "host", "requests", shown < all ? `${count(shown)} of ${count(all)}` : "", 0, [], w) };
	return head.isFolded ? [head] : [head, ...bars.map((b) => rowOf(b, 1))];
}

export function buildRows(all: Tasks, w: Wanted): Row[] {
	const matches = matcher(w.filter);
	const rows: Row[] = [];
	const pinned = all.rows.filter((t) => w.pinned.has(t.key));
	for (const t of pinned) rows.push({ ...leaf(t, 0, w), label: `${t.name}`, note: t.host });
	rows.push(...rowsOfRequests(w, matches));
	all.hosts.forEach((host, h) => {
		const mine = all.rows.filter((t) => t.hostNumber === h && !w.pinned.has(t.key) && isWanted(t, w, matches));
		const cpus = mine.filter((t) => t.isCpu), tasks = mine.filter((t) => !t.isCpu);
		if (!mine.length || (w.only && !tasks.length)) return;
		const head = group(`h:${host}`, "host", host, "", 0, cpus, w);
		rows.push(head);
		if (head.isFolded) return;
		const names = new Map(all.rows.filter((t) => t.hostNumber === h && t.tid === t.pid).map((t) => [t.pid, t.comm]));
		for (const t of cpus) rows.push(leaf(t, 1, w));
		for (const b of w.bars) if (b.host === host && (w.only === null || b.bars.length)) rows.push(rowOf(b, 1));
		for (const process of processesOf(tasks, w)) rows.push(...rowsOfProcess(process, names, w));
	});
	return rows;
}
