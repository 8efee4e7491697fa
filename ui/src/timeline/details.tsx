// The panel at the right: what is selected, since when, why, and who ended it.
import { signal } from "@preact/signals";
import { ask, rowsOf, status, useLoaded } from "../api";
import { Command } from "../parts/command";
import { Bar, byCause, Legend } from "../parts/bar";
import { type Call, callAt } from "./call";
import { causeName, isAway } from "../parts/states";
import { duration } from "../numbers";
import { fromSeconds, rangeWords, setRange, setSelected, shown, since, toSeconds, whole } from "../range";
import { change, go, isRecorded, params } from "../state";
import { isReport } from "../report";
import { pathOf } from "../views/path_answer";
import { ownShares } from "../views/path_causes";
import type { TaskRow, Tasks } from "../tasks";
import { MarkList } from "./marks";
import { ProgramFacts, ProgramLegend, type ProgramSelection } from "./program_details";
import type { Row } from "./rows";
import { type Bar as Drawn, barAt } from "./bars";
import { coarse, exactSpan, fine, NO_TASK, type Picture, type Span } from "./picture";
import { fold, isHead } from "./steps";

/** Who ended a wait, or woke what then waited for a CPU: its task, and when it did so. */
interface Waker { host: string; tid: number; at: number; kind: string }
/** Who had the CPU that a task waited for, and for how long of the wait. */
interface Ahead { host: string; tid: number; ns: number }
/** Who had the CPU of a guest meanwhile, as the answer names it; key: its row, at: a moment of the theft. */
export interface Thief { text: string; key: string | null; at: number }
export interface Why { words: string[]; pieces: any[]; byTask: any[]; link: any; waker: Waker | null; ahead: Ahead | null; call: any; inCall: Call | null;
	onCpu: number | null }

export const whoWords = (t: TaskRow) => ["--tid", String(t.tid), "--host", t.host];

/** Only waits for packets end their path with a link: of others, what the task did at that moment names who ended it. */
async function wakerOf(t: TaskRow, span: Span): Promise<Waker | null> {
	const at = Math.floor((span.begin + span.end) / 2);
	const state = await ask(["state", "--at", `+${toSeconds(at)}s`, ...whoWords(t)]);
	const row = state.tables.find((x: any) => x.id === "tasks")?.rows[0];
	if (row?.by_tid === null || row?.by_tid === undefined) return null;
	return { host: row.by_host, tid: row.by_tid, at: span.end, kind: "wake" };
}

/** The wake-up that a wait for a CPU began with, and who ran meanwhile. */
async function queuedBy(t: TaskRow, span: Span): Promise<{ waker: Waker | null; ahead: Ahead | null }> {
	const log = await ask(["log", "sched", "--all", ...whoWords(t), ...rangeWords({ begin: span.begin, end: span.begin + 1 })]);
	const row = log.tables[0]?.rows[0];
	const isTask = (tid: any) => tid !== null && tid !== undefined && tid >= 0;
	return { waker: isTask(row?.waker_tid) ? { host: t.host, tid: row.waker_tid, at: span.begin, kind: "wake" } : null,
		ahead: isTask(row?.next_tid) ? { host: t.host, tid: row.next_tid, ns: Number(row.next_ns ?? 0) } : null };
}

/** Everything about a span that commands know: what went on meanwhile, and the link that ended it. */
async function whyOf(t: TaskRow, span: Span, state: string): Promise<Why> {
	const isWait = state === "blocked", range = rangeWords({ begin: span.begin, end: span.end });
	const words = ["path", ...whoWords(t), ...range];
	const path = pathOf(await ask(words));
	const link = path.links.filter((l: any) => l.to_host === t.host && l.to_tid === t.tid).at(-1) ?? null;
	const blocked = isWait ? await ask(["blocked", "--all", "--limit", "1", "--depth", "1", ...whoWords(t), ...range]) : null;
	const cpu = path.segments.find((s: any) => s.host === t.host && s.tid === t.tid && s.cpu !== undefined);
	const inCall = isWait || state === "syscall" ? await callAt(t, span.begin).catch(() => null) : null;
	const queued = state === "runnable" ? await queuedBy(t, span).catch(() => null) : null;
	const waker = link ? { host: link.from_host, tid: link.from_tid, at: since(link.from_time), kind: link.kind }
		: isWait ? await wakerOf(t, span).catch(() => null) : queued?.waker ?? null;
	return { words, pieces: path.segments, byTask: path.by_task, link, waker, ahead: queued?.ahead ?? null, call: rowsOf(blocked, "waits")[0] ?? null, inCall,
		onCpu: cpu?.cpu ?? null };
}

export interface Selection { task: TaskRow; span: Span | null; why: Why | null; thief: Thief | null; state: string; cause: string | null }

/** Of a task, or of the CPU that it was taken from. */
async function thiefOf(t: TaskRow, span: Span): Promise<Thief | null> {
	const at = Math.floor((span.begin + span.end) / 2), cpu = t.key.split(":").pop();
	const who = t.isCpu ? ["--cpu", cpu!, "--host", t.host] : whoWords(t);
	const { tables } = await ask(["state", "--at", `+${toSeconds(at)}s`, ...who]);
	const rows = (id: string) => tables.find((x: any) => x.id === id)?.rows ?? [];
	const text = t.isCpu ? rows("cpus").find((r: any) => String(r.cpu) === cpu)?.stolen_by
		: /^stolen by (.+)$/.exec(rows("tasks")[0]?.does ?? "")?.[1];
	const named = /^.*\/(\d+) on (\S+)$/.exec(text ?? "");
	return text ? { text, key: named && `t:${named[2]}:${named[1]}`, at } : null;
}

export async function loadSelection(tasks: Tasks, key: string, at: number | null): Promise<Selection | null> {
	const task = tasks.byKey.get(key);
	if (!task) return null;
	const span = at === null ? null : await exactSpan(task.lane, at, whole.peek());
	const state = span ? tasks.states[span.state] : "", cause = span ? tasks.causes[span.cause] : null;
	const why = span && !task.isCpu ? await whyOf(task, span, state).catch(() => null) : null;
	const thief = span && cause === "stolen" && !isReport ? await thiefOf(task, span).catch(() => null) : null;
	return { task, span, why, thief, state, cause };
}

export function useSelection(tasks: Tasks | null) {
	const { row, at } = params.value;
	return useLoaded(tasks && row ? `select ${row} ${at ?? ""}` : null, () =>
		loadSelection(tasks!, row!, fromSeconds(at)));
}

/** Goes to a row and a moment; the view follows when the moment is outside. */
export function jump(row: string, t: number) {
	const view = shown.peek(), length = view.end - view.begin;
	const isInside = t > view.begin && t < view.end;
	go({ row, at: toSeconds(Math.max(0, t)), ...(isInside ? {} : setRange({ begin: Math.max(0, t - length / 2), end: t + length / 2 })) });
}

/** What ends a wait without a task that does it. */
const ENDS: Record<string, string> = { timer: "a timer", disk: "the disk", irq: "an interrupt", softirq: "a soft interrupt", network: "a packet" };

/** Why there is nobody to jump to; null: there is. */
function noWaker(s: Selection | null): string | null {
	if (s?.why?.waker || s?.thief?.key) return null;
	if (s?.span && s.cause === "stolen") return "It is not known who had the CPU meanwhile.";
	if (!s?.span || s.task.isCpu) return "Select what a task waited for: click into its row.";
	if (s.state !== "blocked" && s.state !== "runnable") return `It did not wait then: ${causeName(s.state)}.`;
	if (isReport) return "The report does not say who ended this wait.";
	if (!s.why) return "It is not known who ended this wait.";
	if (s.state === "runnable") return "It became runnable without a wake-up.";
	if (s.span.end >= whole.peek().end) return "Nobody: it still waited when the recording ended.";
	const end = ENDS[s.cause ?? ""];
	return end ? `No task: ${end} ended this wait.` : "It was not recorded who ended this wait.";
}

/** What a key could not do, and for which selection. */
const said = signal<{ text: string; row?: string; at?: string } | null>(null);

export function jumpToWaker(s: Selection | null) {
	const waker = s?.why?.waker, { row, at } = params.peek();
	if (waker) jump(`t:${waker.host}:${waker.tid}`, waker.at - 1);
	else if (s?.thief?.key) jump(s.thief.key, s.thief.at);
	else said.value = { text: noWaker(s)!, row, at };
}

function Said() {
	const { row, at } = params.value, what = said.value;
	return what && what.row === row && what.at === at ? <p class="warn" id="said" role="status">{what.text}</p> : null;
}

/** A board is about so wide. */
const BOARD_PIXELS = 1000, LEAST_PIXELS = 20;

/** Draws the path of the wait over the rows, and selects its time: tables say what it was. */
export function askWhy(s: Selection | null) {
	if (!s?.span || s.task.isCpu) return;
	const { begin, end } = s.span, view = shown.peek();
	// A path of a few pixels is a bar: closer then.
	const isNarrow = (end - begin) * BOARD_PIXELS < LEAST_PIXELS * (view.end - view.begin), room = 0.2 * (end - begin);
	change({ path: s.task.key, req: null, tab: "breakdown", ...setSelected(s.span),
		...(isNarrow ? setRange({ begin: Math.max(0, begin - room), end: Math.min(whole.peek().end, end + room) }) : {}) }, true);
}

function nameOf(tasks: Tasks, host: string, tid: number): string {
	const name = tasks.byKey.get(`t:${host}:${tid}`)?.name ?? `${tid}`;
	return `${name} on ${host}`;
}

function CallFacts({ call }: { call: Call }) {
	return <>
		{call.arguments && <><span>arguments</span><span class="mono" id="arguments">{call.arguments}</span></>}
		<span>returned</span><span>{call.returned ?? "not yet"}{call.ns !== null && <span class="dim"> after {duration(call.ns)}</span>}</span>
	</>;
}

/** The one that ended the wait; how long it was in flight is as sure as the clocks are. */
function Packet({ link }: { link: any }) {
	const isFar = link.from_host !== link.to_host, likely = isRecorded.value ? undefined : status.value?.likely_p50_ns;
	return <>
		<span>packet</span><span id="packet">sent +{toSeconds(since(link.from_time))} s, received +{toSeconds(since(link.to_time))} s</span>
		<span>in flight</span><span>{duration(BigInt(link.to_time) - BigInt(link.from_time))}
			{isFar && likely !== undefined && <span class="dim"> ± {duration(likely)}</span>}</span>
	</>;
}

function Facts({ s, tasks }: { s: Selection; tasks: Tasks }) {
	const { span, why } = s;
	if (!span) return null;
	const who = s.task.isCpu && span.task !== NO_TASK ? tasks.byNumber.get(`${s.task.hostNumber}:${span.task}`) : null;
	const detail = why?.pieces.find((p) => p.host === s.task.host && p.tid === s.task.tid && p.detail)?.detail;
	const { waker, ahead } = why ?? {};
	return (
		<div class="kv" id="facts">
			<span>state</span><span>{s.state === "blocked" ? "blocked" : causeName(isAway(s.state, s.cause) ? s.cause! : s.state)}</span>
			{who && <><span>task</span><span><button class="text" onClick={() => jump(who.key, span.begin)}>{who.name}</button></span></>}
			{s.thief && <><span>stolen by</span><span id="thief">{s.thief.key ? <button class="text" onClick={() => jumpToWaker(s)}>{s.thief.text}</button>
				: s.thief.text}</span></>}
			{s.cause && !isAway(s.state, s.cause) && <><span>cause</span><span>{s.cause}</span></>}
			{why?.call?.call && <><span>call</span><span>{why.call.call}{why.call.object ? ` ${why.call.object}` : ""}</span></>}
			{ahead && <><span>behind</span><span id="ahead"><button class="text" onClick={() => jump(`t:${ahead.host}:${ahead.tid}`, span.begin + 1)}>
				{nameOf(tasks, ahead.host, ahead.tid)}</button>{ahead.ns > 0 && <span class="dim"> for {duration(ahead.ns)}</span>}</span></>}
			{!why?.call && !ahead && !s.thief && detail && <><span>{s.state === "runnable" ? "behind" : "call"}</span><span>{detail}</span></>}
			{why?.inCall && <CallFacts call={why.inCall} />}
			<span>since</span><span>+{toSeconds(span.begin)} s</span>
			<span>for</span><span id="span-length">{duration(span.end - span.begin)}</span>
			{why?.onCpu !== null && why && s.state !== "blocked" && <><span>CPU</span><span>{why.onCpu}</span></>}
			{waker && <><span>woken by</span><span id="waker"><button class="text" onClick={() => jumpToWaker(s)}>
				{nameOf(tasks, waker.host, waker.tid)}</button>{waker.kind !== "wake" && ` (${waker.kind})`}</span></>}
			{why && !waker && s.state === "blocked" && <><span>woken by</span><span class="dim" id="no-waker">{noWaker(s)}</span></>}
			{why?.link?.kind === "network" && <Packet link={why.link} />}
		</div>
	);
}

function Meanwhile({ s }: { s: Selection }) {
	if (s.state !== "blocked" || !s.why || !s.span) return null;
	const parts = byCause(s.why.pieces.map((p) => ({ cause: p.cause, ns: Number(BigInt(p.end) - BigInt(p.begin)) })));
	const inFlight = s.why.byTask.reduce((ns, t) => ns + Number(t.in_flight_ns), 0);
	return <>
		<h2 class="gap">Meanwhile</h2>
		<Bar parts={parts} whole={s.span.end - s.span.begin} />
		<table class="dense small"><tbody>
			{ownShares(s.why.byTask).slice(0, 6).map((t: any) => (
				<tr class={t.tid === null ? "" : "link"} onClick={() => t.tid !== null && jump(`t:${t.host}:${t.tid}`, s.span!.begin)}>
					<td>{t.tid === null ? t.comm : `${t.comm}/${t.tid}`}</td><td class="dim">{t.host}</td><td class="n">{duration(t.own_ns)}</td>
				</tr>))}
			{inFlight > 0 && <tr><td>packets in flight</td><td /><td class="n" id="in-flight">{duration(inFlight)}</td></tr>}
		</tbody></table>
		<div class="gap"><Command words={s.why.words} /></div>
	</>;
}

/** Was a CPU taken from somebody in what is drawn? */
export const hasGuests = (tasks: Tasks, pictures: (Picture | null)[]) =>
	["stolen", "hypervisor"].some((cause) => pictures.some((p) => p?.cause.includes(tasks.causes.indexOf(cause))));

/** The cause mpi is on paths. */
export function KernelLegend({ hasRanks, hasGuests }: { hasRanks: boolean; hasGuests: boolean }) {
	return <>
		<Legend causes={["user", "syscall", "interrupted", ...(hasGuests ? ["stolen"] : []), "runnable", "disk", "futex", "network", ...(hasRanks ? ["mpi"] : []), "timer"]} />
		<div class="legend"><span><i class="hatch" />unknown, lost</span></div>
		<div class="legend"><span><i style={{ background: "var(--own)", opacity: 0.4 }} />request</span>
			<span><i style={{ background: "var(--own)" }} />the slowest 5 % of its kind</span></div>
	</>;
}

/** What is drawn at the selected moment of a row of bars. */
export function drawnAt(row: Row): Drawn | null {
	const { at, lvl } = params.value, t = fromSeconds(at);
	return t === null ? null : barAt(row.bars!, t, 0, Number(lvl ?? 0));
}

/** A request, or what a device or an interrupt did: all that is known of it, and the command that prints it. */
function BarFacts({ row }: { row: Row }) {
	const drawn = drawnAt(row), { host, words } = row.bars!;
	return <>
		<div class="selected-name" id="selected-name">{row.label}</div>
		{host && <div class="dim">{row.bars!.note ? `${row.bars!.note} on ` : "on "}{host}</div>}
		{!drawn ? <p class="dim">Nothing at the selected moment: click on a bar, or <kbd>[</kbd> and <kbd>]</kbd>.</p> : <>
			<p id="bar-text">{drawn.text}</p>
			<div class="kv" id="facts">
				<span>{drawn.end > drawn.begin ? "since" : "at"}</span><span>+{toSeconds(drawn.begin)} s</span>
				{drawn.end > drawn.begin && <><span>for</span><span id="span-length">{duration(drawn.end - drawn.begin)}</span></>}
			</div>
			<div class="gap"><Command words={words(drawn)} /></div>
		</>}
	</>;
}

/** A host, a process or another group of rows. */
function HeadFacts({ row }: { row: Row }) {
	return <>
		{!row.bars?.bars.length && <div class="selected-name" id="selected-name">{row.label}</div>}
		{row.note && <div class="dim">{row.note}</div>}
		<div class="actions"><button class="chip" aria-expanded={!row.isFolded} onClick={() => fold(row)}>{row.isFolded ? "unfold" : "fold"} <kbd>Enter</kbd></button></div>
	</>;
}

export function Details({ tasks, selection, program, rows, isLoading, error }: { tasks: Tasks; selection: Selection | null; program: ProgramSelection | null;
	rows: Row[]; isLoading: boolean; error: string | null }) {
	const s = selection, other = !s && !program ? rows.find((r) => r.key === params.value.row) : undefined;
	const bars = other?.bars?.bars.length ? other : undefined, head = isHead(other) ? other : undefined;
	return (
		<aside class="side" aria-label="details" aria-busy={isLoading}>
			<h2>Selected</h2>
			{error && <div class="error">{error}</div>}
			{!s && !program && !bars && !head && !error && <p class="dim">Click into a row: what it did then, and why. <kbd>?</kbd> lists the keys.</p>}
			{bars && <BarFacts row={bars} />}
			{head && <HeadFacts row={head} />}
			{program && <ProgramFacts s={program} tasks={tasks} />}
			{s && <>
				<div class="selected-name" id="selected-name">{s.task.name}</div>
				<div class="dim">{s.task.process ? `${s.task.process} on ` : "on "}{s.task.host}</div>
				{s.span && <Facts s={s} tasks={tasks} />}
				{!s.task.isCpu && <div class="actions">
					{s.span && s.state === "blocked" &&
						<button class="chip" onClick={() => askWhy(s)}>why? <kbd>Enter</kbd></button>}
					{s.why?.waker && <button class="chip" onClick={() => jumpToWaker(s)}>to the waker <kbd>J</kbd></button>}
					{s.thief?.key && <button class="chip" onClick={() => jumpToWaker(s)}>to who had the CPU <kbd>J</kbd></button>}
					<button class="chip" onClick={() => change({ path: s.task.key, req: null, tab: "breakdown" }, true)}>
						path <kbd>P</kbd></button>
				</div>}
				<Meanwhile s={s} />
			</>}
			<Said />
			<MarkList />
			<h2 class="gap">Colours</h2>
			<ProgramLegend rows={rows} />
			{rows.some((r) => r.lanes.length || r.bars) && <KernelLegend hasGuests={hasGuests(tasks, [fine.value, coarse.value])} hasRanks={rows.some((r) => r.program?.isRank || r.key === "w:ranks")} />}
		</aside>
	);
}
