// The views, and how much there is in them.
import { rowsOf, useAnswer, status } from "./api";
import { address, viewName } from "./state";
import { count } from "./numbers";
import { isReport } from "./report";

export const VIEWS = [
	{ name: "answer", title: "Answer" }, { name: "requests", title: "Requests" },
	{ name: "timeline", title: "Timeline" }, { name: "path", title: "Path" },
	{ name: "resources", title: "Resources" }, { name: "relations", title: "Relations" },
	{ name: "clocks", title: "Clocks" }, { name: "events", title: "Events" },
	// A report has the answers for no two ranges, and for no queries.
	...(isReport ? [] : [{ name: "compare", title: "Compare" }, { name: "query", title: "Query" }]),
];

/** 242,280 -> 242 k: what fits beside a word. */
function short(n: number): string {
	if (n < 10000) return count(n);
	return n < 9999500 ? `${count(Math.round(n / 1000))} k` : `${count(Math.round(n / 1e6))} M`;
}

export function Nav() {
	const isReady = status.value?.stage === "ready";
	const requests = useAnswer(isReady ? ["requests"] : null, -1);
	const events = useAnswer(isReady ? ["check"] : null, -1);
	const numbers: Record<string, number | undefined> = {
		requests: requests.data ? rowsOf(requests.data, "kinds").reduce((sum, k) => sum + k.count, 0) : undefined,
		clocks: status.value?.hosts.length,
		events: events.data && rowsOf(events.data, "traces").reduce((sum, t) => sum + t.events, 0),
	};
	return (
		<nav class="nav" aria-label="views">
			{VIEWS.map(({ name, title }) => (
				<a key={name} href={address({ v: name === "answer" ? null : name })}
					class={viewName.value === name ? "on" : ""}
					aria-current={viewName.value === name ? "page" : undefined}>
					{title}<span>{numbers[name] ? short(numbers[name]!) : ""}</span>
				</a>
			))}
		</nav>
	);
}
