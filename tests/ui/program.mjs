// The program on the same traces: what it prints is what the page must show.
import { execFileSync } from "node:child_process";

function run(args) {
	return execFileSync(process.env.MERIDIAN, [...args, "--quiet", process.env.TRACES],
		{ encoding: "utf8", maxBuffer: 1 << 28, env: { ...process.env, COLUMNS: "600", LC_ALL: "C.UTF-8" } });
}

export const json = (...args) => JSON.parse(run([...args, "--json"]));

/** One form for what differs only in type: the unit of microseconds, minus signs, arrows, blanks. */
export function plain(text) {
	return text.replaceAll("µs", "us").replaceAll("−", "-").replaceAll("→", "->").replace(/\s+/g, " ").trim();
}

/** A command line that the page shows, run by a shell as somebody would who copied it. */
export function linesOf(command) {
	const text = execFileSync("bash", ["-c", command.replace(/^meridian /, '"$MERIDIAN" ') + " --quiet"],
		{ encoding: "utf8", maxBuffer: 1 << 28, env: { ...process.env, COLUMNS: "600", LC_ALL: "C.UTF-8" } });
	return text.split("\n").map(plain);
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
