// One lane: what a task or a CPU did, from left to right. Where several spans share a pixel, it is
// divided among them by their time, so that from afar one sees how much of what there was.
import { BAR, drawName, FONT, LABELS, type Scene, xOf } from "./draw";
import { LONG_LOCK, MANY_CAUSES } from "./palette";
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

/** From x on, as wide as it is. Work stands on the ground, waits that matter above it; behind all that is a line: of the
 *  network, where it was waited for, else sleep. */
function drawPixel(g: CanvasRenderingContext2D, s: Scene, x: number, width: number, at: Place) {
	const looks = s.palette.looks;
	used.sort((a, b) => looks[a].order - looks[b].order || a - b);
	let bottom = at.y + at.height;
	const line = used.filter((u) => looks[u].height > 0 && looks[u].height < BAR)
		.sort((a, b) => looks[b].height - looks[a].height || shares[b] - shares[a])[0];
	if (line !== undefined) {
		// A line is the higher the more of it there is.
		const least = Math.min(looks[line].height, LONG_LOCK), tall = least + (looks[line].height - least) * Math.min(1, shares[line]);
		const h = (tall / BAR) * at.height;
		g.fillStyle = looks[line].colour;
		g.fillRect(x, at.y + (at.height - h) / 2, width, h);
	}
	const unknown = s.tasks.states.indexOf("unknown");
	for (const look of used) {
		if (looks[look].height === BAR) {
			const h = Math.min(bottom - at.y, Math.max(1, shares[look] * at.height));
			g.fillStyle = Math.floor(look / MANY_CAUSES) === unknown ? s.palette.hatch : looks[look].colour;
			g.fillRect(x, bottom - h, width, h);
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
	const zero = xOf(s, p.origin), unknown = s.tasks.states.indexOf("unknown");
	const from = (s.view.begin - p.origin) / p.unit, to = (s.view.end - p.origin) / p.unit;
	const last = p.first[i + 1];
	let pixel = -1;
	for (let k = firstSpan(p, i, from); k < last && p.begin[k] < to; k++) {
		const key = p.state[k] * MANY_CAUSES + p.cause[k], look = s.palette.looks[key];
		const a = Math.max(LABELS, zero + p.begin[k] * perUnit), b = Math.min(s.width, zero + p.end[k] * perUnit);
		if (b - a < 1) {
			if (look.height === 0) continue;
			if ((a | 0) !== pixel) {
				if (used.length) drawPixel(g, s, pixel, 1, at);
				pixel = a | 0;
			}
			addShare(key, ((b - a) * p.share[k]) / 255);
			continue;
		}
		if (used.length) drawPixel(g, s, pixel, 1, at);
		pixel = -1;
		if (p.isInBins && (p.share[k] < 255 || p.begin[k + 1] === p.begin[k])) { // a bin: all that it has
			for (const begin = p.begin[k]; k < last && p.begin[k] === begin; k++) {
				const one = p.state[k] * MANY_CAUSES + p.cause[k];
				if (s.palette.looks[one].height > 0) addShare(one, p.share[k] / 255);
			}
			k--;
			if (used.length) drawPixel(g, s, a, b - a, at);
			continue;
		}
		if (look.height === 0) continue;
		const isLong = look.isLock && (p.end[k] - p.begin[k]) * perUnit > (s.width - LABELS) / 2, height = isLong ? LONG_LOCK : look.height;
		drawSpan(g, s, { a, b, isUnknown: p.state[k] === unknown, colour: look.colour, height: (height / BAR) * at.height }, at);
		if (at.hasNames && b - a > 34 && p.task[k] !== NO_TASK) drawName(g, look.ink, nameOf(s, lane, p.task[k]), a, at.y, b - a);
	}
	if (used.length) drawPixel(g, s, pixel, 1, at);
}

/** What this lane did is on its way. */
function drawReading(g: CanvasRenderingContext2D, s: Scene, at: Place) {
	g.fillStyle = s.palette.line as string;
	g.fillRect(LABELS, at.y + at.height / 2 - 2, s.width - LABELS, 4);
	g.fillStyle = s.palette.muted as string;
	g.font = `10px ${FONT}`;
	if (at.height > 8) g.fillText("reading …", LABELS + 8, at.y + 4);
}

function drawSpan(g: CanvasRenderingContext2D, s: Scene, one: { a: number; b: number; isUnknown: boolean; colour: string;
	height: number }, at: Place) {
	g.fillStyle = one.isUnknown ? s.palette.hatch : one.colour;
	g.fillRect(one.a, at.y + (at.height - one.height) / 2, one.b - one.a - (one.b - one.a > 4 ? 0.4 : 0), one.height);
}

function nameOf(s: Scene, lane: string, task: number): string {
	return s.tasks.byNumber.get(`${lane.split(":")[1]}:${task}`)?.comm ?? "";
}


