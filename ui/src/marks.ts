// Marks: moments and ranges with notes, kept by the server in the file that --marks - reads.
import { effect, signal } from "@preact/signals";
import { status } from "./api";
import { parseJson } from "./json";
import { absolute, type Range, since } from "./range";
import { get, isReport } from "./report";
import { isRecorded } from "./state";

export interface Mark { line: number; begin: number; end: number; text: string }

export const marks = signal<Mark[]>([]);
export const marksFile = signal<string | null>(null);
/** Why they could not be read or changed. */
export const marksError = signal<string | null>(null);

async function take(answer: Response) {
	const all = parseJson(await answer.text());
	if (!answer.ok || all.error) throw new Error(all.error ?? `error ${answer.status}`);
	marksFile.value = all.file;
	marks.value = all.marks.map((m: any) => ({ line: m.line, begin: since(m.begin), end: since(m.end), text: m.text }))
		.sort((a: Mark, b: Mark) => a.begin - b.begin);
	marksError.value = null;
}

async function ask(how: () => Promise<Response>) {
	try {
		await take(await how());
	} catch (e) {
		marksError.value = (e as Error).message;
	}
}

const address = () => isRecorded.peek() ? "api/marks?clocks=recorded" : "api/marks";

effect(() => {
	void isRecorded.value;
	if (status.value?.stage === "ready" && !(isReport && isRecorded.value)) void ask(() => get(address()));
});

/** In one line, without what the file's language does not allow. */
const plain = (text: string) => text.replace(/[\x00-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069]+/g, " ").trim();

export function addMark(r: Range, text: string) {
	const body = `${absolute(r.begin)}\t${r.end > r.begin ? absolute(r.end) : ""}\t${plain(text)}\n`;
	return ask(() => fetch("api/marks", { method: "POST", body }));
}

export function removeMark(m: Mark) {
	return ask(() => fetch(`api/marks?line=${m.line}&text=${encodeURIComponent(m.text)}`, { method: "DELETE" }));
}
