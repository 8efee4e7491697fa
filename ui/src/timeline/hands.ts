// Mouse, wheel and keys of the timeline.
import { moveTo, type Range, shown, undoMove, whole } from "../range";
import { HEAD, LABELS, OVERVIEW, type Scene, timeAt } from "./draw";

export interface Hands {
	scene: () => Scene | null;
	rowAt: (y: number) => number; // -1: none
	/** False: the rows are at that end. */
	scrollBy: (dy: number) => boolean;
	select: (r: Range, row: number) => void; // row: where the drag began
	pick: (row: number, t: number, y: number) => void;
	bar: (row: number, t: number, y: number) => void;
	fold: (row: number) => void;
	pin: (row: number) => void;
	pointer: (x: number | null, y: number, drag: Range | null) => void;
}

const CLICK_PIXELS = 4, WHEEL_ZOOM = 1.0018;

/** Of what was asked for last: keys come faster than pictures. */
export function zoom(factor: number, at: number | null) {
	const { begin, end } = shown.peek();
	const center = at === null || at < begin || at > end ? (begin + end) / 2 : at;
	moveTo({ begin: center - (center - begin) * factor, end: center + (end - center) * factor });
}

export function pan(share: number) {
	const view = shown.peek(), length = view.end - view.begin;
	const begin = Math.max(0, Math.min(whole.peek().end - length, view.begin + share * length));
	moveTo({ begin, end: begin + length });
}

type Drag = { kind: "select" | "zoom" | "pan" | "overview"; x: number; y: number; begin: number; view: Range };

export function attach(box: HTMLElement, h: Hands): () => void {
	let drag: Drag | null = null, wasMoved = false;
	const place = (e: MouseEvent) => {
		const r = box.getBoundingClientRect();
		return { x: e.clientX - r.left, y: e.clientY - r.top };
	};
	const overviewTime = (s: Scene, x: number) =>
		s.whole.begin + ((x - LABELS) / (s.width - LABELS)) * (s.whole.end - s.whole.begin);
	const toOverview = (s: Scene, x: number) => {
		const length = s.view.end - s.view.begin, t = overviewTime(s, x);
		moveTo({ begin: t - length / 2, end: t + length / 2 });
	};
	const dragged = (s: Scene, x: number): Range => {
		const t = Math.max(0, timeAt(s, Math.max(LABELS, x)));
		return { begin: Math.min(drag!.begin, t), end: Math.max(drag!.begin, t) };
	};
	const down = (e: MouseEvent) => {
		const s = h.scene(), { x, y } = place(e);
		if (!s || (e.button !== 0 && e.button !== 1)) return;
		wasMoved = false;
		box.focus();
		if (x < LABELS) return;
		e.preventDefault();
		const kind = y < OVERVIEW ? "overview" : e.shiftKey || e.button === 1 ? "pan" : y < HEAD ? "zoom" : "select";
		drag = { kind, x, y, begin: timeAt(s, x), view: s.view };
		if (kind === "overview") toOverview(s, x);
	};
	const move = (e: MouseEvent) => {
		const s = h.scene(), { x, y } = place(e);
		if (!s) return;
		if (drag && Math.abs(x - drag.x) > CLICK_PIXELS) wasMoved = true;
		if (drag?.kind === "overview") toOverview(s, x);
		else if (drag?.kind === "pan") {
			const perPixel = (drag.view.end - drag.view.begin) / (s.width - LABELS);
			const by = (drag.x - x) * perPixel;
			moveTo({ begin: drag.view.begin + by, end: drag.view.end + by });
		}
		const isRange = drag && wasMoved && (drag.kind === "select" || drag.kind === "zoom");
		const isInside = x >= 0 && y >= 0 && x <= s.width && y <= s.height;
		h.pointer(isInside || drag ? x : null, y, isRange ? dragged(s, x) : null);
	};
	const up = (e: MouseEvent) => {
		const s = h.scene(), { x, y } = place(e), was = drag;
		drag = null;
		if (!s) return;
		if (was && wasMoved) {
			drag = was;
			const r = dragged(s, x);
			drag = null;
			if (was.kind === "select") h.select(r, h.rowAt(was.y));
			if (was.kind === "zoom") moveTo(r);
		} else if (was ? was.kind === "select" : x >= 0 && x < LABELS && y >= HEAD && y < s.height && e.target instanceof HTMLCanvasElement) {
			click(e, x, y);
		}
		h.pointer(x, y, null);
	};
	const click = (e: MouseEvent, x: number, y: number) => {
		const s = h.scene()!, row = h.rowAt(y);
		if (row < 0) return;
		if (s.rows[row].program) return h.pick(row, x < LABELS ? NaN : timeAt(s, x), y);
		if (s.rows[row].bars && x >= LABELS) return h.bar(row, timeAt(s, x), y);
		if (s.rows[row].bars && s.rows[row].kind !== "process") return;
		if (s.rows[row].lanes.length !== 1 || !s.rows[row].task) h.fold(row);
		else if (x < LABELS && (e.ctrlKey || e.metaKey)) h.pin(row);
		else h.pick(row, x < LABELS ? NaN : timeAt(s, x), y);
	};
	const wheel = (e: WheelEvent) => {
		const s = h.scene(), { x, y } = place(e);
		if (!s) return;
		const isZoom = e.ctrlKey || e.metaKey || y < HEAD, isPan = !isZoom && (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY));
		// At the end of the rows the page goes on, where it scrolls.
		if (!isZoom && !isPan && !h.scrollBy(e.deltaY)) return;
		e.preventDefault();
		if (isZoom) zoom(WHEEL_ZOOM ** e.deltaY, timeAt(s, x));
		else if (isPan) pan((e.deltaX || e.deltaY) / 800);
	};
	box.addEventListener("mousedown", down);
	box.addEventListener("wheel", wheel, { passive: false });
	addEventListener("mousemove", move);
	addEventListener("mouseup", up);
	return () => {
		box.removeEventListener("mousedown", down);
		box.removeEventListener("wheel", wheel);
		removeEventListener("mousemove", move);
		removeEventListener("mouseup", up);
	};
}

/** Keys that move the view; true: it was one of them. */
export function moveKey(e: KeyboardEvent, at: number | null): boolean {
	const step = e.shiftKey ? 3 : 1;
	switch (e.key.toLowerCase()) {
		case "w": case "+": zoom(0.7 ** step, at); break;
		case "s": case "-": zoom(1 / 0.7 ** step, at); break;
		case "a": case "arrowleft": pan(-0.15 * step); break;
		case "d": case "arrowright": pan(0.15 * step); break;
		case "u": case "backspace": undoMove(); break;
		default: return false;
	}
	return true;
}
