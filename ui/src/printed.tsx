// What a report is on paper: all of its views, one after the other, whatever is open on the screen. It lies
// beside the screen, as wide as a sheet, so that charts have their size when somebody prints.
import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useText } from "./api";
import { parseCsv } from "./csv";
import { Card, Cut, Loaded } from "./parts/card";
import { Rows } from "./parts/table";
import { PrintedTimeline } from "./timeline/printed";
import { AnswerView } from "./views/answer";
import { ClocksView } from "./views/clocks";
import { RelationsView } from "./views/relations";
import { Kinds, LIST, MOST_LISTED, outermost, useCount } from "./views/requests";
import { Resources } from "./views/resources";
import { Waterfall } from "./views/waterfall";

const MOST_ROWS = 20, MOST_REQUESTS = 5;

function PrintedRequests() {
	const words = ["requests", "--list", "--limit", MOST_LISTED];
	const answer = useText([...words, "--format", "csv"]), all = useCount(), rows = answer.data ? outermost(parseCsv(answer.data, LIST)) : [];
	if (answer.data && !rows.length) return null;
	return (
		<div class="pad">
			<h1>Requests</h1>
			<Kinds />
			<Card title="Requests, slowest first" words={words}>
				<Loaded of={answer}>{() => <><Rows columns={LIST} rows={rows.slice(0, MOST_ROWS)} />
					<Cut shown={Math.min(MOST_ROWS, rows.length)} all={all} which="slowest" things="requests" /></>}</Loaded>
			</Card>
			{rows.slice(0, MOST_REQUESTS).map((r) => <Waterfall key={r.id} id={r.id} />)}
		</div>
	);
}

function Views() {
	return <>
		<AnswerView />
		<PrintedRequests />
		<PrintedTimeline />
		<Resources printed={true} />
		<RelationsView />
		<ClocksView />
	</>;
}

/** In a tree of its own: whoever looks for a table of the page finds that of the screen, once. */
export function PrintedReport() {
	const host = useRef<HTMLDivElement & { paper?: ShadowRoot }>(null);
	// Behind what is seen.
	useEffect(() => {
		setTimeout(() => {
			const root = host.current!.attachShadow({ mode: "closed" }), paper = document.createElement("div");
			for (const style of document.querySelectorAll("style")) root.append(style.cloneNode(true));
			paper.className = "paper";
			root.append(paper);
			host.current!.paper = root;
			render(<Views />, paper);
		});
	}, []);
	return <div class="printed" ref={host} aria-hidden="true" inert />;
}
