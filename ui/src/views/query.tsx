// Query: a statement in SQL, what it finds as a table, and as curves where it has times and numbers.
import { useMemo, useState } from "preact/hooks";
import { rowsOf, useLoaded, askSql } from "../api";
import { Card, Loaded } from "../parts/card";
import { Chart, type Line } from "../parts/chart";
import { coloursOf } from "../parts/pairs";
import { type Column, LongList, Rows } from "../parts/table";
import { cell, count } from "../numbers";
import { setRange, since } from "../range";
import { change, params } from "../state";

const EXAMPLES = [
	["requests by kind", "select kind, count(*) as n, avg(latency_ns) as mean_ns, max(latency_ns) as max_ns\nfrom requests group by kind order by n desc"],
	["waits for a CPU over time", "select begin / 100000000 * 100000000 as begin, host, max(latency_ns) as max_ns\nfrom sched group by 1, 2 order by 1"],
	["the longest calls", "select begin, host, tid, comm, name, duration_ns\nfrom syscall order by duration_ns desc limit 20"],
	["calls that failed", "select host, comm, name, ret, count(*) as n\nfrom syscall where ret_value < 0 group by 1, 2, 3, 4 order by n desc"],
];

/** Columns of numbers that a curve can show. */
const DRAWN = new Set(["count", "duration", "mean", "bytes", "rate", "ratio", "real", "ppm", "frequency"]);
const MOST_LINES = 12;

const select = (begin: number, end: number) => change(setRange({ begin: begin * 1e9, end: end * 1e9 }), true);

interface Drawn { x: number[]; lines: Line[]; format: (v: number) => string; left: number }

/** A curve for each text of the first column of texts, or each column of numbers of the first one's type; null: rows have
 *  no time, no number, or one time alone. */
function curvesOf(columns: Column[], rows: any[]): Drawn | null {
	const time = columns.find((c) => c.type === "time"), numbers = columns.filter((c) => DRAWN.has(c.type));
	if (!time || !numbers.length) return null;
	const name = columns.find((c) => c.type === "text"), type = numbers[0].type;
	const known = rows.filter((r) => r[time.key] !== null), of = name ? [numbers[0]] : numbers.filter((c) => c.type === type);
	const x = [...new Set(known.map((r) => since(r[time.key]) / 1e9))].sort((a, b) => a - b);
	if (x.length < 2) return null;
	const at = new Map(x.map((t, i) => [t, i])), curves = new Map<string, (number | null)[]>();
	for (const row of known)
		for (const c of of) {
			const key = name ? String(row[name.key] ?? "?") : c.title ?? c.key;
			if (!curves.has(key)) curves.set(key, x.map(() => null));
			const i = at.get(since(row[time.key]) / 1e9)!, v = row[c.key], there = curves.get(key)!;
			// Of several rows at a time the largest.
			if (v !== null) there[i] = Math.max(there[i] ?? -Infinity, Number(v));
		}
	const shown = [...curves].slice(0, MOST_LINES), colours = coloursOf(shown.map(([key]) => key));
	// Where each has times of its own, there is nothing between them that a line could stand for.
	const isPoints = x.length > 2000 || shown.some(([, v]) => 2 * v.filter((y) => y === null).length > v.length);
	return { x, left: curves.size - shown.length, format: (v) => cell(type, v),
		lines: shown.map(([key, values]) => ({ name: key, colour: colours.get(key)!, values, isPoints })) };
}

function Curves({ table }: { table: any }) {
	const drawn = useMemo(() => curvesOf(table.columns, table.rows), [table]);
	if (!drawn) return null;
	return <div class="query-chart">
		<Chart x={drawn.x} lines={drawn.lines} format={drawn.format} height={200} onSelect={select} />
		{drawn.left > 0 && <div class="note">{count(drawn.left)} more curves are not drawn: a condition makes them fewer.</div>}
	</div>;
}

/** Rows with a time, or of a task or CPU of a host, lead into the timeline. */
const hasPlace = (columns: Column[]) => {
	const keys = new Set(columns.map((c) => c.key));
	return columns.some((c) => c.type === "time" && ["begin", "time", "max_at"].includes(c.key)) || (keys.has("host") && (keys.has("tid") || keys.has("cpu")));
};

function Result({ table, title, words }: { table: any; title: string; words: string[] }) {
	return (
		<Card title={title} words={words}>
			<Curves table={table} />
			{table.rows.length
				? <LongList><Rows id={`query-${table.id}`} columns={table.columns} rows={table.rows} /></LongList>
				: <div class="note">No rows.</div>}
			{table.rows.length > 0 && hasPlace(table.columns) && <div class="note">A click on a row shows it in the timeline.</div>}
		</Card>
	);
}

/** All tables and their columns. */
function Tables({ onPick }: { onPick: (name: string) => void }) {
	const [text, setText] = useState("");
	const known = useLoaded("tables of SQL", (hold) => askSql(null, hold));
	const like = (t: any) => `${t.name} ${t.title}`.toLowerCase().includes(text.toLowerCase());
	return (
		<details class="query-tables">
			<summary>Tables</summary>
			<input type="text" value={text} aria-label="tables with these letters" placeholder="name" onInput={(e) => setText(e.currentTarget.value)} />
			<Loaded of={known}>{(a) => <dl>{rowsOf(a, "tables").filter(like).map((t) => <div key={t.name}>
				<dt><button class="text" title="put it into the query" onClick={() => onPick(t.name)}>{t.name}</button> <span class="dim">{t.title}</span></dt>
				<dd class="mono small">{t.columns}</dd></div>)}</dl>}</Loaded>
		</details>
	);
}

export function QueryView() {
	const asked = params.value.sql ?? "";
	const [text, setText] = useState(asked), [times, setTimes] = useState(0);
	const [of, setOf] = useState(asked);
	// Going back and forward has the statement that the address has.
	if (of !== asked) { setOf(asked); setText(asked); }
	const run = () => { setTimes(times + 1); change({ sql: text.trim() }, true); };
	const answer = useLoaded(asked ? `sql ${times} ${asked}` : null, (hold) => askSql(asked, hold), 2);
	const onKey = (e: KeyboardEvent) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); run(); } };
	return (
		<div class="pad query">
			<div class="view-head"><h1>Query</h1><span class="dim small">SQL over what the traces have; it only reads. Ctrl+Enter runs it.</span></div>
			<form onSubmit={(e) => { e.preventDefault(); run(); }}>
				<textarea class="mono" id="sql" rows={Math.min(16, Math.max(4, text.split("\n").length + 1))} spellcheck={false} value={text}
					aria-label="statement in SQL" placeholder={EXAMPLES[0][1]} onInput={(e) => setText(e.currentTarget.value)} onKeyDown={onKey} />
				<div class="view-head"><button class="chip on" id="run-sql">run</button>
					<span class="dim small">for example</span>{EXAMPLES.map(([name, sql]) =>
						<button type="button" class="chip" key={name} onClick={() => { setText(sql); change({ sql }, true); }}>{name}</button>)}</div>
			</form>
			<Tables onPick={(name) => setText(text.trim() ? `${text.trimEnd()} ${name}` : `select * from ${name} limit 100`)} />
			{asked && <Loaded of={answer}>{(a) => <>
				{(a.diagnostics ?? []).filter((d: any) => d.code.startsWith("query-")).map((d: any) => <div class="note warn" key={d.message}>{d.message}</div>)}
				{a.tables.map((t: any, i: number) => <Result key={t.id} table={t} words={["query", asked]}
					title={`${a.tables.length > 1 ? `Result ${i + 1}` : "Result"}: ${count(t.rows.length)} ${t.rows.length === 1 ? "row" : "rows"}`} />)}
			</>}</Loaded>}
		</div>
	);
}
