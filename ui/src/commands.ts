// The command line that prints what is on the page.
import { isOfAligned, status } from "./api";
import { isRecorded } from "./state";

/** Messages of charts and arrows: one answer serves both. */
export const MOST_MESSAGES = 50000;

/** As a shell needs it. */
export function quote(word: string): string {
	return /^[\w@%+=:,./*-]+$/.test(word) && !word.includes("*") && word !== ""
		? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function clockWords(words: string[]): string[] {
	return isRecorded.value && words[0] !== "sync" && words[0] !== "latency" && !isOfAligned(words)
		? ["--sync", "none"] : [];
}

/** Where states of programs are, or cut a path, the command needs the views. */
function viewWords(words: string[]): string[] {
	const isOfViews = words[0] === "path" || words[0] === "diff" || words[1] === "view";
	return isOfViews ? (status.value?.views ?? []).flatMap((v) => ["--view", v]) : [];
}

/** The whole command, to be run. */
export function commandLine(words: string[]): string {
	const traces = status.value?.traces ?? [];
	// Of a query the statement comes last.
	const last = words[0] === "query" ? words.slice(1) : [], first = last.length ? words.slice(0, 1) : words;
	return ["meridian", ...first, ...clockWords(words), ...viewWords(words), ...traces, ...last].map(quote).join(" ");
}

/** The same in short, for the eye: without the traces. */
export function commandShort(words: string[]): string {
	return [...words, ...clockWords(words), ...viewWords(words)].map(quote).join(" ");
}

/** Words of a command that an answer names ("next"), without the program and the traces. */
export function wordsOf(line: string): string[] {
	const words: string[] = [];
	for (const match of line.matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g))
		words.push(match[1] !== undefined ? match[1].replaceAll("'\\''", "'") : match[2]);
	const traces = new Set(status.value?.traces ?? []);
	// The server adds its views to all commands.
	return words.slice(1).filter((w, i, all) => !traces.has(w) && w !== "--view" && all[i - 1] !== "--view");
}
