// Tables below the rows, always of the selected range, or of what is shown.
import { rowsOf, useAnswer, useText } from "../api";
import { parseCsv } from "../csv";
import { Command, Downloads } from "../parts/command";
import { AnswerTable, type Column, Rows } from "../parts/table";
import { Loaded } from "../parts/card";
import { Printed } from "../parts/nothing";
import { colour, causeName } from "../parts/states";
import { duration, percent } from "../numbers";
import { fromSeconds, rangeWords, selected, settled, tabled, toSeconds, whole } from "../range";
import { change, isRecorded, params } from "../state";
import type { TaskRow, Tasks } from "../tasks";
import { whoWords } from "./details";
import { useEvents } from "../views/event_rows";
import { sharedRows } from "../views/path_causes";
import { openRequest } from "../views/request_link";
import { pathWords, usePath } from "./path";
import { Matrix, Ranks, ViewStates } from "./program_tables";
import type { Programs } from "./programs";

const TABS: [string, string, string[]][] = [
	["waits", "Waits", ["blocked", "--flat", "--limit", "40"]],
	["tasks", "Tasks", ["top", "cpu", "--limit", "60"]],
	["cpus", "CPUs", ["top", "cpu", "--table", "cpus", "--limit", "60"]],
	["calls", "Calls", ["stats", "syscall", "--limit", "60"]],
	["irqs", "Interrupts", ["stats", "irq", "--limit", "60"]],
	["sched", "Wake-ups", ["log", "sched", "--limit", "100"]],
	["disk", "Disk", ["log", "disk", "--limit", "100"]],
	["net", "Network", ["top", "net", "--limit", "60"]],
	["packets", "Packets", ["log", "net", "--limit", "100"]],
	["mem", "Memory", ["top", "mem", "--limit", "60"]],
	["faults", "Faults", ["log", "faults", "--limit", "100"]],
	["locks", "Locks", ["top", "futex", "--limit", "60"]],
	["relations", "Relations", ["graph", "--limit", "60"]],
	["requests", "Requests", ["requests", "--list", "--limit", "500"]],
	["events", "Events", ["events", "--limit", "100"]],
	["state", "State", ["state", "--limit", "100"]],
];
/** Where there are views, and where MPI was recorded. */
const VIEW_TABS: [string, string, string[]][] = [["states", "States", ["top", "view", "--limit", "60"]]];
const MPI_TABS: [string, string, string[]][] = [
	["ranks", "Ranks", ["top", "mpi", "--table", "ranks", "--limit", "0"]],
	["matrix", "Matrix", ["top", "mpi", "--table", "matrix", "--limit", "0"]],
	["messages", "Messages", ["top", "mpi", "--table", "messages", "--limit", "100"]],
	["mpi", "MPI waits", ["top", "mpi", "--table", "waits", "--limit", "60"]],
];
const MPI_CALLS = ["top", "mpi", "--table", "states", "--limit", "60"], MPI_PATTERN = ["top", "mpi", "--table", "pattern"];

const WAITS: Column[] = [
	{ key: "host", title: "host", type: "text" }, { key: "comm", title: "task", type: "text" },
	{ key: "tid", title: "tid", type: "id" }, { key: "call", title: "call", type: "text" },
	{ key: "object", title: "object", type: "text" }, { key: "cause", title: "cause", type: "text" },
	{ key: "by", title: "ended by", type: "text" }, { key: "count", title: "count", type: "count" },
	{ key: "total_ns", title: "total", type: "duration" }, { key: "mean_ns", title: "mean", type: "duration" },
	{ key: "max_ns", title: "max", type: "duration" },
];
const REQUESTS: Column[] = [
	{ key: "id", title: "request", type: "text" }, { key: "begin", title: "begin", type: "time" },
	{ key: "latency_ns", title: "latency", type: "duration" }, { key: "kind", title: "kind", type: "text" },
	{ key: "client", title: "from", type: "text" }, { key: "server", title: "to", type: "text" },
	{ key: "most", title: "mostly", type: "text" },
];
const EVENTS: Column[] = [
	{ key: "time", title: "time", type: "time" }, { key: "host", title: "host", type: "text" },
	{ key: "cpu", title: "CPU", type: "id" }, { key: "name", title: "event", type: "text" },
	{ key: "payload", title: "fields", type: "fields" },
];

/** Time on the path by task and cause, as one table. */
function Breakdown() {
	const answer = usePath();
	if (!pathWords.value && isRecorded.value && params.value.req)
		return <div class="note">The path of a request is shown with aligned clocks: by each host's own clock its packets would arrive at other times.</div>;
	if (!pathWords.value)
		return <div class="note">Select a task and press P, or a request: the path of it, across hosts.</div>;
	return <Loaded of={answer}>{(a) => {
		const rows = sharedRows(a), total = Number(a.total_ns) || 1, top = rows[0]?.ns || 1;
		return (
			<table class="dense">
				<thead><tr><th>host</th><th>task</th><th>cause</th><th>mostly</th><th class="n">time</th><th class="n">share</th>
					<th style={{ width: "220px" }} /></tr></thead>
				<tbody>{rows.map((r) => (
					<tr class={r.tid === null ? "" : "link"} data-ns={r.ns} onClick={() => r.tid !== null && change({ row: `t:${r.host}:${r.tid}` })}>
						<td>{r.host}</td><td>{r.tid === null ? r.comm : `${r.comm}/${r.tid}`}</td>
						<td>{r.name === r.cause ? causeName(r.cause) : r.name}</td><td class="dim cut">{r.mostly}</td>
						<td class="n">{duration(r.ns)}</td><td class="n">{percent((100 * r.ns) / total)}</td>
						<td><div style={{ height: "10px", borderRadius: "2px", background: colour(r.cause), width: `${(100 * r.ns) / top}%` }} /></td>
					</tr>))}</tbody>
			</table>);
	}}</Loaded>;
}

/** Their JSON has all parts of each. */
function RequestTable({ words }: { words: string[] }) {
	const text = useText([...words, "--format", "csv"]);
	return <Loaded of={text}>{(t) => <Rows columns={REQUESTS} rows={parseCsv(t, REQUESTS)} link={(row) => () => void openRequest(row.id)} />}</Loaded>;
}

function EventTable({ words }: { words: string[] }) {
	return <Loaded of={useEvents(words)}>{(a) => <Rows columns={EVENTS} rows={a.events} />}</Loaded>;
}

function Table({ name, words }: { name: string; words: string[] }) {
	const answer = useAnswer(words);
	return <Loaded of={answer}>{(a) =>
		name === "waits" ? <Rows columns={WAITS} rows={rowsOf(a, "waits")} />
			: <AnswerTable answer={a} />}</Loaded>;
}

/** Which of them can be reduced to the selected task. */
const OF_A_TASK = new Set(["waits", "calls", "sched", "events", "packets", "disk", "net", "mem", "faults", "locks"]);
const OF_A_CPU = new Set(["tasks", "cpus", "calls", "irqs", "sched", "disk", "packets", "events", "faults"]);

/** A CPU or a host that is selected: what its row is drawn of is what the tables are of. */
function placeOf(key: string | undefined, tab: string): { name: string; words: string[] } | null {
	const [kind, ...rest] = (key ?? "").split(":");
	if (kind === "h" && (OF_A_CPU.has(tab) || tab === "waits")) return { name: rest.join(":"), words: ["--host", rest.join(":")] };
	if (kind !== "c" || !OF_A_CPU.has(tab)) return null;
	const cpu = rest.pop()!, host = rest.join(":");
	return { name: `CPU ${cpu} of ${host}`, words: ["--cpu", cpu, "--host", host] };
}

/** Those of what was recorded. */
function tabsOf(programs: Programs | null): [string, string, string[]][] {
	return [...(programs?.hasViews ? VIEW_TABS : []), ...(programs?.hasRanks ? MPI_TABS : []), ...(isRecorded.value ? TABS.filter(([name]) => name !== "requests") : TABS)];
}

export function Tables({ tasks, programs }: { tasks: Tasks; programs: Programs | null }) {
	const p = params.value, tabs = tabsOf(programs);
	const tab = p.tab ?? (pathWords.value ? "breakdown" : programs?.hasViews ? "states" : programs?.hasRanks ? "ranks" : "tasks");
	const row: TaskRow | undefined = p.row ? tasks.byKey.get(p.row) : undefined;
	const isOne = p.one === "1" && row && !row.isCpu && OF_A_TASK.has(tab);
	const place = placeOf(p.row, tab), isPlace = place && p.one !== "0";
	const found = tabs.find(([name]) => name === tab);
	const range = rangeWords(tabled.value);
	const r = selected.value ?? settled.value;
	const moment = fromSeconds(p.at) ?? Math.round((r.begin + r.end) / 2);
	const words = tab === "breakdown" || !found ? pathWords.value
		: tab === "state" ? [...found[2], "--at", `+${toSeconds(moment)}s`]
			: [...found[2], ...(isOne ? whoWords(row) : isPlace ? place.words : []), ...range];
	return (
		<section class="tables" aria-label="tables of the range">
			<div class="tabs" role="tablist">
				{[["breakdown", "Breakdown"], ...tabs].map(([name, title]) => (
					<button role="tab" aria-selected={tab === name} class={tab === name ? "on" : ""} key={name as string}
						onClick={() => change({ tab: name as string })}>{title}</button>))}
				{row && !row.isCpu && OF_A_TASK.has(tab) &&
					<button class={isOne ? "chip on" : "chip"} onClick={() => change({ one: isOne ? null : "1" })}>
						only {row.name}</button>}
				{place && <button class={isPlace ? "chip on" : "chip"} aria-pressed={!!isPlace} onClick={() => change({ one: isPlace ? "0" : null })}>
					only {place.name}</button>}
			</div>
			<div class="tables-note dim small"><span>{tab === "breakdown" && p.req ? `request ${p.req}` : tab === "state"
				? `${p.at ? "at the selected moment" : "in the middle"}: +${toSeconds(moment)} s` : `${selected.value ? "selected" : r.end - r.begin >= whole.value.end ? "everything" : "shown"}: ${duration(r.end - r.begin)}`}</span>
				{words && <><Command words={words} /><Downloads words={words} /></>}</div>
			<div class="scroll tables-body"><Printed.Provider value={words}>
				{tab === "breakdown" || !found ? <Breakdown /> : tab === "requests" ? <RequestTable words={words!} /> : tab === "events" ? <EventTable words={words!} />
					: tab === "states" ? <ViewStates words={words!} /> : tab === "ranks" ? <Ranks words={words!} calls={[...MPI_CALLS, ...range]} />
					: tab === "matrix" ? <Matrix words={words!} pattern={[...MPI_PATTERN, ...range]} /> : <Table key={tab} name={tab} words={words!} />}
			</Printed.Provider></div>
		</section>
	);
}
