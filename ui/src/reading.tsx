// While traces are read: how far that is, when how much was recorded, which their packets say at
// once, and how busy CPUs were, as far as they are read.
import { useEffect, useState } from "preact/hooks";
import { status } from "./api";
import { parseJson } from "./json";
import { bytes, percent } from "./numbers";
import { get } from "./report";
import { Spark } from "./parts/spark";
import { MOST_UNKNOWN } from "./unknown";

const POLL_MS = 400;

interface Host { host: string; begin?: bigint; end?: bigint; bytes?: number[]; cpus?: number; busy_ns?: (number | null)[]; unknown_ns?: (number | null)[] }

/** Shares of the CPUs of each bin, as far as the host is read; null: nothing of it is, or of the bin nothing is known. */
function busy(h: Host): (number | null)[] | null {
	const read = (h.busy_ns ?? []).filter((v): v is number => v !== null);
	if (!read.length || !h.cpus) return null;
	const width = (Number(h.end) - Number(h.begin)) / h.busy_ns!.length * h.cpus;
	return read.map((v, i) => Number(h.unknown_ns?.[i] ?? 0) > MOST_UNKNOWN * width ? null : Number(v) / width);
}

function Line({ h, most, width }: { h: Host; most: number; width: number }) {
	const load = busy(h), share = load && load.length / h.busy_ns!.length;
	const mean = load && load.reduce<number>((n, v) => n + (v ?? 0), 0) / load.length;
	return (
		<tr>
			<td><b>{h.host}</b></td>
			<td><Spark values={h.bytes ?? []} most={most} colour="sys" width={width} height={30} /></td>
			<td><div style={{ width: `${width}px` }}>
				{load && <Spark values={load} most={1} colour="user" width={Math.max(2, width * share!)} height={30} />}</div></td>
			<td class="n">{load && percent(100 * mean!)}</td>
		</tr>
	);
}

/** What was recorded when, and how busy CPUs were as far as that is read. */
export function Overview({ width }: { width: number }) {
	const [hosts, setHosts] = useState<Host[]>([]);
	useEffect(() => {
		let isWanted = true;
		const ask = () => get("api/overview").then((r) => r.text()).then((t) => {
			if (isWanted) setHosts(parseJson(t).hosts ?? []);
		}).catch(() => {}).then(() => { if (isWanted) setTimeout(ask, POLL_MS); });
		ask();
		return () => { isWanted = false; };
	}, []);
	if (!hosts.length) return null;
	const most = Math.max(...hosts.flatMap((h) => h.bytes ?? []), 1);
	return (
		<table id="overview" style={{ width: "auto", marginTop: "14px" }}>
			<thead><tr><th /><th>recorded</th><th>CPUs busy, as far as read</th><th /></tr></thead>
			<tbody>{hosts.slice(0, 24).map((h) => <Line key={h.host} h={h} most={most} width={width} />)}</tbody>
		</table>
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
			{now && <Overview width={420} />}
		</div>
	);
}
