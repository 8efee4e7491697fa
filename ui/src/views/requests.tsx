// Requests: kinds, all of one kind, one as a waterfall, and why the slow ones are slow.
import { rowsOf, useAnswer, useText } from "../api";
import { Card, Cut, Loaded } from "../parts/card";
import { type Column, LongList, Rows } from "../parts/table";
import { parseCsv } from "../csv";
import { rangeWords, tabled } from "../range";
import { change, params } from "../state";
import { CauseRow, culpritText, explained } from "./answer_explain";
import { openRequest } from "./request_link";
import { Waterfall } from "./waterfall";
import { OverTime } from "./requests_chart";
import { arrows, count, duration } from "../numbers";
import { things } from "../plural";

const KINDS: Column[] = [
	{ key: "kind", title: "kind", type: "text" }, { key: "service", title: "service", type: "text" },
	{ key: "count", title: "count", type: "count" }, { key: "rate", title: "per s", type: "real" },
	{ key: "p50_ns", title: "p50", type: "duration" }, { key: "p90_ns", title: "p90", type: "duration" },
	{ key: "p99_ns", title: "p99", type: "duration" }, { key: "max_ns", title: "max", type: "duration" },
	{ key: "mean_ns", title: "mean", type: "duration" }, { key: "most_parallel", title: "parallel", type: "count" },
	{ key: "out_bytes", title: "sent", type: "bytes" }, { key: "in_bytes", title: "received", type: "bytes" },
];
export const LIST: Column[] = [
	{ key: "id", title: "request", type: "text" }, { key: "begin", title: "begin", type: "time" },
	{ key: "latency_ns", title: "latency", type: "duration" }, { key: "client", title: "from", type: "text" },
	{ key: "server", title: "to", type: "text" }, { key: "most", title: "mostly", type: "text" },
	{ key: "confidence", title: "certain", type: "real" },
];
export const MOST_LISTED = "500";

function kindWords(): string[] {
	const kind = params.value.kind;
	return kind ? ["--kind", kind] : [];
}

/** How many there are of the chosen kind, or of all. */
export function useCount(): number | null {
	const answer = useAnswer(["requests", ...rangeWords(tabled.value)]), kind = params.value.kind;
	return answer.data ? rowsOf(answer.data, "kinds").filter((k: any) => !kind || k.kind === kind).reduce((n: number, k: any) => n + k.count, 0) : null;
}

export function Kinds() {
	const words = ["requests", ...rangeWords(tabled.value)];
	const answer = useAnswer(words);
	return (
		<Card title="Kinds of requests" words={words}>
			<Loaded of={answer}>{(a) => <Rows id="request-kinds" columns={KINDS} rows={rowsOf(a, "kinds")} link={(row) => () =>
				change({ kind: params.peek().kind === row.kind ? null : row.kind, req: null }, true)} />}</Loaded>
		</Card>
	);
}

function Why() {
	const words = ["requests", "--explain", ...kindWords(), ...rangeWords(tabled.value)];
	const answer = useAnswer(words);
	return (
		<Card title="Why slow requests are slow" words={words}>
			<Loaded of={answer}>{(a) => {
				const { group, causes } = explained(a);
				if (!causes.length) return <div class="note">Too few requests to compare slow with typical ones.</div>;
				return <>
					<p class="lead small">{causes[0].percent >= 0 && causes[0].percent <= 100 && `${group.sentence}. `}{count(group.slow_count)} slow {things(group.slow_count, "one")} (mean{" "}
						{duration(group.slow_mean_ns)}), {count(group.typical_count)} typical {things(group.typical_count, "one")} (mean {duration(group.typical_mean_ns)}).</p>
					<table class="dense">
						<thead><tr><th class="n">more</th><th class="n">share</th><th>where</th><th>most of it</th><th /></tr></thead>
						<tbody>{causes.slice(0, 12).map((c, i) => <CauseRow key={i} cause={c} />)}</tbody>
					</table>
					<h2 class="table-title">Who, and what</h2>
					<table class="dense"><tbody>
						{causes.slice(0, 5).flatMap((c) => c.who.slice(0, 5).map((x: any) => (
							<tr class={x.request ? "link" : ""} onClick={() => x.request && openRequest(x.request)}>
								<td class="n">{duration(x.ns)}</td><td>{culpritText(x)}</td><td class="dim">{arrows(c.of ?? "")}</td></tr>)))}
					</tbody></table>
				</>;
			}}</Loaded>
		</Card>
	);
}

/** One that was made for another is as slow as that because of it: without those whose cause is listed. */
export function outermost(rows: Record<string, any>[]): Record<string, any>[] {
	if (params.value.kind) return rows;
	const ids = new Set(rows.map((r) => r.id));
	return rows.filter((r) => !r.parent || !ids.has(r.parent));
}

function List() {
	const words = ["requests", "--list", "--limit", MOST_LISTED, ...kindWords(), ...rangeWords(tabled.value)];
	const answer = useText([...words, "--format", "csv"]), all = useCount();
	return (
		<Card title="Requests, slowest first" words={words} class="listed">
			<Loaded of={answer}>{(text) => {
				const listed = parseCsv(text, LIST), rows = outermost(listed), within = listed.length - rows.length;
				return <><LongList><Rows id="request-list" columns={LIST} rows={rows} link={(row) => () =>
					change({ req: row.id }, true)} /></LongList>
					{within > 0 && <div class="note">{count(within)} slow {things(within, "request")} that the server made for {rows.length === 1 ? "this one" : "these"} {within === 1 ? "is" : "are"} not
						listed again: open one to see them, or choose a kind above.</div>}
					<Cut shown={listed.length} all={all} which="slowest" things="requests" /></>;
			}}</Loaded>
		</Card>
	);
}

export function RequestsView() {
	const p = params.value, all = useCount();
	return (
		<div class="pad">
			<div class="view-head">
				<h1>Requests</h1>
				{p.kind && <button class="chip on" onClick={() => change({ kind: null }, true)}>{arrows(p.kind)} ×</button>}
				<div class="tabs">
					{[[null, "List"], ["explain", "Why slow"], ["time", "Over time"]].map(([tab, title]) => (
						<button class={(p.tab ?? null) === tab ? "on" : ""} onClick={() => change({ tab, req: null }, true)}>{title}</button>))}
				</div>
			</div>
			{p.req ? <Waterfall id={p.req} /> : null}
			{!p.req && <Kinds />}
			{!p.req && p.tab === "explain" ? <Why /> : !p.req && p.tab === "time" ? <OverTime count={all} /> : <List />}
		</div>
	);
}
