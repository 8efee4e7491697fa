// Times: ns since 1970 in answers; here ns from the begin of the traces, which a number holds
// exactly for the next 104 days of recording; "+1.5s" in commands.
import { batch, computed, effect, signal } from "@preact/signals";
import type { Num } from "./json";
import { status } from "./api";
import { parseJson } from "./json";
import { hush } from "./queue";
import { get } from "./report";
import { change, go, hooks, isRecorded, params } from "./state";

export interface Range { begin: number; end: number }

/** With the clocks as recorded the traces begin and end at other times. */
const recorded = signal<{ begin: bigint; end: bigint } | null>(null);
const bounds = computed(() => (isRecorded.value ? recorded.value : status.value));
/** Is it known when they begin? */
export const isKnown = computed(() => status.value?.stage === "ready" && bounds.value !== null);
effect(() => {
	if (isRecorded.value && !recorded.value && status.value?.stage === "ready")
		void loadRecorded().then((r) => { recorded.value = r; }, () => change({ clocks: null }));
});

async function loadRecorded(): Promise<{ begin: bigint; end: bigint }> {
	const answer = await get("api/run?w=info&w=--json&clocks=recorded"), info = parseJson(await answer.text());
	return { begin: BigInt(info.begin), end: BigInt(info.end) };
}

/** The same place by the other clocks: the times of day stay, though the traces begin at another one. */
hooks.otherClocks = (all, toRecorded) => {
	const at = toRecorded ? recorded.peek() : status.peek(), from = toRecorded ? status.peek() : recorded.peek(), moved: Record<string, string> = {};
	if (at?.begin === undefined || at?.end === undefined || from?.begin === undefined) return moved;
	const by = Number(from.begin - at.begin), end = Number(at.end - at.begin);
	for (const key of ["b", "e", "sb", "se", "at"]) {
		const t = fromSeconds(all[key]);
		if (t !== null) moved[key] = toSeconds(Math.min(end, Math.max(0, t + by)));
	}
	return moved;
};

export async function switchClocks(toRecorded: boolean) {
	if (toRecorded === isRecorded.peek()) return;
	if (toRecorded) recorded.value ??= await loadRecorded().catch(() => null);
	go({ clocks: toRecorded ? "recorded" : null });
}

export const origin = computed(() => BigInt(bounds.value?.begin ?? 0));
export const whole = computed<Range>(() => ({
	begin: 0, end: Math.max(1, Number(BigInt(bounds.value?.end ?? 1) - origin.value)) }));

/** A time of an answer, from the begin of the traces. */
export function since(t: Num): number {
	return Number(BigInt(t) - origin.value);
}

export function absolute(t: number): bigint {
	return origin.value + BigInt(Math.round(t));
}

/** 1234567890 -> "1.23456789", in seconds and exactly. */
export function toSeconds(t: number): string {
	const ns = Math.round(t), sign = ns < 0 ? "-" : "";
	const s = Math.trunc(Math.abs(ns) / 1e9), rest = Math.abs(ns) - s * 1e9;
	const part = String(rest).padStart(9, "0").replace(/0+$/, "");
	return `${sign}${s}${part ? "." + part : ""}`;
}

export function fromSeconds(text: string | undefined): number | null {
	const match = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(text ?? "");
	if (!match) return null;
	const ns = Number(match[2]) * 1e9 + Number((match[3] ?? "").padEnd(9, "0"));
	return match[1] ? -ns : ns;
}

function rangeOf(begin: string, end: string): Range | null {
	const b = fromSeconds(params.value[begin]), e = fromSeconds(params.value[end]);
	if (b === null || e === null || b >= e) return null;
	// An address may be of other traces: what was not recorded is not shown.
	const inside = { begin: Math.max(0, b), end: Math.min(whole.value.end, e) };
	return inside.begin < inside.end ? inside : null;
}

/** Where the timeline is while somebody moves it: browsers do not take addresses at that rate. */
const moving = signal<Range | null>(null);
/** What the timeline shows. */
export const shown = computed<Range>(() => moving.value ?? rangeOf("b", "e") ?? whole.value);
/** The same, without what is on its way: for what costs more than a picture. */
export const settled = computed<Range>(() => rangeOf("b", "e") ?? whole.value);
/** What somebody selected in it: tables are of this. */
export const selected = computed<Range | null>(() => rangeOf("sb", "se"));
/** What tables are of: the selection, or what the timeline shows; null: everything. */
export const tabled = computed<Range | null>(() => selected.value ?? rangeOf("b", "e"));

export function setRange(r: Range): Record<string, string> {
	return { b: toSeconds(r.begin), e: toSeconds(r.end) };
}

export function setSelected(r: Range | null): Record<string, string | null> {
	return { sb: r && toSeconds(r.begin), se: r && toSeconds(r.end) };
}

/** The words for a command; a range that is everything needs none. */
export function rangeWords(r: Range | null): string[] {
	if (!r) return [];
	const b = Math.max(0, Math.round(r.begin)), e = Math.min(whole.value.end, Math.round(r.end));
	const words: string[] = [];
	if (b > 0) words.push("--begin", `+${toSeconds(b)}s`);
	if (e < whole.value.end) words.push("--end", `+${toSeconds(Math.max(e, b + 1))}s`);
	return words;
}

const SETTLE_MS = 180, LEAST_NS = 200;
let settle = 0;
const before: Range[] = [];

/** Within the recording, and no shorter than what can be seen. */
function inside(r: Range): Range {
	const all = whole.value;
	const length = Math.min(all.end, Math.max(LEAST_NS, r.end - r.begin));
	const begin = Math.round(Math.min(all.end - length, Math.max(0, r.begin)));
	return { begin, end: Math.round(begin + length) };
}

function settleAt(r: Range) {
	settle = 0;
	const isAll = r.begin <= 0 && r.end >= whole.value.end;
	batch(() => {
		change(isAll ? { b: null, e: null } : setRange(r));
		moving.value = null;
	});
}

/** Shows another range; the address follows when it rests. */
export function moveTo(r: Range) {
	hush();
	if (!settle) before.push(shown.value);
	clearTimeout(settle);
	const to = inside(r);
	moving.value = to;
	settle = window.setTimeout(() => settleAt(to), SETTLE_MS);
}

/** Back to where it rested before. */
export function undoMove() {
	clearTimeout(settle);
	const to = before.pop();
	if (to) settleAt(to);
}
