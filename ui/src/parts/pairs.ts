// Colours that 36 names can be told apart by: 12 hues in three lightnesses, equally far apart to the eye (OKLab), in an
// order in which each is as far as can be from those before it. All of them can be seen on white and on black.

type Lab = [number, number, number];

const HUES = 12, LIGHTS = [0.45, 0.58, 0.71], MOST_CHROMA = 0.19;
const clamp = (v: number) => Math.min(1, Math.max(0, v));

function linear([l, a, b]: Lab): number[] {
	const [x, y, z] = [l + 0.3963377774 * a + 0.2158037573 * b, l - 0.1055613458 * a - 0.0638541728 * b, l - 0.0894841775 * a - 1.291485548 * b]
		.map((v) => v ** 3);
	return [4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z, -1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z,
		-0.0041960863 * x - 0.7034186147 * y + 1.707614701 * z];
}

function hexOf(lab: Lab): string {
	return "#" + linear(lab).map((v) => Math.round(255 * clamp(v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055)).toString(16).padStart(2, "0")).join("");
}

/** As much colour as screens can show. */
function labOf(light: number, hue: number): Lab {
	for (let chroma = MOST_CHROMA; ; chroma -= 0.005) {
		const lab: Lab = [light, chroma * Math.cos(hue), chroma * Math.sin(hue)];
		if (chroma <= 0 || linear(lab).every((v) => v >= 0 && v <= 1)) return lab;
	}
}

const distance = (p: Lab, q: Lab) => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);

/** The next is the one that is farthest from all before. */
function spread(all: Lab[]): Lab[] {
	const left = [...all], chosen = [left.splice(HUES + 8, 1)[0]];
	while (left.length) {
		const room = left.map((p) => Math.min(...chosen.map((q) => distance(p, q))));
		chosen.push(left.splice(room.indexOf(Math.max(...room)), 1)[0]);
	}
	return chosen;
}

// Hues of neighbouring lightnesses are shifted, so that none stands right above another.
export const PAIR_COLOURS = spread(LIGHTS.flatMap((light, i) => Array.from({ length: HUES }, (_, k) =>
	labOf(light, (2 * Math.PI * (k + i / LIGHTS.length)) / HUES)))).map(hexOf);

/** Which colour a name had when it was first seen: it keeps it in all charts of the page. */
const given = new Map<string, number>();

/** One colour for a name, wherever it is; of those that are asked for together each another one, as long as there are. */
export function coloursOf(names: Iterable<string>): Map<string, string> {
	const all = [...new Set(names)].sort(), used = new Set<number>();
	const take = (name: string, from: number) => {
		let i = from % PAIR_COLOURS.length;
		while (used.has(i) && used.size < PAIR_COLOURS.length) i = (i + 1) % PAIR_COLOURS.length;
		used.add(i);
		given.set(name, given.get(name) ?? i);
		return PAIR_COLOURS[i];
	};
	const known = all.filter((name) => given.has(name)), colours = new Map(known.map((name) => [name, take(name, given.get(name)!)]));
	for (const name of all) if (!colours.has(name)) colours.set(name, take(name, used.size));
	return colours;
}

/** The k-th of one name, such as reads and writes of a disk: the colour itself, lighter, darker. */
export function shadeOf(colour: string, k: number): string {
	if (k % 3 === 0) return colour;
	const to = k % 3 === 1 ? 255 : 0;
	return "#" + [1, 3, 5].map((i) => Math.round(0.55 * parseInt(colour.slice(i, i + 2), 16) + 0.45 * to).toString(16).padStart(2, "0")).join("");
}
