// The timeline: rows, details at the right, tables below.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { duration } from "../numbers";
import { absolute, fromSeconds, moveTo, selected, setSelected, shown, whole } from "../range";
import { clock } from "../numbers";
import { change, go, params } from "../state";
import { hush } from "../queue";
import { isReport } from "../report";
import type { Tasks } from "../tasks";
import { isTyping } from "../page";
import { type Board, Canvas } from "./canvas";
import { askWhy, Details, drawnAt, jumpToWaker, type Selection, useSelection } from "./details";
import { EarlyKeys, place } from "./early";
import { rowFilter } from "./filter";
import { moveKey } from "./hands";
import { askMark, Note } from "./marks";
import { useModel } from "./model";
import { binNs, failure } from "./picture";
import { matchesIdle, type Row } from "./rows";
import { type ProgramSelection, programSelection } from "./program_details";
import { fold, foldAround, isHead, type Selected, setEdge, step } from "./steps";
import { Tables } from "./tables";

function Place() {
	const r = shown.value, s = selected.value;
	return (
		<span class="crumb place">
			{s ? <>{duration(r.end - r.begin)} &nbsp; A +{duration(s.begin - r.begin)} &nbsp; Δ <b>{duration(s.end - s.begin)}</b></>
				: <>{clock(absolute(r.begin), 3)} + {duration(r.end - r.begin)}</>}
		</span>
	);
}

/** Rows that are there whatever the filter says: the selected one, pinned ones, those of the path. */
function noRow(rows: Row[], tasks: Tasks | null, onPath: Set<string>): string | null {
	const { q, row, idle } = params.value;
	if (!q?.trim() || !tasks || rowFilter(q).error) return null;
	const isKept = (r: Row) => r.key === row || r.isPinned || onPath.has(r.key);
	if (rows.some((r) => (r.task || r.program || r.bars) && !isKept(r))) return null;
	// Folded hosts and processes stand for what is in them.
	if (rows.some((r) => r.isFolded)) return null;
	return idle !== "1" && matchesIdle(tasks, q) ? `only idle rows match ${q}` : `no row matches ${q}`;
}

/** So many pixels of a bin are seen as one. */
const WIDE_PIXELS = 3, BOARD_PIXELS = 1000;

/** A report has bins where the program has every state: closer than that nothing more is seen, and that is said. */
function Coarse() {
	const r = shown.value, bin = binNs.value;
	if (!isReport || bin * BOARD_PIXELS < WIDE_PIXELS * (r.end - r.begin)) return null;
	return <div class="note" id="coarse" role="status">A report has no states closer than {duration(bin)} here: each step shows how much of it was what.
		Around the slowest requests it has all of them; meridian serve has them everywhere.</div>;
}

function Tools({ isCut, tasks, none }: { isCut: boolean; tasks: Tasks | null; none: string | null }) {
	const p = params.value;
	const wrong = rowFilter(p.q ?? "").error ?? none;
	const flip = (key: string) => change({ [key]: p[key] === "1" ? null : "1" });
	return (
		<div class="tools">
			<input type="search" placeholder="filter rows" aria-label="filter rows" value={p.q ?? ""} aria-invalid={!!wrong}
				title={wrong ?? 'words of names, or an expression such as\ncomm == "nginx*" && $host != "db"\nof comm, name, process, tid, pid, cpu, kind, $host'}
				onInput={(e) => change({ q: e.currentTarget.value })} />
			{wrong && <span class="warn small" role="alert">{wrong}</span>}
			{p.req && <button class="chip on" title="no longer on this request's path"
				onClick={() => go({ req: null, only: null })}>request {p.req} ×</button>}
			{p.path && <button class="chip on" onClick={() => go({ path: null, only: null })}>
				path of {tasks?.byKey.get(p.path)?.name ?? p.path.split(":").slice(1).join(":")} ×</button>}
			{(p.req || p.path) && <button class={p.only === "1" ? "chip on" : "chip"} aria-pressed={p.only === "1"}
				onClick={() => flip("only")} title="only what is on its path">only its path</button>}
			<button class={p.idle === "1" ? "chip" : "chip on"} aria-pressed={p.idle !== "1"}
				onClick={() => flip("idle")}>hide idle</button>
			<button class={p.rank === "here" ? "chip on" : "chip"} aria-pressed={p.rank === "here"}
				title="order rows by what they did in the shown range"
				onClick={() => change({ rank: p.rank === "here" ? null : "here" })}>rank by range</button>
			<button class={p.wake === "1" ? "chip on" : "chip"} aria-pressed={p.wake === "1"} onClick={() => flip("wake")}
				title={`arrows of all rows, not of the selected one alone: from who woke to who was woken, and of messages from task to task${isCut ? "; of so many wake-ups, those that waited longest for a CPU: zoom in to see all" : ""}`}>
				arrows{isCut && ": longest waits"}</button>
			{!isReport && <button class="chip" onClick={() => askMark(null)} title="mark the selected range, or a moment, with a note (N)">mark</button>}
			<Place />
			<Coarse />
		</div>
	);
}

/** What keys zoom around: the selected moment while it is in view, so that it stays there; else the pointer. */
function zoomPoint(board: Board): number | null {
	const at = fromSeconds(params.peek().at), { begin, end } = shown.peek();
	return at !== null && at >= begin && at <= end ? at : board.pointerTime;
}

function fit() {
	const s = selected.peek(), r = shown.peek();
	const isThere = s && Math.abs(s.begin - r.begin) + Math.abs(s.end - r.end) < 0.2 * (s.end - s.begin);
	moveTo(s && !isThere ? s : whole.peek());
}

/** The task that a selected row is, or that its program's thread is. */
function threadOf(row: string | undefined, program: ProgramSelection | null): string | null {
	return row?.startsWith("t:") ? row : program?.of.threads[0] ?? null;
}

/** Keys that do something about the selected state. */
const ABOUT_SPAN = new Set(["enter", "j", "m", "q", "e", "[", "]", ",", "."]);

export function TimelineView() {
	useMemo(hush, []); // rows come first
	const model = useModel();
	const selection = useSelection(model.tasks);
	const board = useRef<Board>({ scene: null, pointerTime: null, redraw: () => {}, reveal: () => {} }).current;
	const latest = useRef<Selection | null>(null);
	latest.current = params.value.row ? selection.data : null;
	const program = programSelection(model.rows), spanHere = program ? program.span : latest.current?.span ?? null;
	const isLoading = !program && (selection.busy || (!!params.value.row && !model.tasks));
	const here = useRef({ program, isLoading, of: place() });
	here.current = { program, isLoading, of: place() };
	const isKnown = () => !here.current.isLoading && here.current.of === place();
	const early = useRef(new EarlyKeys()).current, press = useRef<(key: string) => boolean>(() => false);
	useEffect(() => {
		const selectedNow = (): Selected => {
			const { program } = here.current, p = params.peek(), row = board.scene?.rows.find((r) => r.key === p.row);
			return { row, program, at: fromSeconds(p.at), span: program ? program.span : row?.bars ? drawnAt(row) : latest.current?.span ?? null };
		};
		press.current = (key) => {
			const row = params.peek().row, now = selectedNow();
			if (key === "enter" && isHead(now.row)) fold(now.row!);
			else if (key === "enter") askWhy(latest.current);
			else if (key === "j") jumpToWaker(latest.current);
			else if (key === "p" && threadOf(row, here.current.program)) change({ path: threadOf(row, here.current.program), req: null, tab: "breakdown" }, true);
			else if (key === "i") change({ idle: params.peek().idle === "1" ? null : "1" });
			else if (key === "m" && now.span) change(setSelected(now.span), true);
			else if (key === "q" || key === "e") {
				const view = shown.peek(), moment = zoomPoint(board) ?? (view.begin + view.end) / 2, isEnd = key === "e";
				setEdge(isEnd, (isEnd ? now.span?.end : now.span?.begin) ?? moment, selected.peek(), view, whole.peek());
			}
			else if (key === "n" && !isReport) askMark(board.pointerTime);
			else if (key === "x" && row) foldAround(now.row, row);
			else if (key === "t") change({ abs: params.peek().abs === "1" ? null : "1" });
			else if (key === "f") fit();
			else if (key === "z" && selected.peek()) moveTo(selected.peek()!);
			else if (key === "escape") change(selected.peek() ? setSelected(null) : { row: null, at: null });
			else return step(board.scene!, now, key);
			return true;
		};
		const onKey = (e: KeyboardEvent) => {
			if (isTyping(e) || e.ctrlKey || e.metaKey || e.altKey || !board.scene) return;
			const key = e.key.startsWith("Arrow") ? e.key : e.key.toLowerCase();
			if (key === "enter" && e.target !== document.body && !(e.target as HTMLElement).closest(".board")) return;
			if (ABOUT_SPAN.has(key) && (!isKnown() || !early.isEmpty)) early.add(key);
			else if (!press.current(key) && !moveKey(e, zoomPoint(board))) return;
			e.preventDefault();
		};
		addEventListener("keydown", onKey);
		return () => removeEventListener("keydown", onKey);
	}, []);
	useEffect(() => { if (isKnown()) early.run((key) => press.current(key)); });
	const row = params.value.row;
	useEffect(() => { if (row) board.reveal(row); }, [row, model.rows]);
	const onPath = useMemo(() => new Set(model.path.map((piece) => piece.row)), [model.path]);
	const none = noRow(model.rows, model.tasks, onPath);
	if (model.error) return <div class="pad error">{model.error}</div>;
	return (
		<div class="timeline">
			<Tools isCut={model.areArrowsCut} tasks={model.tasks} none={none} />
			<Note />
			<Canvas model={model} board={board} span={spanHere} />
			{!model.tasks && <div class="board-note note">reading …</div>}
			{model.tasks && <Tables tasks={model.tasks} programs={model.programs} />}
			{model.tasks && <Details tasks={model.tasks} selection={program ? null : latest.current} program={program} rows={model.rows} isLoading={isLoading}
				error={isReport ? null : selection.error ?? model.pathAnswer.error ?? failure.value} />}
		</div>
	);
}
