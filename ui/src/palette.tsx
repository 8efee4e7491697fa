// Ctrl K: one field for tasks, hosts, requests, views and commands.
import { signal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { copy } from "./parts/command";
import { ask, rowsOf, status } from "./api";
import { questions } from "./catalog";
import { commandLine } from "./commands";
import { marks } from "./marks";
import { count, duration } from "./numbers";
import { USERS } from "./timeline/model";
import { openMark } from "./timeline/marks";
import { Dialog } from "./dialog";
import { VIEWS } from "./nav";
import { loadTasks, type TaskRow } from "./tasks";
import { change, go, params, switchSafe, switchTheme } from "./state";
import { fromSeconds, rangeWords, setRange, shown, tabled, toSeconds, whole } from "./range";
import { isReport } from "./report";

interface Result { title: string; note: string; run: () => void }

const isOpen = signal(false);
export const openPalette = () => { isOpen.value = true; };

const MOST = 14;

function views(): Result[] {
	return VIEWS.map((v) => ({ title: v.title, note: "view", run: () => go({ v: v.name }) }));
}

function commands(): Result[] {
	return questions.value.filter((q) => (q.about === "window" || q.about === "all") && !q.periods && !q.views).map(({ words, about }) => ({
		title: `meridian ${words.join(" ")}`, note: "copy the command", run: () =>
			void copy(commandLine([...words, ...(about === "window" ? rangeWords(tabled.value) : [])])) }));
}

interface Use { cpu: number; waits: number }

/** CPU time, and how long they waited for a CPU, by row. */
async function loadUse(): Promise<Map<string, Use>> {
	const rows = (await ask(USERS)).tables?.[0]?.rows ?? [];
	return new Map(rows.map((r: any) => [`t:${r.host}:${r.tid}`, { cpu: Number(r.self_ns ?? 0), waits: Number(r.runnable_ns ?? 0) }]));
}

function ofTask(t: TaskRow, use: Use | undefined): Result {
	const spent = use ? ` · ${duration(use.cpu)} CPU time${use.waits ? `, ${duration(use.waits)} runnable` : ""}` : "";
	return { title: t.name, note: `${t.host}${t.process ? ` · ${t.process}` : ""}${spent}`,
		run: () => go({ v: "timeline", row: t.key, path: null, req: null }) };
}

/** Names of events and of system calls, with how many there are. */
async function loadNames(): Promise<Result[]> {
	if (isReport || status.peek()?.stage !== "ready") return [];
	const [events, calls] = await Promise.all([ask(["stats", "--by", "name", "--limit", "0"]), ask(["stats", "syscall", "--limit", "0"])]);
	const sums = new Map<string, number>();
	for (const r of rowsOf(events, "by_name")) sums.set(r.name, (sums.get(r.name) ?? 0) + Number(r.count));
	return [...[...(calls.tables[0]?.rows ?? [])].map((r: any) => ({ title: `${r.name}`, note: `system call · ${count(r.count)}`,
		run: () => go({ v: "resources", tab: "syscall", name: r.name }) })),
	...[...sums].map(([name, n]) => ({ title: name, note: `event · ${count(n)}`, run: () => go({ v: "events", from: null, filter: `name == "${name}"` }) }))];
}

/** "+1.5s": there, as wide as now. */
function toTime(text: string): Result[] {
	const t = fromSeconds(/^\+?(\d+(?:\.\d+)?)\s*s?$/.exec(text)?.[1]), all = whole.peek();
	if (t === null || t > all.end) return [];
	const view = shown.peek(), half = Math.min((view.end - view.begin) / 2, all.end / 20);
	return [{ title: `+${toSeconds(t)} s`, note: "time", run: () => go({ v: "timeline",
		...setRange({ begin: Math.max(0, t - half), end: Math.min(all.end, t + half) }) }) }];
}

/** What looks like a filter is one. */
function toEvents(text: string): Result[] {
	if (!/==|!=|=~|&&|\|\||[<>]/.test(text)) return [];
	return [{ title: `events where ${text}`, note: "filter", run: () => go({ v: "events", from: null, filter: text }) }];
}

/** All letters of the question in order; those that begin with it, or hold it, come first. */
function rank(title: string, text: string): number {
	const t = title.toLowerCase(), at = t.indexOf(text);
	if (at >= 0) return at === 0 ? 0 : 1;
	let i = 0;
	for (const c of t) if (c === text[i]) i++;
	return i === text.length ? 2 : 3;
}

function find(all: Result[], text: string): Result[] {
	const asked = text.trim().toLowerCase();
	if (/^r\d+\.\d+$/.test(asked))
		return [{ title: asked, note: "request", run: () => go({ v: "requests", req: asked }) }];
	const special = [...toTime(asked), ...toEvents(text.trim())];
	return special.length ? special : all.map((r) => ({ r, rank: rank(`${r.title} ${r.note}`, asked) }))
		.filter((x) => x.rank < 3).sort((a, b) => a.rank - b.rank).slice(0, MOST).map((x) => x.r);
}

function Field() {
	const [text, setText] = useState("");
	const [at, setAt] = useState(0);
	const [tasks, setTasks] = useState<TaskRow[]>([]);
	const [names, setNames] = useState<Result[]>([]);
	const [use, setUse] = useState<Map<string, Use>>(new Map());
	useEffect(() => {
		loadUse().then(setUse, () => {});
		loadTasks().then((t) => setTasks(t.rows), () => {});
		loadNames().then(setNames, () => {});
	}, []);
	const close = () => (isOpen.value = false);
	const hosts = [...new Set(tasks.map((t) => t.host))].map((h) => ({ title: h, note: "host",
		run: () => go({ v: "timeline", q: h }) }));
	const flags = marks.value.map((m) => ({ title: m.text || "without a note", note: `mark · +${toSeconds(m.begin)} s`, run: () => openMark(m) }));
	const spent = (t: TaskRow) => { const u = use.get(t.key); return u ? u.cpu + u.waits : -1; };
	const busiest = useMemo(() => [...tasks].sort((a, b) => spent(b) - spent(a)), [tasks, use]);
	const all = [...views(), ...flags, ...hosts, ...busiest.filter((t) => !t.isKernel || text).map((t) => ofTask(t, use.get(t.key))), ...(text ? names : []), ...commands(),
		{ title: "times in UTC or in local time", note: "times", run: () => change({ utc: params.peek().utc === "1" ? null : "1" }) },
		{ title: "light or dark", note: "colours", run: switchTheme },
		{ title: "colour-blind-safe colours on or off", note: "colours", run: switchSafe }];
	const found = find(all, text);
	const choose = (r: Result | undefined) => { close(); r?.run(); };
	const onKeyDown = (e: KeyboardEvent) => {
		if (e.key === "ArrowDown") setAt(Math.min(found.length - 1, at + 1));
		else if (e.key === "ArrowUp") setAt(Math.max(0, at - 1));
		else if (e.key === "Enter") choose(found[at]);
		else return;
		e.preventDefault();
	};
	return (
		<Dialog label="find" close={close}>
			<input type="search" placeholder="task, host, request (r17.203), event, system call, mark, time (+1.5s), command" value={text}
				aria-label="find" onKeyDown={onKeyDown}
				onInput={(e) => { setText(e.currentTarget.value); setAt(0); }} />
			<ul class="results" role="listbox">
				{found.map((r, i) => (
					<li role="option" aria-selected={i === at} class={i === at ? "on" : ""}
						onMouseEnter={() => setAt(i)} onClick={() => choose(r)}>
						<span>{r.title}</span><span>{r.note}</span>
					</li>
				))}
				{found.length === 0 && <li><span>nothing has this name</span></li>}
			</ul>
		</Dialog>
	);
}

export function Palette() {
	return isOpen.value ? <Field /> : null;
}
