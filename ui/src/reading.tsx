// While traces are read: how far that is, and when how much was recorded, which their packets say
// at once.
import { useEffect, useState } from "preact/hooks";
import { status } from "./api";
import { parseJson } from "./json";
import { bytes } from "./numbers";
import { get } from "./report";
import { Spark } from "./parts/spark";

function Density() {
	const [hosts, setHosts] = useState<{ host: string; bytes: number[] }[]>([]);
	useEffect(() => {
		get("api/overview").then((r) => r.text()).then((t) => setHosts(parseJson(t).hosts ?? []), () => {});
	}, []);
	if (!hosts.length) return null;
	const most = Math.max(...hosts.flatMap((h) => h.bytes), 1);
	return (
		<table style={{ width: "auto", marginTop: "20px" }}><tbody>
			{hosts.slice(0, 24).map((h) => (
				<tr key={h.host}><td><b>{h.host}</b></td><td><Spark values={h.bytes} most={most} colour="sys" width={640} height={30} /></td></tr>))}
		</tbody></table>
	);
}

export function Reading() {
	const now = status.value;
	const share = now && now.total_bytes ? now.done_bytes / now.total_bytes : 0;
	if (now?.stage === "failed")
		return <div class="pad"><h1>The traces cannot be read</h1><div class="error" role="alert">{now.error}</div></div>;
	return (
		<div class="pad">
			<h1>Reading the traces …</h1>
			<p class="lead">
				{now?.doing ?? "opening"}
				{now && now.total_bytes > 0 && `: ${bytes(now.done_bytes)} of ${bytes(now.total_bytes)}`}
				. The first time takes longest; later they open at once.
			</p>
			<div class="progress" role="progressbar" aria-valuenow={Math.round(100 * share)}>
				<i style={{ width: `${100 * share}%` }} />
			</div>
			{now && <Density />}
		</div>
	);
}
