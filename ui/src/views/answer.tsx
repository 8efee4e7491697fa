// Home: what stands out, in words first. Each of these leads into the timeline.
import { rowsOf, useAnswer } from "../api";
import { Card, Loaded } from "../parts/card";
import { Requests } from "./answer_requests";
import { Findings } from "./answer_findings";
import { explained, Explanation } from "./answer_explain";
import { Users, Waits } from "./answer_sums";
import { Clocks, Hosts, Trust } from "./answer_side";
import { Overview } from "../reading";
import { arrows, count, duration } from "../numbers";
import { things } from "../plural";

const EXPLAIN = ["requests", "--explain"];

function sentence(finding: any): string {
	const text = `${finding.host ? `${finding.host}: ` : ""}${finding.finding}.`;
	return arrows(finding.host ? text : text[0].toUpperCase() + text.slice(1));
}

const LEAST_SLOW = 5, LEAST_PERCENT = 20;

/** Is an explanation the first thing to say? Not if it is of a few requests, or of little of the difference. */
function isTelling({ group, causes }: { group: any; causes: any[] }): boolean {
	const percent = causes[0]?.percent;
	return !!group?.sentence && group.slow_count >= LEAST_SLOW && percent >= LEAST_PERCENT && percent <= 100;
}

/** Findings come with the costliest first; notes, which have no time, are not meant. */
function costliest(findings: any[]): any[] {
	const costs = findings.filter((f) => f.kind !== "note" && f.time_ns !== null);
	return [...costs, ...findings.filter((f) => !costs.includes(f))];
}

function Headline() {
	const summary = useAnswer(["summary", "--limit", "0"]), explain = useAnswer(EXPLAIN);
	const why = explained(explain.data), group = why.group;
	if (isTelling(why)) {
		return <>
			<h1 id="headline">{arrows(group.sentence.replace(/\.?$/, "."))}</h1>
			<p class="lead">
				{group.kind.replace("->", "→")}: {count(group.slow_count)} slow {things(group.slow_count, "request")} (mean{" "}
				{duration(group.slow_mean_ns)}), {count(group.typical_count)} typical{" "}
				{things(group.typical_count, "one")} (p40 to p60, mean {duration(group.typical_mean_ns)}).
			</p>
		</>;
	}
	const findings = costliest(rowsOf(summary.data, "findings"));
	// While the explanation is still computed, the costliest finding stands there.
	if (findings.length)
		return <>
			<h1 id="headline">{sentence(findings[0])}</h1>
			<p class="lead">{explain.busy ? <><b id="first-result">First result</b>: requests are still being compared. </> : null}{findings.length > 1 &&
				sentence(findings[1])}</p>
		</>;
	if (!explain.busy && !summary.busy) return <h1 id="headline">Nothing stands out.</h1>;
	return <h1 id="headline">…</h1>;
}

const has = (summary: any, id: string) => rowsOf(summary, id).length > 0;

export function AnswerView() {
	const summary = useAnswer(["summary", "--limit", "0"]);
	return (
		<div class="pad">
			<Headline />
			<div class="answer">
				<div>
					<Requests />
					<Explanation />
					<Card title="Findings, by the time they cost" words={["summary"]}>
						<Loaded of={summary}>{(s) => <Findings summary={s} />}</Loaded>
					</Card>
					<div class="split">
						{has(summary.data, "top") && <Card title="Largest users" words={["summary"]}><Users summary={summary.data} /></Card>}
						{has(summary.data, "waits") && <Card title="Waits by cause" words={["summary"]}><Waits summary={summary.data} /></Card>}
					</div>
				</div>
				<div>
					<Card title="Hosts" words={["summary"]}>
						{!summary.data && !summary.error && <Overview width={84} />}
						<Loaded of={summary}>{(s) => <Hosts summary={s} />}</Loaded>
					</Card>
					<Clocks />
					<Trust />
				</div>
			</div>
		</div>
	);
}
