// Colours of states and causes as numbers of lanes, out of the style sheet.
import { colourName } from "../parts/states";
import type { Tasks } from "../tasks";

export interface Look { colour: string; height: number } // of 14; less is less important

export interface Palette {
	[name: string]: string | Look[] | CanvasPattern;
	looks: Look[]; // by state * 32 + cause
	hatch: CanvasPattern;
}

const NAMES = ["bg", "panel", "line", "text", "muted", "accent", "chip", "user", "sys", "irq", "cpu", "disk", "net", "lock",
	"timer", "queue", "unknown", "own", "path", "sel", "hover", "ink"];
/** Waits are as high as they matter: who sleeps is thin, and grey. */
const WAITS: Record<string, number> = { disk: 14, lock: 14, net: 8 };
const ASLEEP = 4;
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

function lookOf(state: string, cause: string | null, css: Record<string, string>): Look {
	if (state !== "blocked") return { colour: css[colourName(state)], height: state === "stopped" ? ASLEEP : 14 };
	const name = colourName(cause ?? "blocked");
	return name in WAITS ? { colour: css[name], height: WAITS[name] } : { colour: css.timer, height: ASLEEP };
}

export function readPalette(tasks: Tasks, scale: number): Palette {
	const style = getComputedStyle(document.documentElement);
	const css: Record<string, string> = {};
	for (const name of NAMES) css[name] = style.getPropertyValue(`--${name}`).trim();
	const looks: Look[] = [];
	tasks.states.forEach((state, s) => tasks.causes.forEach((cause, c) => {
		looks[s * MANY_CAUSES + c] = lookOf(state, cause, css);
	}));
	return { ...css, looks, hatch: hatched(css.unknown, scale) };
}
