// Colours of states and causes as numbers of lanes, out of the style sheet.
import { colourName, isAway } from "../parts/states";
import type { Tasks } from "../tasks";

export interface Look {
	colour: string;
	height: number; // of 14; less is less important
	order: number; // from the ground up, where several share a pixel
	ink: string;
	isLock: boolean;
	isUnknown: boolean;
}

export interface Palette {
	[name: string]: string | number | Look[] | CanvasPattern;
	scale: number; // pixels of the screen in one of CSS
	looks: Look[]; // by state * 32 + cause
	hatch: CanvasPattern;
}

/** Relative luminance, as WCAG has it. */
function luminance(hex: string): number {
	const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255)
		.map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Black or white, whichever is read better on it. */
export const inkOn = (hex: string) => luminance(hex) > 0.18 ? "#0d1014" : "#ffffff";

const NAMES = ["bg", "panel", "line", "text", "muted", "accent", "chip", "user", "sys", "irq", "stolen", "cpu", "disk", "net", "lock",
	"timer", "queue", "mpi", "unknown", "own", "path", "sel", "hover", "warn"];
/** Waits are as high as they matter: who sleeps is thin, and grey. */
const WAITS: Record<string, number> = { disk: 14, lock: 14, net: 8 };
const ASLEEP = 4;
/** What a task did stands below what it waited for: what is above is the first that has no room. */
const ORDER = ["user", "sys", "irq", "stolen", "cpu", "disk", "lock", "net", "queue", "timer", "unknown"];
export const MANY_CAUSES = 32;

function hatched(colour: string, scale: number): CanvasPattern {
	const tile = document.createElement("canvas");
	tile.width = tile.height = 6 * scale;
	const g = tile.getContext("2d")!;
	g.scale(scale, scale);
	g.strokeStyle = colour;
	g.lineWidth = 1.6;
	for (const x of [-6, 0, 6]) {
		g.beginPath();
		g.moveTo(x, 6);
		g.lineTo(x + 6, 0);
		g.stroke();
	}
	const pattern = g.createPattern(tile, "repeat")!;
	pattern.setTransform(new DOMMatrix().scale(1 / scale));
	return pattern;
}

/** Who waits for its own threads does so all the time: a wait this long is as little news as sleep. */
export const LONG_LOCK = ASLEEP;

function lookOf(state: string, cause: string | null, css: Record<string, string>): Look {
	const name = colourName(isAway(state, cause) ? cause : state === "blocked" ? cause ?? "blocked" : state);
	const isAsleep = (state === "blocked" && !(name in WAITS)) || state === "new" || state === "stopped";
	const colour = css[isAsleep ? "timer" : name];
	// After its exit there is nothing of a task.
	const height = state === "dead" ? 0 : isAsleep ? ASLEEP : state === "blocked" ? WAITS[name] : 14;
	return { colour, height, order: ORDER.indexOf(isAsleep ? "timer" : name), ink: inkOn(colour), isLock: state === "blocked" && name === "lock", isUnknown: state === "unknown" };
}

export function readPalette(tasks: Tasks, scale: number): Palette {
	const style = getComputedStyle(document.documentElement);
	const css: Record<string, string> = {};
	for (const name of NAMES) css[name] = style.getPropertyValue(`--${name}`).trim();
	const looks: Look[] = [];
	tasks.states.forEach((state, s) => tasks.causes.forEach((cause, c) => {
		looks[s * MANY_CAUSES + c] = lookOf(state, cause, css);
	}));
	return { ...css, scale, looks, hatch: hatched(css.unknown, scale) };
}
