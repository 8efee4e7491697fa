// One lane: what a task or a CPU did, from left to right. Where several spans share a pixel, it is
// divided among them by their time, so that from afar one sees how much of what there was.
import { BAR, drawName, FONT, LABELS, type Scene, xOf } from "./draw";
import { LONG_LOCK, type Look, MANY_CAUSES } from "./palette";
import { NO_TASK, type Picture } from "./picture";

interface Place { y: number; height: number; hasNames: boolean }

/** A picture of these times, or any that has the lane. */
function pictureOf(s: Scene, lane: string): Picture | null {
	for (const p of s.pictures)
		if (p?.index.has(lane) && p.window.begin <= s.view.begin && p.window.end >= s.view.end) return p;
	return s.pictures.find((p) => p?.index.has(lane)) ?? null;
}

function firstSpan(p: Picture, lane: number, unit: number): number {
	let low = p.first[lane], high = p.first[lane + 1];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (p.end[middle] <= unit) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** Shares of one pixel or bin, by look; reused, since there are many of them. */
const shares = new Float64Array(16 * MANY_CAUSES);
const used: number[] = [];
/** Of what is so short that its share says nothing: it is there. */
const LEAST = 1e-9;

function addShare(look: number, share: number) {
	if (shares[look] === 0) used.push(look);
	shares[look] += Math.max(share, LEAST);
}

/** What is to be filled in a lane, by look, with lines (of sleep) behind all the rest: a canvas takes thousands of
 *  rectangles of one colour in the time of some hundreds of changing colours; what goes on as it was is one. */
interface Fills { colour: string | CanvasPattern; at: number[] } // x, y, width, height of each
const fills = [new Map<number, Fills>(), new Map<number, Fills>()];
const NEAR = 0.2; // of a pixel

/** Edges are at pixels of the screen: blurred ones cost more and say nothing. */
let pixels = 1;

function fill(layer: number, look: number, colour: string | CanvasPattern, from: number, y: number, length: number, height: number) {
	const x = Math.round(from * pixels) / pixels, width = Math.max(1, Math.round((from + length) * pixels) - x * pixels) / pixels;
	let to = fills[layer].get(look);
	if (!to) fills[layer].set(look, to = { colour, at: [] });
	const { at } = to, n = at.length;
	if (n && Math.abs(at[n - 4] + at[n - 2] - x) < 0.01 && Math.abs(at[n - 3] - y) < NEAR && Math.abs(at[n - 1] - height) < NEAR)
		at[n - 2] = x + width - at[n - 4];
	else at.push(x, y, width, height);
}

function drawFills(g: CanvasRenderingContext2D) {
	for (const layer of fills) {
		for (const { colour, at } of layer.values()) {
			g.fillStyle = colour;
			for (let k = 0; k < at.length; k += 4) g.fillRect(at[k], at[k + 1], at[k + 2], at[k + 3]);
		}
		layer.clear();
	}
}

/** Is a more important as the line than b? */
const isHigher = (looks: Look[], a: number, b: number) =>
	looks[a].height === looks[b].height ? shares[a] > shares[b] : looks[a].height > looks[b].height;

/** From x on, as wide as it is. Work stands on the ground, waits that matter above it; behind all that is a line: of the
 *  network, where it was waited for, else sleep. */
function drawPixel(s: Scene, x: number, width: number, at: Place) {
	const looks = s.palette.looks;
	if (used.length > 1) used.sort((a, b) => looks[a].order - looks[b].order || a - b);
	const least = Math.min(1, at.height / 10); // what is there is seen; of one strip of many it is not all of it
	let bottom = at.y + at.height, line = -1;
	for (const look of used) {
		const { height } = looks[look];
		if (height > 0 && height < BAR && (line < 0 || isHigher(looks, look, line))) line = look;
	}
	if (line >= 0) {
		// A line is the higher the more of it there is.
		const low = Math.min(looks[line].height, LONG_LOCK), tall = low + (looks[line].height - low) * Math.min(1, shares[line]);
		const h = (tall / BAR) * at.height;
		fill(0, line, looks[line].colour, x, at.y + (at.height - h) / 2, width, h);
	}
	for (const look of used) {
		if (looks[look].height === BAR) {
			const h = Math.min(bottom - at.y, Math.max(least, shares[look] * at.height));
			fill(1, look, looks[look].isUnknown ? s.palette.hatch : looks[look].colour, x, bottom - h, width, h);
			bottom -= h;
		}
		shares[look] = 0;
	}
	used.length = 0;
}

export function drawLane(g: CanvasRenderingContext2D, s: Scene, lane: string, at: Place) {
	const p = pictureOf(s, lane);
	if (!p) return drawReading(g, s, at);
	const i = p.index.get(lane)!, perUnit = ((s.width - LABELS) * p.unit) / (s.view.end - s.view.begin);
	const zero = xOf(s, p.origin);
	const from = (s.view.begin - p.origin) / p.unit, to = (s.view.end - p.origin) / p.unit;
	const last = p.first[i + 1];
	pixels = s.palette.scale;
	const names: [string, string, number, number][] = [];
	let pixel = -1;
	for (let k = firstSpan(p, i, from); k < last && p.begin[k] < to; k++) {
		const key = p.state[k] * MANY_CAUSES + p.cause[k], look = s.palette.looks[key];
		const a = Math.max(LABELS, zero + p.begin[k] * perUnit), b = Math.min(s.width, zero + p.end[k] * perUnit);
		if (b - a < 1) {
			if (look.height === 0) continue;
			if ((a | 0) !== pixel) {
				if (used.length) drawPixel(s, pixel, 1, at);
				pixel = a | 0;
			}
			addShare(key, ((b - a) * p.share[k]) / 255);
			continue;
		}
		if (used.length) drawPixel(s, pixel, 1, at);
		pixel = -1;
		if (p.isInBins && (p.share[k] < 255 || p.begin[k + 1] === p.begin[k])) { // a bin: all that it has
			for (const begin = p.begin[k]; k < last && p.begin[k] === begin; k++) {
				const one = p.state[k] * MANY_CAUSES + p.cause[k];
				if (s.palette.looks[one].height > 0) addShare(one, p.share[k] / 255);
			}
			k--;
			if (used.length) drawPixel(s, a, b - a, at);
			continue;
		}
		if (look.height === 0) continue;
		const isLong = look.isLock && (p.end[k] - p.begin[k]) * perUnit > (s.width - LABELS) / 2, height = isLong ? LONG_LOCK : look.height;
		const h = (height / BAR) * at.height;
		fill(1, key, look.isUnknown ? s.palette.hatch : look.colour, a, at.y + (at.height - h) / 2, b - a - (b - a > 4 ? 0.4 : 0), h);
		if (at.hasNames && b - a > 34 && p.task[k] !== NO_TASK) names.push([look.ink, nameOf(s, lane, p.task[k]), a, b - a]);
	}
	if (used.length) drawPixel(s, pixel, 1, at);
	drawFills(g);
	for (const [ink, name, x, width] of names) drawName(g, ink, name, x, at.y, width);
}

/** What this lane did is on its way. */
function drawReading(g: CanvasRenderingContext2D, s: Scene, at: Place) {
	g.fillStyle = s.palette.line as string;
	g.fillRect(LABELS, at.y + at.height / 2 - 2, s.width - LABELS, 4);
	g.fillStyle = s.palette.muted as string;
	g.font = `10px ${FONT}`;
	if (at.height > 8) g.fillText("reading …", LABELS + 8, at.y + 4);
}

function nameOf(s: Scene, lane: string, task: number): string {
	return s.tasks.byNumber.get(`${lane.split(":")[1]}:${task}`)?.comm ?? "";
}
