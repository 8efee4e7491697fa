// The catalog: questions worth opening, topics with their curves, comparisons of ranges. The server has it (api/catalog).
import { computed, signal } from "@preact/signals";
import { rowsOf } from "./api";
import { parseJson } from "./json";
import { get } from "./report";

export interface Question { words: string[]; about: "window" | "all" | "instant" | "task"; menu: number; periods: number | null; views: number | null }
/** A curve for each name. sum: values add up over a bin; type says what is drawn: a ratio of its time, a rate per second. */
export interface Curve { title: string; value: string; type: string; name: string; of: string | null; sum: number; gaps: number }
/** A report has fewer rows and bins: it is sent by mail. */
export interface Topic { topic: string; title: string; durations: string | null; report_rows: number; report_bins: number;
	questions: string[][]; curves: Curve[] }
/** total: a longer range has more of it. */
export interface Comparison { id: string; title: string; words: string[]; table: string; name: string; value: string; type: string; total: number }

const AGAIN_MS = 1000;
const answer = signal<any>(null);

async function load() {
	try {
		const got = await get("api/catalog");
		answer.value = parseJson(await got.text());
	} catch {
		setTimeout(load, AGAIN_MS);
	}
}
void load();

const split = (r: any) => ({ ...r, words: r.words.split(" ") });
export const questions = computed<Question[]>(() => rowsOf(answer.value, "questions").filter((r) => r.words).map(split));
export const comparisons = computed<Comparison[]>(() => rowsOf(answer.value, "comparisons").map(split));
export const topics = computed<Topic[]>(() => rowsOf(answer.value, "topics").map((t) => ({ ...t,
	questions: rowsOf(answer.value, "topic_questions").filter((q) => q.topic === t.topic).map((q) => q.words.split(" ")),
	curves: rowsOf(answer.value, "curves").filter((c) => c.topic === t.topic) })));

/** What a pattern makes of a row: "{host} {name|nr}{/tid}". What a brace begins with is left out with a value that is not known. */
export function named(pattern: string, row: any): string {
	return pattern.replace(/\{(\W?)([^}]+)\}/g, (_, before, keys) => {
		const known = keys.split("|").map((k: string) => /^\w+$/.test(k) ? row[k] : k).find((v: unknown) => v !== null && v !== undefined);
		return known === undefined ? "" : `${before}${known}`;
	});
}
