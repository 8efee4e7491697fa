// Questions to the server. Addresses are relative: the secret of the address is the folder.
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { parseJson } from "./json";
import { inTurn } from "./queue";
import { get, isReport } from "./report";
import { isRecorded } from "./state";

export interface Status {
	stage: "reading" | "ready" | "failed";
	doing: string | null;
	done_bytes: number;
	total_bytes: number;
	error?: string;
	hosts: string[];
	traces: string[];
	views: string[]; // files, or names, of --view
	begin?: bigint;
	end?: bigint;
	reference?: string;
	hosts_unsynchronized?: number;
	likely_p50_ns?: number;
	bound_p50_ns?: number;
}

export const status = signal<Status | null>(null);
/** Why the server does not answer; null: it does. */
export const gone = signal<string | null>(null);

const POLL_MS = 250, MOST_KEPT = 200;

async function pollStatus() {
	try {
		const answer = await get("api/status");
		const now = parseJson(await answer.text()) as Status;
		gone.value = null;
		status.value = now;
		if (now.stage === "reading") setTimeout(pollStatus, POLL_MS);
	} catch (e) {
		gone.value = String(e);
		setTimeout(pollStatus, 4 * POLL_MS);
	}
}
pollStatus();

/** Commands whose answers are those of aligned clocks, whatever the timeline shows: requests keep their numbers. */
export const isOfAligned = (words: string[]) => words[0] === "requests" || words[0] === "summary" || words.includes("--request");

/** Relative paths keep their arguments apart; '+' would become a space. */
export function query(path: string, args: [string, string][]): string {
	const all = isRecorded.value && !(path === "api/run" && isOfAligned(args.map(([, word]) => word))) ? [...args, ["clocks", "recorded"]] : args;
	return `${path}?${all.map(([k, v]) => `${k}=${encodeURIComponent(v)}`).join("&")}`;
}

/** The rows of one table of an answer. */
export const rowsOf = (answer: any, id: string): any[] => answer?.tables?.find((t: any) => t.id === id)?.rows ?? [];

/** The rows of one table, each with what tables beside it tell of it. */
export function joined(answer: any, id: string, ...beside: string[]): any[] {
	const more = beside.map((name) => new Map(rowsOf(answer, name).map((r) => [Number(r.row), r])));
	return rowsOf(answer, id).map((r, i) => Object.assign({}, ...more.map((of) => of.get(i + 1)), r));
}

/** A command that was asked: who waits for the answer, and how to give it up. */
class Question {
	users = 0;
	isPinned = false; // somebody waits who does not say when no longer
	isDone = false;
	readonly stop = new AbortController();
	readonly text: Promise<string>;
	/** key: by which it is kept; body: of what is not asked by its address alone. */
	constructor(readonly key: string, url: string, priority: number, body?: string) {
		this.text = isReport ? fetchText(url) : inTurn(priority, this.stop.signal, () => fetchText(url, this.stop.signal, body));
		this.text.then(() => { this.isDone = true; }, () => { this.isDone = true; if (kept.get(key) === this) kept.delete(key); });
	}
}

/** Answers to questions that were put before; the newest are kept. */
const kept = new Map<string, Question>();

/** What one place of the page waits for; release: it does not any more. */
export class Hold {
	private readonly all: Question[] = [];
	constructor(readonly priority = 0) {}
	add(q: Question) {
		q.users++;
		this.all.push(q);
	}
	release() {
		for (const q of this.all.splice(0)) {
			if (--q.users > 0 || q.isPinned || q.isDone) continue;
			if (kept.get(q.key) === q) kept.delete(q.key);
			q.stop.abort();
		}
	}
}

async function fetchText(url: string, signal?: AbortSignal, body?: string): Promise<string> {
	const answer = await (body === undefined ? get(url, signal) : fetch(url, { method: "POST", body, signal }));
	const text = await answer.text();
	if (!answer.ok) throw new Error(reason(text, answer.status));
	return text;
}

function reason(text: string, code: number): string {
	try {
		return parseJson(text).error ?? `error ${code}`;
	} catch {
		return `error ${code}`;
	}
}

/** What somebody just asked for goes before what fills the page. */
const BY_HAND = 3;

export function askText(words: string[], hold?: Hold): Promise<string> {
	return textOf(query("api/run", words.map((w) => ["w", w])), hold);
}

function textOf(url: string, hold?: Hold, body?: string): Promise<string> {
	const key = body === undefined ? url : `${url}\n${body}`;
	let one = kept.get(key);
	if (!one) {
		one = new Question(key, url, hold ? hold.priority : BY_HAND, body);
		kept.set(key, one);
		if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!);
	}
	if (hold) hold.add(one);
	else one.isPinned = true;
	return one.text;
}

const parsed = new WeakMap<Promise<string>, Promise<any>>();

/** The answer of a command, as the program prints it with --json. */
export function ask(words: string[], hold?: Hold): Promise<any> {
	// Tables of the page have the rows that the terminal's have: without the tracer and idle waits.
	const leavesOut = (words[0] === "top" || words[0] === "log") && !words.includes("--all");
	const text = askText([...words, "--json", ...(leavesOut ? ["--leave-out"] : [])], hold);
	let answer = parsed.get(text);
	if (!answer) {
		answer = text.then(parseJson);
		parsed.set(text, answer);
	}
	return answer;
}

/** What a statement in SQL finds; null: the tables that it may name. */
export function askSql(sql: string | null, hold: Hold): Promise<any> {
	return textOf(query("api/query", []), hold, sql ?? undefined).then(parseJson);
}

export interface Answer<T> {
	data: T | null;
	error: string | null;
	/** Another answer is on its way; data is of the question before. */
	busy: boolean;
}

/** What a promise gives, asked again when key changes; what was there stays until then. */
export function useLoaded<T>(key: string | null, load: (hold: Hold) => Promise<T>, priority = 0): Answer<T> {
	const wanted = `${isRecorded.value} ${key}`;
	const [state, setState] = useState<{ of: string | null; data: T | null; error: string | null }>({ of: null, data: null, error: null });
	useEffect(() => {
		if (key === null) return;
		let isWanted = true;
		const hold = new Hold(priority);
		load(hold).then(
			(data) => isWanted && setState({ of: wanted, data, error: null }),
			(e) => isWanted && setState({ of: wanted, data: null, error: (e as Error).message }));
		return () => {
			isWanted = false;
			hold.release();
		};
	}, [wanted]);
	// Busy as soon as another key is there, not only once the effect has run: nobody takes the old answer for the new one.
	return key === null ? { data: null, error: null, busy: false } : { data: state.data, error: state.error, busy: state.of !== wanted };
}

export function useAnswer(words: string[] | null, priority = 0): Answer<any> {
	return useLoaded(words && words.join("\0"), (hold) => ask(words!, hold), priority);
}

export function useText(words: string[] | null, priority = 0): Answer<string> {
	return useLoaded(words && "text " + words.join("\0"), (hold) => askText(words!, hold), priority);
}
