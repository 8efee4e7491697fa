// The frame: bar above, views at the left, and the view.
import type { FunctionComponent } from "preact";
import { useEffect } from "preact/hooks";
import { gone } from "./api";
import { isKnown } from "./range";
import { go, isDark, isSafe, viewName } from "./state";
import { Top } from "./top";
import { Nav, VIEWS } from "./nav";
import { Reading } from "./reading";
import { Notice } from "./notice";
import { isAsking } from "./queue";
import { isReport } from "./report";
import { PrintedReport } from "./printed";
import { Help, openHelp } from "./help";
import { Palette, openPalette } from "./palette";
import { AnswerView } from "./views/answer";
import { RequestsView } from "./views/requests";
import { TimelineView } from "./timeline/view";
import { PathView } from "./views/path";
import { ResourcesView } from "./views/resources";
import { RelationsView } from "./views/relations";
import { ClocksView } from "./views/clocks";
import { EventsView } from "./views/events";
import { CompareView } from "./views/compare";
import { QueryView } from "./views/query";

const CONTENT: Record<string, FunctionComponent> = {
	answer: AnswerView, requests: RequestsView, timeline: TimelineView, path: PathView,
	resources: ResourcesView, relations: RelationsView, clocks: ClocksView, events: EventsView,
	compare: CompareView, query: QueryView,
};

/** Of views that a report has no answers for; addresses may come from a server's page. */
function NotHere() {
	return (
		<div class="pad">
			<div class="view-head"><h1>{viewName.value[0].toUpperCase() + viewName.value.slice(1)}</h1></div>
			<div class="note">This view is not in a report, which has no answers for two ranges and for queries. 'meridian serve' shows it, where the traces are.</div>
		</div>
	);
}

export function isTyping(e: KeyboardEvent): boolean {
	const t = e.target as HTMLElement;
	return /^(INPUT|TEXTAREA|SELECT)$/.test(t.tagName);
}

/** Keys that mean the same in all views. */
function onKey(e: KeyboardEvent) {
	if ((e.ctrlKey || e.metaKey) && e.key === "k") {
		e.preventDefault();
		openPalette();
	} else if (isTyping(e) || e.ctrlKey || e.metaKey || e.altKey) {
		return;
	} else if (e.key === "/") {
		e.preventDefault();
		openPalette();
	} else if (e.key === "?") {
		openHelp();
	} else if (/^[1-9]$/.test(e.key) && Number(e.key) <= VIEWS.length) {
		go({ v: VIEWS[Number(e.key) - 1].name });
	}
}

export function Page() {
	useEffect(() => {
		addEventListener("keydown", onKey);
		return () => removeEventListener("keydown", onKey);
	}, []);
	const View = isReport && viewName.value in CONTENT && !VIEWS.some((v) => v.name === viewName.value)
		? NotHere : CONTENT[viewName.value] ?? AnswerView;
	document.documentElement.className = `${isDark.value ? "dark" : ""} ${isSafe.value ? "safe" : ""}`;
	const isReady = isKnown.value;
	return (
		<div class="page">
			<Top />
			<Nav />
			<main class="main" id="main" aria-busy={isAsking.value}>
				{gone.value && <div class="pad error" role="alert">
					The server does not answer: has 'meridian serve' ended? ({gone.value})</div>}
				<Notice />
				{isReady ? <View /> : <Reading />}
			</main>
			{isReport && isReady && <PrintedReport />}
			<Palette />
			<Help />
		</div>
	);
}
