// The canvas of the timeline: two layers, the rows and what follows the pointer.
import { useSignalEffect } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { status } from "../api";
import { duration } from "../numbers";
import { keepsScroll, keptScroll, scrolled } from "../scroll";
import { type Range, selected, setSelected, shown, toSeconds, whole } from "../range";
import { change, isAbsolute, isDark, isRecorded, isSafe, isUtc, param } from "../state";
import { causeName, isAway } from "../parts/states";
import { drawPointer, drawScene, HEAD, LABELS, layout, type Scene, stripAt, timeAt } from "./draw";
import { barAt } from "./bars";
import { depthAt, programArrows } from "./program_draw";
import { allStates, forgetStates, type ProgramRow, stateAt, states, statesFor, valueAt, valueText, wantStates, wordText } from "./programs";
import { attach } from "./hands";
import { type Arrow } from "./arrows";
import { type Model, toggle } from "./model";
import { marks } from "../marks";
import { readPalette } from "./palette";
import { fold, placeOfBar } from "./steps";
import { coarse, fine, forget, NO_TASK, spanAt, want, wantCoarse } from "./picture";

export interface Board {
	scene: Scene | null;
	pointerTime: number | null;
	redraw: () => void;
	reveal: (row: string) => void;
}

const pixelNs = (s: Scene) => (s.view.end - s.view.begin) / (s.width - LABELS);

function boundOf(): { likely: number; bound: number } {
	const now = status.peek();
	if (isRecorded.peek() || now?.hosts_unsynchronized || (now?.hosts.length ?? 0) < 2) return { likely: 0, bound: 0 };
	return { likely: now?.likely_p50_ns ?? 0, bound: now?.bound_p50_ns ?? 0 };
}

function programHint(s: Scene, of: ProgramRow, t: number, y: number): string {
	const p = statesFor(s.states, of.id, s.view);
	if (!p) return of.label;
	const one = stateAt(p, of.id, t, depthAt(of, y)), value = of.unit !== null ? valueAt(p, of.id, t) : null;
	const parts = [of.label];
	if (value !== null) parts.push(valueText(of, value));
	if (one) parts.push(`${one.isExact ? "" : "mostly "}${wordText(one.word)}${one.forRank >= 0 ? ` for rank ${one.forRank}` : ""}${one.isExact ? `, ${duration(one.end - one.begin)}` : ""}${
		one.within ? `, within ${one.within.text}` : ""}`);
	return parts.length > 1 ? parts.join(": ") : `${of.label}: in no state`;
}

/** What is under the pointer, in a few words. */
function hint(s: Scene, x: number, row: number, y: number): string {
	const r = s.rows[row], t = timeAt(s, x);
	if (r?.program) return programHint(s, r.program, t, y);
	if (r?.bars) return barAt(r.bars, t, pixelNs(s), stripAt(r, y))?.text ?? r.label;
	const p = r && s.pictures.find((one) => one?.index.has(r.lanes[0]));
	if (!r?.task || !p) return "";
	const i = spanAt(p, r.lanes[0], t);
	if (i < 0) return `${r.label}: ${r.kind === "cpu" ? "idle" : "not there"}`;
	const state = s.tasks.states[p.state[i]], cause = s.tasks.causes[p.cause[i]];
	const who = p.task[i] !== NO_TASK ? s.tasks.byNumber.get(`${r.lanes[0].split(":")[1]}:${p.task[i]}`)?.name : null;
	const name = state === "blocked" || isAway(state, cause) ? causeName(cause ?? state) : causeName(state);
	const what = p.isInBins && p.share[i] < 255 ? `mostly ${name}` : `${state === "blocked" && cause ? `blocked, ${cause}` : name}${
		state === "blocked" || isAway(state, cause) || !cause ? "" : `, ${cause}`}, ${duration((p.end[i] - p.begin[i]) * p.unit)}`;
	return `${r.label}${who ? ` ${who}` : ""}: ${what}`;
}

export function Canvas({ model, board, span }: { model: Model; board: Board; span: Range | null }) {
	const box = useRef<HTMLDivElement>(null), base = useRef<HTMLCanvasElement>(null), above = useRef<HTMLCanvasElement>(null);
	const tip = useRef<HTMLDivElement>(null);
	/** The selected row that somebody scrolled away from: rows that come later do not lead back to it. */
	const left = useRef(keptScroll("rows") === undefined ? undefined : param("row"));
	const scroll = useRef(0), frame = useRef(0), size = useRef({ width: 0, height: 0, scale: 1 });
	const look = `${isDark.value} ${isSafe.value}`, scale = devicePixelRatio || 1;
	const palette = useMemo(() => model.tasks && readPalette(model.tasks, scale), [model.tasks, look, scale]);
	const { tops, height } = useMemo(() => layout(model.rows), [model.rows]);
	const latest = useRef({ model, palette, tops, height, span });
	latest.current = { model, palette, tops, height, span };

	/** Made anew only when there are others: they may be some thousands. */
	const made = useRef<{ of: unknown[]; arrows: Arrow[] }>({ of: [], arrows: [] });
	const fromPrograms = (): Arrow[] => {
		const { programs } = latest.current.model, { begin, end } = shown.peek();
		const p = [states.peek(), allStates.peek()].find((x) => x && x.window.begin <= begin && x.window.end >= end) ?? allStates.peek(), of = [programs, p];
		if (param("wake") !== "1" || !programs) return [];
		if (made.current.of.some((x, i) => x !== of[i]) || !made.current.of.length)
			made.current = { of, arrows: programArrows(p, (id) => programs.byId.get(id)?.key) };
		return made.current.arrows;
	};
	const most = () => Math.max(0, latest.current.height - size.current.height);
	const makeScene = (): Scene | null => {
		const { model, palette } = latest.current;
		if (!model.tasks || !palette || !size.current.width) return null;
		scroll.current = Math.min(most(), Math.max(0, scroll.current));
		return { width: size.current.width, height: size.current.height, view: shown.peek(), whole: whole.peek(),
			rows: model.rows, scroll: scroll.current, tasks: model.tasks, palette,
			pictures: [fine.peek(), coarse.peek()], states: [states.peek(), allStates.peek()], path: model.path, selectedRow: param("row"),
			selected: selected.peek(), span: latest.current.span, isAbsolute: isAbsolute.peek(), load: model.load,
			losses: model.losses, arrows: model.arrows.concat(fromPrograms()), density: model.density, ...boundOf() };
	};
	const visible = (s: Scene) => {
		const lanes: string[] = [], ids: string[] = [], { tops } = latest.current;
		s.rows.forEach((r, i) => {
			const y = tops[i] - s.scroll;
			if (y <= -200 || y >= s.height + 200) return;
			lanes.push(...r.lanes);
			if (r.program) ids.push(r.program.id);
		});
		return { lanes, ids };
	};
	const paint = () => {
		frame.current = 0;
		const s = makeScene();
		board.scene = s;
		if (!s || !base.current) return;
		const g = base.current.getContext("2d")!;
		g.setTransform(size.current.scale, 0, 0, size.current.scale, 0, 0);
		drawScene(g, s, latest.current.tops);
		const { lanes, ids } = visible(s);
		// For tests and measurements: which range is drawn as sharp as pixels are.
		const isSharp = want(lanes, s.view, s.width - LABELS, s.whole);
		box.current!.dataset.sharp = isSharp ? `${toSeconds(s.view.begin)} ${toSeconds(s.view.end)}` : "";
		wantCoarse(lanes, s.whole);
		wantStates(ids, s.view, s.width - LABELS, s.whole);
	};
	const redraw = () => { if (!frame.current) frame.current = requestAnimationFrame(paint); };
	board.redraw = redraw;
	board.reveal = (key) => {
		const i = latest.current.model.rows.findIndex((r) => r.key === key);
		if (i < 0 || key === left.current) return;
		left.current = undefined;
		const y = latest.current.tops[i];
		if (y - scroll.current < HEAD || y - scroll.current + 24 > size.current.height)
			scroll.current = y - size.current.height / 2;
		redraw();
	};

	useSignalEffect(() => {
		void (isAbsolute.value, isUtc.value, shown.value, fine.value, coarse.value, states.value, allStates.value, selected.value, marks.value);
		redraw();
	});
	useEffect(redraw, [model, palette, span]);
	useEffect(() => keepsScroll("rows", { get: () => scroll.current, set: (to) => { scroll.current = Math.min(most(), to); redraw(); } }), []);
	const recorded = isRecorded.value;
	useEffect(() => { forget(); forgetStates(); }, [recorded]);
	useLayoutEffect(() => {
		const measure = () => {
			const r = box.current!.getBoundingClientRect(), k = devicePixelRatio || 1;
			size.current = { width: r.width, height: r.height, scale: k };
			for (const canvas of [base.current!, above.current!]) {
				canvas.width = Math.round(r.width * k);
				canvas.height = Math.round(r.height * k);
			}
			paint();
		};
		const watch = new ResizeObserver(measure);
		watch.observe(box.current!);
		measure();
		return () => watch.disconnect();
	}, []);
	useEffect(() => attach(box.current!, {
		scene: () => board.scene,
		rowAt: (y) => y < HEAD ? -1 : latest.current.model.rows.findIndex((r, i) => {
			const top = latest.current.tops[i] - scroll.current;
			return y >= top && y < top + r.height;
		}),
		scrollBy: (dy) => {
			const to = Math.min(most(), Math.max(0, scroll.current + dy));
			if (to === scroll.current) return false;
			scroll.current = to;
			left.current = param("row");
			redraw();
			scrolled();
			return true;
		},
		select: (r, at) => {
			// On the row of a CPU or a host, the tables are of that.
			const row = latest.current.model.rows[at];
			change({ ...setSelected(r), ...(row?.kind === "cpu" || (row?.kind === "host" && row.key.startsWith("h:")) ? { row: row.key, at: null, one: null } : {}) }, true);
		},
		bar: (row, t, y) => {
			const s = board.scene!, r = s.rows[row];
			const bar = barAt(r.bars!, t, 2 * pixelNs(s), stripAt(r, y - latest.current.tops[row] + scroll.current));
			if (!bar) return;
			change(placeOfBar(r, bar, t), true);
		},
		pick: (row, t, y) => {
			const { key, program } = latest.current.model.rows[row];
			const depth = program ? depthAt(program, y - latest.current.tops[row] + scroll.current) : 0;
			change({ row: key, at: Number.isNaN(t) ? null : toSeconds(t), lvl: depth || null });
		},
		fold: (row) => fold(latest.current.model.rows[row]),
		pin: (row) => toggle("pin", latest.current.model.rows[row].key),
		pointer: (x, y, drag) => {
			const s = board.scene;
			if (!s || !above.current) return;
			board.pointerTime = x !== null && x > LABELS ? timeAt(s, x) : null;
			const g = above.current.getContext("2d")!;
			g.setTransform(size.current.scale, 0, 0, size.current.scale, 0, 0);
			drawPointer(g, s, x, y, drag, latest.current.tops);
			showTip(s, x, y);
		},
	}), []);
	const showTip = (s: Scene, x: number | null, y: number) => {
		const row = x === null || x < LABELS || y < HEAD ? -1 : latest.current.model.rows.findIndex((r, i) => {
			const top = latest.current.tops[i] - s.scroll;
			return y >= top && y < top + r.height;
		});
		const text = row >= 0 ? hint(s, x!, row, y - latest.current.tops[row] + s.scroll) : "";
		tip.current!.textContent = text;
		tip.current!.style.display = text ? "block" : "none";
		tip.current!.style.left = `${Math.min((x ?? 0) + 12, s.width - tip.current!.offsetWidth - 4)}px`;
		tip.current!.style.top = `${Math.min(y + 16, s.height - 30)}px`;
	};
	return (
		<div class="board" ref={box} tabIndex={0} data-rows={model.rows.length} role="application"
			aria-label="timeline: rows of hosts, CPUs and tasks; ? lists the keys">
			<canvas ref={base} id="timeline" /><canvas ref={above} /><div class="tip" ref={tip} />
		</div>
	);
}
