// The panel at the right for rows of programs: the state, since when, within what, which label; and the
// colours of what is shown.
import type { ComponentChildren } from "preact";
import { duration } from "../numbers";
import { fromSeconds, type Range, shown, toSeconds } from "../range";
import { change, params } from "../state";
import type { Tasks } from "../tasks";
import { jump } from "./details";
import { allStates, type OneState, type ProgramRow, stateAt, states, statesFor, valueAt, valueText, type Word, wordColour, wordText } from "./programs";
import type { Row } from "./rows";

export interface ProgramSelection { of: ProgramRow; at: number | null; state: OneState | null; value: number | null; span: Range | null }

const pictures = () => [states.value, allStates.value];

/** What the address says, if it is a row of a program. */
export function programSelection(rows: Row[]): ProgramSelection | null {
	const p = params.value, of = rows.find((r) => r.key === p.row)?.program;
	if (!of) return null;
	const at = fromSeconds(p.at), picture = at === null ? null : statesFor(pictures(), of.id, shown.value);
	const state = picture && stateAt(picture, of.id, at!, Number(p.lvl ?? 0));
	return { of, at, state, value: picture && of.unit !== null ? valueAt(picture, of.id, at!) : null,
		span: state?.isExact ? { begin: state.begin, end: state.end } : null };
}

function Fact({ name, id, children }: { name: string; id?: string; children: ComponentChildren }) {
	return <><span>{name}</span><span id={id}>{children}</span></>;
}

function StateFacts({ s }: { s: ProgramSelection }) {
	const one = s.state;
	return (
		<div class="kv" id="facts">
			{s.value !== null && <Fact name="value" id="value">{valueText(s.of, s.value)}</Fact>}
			{!one && s.value === null && <Fact name="state">none</Fact>}
			{one && <>
				<Fact name="state" id="state-text"><i class="swatch" style={{ background: css(one.word) }} />{one.isExact ? one.word.text : `mostly ${one.word.text}`}</Fact>
				{one.word.wait && <Fact name="wait">{one.word.wait}{one.forRank >= 0 ? ` for rank ${one.forRank}` : ""}</Fact>}
				{one.within && <Fact name="within">{one.within.text}</Fact>}
				{one.isExact ? <>
					<Fact name="since">+{toSeconds(one.begin)} s</Fact><Fact name="until">+{toSeconds(one.end)} s</Fact>
					<Fact name="for" id="span-length">{duration(one.end - one.begin)}</Fact>
				</> : <Fact name="">zoom in for single states</Fact>}
			</>}
		</div>
	);
}

export function ProgramFacts({ s, tasks }: { s: ProgramSelection; tasks: Tasks }) {
	const threads = s.of.threads.filter((key) => tasks.byKey.has(key));
	return <>
		<div class="selected-name" id="selected-name">{s.of.label}</div>
		<div class="dim">{[s.of.title, s.of.under, s.of.under === s.of.host ? null : `on ${s.of.host}`].filter(Boolean).join(", ")}</div>
		{s.at !== null && <StateFacts s={s} />}
		<div class="actions">
			{threads.slice(0, 1).map((key) => <>
				<button class="chip" title="what the kernel says of its thread then"
					onClick={() => s.at === null ? change({ row: key }, true) : jump(key, s.at)}>thread {tasks.byKey.get(key)!.name}</button>
				<button class="chip" onClick={() => change({ path: key, req: null, tab: "breakdown" }, true)}>path <kbd>P</kbd></button>
			</>)}
		</div>
	</>;
}

// ---- Colours ----

const css = (w: Word) => wordColour(w).startsWith("#") ? wordColour(w) : `var(--${wordColour(w)})`;
const MOST_WORDS = 24;

/** States that are drawn in the shown range, of rows that are there; the longest first. */
function wordsShown(rows: Row[]): Map<string, Map<string, { word: Word; ns: number }>> {
	const views = new Map<string, Map<string, { word: Word; ns: number }>>(), { begin, end } = shown.value;
	for (const { program } of rows) {
		const p = program && statesFor(pictures(), program.id, shown.value), all = p?.rows.get(program!.id)?.states ?? [];
		if (!p || !all.length) continue;
		const name = program!.isRank ? "MPI" : program!.title, words = views.get(name) ?? views.set(name, new Map()).get(name)!;
		for (let i = 0; i < all.length; i += 6) {
			const a = Math.max(begin, p.window.begin + all[i]), b = Math.min(end, p.window.begin + all[i + 1]);
			if (b <= a) continue;
			const word = p.words[all[i + 2]], key = program!.isRank ? rankWords(word) : word.text, one = words.get(key);
			if (one) one.ns += b - a;
			else words.set(key, { word, ns: b - a });
		}
	}
	return views;
}

/** Ranks have few colours, whatever the call is. */
function rankWords(w: Word): string {
	if (w.wait) return "waits for another rank";
	return ({ compute: "computes", outside: "outside of MPI", unknown: "unknown" } as Record<string, string>)[w.class ?? ""] ?? "in a call of MPI";
}

export function ProgramLegend({ rows }: { rows: Row[] }) {
	const views = wordsShown(rows), hasValues = rows.some((r) => r.program && r.program.unit !== null);
	return <>{hasValues && <div class="legend program-legend"><span><i style={{ background: "var(--sys)" }} />value over time</span></div>}{[...views].map(([name, words]) => {
		const all = [...words].sort((a, b) => b[1].ns - a[1].ns);
		return (
			<div class="program-legend" key={name}>
				<div class="dim small">{name}</div>
				<div class="legend">
					{all.slice(0, MOST_WORDS).map(([text, { word }]) => <span key={text} title={wordText(word)}><i style={{ background: css(word) }} />{text}</span>)}
					{all.length > MOST_WORDS && <span class="dim">and {all.length - MOST_WORDS} more</span>}
				</div>
			</div>);
	})}</>;
}
