// Tables with the columns of the program's: sorted by a click on a heading; a row that names a task
// and a time leads into the timeline.
import { type ComponentChildren, createContext } from "preact";
import { useContext, useMemo } from "preact/hooks";
import { cell, count, isNumeric } from "../numbers";
import { setRange, shown, since, toSeconds } from "../range";
import { go } from "../state";
import { Nothing, Printed } from "./nothing";
import { isWhole, sortBy, sortOf, tableName, turnWhole } from "./sort";

export interface Column { key: string; title: string | null; type: string }

const MOST_ROWS = 500, FIRST_ROWS = 25, FEW_MORE = 5;

/** Tables in a page that scrolls: a box that scrolls in it would keep the wheel, so long ones begin with their first
 *  rows, and a button shows the others. */
const InPage = createContext(false);
export function LongList({ children }: { children: ComponentChildren }) {
	return <InPage.Provider value={true}><div class="scroll">{children}</div></InPage.Provider>;
}

function valueOf(row: any, key: string): any {
	return key.includes(".") ? key.split(".").reduce((v, k) => v?.[k], row) : row[key];
}

function fieldsText(v: any): string {
	return v && typeof v === "object" ? Object.entries(v).map(([k, x]) => `${k}=${
		typeof x === "object" && x !== null ? JSON.stringify(x, (_, y) => typeof y === "bigint" ? String(y) : y) : x}`).join(" ") : "";
}

/** Of what tables show with a unit, for files: the value as the program has it. */
const UNITS: Record<string, string> = { duration: "ns", bytes: "B", rate: "B/s", ratio: "%" };
const PLAIN = new Set(["count", "frequency", "real", "ppm", "id"]);

function rawOf(type: string, v: any): string | undefined {
	return v === null || v === undefined || !(type in UNITS || PLAIN.has(type)) ? undefined : String(v);
}

/** What is not known comes last either way. */
function compare(a: any, b: any, up: boolean): number {
	if (a === b) return 0;
	if (a === null || a === undefined) return 1;
	if (b === null || b === undefined) return -1;
	return a < b === up ? -1 : 1;
}

/** Where in the timeline a row is: a request, or a task with or without a time. */
function placeOf(row: any): (() => void) | null {
	const host = row.host ?? row.client?.host, tid = row.tid ?? row.client?.tid;
	const time = row.begin ?? row.time ?? row.max_at;
	const key = host && tid !== undefined && tid !== null && tid >= 0 ? `t:${host}:${tid}`
		: host && row.cpu !== undefined && row.cpu !== null ? `c:${host}:${row.cpu}` : null;
	if (!key && time === undefined) return null;
	return () => {
		if (time === undefined || time === null) return go({ v: "timeline", row: key, at: null });
		const lasts = Number(row.duration_ns ?? row.latency_ns ?? row.max_ns ?? 0), t = since(time);
		const view = shown.peek(), isInside = t >= view.begin && t + lasts <= view.end && view.end - view.begin < 50 * Math.max(lasts, 1e5);
		const room = Math.max(lasts, 2e5);
		go({ v: "timeline", row: key, at: toSeconds(t + Math.min(lasts, 2) / 2),
			...(isInside ? {} : setRange({ begin: Math.max(0, t - room), end: t + lasts + room })) });
	};
}

/** Numbers that are 0 in all rows say so in a line, not in a column. */
const NUMBERS = new Set(["count", "duration", "bytes", "rate", "ratio", "frequency", "real"]);
const isZero = (v: any) => v === null || v === undefined || Number(v) === 0;

/** of: which table of the command's answer it is; noZeros: leaves out columns without anything. */
export function Rows({ columns, rows, link, id, of, noZeros }: { columns: Column[]; rows: any[]; id?: string; of?: string; noZeros?: boolean;
	link?: (row: any) => (() => void) | null }) {
	const words = useContext(Printed), name = id ?? tableName(words, of), sort = sortOf(name);
	const known = columns.filter((c) => c.title && rows.some((r) => valueOf(r, c.key) !== null && valueOf(r, c.key) !== undefined));
	const zeros = noZeros && rows.length > 1 ? known.filter((c) => NUMBERS.has(c.type) && sort?.key !== c.key && rows.every((r) => isZero(valueOf(r, c.key)))) : [];
	const seen = known.filter((c) => !zeros.includes(c));
	const sorted = useMemo(() => sort ? [...rows].sort((a, b) => compare(valueOf(a, sort.key), valueOf(b, sort.key), sort.up)) : rows,
		[rows, sort?.key, sort?.up]);
	const isLong = useContext(InPage) && rows.length > FIRST_ROWS + FEW_MORE, isAll = !isLong || isWhole(name);
	if (!rows.length) return <Nothing />;
	return <>
		<table class="dense" id={id}>
			<thead><tr>{seen.map((c) => (
				<th class={isNumeric(c.type) && c.type !== "fields" ? "n" : ""} key={c.key} data-unit={UNITS[c.type]}
					aria-sort={sort?.key === c.key ? (sort.up ? "ascending" : "descending") : undefined}>
					<button onClick={() => sortBy(name, c.key, !isNumeric(c.type))}>{c.title}{sort?.key === c.key ? (sort.up ? " ↑" : " ↓") : ""}</button>
				</th>))}</tr></thead>
			<tbody>{sorted.slice(0, MOST_ROWS).map((row, i) => {
				const open = (link ?? placeOf)(row);
				return (
					<tr key={i} class={`${open ? "link" : ""}${!isAll && i >= FIRST_ROWS ? " later" : ""}`} tabIndex={open ? 0 : undefined} onClick={open ?? undefined}
						onKeyDown={(e) => e.key === "Enter" && open?.()}>
						{seen.map((c) => c.type === "fields"
							? <td class="mono dim" title={fieldsText(valueOf(row, c.key))}>{fieldsText(valueOf(row, c.key))}</td>
							: <td class={isNumeric(c.type) ? "n" : "cut"} key={c.key} title={isNumeric(c.type) ? undefined : cell(c.type, valueOf(row, c.key))}
								data-value={rawOf(c.type, valueOf(row, c.key))}>{cell(c.type, valueOf(row, c.key))}</td>)}
					</tr>);
			})}</tbody>
		</table>
		{isLong && <button class="chip more-rows" aria-expanded={isAll} onClick={() => turnWhole(name)}>
			{isAll ? `only the first ${FIRST_ROWS} rows` : `all ${count(Math.min(rows.length, MOST_ROWS))} rows`}</button>}
		{zeros.length > 0 && <div class="note zeros">0 in all rows: {zeros.map((c) => c.title).join(", ")}.</div>}
		{sorted.length > MOST_ROWS && <div class="note">… and {sorted.length - MOST_ROWS} more: the command prints all.</div>}
	</>;
}

/** All tables of an answer that are for people, with their titles where there are several. */
export function AnswerTable({ answer, only }: { answer: any; only?: string }) {
	const tables = (answer.tables ?? []).filter((t: any) => (!only || t.id === only) && t.columns.some((c: any) => c.title));
	const notes = (answer.diagnostics ?? []).filter((d: any) => d.severity !== "note");
	// Of many tables without a row, the reason is one.
	if (tables.length > 1 && tables.every((t: any) => !t.rows.length)) return <Nothing />;
	return <>
		{tables.map((t: any) => <div key={t.id} data-table={t.id}>
			{tables.length > 1 && <h2 class="table-title">{t.title}</h2>}
			<Rows columns={t.columns} rows={t.rows} of={t.id} noZeros />
		</div>)}
		{notes.map((d: any) => <div class="note">{d.message}</div>)}
	</>;
}
