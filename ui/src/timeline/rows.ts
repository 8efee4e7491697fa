// Which rows there are, in which order: hosts, their CPUs, processes and threads.
import { count } from "../numbers";
import type { TaskRow, Tasks } from "../tasks";
import { type Fields, rowFilter, type Test } from "./filter";
import { type BarRow, joined, rowOf } from "./bars";
import { heightOf } from "./program_draw";
import { type ProgramRow, valueText } from "./programs";

export interface Row {
	key: string; // of the task or CPU; h:HOST; p:HOST:PID
	kind: "host" | "process" | "cpu" | "task" | "bars" | "program";
	label: string;
	note: string;
	depth: number;
	lanes: string[]; // several where something folded stands for what is in it
	task: TaskRow | null;
	height: number;
	isFolded: boolean;
	isPinned: boolean;
	opens?: boolean; // it is folded unless somebody opens it
	holds?: string[]; // keys of the rows that it stands for while it is folded
	bars?: BarRow; // instead of lanes
	program?: ProgramRow; // likewise
}

export interface Wanted {
	filter: string;
	hideIdle: boolean;
	keep: Set<string>; // never hidden
	pinned: Set<string>;
	folded: Set<string>;
	opened: Set<string>; // of those that are folded unless somebody opens them
	range: { begin: number; end: number };
	activity: Map<string, number>; // ns on or waiting for a CPU in the range, by row
	bars: BarRow[];
	programs: ProgramRow[];
	selected?: string; // never within what is folded by itself
	visits: Map<string, number> | null; // rows of a path, where only they are shown: in the order in which it first came to each
	order: Map<string, number>; // the same in the whole recording: rows do not jump while one moves
}

export const ROW = 21, HOST_ROW = 26;
const MOST_STRIPS = 12, MOST_PROGRAM_ROWS = 500;
/** More tasks than this of one process, or of one name, are one row until somebody wants to see each; of a path so many
 *  that take turns, and so many kinds of requests. */
const MANY = 40, MANY_ON_PATH = 4, MANY_KINDS = 8, KINDS_SHOWN = 5;

function fieldsOf(t: TaskRow): Fields {
	const of = { $host: t.host, host: t.host, name: t.isCpu ? t.name : `${t.comm}/${t.tid}`, kind: t.isCpu ? "cpu" : t.isKernel ? "kernel" : "task" };
	return t.isCpu ? { ...of, cpu: t.number, $cpu: t.number }
		: { ...of, comm: t.comm, tid: t.tid, pid: t.pid, process: t.process ?? t.comm };
}

/** Does a filter match something that is not shown because it did nothing? */
export function matchesIdle(all: Tasks, filter: string): boolean {
	const matches = rowFilter(filter).test;
	return all.rows.some((t) => matches(fieldsOf(t)));
}

function isWanted(t: TaskRow, w: Wanted, matches: Test): boolean {
	if (w.keep.has(t.key)) return true;
	if (!matches(fieldsOf(t))) return false;
	// A path is of tasks.
	if (w.visits) return !t.isCpu && w.visits.has(t.key);
	if (t.isCpu) return true;
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

/** The greatest comes first. */
const placeOf = (w: Wanted, t: TaskRow) => w.visits ? -(w.visits.get(t.key) ?? Infinity) : w.order.get(t.key) ?? 0;
const before = (a: number, b: number) => a === b ? 0 : b - a;

function rank(w: Wanted, tasks: TaskRow[]): number {
	return tasks.reduce((most, t) => Math.max(most, placeOf(w, t)), w.visits ? -Infinity : 0);
}

function processesOf(tasks: TaskRow[], w: Wanted): TaskRow[][] {
	const all = new Map<number, TaskRow[]>();
	for (const t of tasks) {
		const key = t.pid < 0 || t.isKernel ? -1 - t.number : t.pid;
		const list = all.get(key);
		if (list) list.push(t);
		else all.set(key, [t]);
	}
	for (const list of all.values()) list.sort((a, b) => before(placeOf(w, a), placeOf(w, b)));
	return [...all.values()].sort((a, b) => before(rank(w, a), rank(w, b)));
}

/** What is folded unless somebody opens it: its busiest tasks are drawn, one above the other. */
function crowd(key: string, label: string, note: string, tasks: TaskRow[], w: Wanted): Row {
	const isFolded = !w.opened.has(key) && !tasks.some((t) => t.key === w.selected);
	return { key, kind: "process", label, note, depth: 1, lanes: isFolded ? tasks.slice(0, MOST_STRIPS).map((t) => t.lane) : [], task: null,
		height: ROW, isFolded, isPinned: false, opens: true, holds: tasks.map((t) => t.key) };
}

/** worker-17 and worker/3:1 are of one name. */
const stemOf = (t: TaskRow) => t.comm.replace(/[\d:/._-]*\d[\w:/._-]*$/, "");

/** Processes of one thread that are as good as the same: many of one name. */
function crowds(processes: TaskRow[][]): Map<string, TaskRow[]> {
	const all = new Map<string, TaskRow[]>();
	for (const [t, ...more] of processes) {
		if (more.length) continue;
		const list = all.get(stemOf(t));
		if (list) list.push(t);
		else all.set(stemOf(t), [t]);
	}
	for (const [stem, list] of all) if (list.length <= MANY) all.delete(stem);
	return all;
}

function rowsOfTasks(host: string, processes: TaskRow[][], names: Map<number, string>, w: Wanted): Row[] {
	const many = crowds(processes), rows: Row[] = [];
	for (const process of processes) {
		const stem = process.length === 1 ? stemOf(process[0]) : "", list = many.get(stem);
		if (!list) {
			rows.push(...rowsOfProcess(process, names, w));
		} else if (list[0] === process[0]) {
			const head = crowd(`f:${host}:${stem}`, `${stem}…`, `${count(list.length)} tasks`, list, w);
			rows.push(head, ...(head.isFolded ? [] : list.map((t) => leaf(t, 2, w))));
		}
	}
	return rows;
}

function rowsOfProcess(tasks: TaskRow[], names: Map<number, string>, w: Wanted): Row[] {
	if (tasks.length === 1) return [leaf(tasks[0], 1, w)];
	const { host, pid } = tasks[0];
	const key = `p:${host}:${pid}`, name = names.get(pid) ?? tasks[0].comm, note = `${count(tasks.length)} threads`;
	const head = tasks.length > (w.visits ? MANY_ON_PATH : MANY) ? crowd(key, name, note, tasks, w)
		: { ...group(key, "process", name, note, 1, tasks, w), holds: tasks.map((t) => t.key) };
	return head.isFolded ? [head] : [head, ...tasks.map((t) => ({ ...leaf(t, 2, w), note: "" }))];
}

const KINDS: Record<string, string> = { d: "disk", n: "network", i: "interrupt", v: "vcpu" };

/** What a host has besides CPUs and tasks; interrupts are one row until somebody wants to see each. */
function rowsOfDevices(host: string, w: Wanted, matches: Test): Row[] {
	const isSeen = (b: BarRow) => b.host === host && matches({ $host: host, host, name: b.label, kind: KINDS[b.key[0]] }) &&
		(!w.hideIdle || b.bars.some((x) => x.end >= w.range.begin && x.begin <= w.range.end));
	const mine = w.bars.filter(isSeen), rows: Row[] = [];
	for (const b of mine) {
		if (w.visits && !b.key.startsWith("d:")) continue;
		if (!b.group) {
			rows.push(rowOf(b, 1));
			continue;
		}
		const inside = mine.filter((x) => x.group === b.group);
		if (inside[0] !== b) continue;
		const isOpen = w.opened.has(b.group), name = b.group.split(":").pop()!;
		rows.push({ ...rowOf(isOpen ? { ...b, key: b.group, label: name, note: "", bars: [] } : joined(inside, b.group, name), 1),
			kind: "process", note: `${inside.length} ${inside.length === 1 ? "handler" : "handlers"}`, isFolded: !isOpen });
		if (isOpen) rows.push(...inside.map((x) => rowOf(x, 2)));
	}
	return rows;
}

/** Of one view, or all ranks: in its groups, each row with those of its threads below. */
function rowsOfView(rows: ProgramRow[], threads: Map<string, TaskRow>, w: Wanted): Row[] {
	const { view, title, isRank } = rows[0], shown = rows.slice(0, MOST_PROGRAM_ROWS);
	const note = shown.length < rows.length ? `${count(shown.length)} of ${count(rows.length)}: filter rows` : "";
	const head = group(`w:${isRank ? "ranks" : view}`, "host", title, note, 0, [], w), all: Row[] = [head];
	const hosts = new Set(rows.map((r) => r.host)), areGrouped = new Set(rows.map((r) => r.under)).size > 1;
	let under: Row | null = null;
	for (const of of head.isFolded ? [] : shown) {
		if (areGrouped && of.under !== null && under?.label !== of.under)
			all.push(under = group(`u:${isRank ? "ranks" : view}:${of.under}`, "process", of.under, "", 1, [], w));
		if (areGrouped && of.under !== null && under!.isFolded) continue;
		const depth = areGrouped && of.under !== null ? 2 : 1;
		all.push({ key: of.key, kind: "program", label: of.label, note: of.unit !== null ? `up to ${valueText(of, of.high)}` : hosts.size > 1 && of.under !== of.host ? of.host : "", depth, lanes: [], task: null,
			height: heightOf(of), isFolded: false, isPinned: false, program: of });
		for (const key of of.threads) {
			const t = threads.get(key);
			if (t) all.push(leaf(t, depth + 1, w));
			threads.delete(key);
		}
	}
	return all;
}

/** What programs say of themselves, and below it the kernel's rows of the same threads, which are taken from theirs. */
function rowsOfPrograms(threads: Map<string, TaskRow>, w: Wanted, matches: Test): Row[] {
	const views = new Map<string, ProgramRow[]>();
	for (const of of w.programs) {
		const fields = { $host: of.host, host: of.host, name: `${of.label}${of.under ? ` ${of.under}` : ""}`, process: of.title, view: of.isRank ? undefined : of.view,
			kind: of.isRank ? "rank" : "state", tid: of.threads.length ? Number(of.threads[0].split(":").pop()) : undefined };
		if (w.visits ? !of.threads.some((t) => w.visits!.has(t)) : !w.keep.has(of.key) && !matches(fields)) continue;
		const key = `${of.isRank} ${of.view}`;
		const list = views.get(key);
		if (list) list.push(of);
		else views.set(key, [of]);
	}
	return [...views.values()].flatMap((rows) => rowsOfView(rows, threads, w));
}

/** Above all hosts, since they are of several. */
function rowsOfRequests(w: Wanted, matches: Test): Row[] {
	const bars = w.bars.filter((b) => b.host === null && matches({ name: b.label, kind: "request" }));
	if (!bars.length || w.visits) return [];
	const shown = bars.reduce((n, b) => n + b.bars.length, 0), all = bars.reduce((n, b) => n + (b.all ?? b.bars.length), 0);
	const head = { ...group("q:requests", "host", "requests", all === Infinity ? `the slowest ${count(shown)}` : shown < all ? `${count(shown)} of ${count(all)}` : "", 0, [], w) };
	if (head.isFolded) return [head];
	if (bars.length <= MANY_KINDS) return [head, ...bars.map((b) => rowOf(b, 1))];
	// The kinds that took most time, and the others as one row: the hosts are below.
	const took = (b: BarRow) => b.bars.reduce((ns, x) => ns + x.end - x.begin, 0), sorted = [...bars].sort((a, b) => took(b) - took(a));
	const more = sorted.slice(KINDS_SHOWN), key = "q:more", isOpen = w.opened.has(key) || more.some((b) => b.key === w.selected);
	const rest = isOpen ? { ...more[0], key, label: "other kinds", note: "", bars: [] } : joined(more, key, "other kinds");
	return [head, ...sorted.slice(0, KINDS_SHOWN).map((b) => rowOf(b, 1)),
		{ ...rowOf(rest, 1), kind: "process", note: `${more.length} kinds`, isFolded: !isOpen }, ...(isOpen ? more.map((b) => rowOf(b, 2)) : [])];
}

export function buildRows(all: Tasks, w: Wanted): Row[] {
	const matches = rowFilter(w.filter).test;
	const rows: Row[] = [];
	const pinned = all.rows.filter((t) => w.pinned.has(t.key));
	for (const t of pinned) rows.push({ ...leaf(t, 0, w), label: `${t.name}`, note: t.host });
	const threads = new Map(all.rows.filter((t) => !t.isCpu && !w.pinned.has(t.key)).map((t) => [t.key, t])), nThreads = threads.size;
	rows.push(...rowsOfPrograms(threads, w, matches), ...rowsOfRequests(w, matches));
	const isFree = (t: TaskRow) => t.isCpu || threads.size === nThreads || threads.has(t.key);
	const visit = (h: number) => all.rows.reduce((first, t) => t.hostNumber === h ? Math.min(first, w.visits?.get(t.key) ?? Infinity) : first, Infinity);
	const hosts = all.hosts.map((host, h) => ({ host, h, visit: w.visits ? visit(h) : 0 })).sort((a, b) => a.visit === b.visit ? a.h - b.h : a.visit - b.visit);
	hosts.forEach(({ host, h }) => {
		const mine = all.rows.filter((t) => t.hostNumber === h && !w.pinned.has(t.key) && isFree(t) && isWanted(t, w, matches));
		const cpus = mine.filter((t) => t.isCpu), tasks = mine.filter((t) => !t.isCpu);
		if (!mine.length || (w.visits && !tasks.length)) return;
		const head = group(`h:${host}`, "host", host, "", 0, cpus, w);
		rows.push(head);
		if (head.isFolded) return;
		const names = new Map(all.rows.filter((t) => t.hostNumber === h && t.tid === t.pid).map((t) => [t.pid, t.comm]));
		for (const t of cpus) rows.push(leaf(t, 1, w));
		rows.push(...rowsOfDevices(host, w, matches));
		rows.push(...rowsOfTasks(host, processesOf(tasks, w), names, w));
	});
	return rows;
}

/** The row of a task, or the folded one that stands for it: its place in rows; undefined: none. */
export function placesOf(rows: Row[]): Map<string, number> {
	const all = new Map<string, number>();
	rows.forEach((row, i) => { if (row.isFolded) for (const key of row.holds ?? []) all.set(key, i); });
	rows.forEach((row, i) => all.set(row.key, i));
	return all;
}
