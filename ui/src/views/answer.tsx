// Home: what stands out, in words first. Each of these leads into the timeline.
import { useAnswer } from "../api";
import { Card, Loaded } from "../parts/card";
import { Requests } from "./answer_requests";
import { Findings } from "./answer_findings";
import { Explanation } from "./answer_explain";
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

const LEAST_SLOW = 5, LEAST_SHARE = 0.2;

/** Is an explanation the first thing to say? Not if it is of a few requests, or of little of the difference. */
function isTelling(why: any): boolean {
	const share = why?.causes?.[0]?.share;
	return !!why?.sentence && why.slow?.count >= LEAST_SLOW && share >= LEAST_SHARE && share <= 1;
}

/** Findings come with the costliest first; notes, which have no time, are not meant. */
function costliest(findings: any[]): any[] {
	const costs = findings.filter((f) => f.kind !== "note" && f.time_ns !== null);
	return [...costs, ...findings.filter((f) => !costs.includes(f))];
}

function Headline() {
	const summary = useAnswer(["summary", "--limit", "0"]), explain = useAnswer(EXPLAIN);
	const why = explain.data;
	if (isTelling(why)) {
		return <>
			<h1 id="headline">{arrows(why.sentence.replace(/\.?$/, "."))}</h1>
			<p class="lead">
				{why.kind.replace("->", "→")}: {count(why.slow.count)} slow {things(why.slow.count, "request")} (mean{" "}
				{duration(why.slow.mean_ns)}), {count(why.typical.count)} typical{" "}
				{things(why.typical.count, "one")} (p40 to p60, mean {duration(why.typical.mean_ns)}).
			</p>
		</>;
	}
	const findings = costliest(summary.data?.tables.find((t: any) => t.id === "findings")?.rows ?? []);
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

const has = (summary: any, id: string) => summary?.tables.find((t: any) => t.id === id)?.rows.length > 0;

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
