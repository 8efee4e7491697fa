// Kinds of requests: how many, how fast, and where the time of typical and of slow ones goes.
import { rowsOf, useAnswer } from "../api";
import { Bar, byCause, Legend, sorted, type Part } from "../parts/bar";
import { Card, Loaded } from "../parts/card";
import { explained } from "./answer_explain";
import { count, duration } from "../numbers";
import { address } from "../state";

const MOST_KINDS = 8;

/** Kinds count interrupts as the server's time, so their "running" is another number than that of a path. */
const kindCause = (cause: string) => (cause === "running" ? "on CPU" : cause);

function parts(causes: any[], key: string): Part[] {
	return byCause(causes.map((c) => ({ cause: kindCause(c.cause), ns: Number(c[key]) })));
}

/** Columns of kinds with the parts of the mean time. */
const PARTS = [["requester", "requester_ns"], ["network", "network_ns"], ["outside", "outside_ns"], ["queued", "queued_ns"], ["on CPU", "running_ns"],
	["runnable", "runnable_ns"], ["disk", "disk_ns"], ["locks", "locks_ns"], ["other", "other_ns"], ["below", "below_ns"]];

/** Both bars have the same scale: the slow ones fill the width. */
function Where({ kind }: { kind: any }) {
	const why = useAnswer(kind.timed > 1 ? ["requests", "--explain", "--kind", kind.kind] : null);
	const { causes } = explained(why.data);
	if (!causes.length) {
		const mean = sorted(PARTS.map(([cause, key]) => ({ cause, ns: Number(kind[key]) })).filter((p) => p.ns));
		return why.busy ? <div class="bar" /> :
			<Bar parts={mean} whole={mean.reduce((sum, p) => sum + p.ns, 0)} />;
	}
	const slow = parts(causes, "slow_ns"), typical = parts(causes, "typical_ns");
	const sum = (all: Part[]) => all.reduce((n, p) => n + p.ns, 0);
	const whole = Math.max(sum(slow), sum(typical), 1);
	return <><Bar parts={typical} whole={whole} thin /><Bar parts={slow} whole={whole} thin /></>;
}

function Row({ kind }: { kind: any }) {
	return (
		<tr>
			<td title={kind.kind.replace("->", "→")}><a href={address({ v: "requests", kind: kind.kind, req: null })}>{kind.kind.replace("->", "→")}</a></td>
			<td class="n">{count(kind.count)}</td>
			<td class="n">{duration(kind.p50_ns)}</td>
			<td class="n">{duration(kind.p99_ns)}</td>
			<td><Where kind={kind} /></td>
			<td><a href={address({ v: "requests", kind: kind.kind, req: null, tab: "explain" })}>why?</a></td>
		</tr>
	);
}

export function Requests() {
	const answer = useAnswer(["requests"]);
	const kinds = rowsOf(answer.data, "kinds");
	if (answer.data && !kinds.length) return null;
	return (
		<Card title="Requests, slowest kind first" words={["requests"]}>
			<Loaded of={answer}>{() => <>
				<table id="kinds">
					<thead><tr>
						<th>from → to</th><th class="n">count</th><th class="n">p50</th><th class="n">p99</th>
						<th class="where">typical above, slowest below</th><th></th>
					</tr></thead>
					<tbody>{kinds.slice(0, MOST_KINDS).map((k: any) => <Row key={k.kind} kind={k} />)}</tbody>
				</table>
				{kinds.length > MOST_KINDS && <div class="note">
					<a href={address({ v: "requests" })}>{kinds.length - MOST_KINDS} more</a></div>}
				<div style={{ marginTop: "10px" }}>
					<Legend causes={["on CPU", "runnable", "queued", "locks", "disk", "network", "requester"]} />
				</div>
			</>}</Loaded>
		</Card>
	);
}
