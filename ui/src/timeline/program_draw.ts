// One row of a program: its states, nested ones below those around them; marks; a value over time.
import { type Arrow } from "./arrows";
import { BAR, drawName, LABELS, type Scene, xOf } from "./draw";
import { inkOn } from "./palette";
import { type ProgramRow, type States, statesFor, wordColour } from "./programs";
import { ROW } from "./rows";

const MOST_STRIPS = 8, STRIP = 13, VALUES = 30, STATE = 6, LEAST_SHARE = 0.15;

export const stripsOf = (of: ProgramRow) => Math.min(MOST_STRIPS, of.depth + 1);

export function heightOf(of: ProgramRow): number {
	return of.unit !== null ? VALUES + 6 : ROW + (stripsOf(of) - 1) * STRIP;
}

/** The depth of the states at y of the row. */
export const depthAt = (of: ProgramRow, y: number) => Math.max(0, Math.min(stripsOf(of) - 1, Math.floor((y - (ROW - BAR) / 2) / STRIP)));

const resolved = (s: Scene, name: string) => name.startsWith("#") ? name : s.palette[name] as string;

export function drawProgram(g: CanvasRenderingContext2D, s: Scene, of: ProgramRow, y: number, height: number) {
	const p = statesFor(s.states, of.id, s.view);
	if (!p) return;
	g.save();
	g.beginPath();
	g.rect(LABELS, y, s.width - LABELS, height);
	g.clip();
	if (of.unit !== null) drawValues(g, s, of, p, y + 3);
	// What stands for many is behind what is there as it was.
	for (const isExact of [false, true]) drawStates(g, s, of, p, y + (ROW - BAR) / 2, isExact);
	drawMarks(g, s, of, p, y + (ROW - BAR) / 2);
	g.restore();
}

interface Pixel { x: number; share: number; longest: number; colour: string } // of a strip: what is shorter than a pixel

function drawStates(g: CanvasRenderingContext2D, s: Scene, of: ProgramRow, p: States, top: number, isExact: boolean) {
	const all = p.rows.get(of.id)!.states, strips = stripsOf(of), tall = strips > 1 ? STRIP - 1 : BAR;
	const begin = s.view.begin - p.window.begin, end = s.view.end - p.window.begin;
	const pixels: (Pixel | null)[] = new Array(strips).fill(null);
	const flush = (strip: number) => {
		const one = pixels[strip];
		pixels[strip] = null;
		if (!one) return;
		const h = tall * Math.min(1, Math.max(LEAST_SHARE, one.share));
		g.fillStyle = one.colour;
		g.fillRect(one.x, top + strip * STRIP + tall - h, 1, h);
	};
	for (let i = 0; i < all.length; i += STATE) {
		if (all[i + 1] < begin || all[i] > end || (all[i + 4] === 255) !== isExact) continue;
		const a = Math.max(LABELS - 1, xOf(s, p.window.begin + all[i])), b = Math.min(s.width + 1, xOf(s, p.window.begin + all[i + 1]));
		const word = p.words[all[i + 2]], colour = resolved(s, wordColour(word)), strip = Math.min(strips - 1, all[i + 3]);
		const share = all[i + 4] / 255, low = top + strip * STRIP + tall;
		if (b - a < 1) {
			const x = Math.floor(a), one = pixels[strip];
			if (!one || one.x !== x) {
				flush(strip);
				pixels[strip] = { x, share: (b - a) * share, longest: b - a, colour };
			} else {
				one.share += (b - a) * share;
				if (b - a > one.longest) Object.assign(one, { longest: b - a, colour });
			}
			continue;
		}
		flush(strip);
		// A wait that is known is lower than a call: so both are told apart without colours.
		const h = tall * (word.wait ? 0.6 : 1) * Math.max(LEAST_SHARE, share), left = Math.max(a, LABELS);
		g.fillStyle = colour;
		g.fillRect(a, low - h, b - a - (b - a > 4 ? 0.6 : 0), h);
		if (isExact && b - left > 34 && h > 10) drawName(g, inkOn(colour), word.text, left, low - tall + (tall - BAR) / 2, b - left);
	}
	for (let strip = 0; strip < strips; strip++) flush(strip);
}

/** Triangles; lines where there is no room for these. */
function drawMarks(g: CanvasRenderingContext2D, s: Scene, of: ProgramRow, p: States, top: number) {
	const all = p.rows.get(of.id)!.marks, x = (i: number) => i < 0 ? -1e9 : i >= all.length ? 1e9 : xOf(s, p.window.begin + all[i]);
	g.fillStyle = s.palette.text as string;
	for (let i = 0; i < all.length; i += 3) {
		const at = x(i);
		if (at < LABELS - 4 || at > s.width + 4) continue;
		if (at - x(i - 3) < 7 || x(i + 3) - at < 7) {
			g.globalAlpha = 0.5;
			g.fillRect(Math.floor(at), top - 2, 1, 3);
			g.globalAlpha = 1;
			continue;
		}
		g.beginPath();
		g.moveTo(at - 3, top - 2);
		g.lineTo(at + 3, top - 2);
		g.lineTo(at, top + 4);
		g.fill();
	}
}

/** From the least value, or zero, to the greatest one; what changes within a pixel is a bar from its least to its greatest. */
function drawValues(g: CanvasRenderingContext2D, s: Scene, of: ProgramRow, p: States, top: number) {
	const all = p.rows.get(of.id)!.values, low = Math.min(0, of.low), range = Math.max(1, of.high - low);
	const yOf = (v: number) => top + VALUES - (VALUES * (v - low)) / range;
	g.fillStyle = s.palette.sys as string;
	for (let i = 0; i < all.length; i += 4) {
		const x = xOf(s, p.window.begin + all[i]), next = i + 4 < all.length ? xOf(s, p.window.begin + all[i + 4]) : s.width;
		if (next < LABELS || x > s.width) continue;
		const a = Math.max(LABELS, x), y = yOf(all[i + 3]);
		g.globalAlpha = 0.35;
		g.fillRect(a, y, next - a, top + VALUES - y);
		g.globalAlpha = 1;
		g.fillRect(a, y - 0.5, next - a, 1);
		const high = yOf(all[i + 2]);
		g.globalAlpha = 0.7;
		g.fillRect(a, high, 1, Math.max(1, yOf(all[i + 1]) - high));
	}
}

/** Arrows that views declare, and messages between ranks. */
export function programArrows(p: States | null, keyOf: (id: string) => string | undefined): Arrow[] {
	const all: Arrow[] = [];
	for (const [from, to, begin, end, count] of p?.arrows ?? []) {
		const a = keyOf(from), b = keyOf(to);
		if (a && b) all.push({ from: a, to: b, begin: p!.window.begin + begin, end: p!.window.begin + end, count });
	}
	return all;
}
