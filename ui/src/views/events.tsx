// Events: a filter of the program's language, counts by name, and the events themselves.
import { useState } from "preact/hooks";
import { useAnswer } from "../api";
import { Card, Loaded } from "../parts/card";
import { type Column, Rows } from "../parts/table";
import { rangeWords, tabled } from "../range";
import { change, params } from "../state";

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

function Filter() {
	const [text, setText] = useState(params.value.filter ?? "");
	const apply = (e: Event) => { e.preventDefault(); change({ filter: text }, true); };
	return (
		<form class="view-head" onSubmit={apply}>
			<input type="text" class="wide" value={text} aria-label="filter of events" onInput={(e) => setText(e.currentTarget.value)}
				placeholder={'name == "sched_*" && cpu_id < 2'} />
			<button class="chip">filter</button>
			<span class="dim small">fields, name and $host with == != &lt; &gt; =~, joined by &amp;&amp; || !</span>
		</form>
	);
}

export function EventsView() {
	const range = rangeWords(tabled.value), filter = params.value.filter;
	const words = ["events", "--limit", "300", ...(filter ? ["--filter", filter] : []), ...range];
	const counts = ["stats", "--by", "name", "--limit", "0", ...range];
	const events = useAnswer(words), stats = useAnswer(counts);
	return (
		<div class="pad">
			<div class="view-head"><h1>Events</h1></div>
			<Filter />
			<Card title="Events" words={words}>
				<Loaded of={events}>{(a) => <div class="scroll short"><Rows id="events" columns={EVENTS} rows={a.events} /></div>}</Loaded>
			</Card>
			<Card title="How many of which" words={counts}>
				<Loaded of={stats}>{(a) => <div class="scroll short"><Rows id="event-counts" columns={COUNTS} rows={a.by_name} link={(row) => () =>
					change({ filter: `name == "${row.name}" && $host == "${row.host}"` }, true)} /></div>}</Loaded>
			</Card>
		</div>
	);
}
