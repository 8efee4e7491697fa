// What makes slow requests slow: by cause, with the request that shows it.
import { rowsOf, useAnswer } from "../api";
import { Card, Loaded } from "../parts/card";
import { colour, causeName } from "../parts/states";
import { duration, share } from "../numbers";
import { address } from "../state";
import { openRequest } from "./request_link";

const MOST_CAUSES = 5;

/** The group that cost most, and its causes with those who were behind each. */
export function explained(answer: any): { group: any; causes: any[] } {
	const culprits = rowsOf(answer, "culprits");
	// Rows of the first group come first.
	return { group: rowsOf(answer, "groups")[0] ?? null, causes: rowsOf(answer, "causes").filter((c) => c.group === 1)
		.map((c, i) => ({ ...c, who: culprits.filter((x) => x.row === i + 1) })) };
}

/** "shop-w0/166 had the connection to db:5432 postgres, mostly for r7.1" */
export function culpritText(c: any): string {
	const who = c.comm ? `${c.comm}/${c.tid} ` : "";
	return `${who}${c.what}${c.request ? `, mostly for ${c.request}` : ""}`;
}

export function CauseRow({ cause }: { cause: any }) {
	const culprit = cause.who[0];
	const request = cause.who.find((c: any) => c.request)?.request;
	return (
		<tr>
			<td class="n"><b>{duration(cause.more_ns)}</b></td>
			<td class="n">{share(cause.percent / 100)}</td>
			<td>
				<i class="dot" style={{ background: colour(cause.cause) }} />
				{cause.program} on {cause.host}: {causeName(cause.cause)}
			</td>
			<td class="dim cut" title={culprit && `${culpritText(culprit)} (${duration(culprit.ns)})`}>{culprit && <>{culpritText(culprit)}{" "}
				<span class="small">({duration(culprit.ns)})</span></>}</td>
			<td class="n">{request && <button class="chip" onClick={() => openRequest(request)}>show {request}</button>}</td>
		</tr>
	);
}

export function Explanation() {
	const answer = useAnswer(["requests", "--explain"]);
	if (!rowsOf(answer.data, "causes").length) return null;
	return (
		<Card title="What slow requests wait for longer than typical ones" words={["requests", "--explain"]}>
			<Loaded of={answer}>{(a) => {
				const { group, causes } = explained(a);
				return <>
					<table class="dense fixed" id="explain">
						<thead><tr><th class="n">more</th><th class="n">share</th><th>where</th><th>most of it</th><th /></tr></thead>
						<tbody>{causes.slice(0, MOST_CAUSES).map((c, i) => <CauseRow key={i} cause={c} />)}</tbody>
					</table>
					{causes.length > MOST_CAUSES && <div class="note">
						<a href={address({ v: "requests", kind: group.kind, tab: "explain", req: null })}>
							{causes.length - MOST_CAUSES} more causes</a></div>}
				</>;
			}}</Loaded>
		</Card>
	);
}
