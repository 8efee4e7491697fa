// Tables of programs, of the selected range: states by row, as bars and numbers; the matrix of messages.
import { useAnswer } from "../api";
import { Loaded } from "../parts/card";
import { AnswerTable } from "../parts/table";
import { bytes, count, duration, percent } from "../numbers";
import { change, params } from "../state";
import { allStates, states } from "./programs";

interface Part { name: string; ns: number; colour: string }
interface Line { label: string; note: string; parts: Part[]; whole: number }

/** A bar for each row, as long as its time: how much of it in which state. */
function StateBars({ lines }: { lines: Line[] }) {
	const most = Math.max(1, ...lines.map((l) => l.whole));
	return (
		<table class="dense state-bars" id="state-bars"><tbody>{lines.map((l) => {
			const text = l.parts.map((p) => `${p.name} ${duration(p.ns)}, ${percent((100 * p.ns) / (l.whole || 1))}`).join("\n");
			return (
				<tr key={`${l.note} ${l.label}`}>
					<td>{l.label}</td><td class="dim">{l.note}</td>
					<td class="wide"><div class="bar" style={{ width: `${(100 * l.whole) / most}%` }} title={text} role="img" aria-label={`${l.label}: ${text}`}>
						{l.parts.map((p) => <i key={p.name} style={{ width: `${(100 * p.ns) / (l.whole || 1)}%`, background: p.colour }} />)}
					</div></td>
					<td class="n">{duration(l.whole)}</td>
				</tr>);
		})}</tbody></table>);
}

const numeric = (a: string, b: string) => a.localeCompare(b, undefined, { numeric: true });

// ---- States of views ----

/** As the timeline draws them; what it has not drawn yet has no colour of its own. */
function viewColour(text: string): string {
	for (const p of [states.value, allStates.value]) {
		const word = p?.words.find((w) => w.text === text && w.colour);
		if (word) return word.colour!;
	}
	return "var(--unknown)";
}

function linesOfViews(answer: any): Line[] {
	const all = new Map<string, Line>();
	for (const r of answer.tables.find((t: any) => t.id === "top")?.rows ?? []) {
		const key = `${r.view} ${r.under ?? ""} ${r.row} ${r.host}`, ns = Number(r.exclusive_ns ?? 0);
		const line = all.get(key) ?? all.set(key, { label: r.row, note: r.under ?? (r.host ?? ""), parts: [], whole: 0 }).get(key)!;
		line.parts.push({ name: r.state, ns, colour: viewColour(r.state) });
		line.whole += ns;
	}
	const shares = new Map<string, number>();
	for (const l of all.values()) for (const p of l.parts) shares.set(p.name, (shares.get(p.name) ?? 0) + p.ns);
	// The same order in all bars: so they can be compared.
	for (const l of all.values()) l.parts.sort((a, b) => shares.get(b.name)! - shares.get(a.name)! || numeric(a.name, b.name));
	return [...all.entries()].sort(([a], [b]) => numeric(a, b)).map(([, l]) => l).slice(0, 100);
}

/** A view may have states, values or arrows alone. */
const withRows = (a: any) => a.tables.some((t: any) => t.rows.length) ? { ...a, tables: a.tables.filter((t: any) => t.rows.length) } : { ...a, tables: a.tables.slice(0, 1) };

export function ViewStates({ words }: { words: string[] }) {
	return <Loaded of={useAnswer(words)}>{(a) => <><StateBars lines={linesOfViews(a)} /><AnswerTable answer={withRows(a)} /></>}</Loaded>;
}

// ---- Ranks ----

const PARTS: [string, string, string][] = [["compute_ns", "computes", "var(--user)"], ["outside_ns", "outside of MPI", "var(--own)"],
	["in_call", "in a call of MPI", "var(--sys)"], ["waiting_ns", "waits for another rank", "var(--mpi)"], ["unknown_ns", "unknown", "var(--unknown)"]];

function linesOfRanks(answer: any): Line[] {
	const rows = (answer.tables.find((t: any) => t.id === "ranks")?.rows ?? []) as any[], areSeveral = new Set(rows.map((r) => r.job)).size > 1;
	return rows.map((r) => {
		const of = (key: string) => Number(r[key] ?? 0);
		const times: Record<string, number> = { ...Object.fromEntries(PARTS.map(([key]) => [key, of(key)])),
			in_call: of("point_ns") + of("collective_ns") + of("setup_ns") + of("else_ns") - of("waiting_ns") };
		return { label: `rank ${r.rank}`, note: `${r.host ?? ""}${areSeveral ? `, program ${r.job}` : ""}`, whole: of("elapsed_ns"),
			parts: PARTS.map(([key, name, colour]) => ({ name, ns: times[key], colour })).filter((p) => p.ns > 0) };
	});
}

/** Times of states, then the same call by call. */
export function Ranks({ words, calls }: { words: string[]; calls: string[] }) {
	const states = useAnswer(calls);
	return <>
		<Loaded of={useAnswer(words)}>{(a) => <>
			<StateBars lines={linesOfRanks(a)} />
			<div class="legend">{PARTS.map(([, name, colour]) => <span key={name}><i style={{ background: colour }} />{name}</span>)}</div>
			<AnswerTable answer={a} />
		</>}</Loaded>
		<Loaded of={states}>{(a) => <AnswerTable answer={a} />}</Loaded>
	</>;
}

// ---- Matrix ----

const OF: [string, string, string, (v: number) => string][] = [["messages", "messages", "messages", count], ["bytes", "bytes", "bytes", bytes],
	["time", "time", "latency_ns", duration], ["waited", "waited", "waited_ns", duration]];
const MOST_RANKS = 64;

function Grid({ rows, of }: { rows: any[]; of: string }) {
	const [, , key, text] = OF.find(([name]) => name === of) ?? OF[0];
	const ranks = [...new Set(rows.flatMap((r) => [r.from_rank, r.to_rank]))].sort((a, b) => a - b).slice(0, MOST_RANKS);
	const values = new Map(rows.map((r) => [`${r.from_rank} ${r.to_rank}`, Number(r[key] ?? 0)])), most = Math.max(1, ...values.values());
	return (
		<table class="matrix" id="matrix-grid">
			<thead><tr><th class="dim">from \ to</th>{ranks.map((r) => <th key={r}>{r}</th>)}</tr></thead>
			<tbody>{ranks.map((from) => (
				<tr key={from}><th>{from}</th>{ranks.map((to) => {
					const v = values.get(`${from} ${to}`);
					return <td key={to} title={v === undefined ? `no message from ${from} to ${to}` : `from ${from} to ${to}: ${text(v)}`}
						style={v === undefined ? undefined : { background: `color-mix(in srgb, var(--accent) ${Math.round(8 + (52 * v) / most)}%, transparent)` }}>
						{v === undefined ? "" : text(v)}</td>;
				})}</tr>))}</tbody>
		</table>);
}

export function Matrix({ words, pattern }: { words: string[]; pattern: string[] }) {
	const of = params.value.of ?? "messages", patterns = useAnswer(pattern);
	return <Loaded of={useAnswer(words)}>{(a) => {
		const rows = (a.tables[0]?.rows ?? []) as any[], programs = [...new Set(rows.map((r) => r.job))];
		if (!rows.length) return <div class="note">No messages in this range.</div>;
		return <>
			<div class="matrix-head">
				<span id="pattern">{(patterns.data?.tables[0]?.rows ?? []).map((p: any) => <div key={p.job}>{programs.length > 1 ? `program ${p.job}: ` : "pattern: "}<b>{p.pattern}</b></div>)}</span>
				<span class="choice">{OF.map(([name, title]) => <button key={name} class={of === name ? "chip on" : "chip"} aria-pressed={of === name}
					onClick={() => change({ of: name === "messages" ? null : name })}>{title}</button>)}</span>
			</div>
			<div class="grids">{programs.map((job) => <Grid key={job} rows={rows.filter((r) => r.job === job)} of={of} />)}
				<div><AnswerTable answer={a} /></div></div>
		</>;
	}}</Loaded>;
}
