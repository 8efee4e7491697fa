// Events: a filter of the program's language, counts by name, and the events themselves.
import { useState } from "preact/hooks";
import { rowsOf, useAnswer } from "../api";
import { Card, Loaded } from "../parts/card";
import { type Column, LongList, Rows } from "../parts/table";
import { count } from "../numbers";
import { fromSeconds, rangeWords, since, tabled, toSeconds, whole } from "../range";
import { isReport } from "../report";
import { change, params } from "../state";
import { useEvents } from "./event_rows";

const EVENTS: Column[] = [
	{ key: "time", title: "time", type: "time" }, { key: "host", title: "host", type: "text" },
	{ key: "cpu", title: "CPU", type: "id" }, { key: "name", title: "event", type: "text" },
	{ key: "payload", title: "fields", type: "fields" },
];
const COUNTS: Column[] = [
	{ key: "host", title: "host", type: "text" }, { key: "name", title: "event", type: "text" },
	{ key: "count", title: "count", type: "count" }, { key: "percent", title: "share", type: "ratio" },
	{ key: "count_per_s", title: "per s", type: "count" }, { key: "bytes", title: "bytes", type: "bytes" },
];

const MOST = 300;

function Filter() {
	const [text, setText] = useState(params.value.filter ?? "");
	const apply = (e: Event) => { e.preventDefault(); change({ filter: text, from: null }, true); };
	return (
		<form class="view-head" onSubmit={apply}>
			<input type="text" class="wide" value={text} aria-label="filter of events" onInput={(e) => setText(e.currentTarget.value)}
				placeholder={'name == "sched_*" && cpu_id < 2'} />
			<button class="chip">filter</button>
			<span class="dim small">fields, name and $host with == != &lt; &gt; =~, joined by &amp;&amp; || !</span>
		</form>
	);
}

/** Of all that match, where they are in the order of time; and the way to the next ones. */
function Pages({ events, before, all }: { events: any[]; before: number | null; all: number | null }) {
	const from = params.value.from, last = events.at(-1), first = before === null ? null : before + 1;
	// Those at the last one's time come again: none between two pages is left out.
	const next = last && since(last.time) + (last.time === events[0].time ? 1 : 0);
	const isEnd = events.length < MOST || (first !== null && all !== null && first - 1 + events.length >= all);
	if (!from && isEnd && all !== null) return null;
	return (
		<div class="note" id="event-pages">
			{first !== null && `${count(first)} to ${count(first - 1 + events.length)}`}{first !== null && all !== null && ` of ${count(all)} events`}{" "}
			{from && <button class="chip" onClick={() => change({ from: null }, true)}>first ones</button>}{" "}
			{!isEnd && !isReport && <button class="chip" id="next-events" onClick={() => change({ from: toSeconds(next) }, true)}>next {MOST}</button>}
		</div>
	);
}

const sum = (counts: any): number | null => counts ? rowsOf(counts, "by_name").reduce((n, r) => n + Number(r.count), 0) : null;

export function EventsView() {
	const now = tabled.value ?? whole.value, range = rangeWords(tabled.value), filter = params.value.filter;
	const from = fromSeconds(params.value.from), isLater = from !== null && from > now.begin && from < now.end;
	const of = filter ? ["--filter", filter] : [];
	const words = ["events", "--limit", String(MOST), ...of, ...(isLater ? rangeWords({ begin: from, end: now.end }) : range)];
	const counts = ["stats", "--by", "name", "--limit", "0", ...of, ...range];
	const events = useEvents(words), stats = useAnswer(counts);
	const earlier = useAnswer(isLater ? ["stats", "--by", "name", "--limit", "0", ...of, ...rangeWords({ begin: now.begin, end: from })] : null);
	const before = isLater ? sum(earlier.data) : 0;
	return (
		<div class="pad">
			<div class="view-head"><h1>Events</h1></div>
			<Filter key={filter ?? ""} />
			<Card title="Events" words={words}>
				<Loaded of={events}>{(a) => <><LongList><Rows id="events" columns={EVENTS} rows={a.events} /></LongList>
					<Pages events={a.events} before={before} all={sum(stats.data)} /></>}</Loaded>
			</Card>
			<Card title="How many of which" words={counts}>
				<Loaded of={stats}>{(a) => <LongList><Rows id="event-counts" columns={COUNTS} rows={rowsOf(a, "by_name")} link={(row) => () =>
					change({ filter: `name == "${row.name}" && $host == "${row.host}"`, from: null }, true)} /></LongList>}</Loaded>
			</Card>
		</div>
	);
}
