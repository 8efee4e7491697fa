// What makes slow requests slow: by cause, with the request that shows it.
import { useAnswer } from "../api";
import { Card, Loaded } from "../parts/card";
import { colour, causeName } from "../parts/states";
import { duration, share } from "../numbers";
import { address } from "../state";
import { openRequest } from "./request_link";

const MOST_CAUSES = 5;

/** "shop-w0/166 had the connection to db:5432 postgres, mostly for r7.1" */
export function culpritText(c: any): string {
	const who = c.comm ? `${c.comm}/${c.tid} ` : "";
	return `${who}${c.what}${c.request ? `, mostly for ${c.request}` : ""}`;
}

export function CauseRow({ cause }: { cause: any }) {
	const culprit = cause.culprits[0];
	const request = cause.culprits.find((c: any) => c.request)?.request;
	return (
		<tr>
			<td class="n"><b>{duration(cause.ns)}</b></td>
			<td class="n">{share(cause.share)}</td>
			<td>
				<i class="dot" style={{ background: colour(cause.cause) }} />
				{cause.comm} on {cause.host}: {causeName(cause.cause)}
			</td>
			<td class="dim cut" title={culprit && `${culpritText(culprit)} (${duration(culprit.ns)})`}>{culprit && <>{culpritText(culprit)}{" "}
				<span class="small">({duration(culprit.ns)})</span></>}</td>
			<td class="n">{request && <button class="chip" onClick={() => openRequest(request)}>show {request}</button>}</td>
		</tr>
	);
}

export function Explanation() {
	const answer = useAnswer(["requests", "--explain"]);
	if (!answer.data?.causes?.length) return null;
	return (
		<Card title="What slow requests wait for longer than typical ones" words={["requests", "--explain"]}>
			<Loaded of={answer}>{(a) => <>
				<table class="dense fixed" id="explain">
					<thead><tr><th class="n">more</th><th class="n">share</th><th>where</th><th>most of it</th><th /></tr></thead>
					<tbody>{a.causes.slice(0, MOST_CAUSES).map((c: any, i: number) => <CauseRow key={i} cause={c} />)}</tbody>
				</table>
				{a.causes.length > MOST_CAUSES && <div class="note">
					<a href={address({ v: "requests", kind: a.kind, tab: "explain", req: null })}>
						{a.causes.length - MOST_CAUSES} more causes</a></div>}
			</>}</Loaded>
		</Card>
	);
}
