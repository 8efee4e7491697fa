// The program on the same traces: what it prints is what the page must show.
import { spawnSync } from "node:child_process";

/** What was printed: recordings do not change, and the same is asked for many pages. */
const printed = new Map();

/** Its output; 3: the events that the question needs were not recorded, which it prints, too. */
function output(program, args) {
	const command = JSON.stringify([program, ...args]);
	if (!printed.has(command)) printed.set(command, ran(program, args));
	return printed.get(command);
}

function ran(program, args) {
	const end = spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28, env: { ...process.env, COLUMNS: "600", LC_ALL: "C.UTF-8" } });
	if (end.error || ![0, 3].includes(end.status))
		throw end.error ?? new Error(`${program} ${args.join(" ")}: exit ${end.status}: ${end.stderr}`);
	return end.stdout;
}

const run = (args) => output(process.env.MERIDIAN, [...args, "--quiet", process.env.TRACES]);

export const json = (...args) => JSON.parse(run([...args, "--json"]));
/** Rows of a table of an answer. */
export const table = (answer, id) => answer.tables.find((t) => t.id === id)?.rows ?? [];

/** One form for what differs only in type: the unit of microseconds, minus signs, arrows, blanks. */
export function plain(text) {
	return text.replaceAll("µs", "us").replaceAll("−", "-").replaceAll("→", "->").replace(/\s+/g, " ").trim();
}

/** A command line that the page shows, run by a shell as somebody would who copied it. */
export function linesOf(command) {
	return output("bash", ["-c", command.replace(/^meridian /, '"$MERIDIAN" ') + " --quiet"]).split("\n").map(plain);
}

export const lines = (...args) => run(args).split("\n").map(plain);

/** Has a line of the program all these texts, in this order? */
export function isIn(all, cells) {
	const wanted = cells.map(plain).filter((c) => c && c !== "-");
	return all.some((line) => {
		let at = 0;
		return wanted.every((c) => {
			const found = line.indexOf(c, at);
			at = found + c.length;
			return found >= 0;
		});
	});
}
