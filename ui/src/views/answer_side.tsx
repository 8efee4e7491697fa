// Load of hosts as curves, the quality of clocks, and what is not known.
import { joined, rowsOf, useAnswer } from "../api";
import { Card, Loaded } from "../parts/card";
import { Spark } from "../parts/spark";
import { bytes, count, duration, fixed, percent, seconds } from "../numbers";
import { address } from "../state";
import { things } from "../plural";
import { isUnknown } from "../unknown";

const BINS = "60", MOST_HOSTS = 12;

/** Values over time by what a row is of. */
function curves(answer: any, keep: (row: any) => boolean, name: (row: any) => string, value: (row: any) => number | null) {
	const all = new Map<string, (number | null)[]>();
	for (const row of answer?.tables?.[0]?.rows ?? []) {
		if (!keep(row)) continue;
		const key = name(row);
		if (!all.has(key)) all.set(key, []);
		const v = value(row);
		all.get(key)!.push(v === null ? null : v || 0);
	}
	return all;
}

const most = (values: (number | null)[]) => Math.max(0, ...values.map((v) => v ?? 0));

function Line({ name, note, values, most, colour, value, link }: { name: string; note: string;
	values: (number | null)[] | undefined; most: number; colour: string; value: string; link: string }) {
	return (
		<tr>
			<td><a href={link} style={{ color: "inherit" }}><b>{name}</b></a><div class="dim small">{note}</div></td>
			<td>{values && <Spark values={values} most={most} colour={colour} />}</td>
			<td class="n">{value}</td>
		</tr>
	);
}

export function Hosts({ summary }: { summary: any }) {
	const cpu = useAnswer(["top", "cpu", "--bins", BINS]), net = useAnswer(["top", "net", "--bins", BINS]);
	const disk = useAnswer(["top", "disk", "--bins", BINS]);
	const table = (id: string) => summary.tables.find((t: any) => t.id === id)?.rows ?? [];
	const isGap = isUnknown(cpu.data?.tables?.[0]?.rows ?? []);
	const busy = curves(cpu.data, (r) => r.of === "host", (r) => r.host, (r) => isGap(r) ? null : Number(r.percent));
	const sent = curves(net.data, (r) => r.interface !== "lo", (r) => `${r.host} ${r.interface}`,
		(r) => Number(r.sent_bytes_per_s) + Number(r.received_bytes_per_s));
	const written = curves(disk.data, () => true, (r) => `${r.host} ${r.disk}`, (r) => Number(r.in_flight));
	const io = table("io");
	const busiest = [...io].filter((r) => r.disk).sort((a, b) => b.disk_percent - a.disk_percent)[0];
	const loudest = [...io].filter((r) => r.net_bytes).sort((a, b) => Number(b.net_bytes) - Number(a.net_bytes))[0];
	const ofHost = loudest && [...sent].filter(([k]) => k.startsWith(`${loudest.host} `))
		.sort((a, b) => most(b[1]) - most(a[1]))[0];
	const diskCurve = busiest && written.get(`${busiest.host} ${busiest.disk}`);
	return (
		<table class="spark" id="hosts"><tbody>
			{table("hosts").slice(0, MOST_HOSTS).map((h: any) => <Line key={h.host} name={h.host}
				note={h.cpus === null ? "not recorded" : `${h.cpus} ${things(h.cpus, "CPU")}`} values={busy.get(h.host)} most={100} colour="user"
				value={h.cpu_percent === null ? "-" : percent(h.cpu_percent)}
				link={address({ v: "timeline", q: h.host })} />)}
			{busiest && <Line name={`disk ${busiest.disk}`} note={busiest.host} values={diskCurve}
				most={Math.max(1, most(diskCurve ?? []))} colour="disk" value={percent(busiest.disk_percent)}
				link={address({ v: "resources", tab: "disk" })} />}
			{loudest && <Line name="network" note={ofHost ? ofHost[0] : loudest.host} values={ofHost?.[1]}
				most={Math.max(1, ...(ofHost?.[1] ?? []))} colour="sys"
				value={`${bytes(Math.round(loudest.net_bytes_per_s))}/s`}
				link={address({ v: "resources", tab: "net" })} />}
			{table("hosts").length > MOST_HOSTS && <tr><td colSpan={3}><a href={address({ v: "timeline" })}>
				{table("hosts").length - MOST_HOSTS} more hosts</a></td></tr>}
		</tbody></table>
	);
}

export function signed(ns: any): string {
	const text = seconds(ns);
	return text.startsWith("−") ? text : "+" + text;
}

/** Alone with its clock: its times cannot be compared with those of others. */
export function isApart(host: any, hosts: any[]): boolean {
	return hosts.length > 1 && (host.quality === "absent" || hosts.filter((h) => h.group === host.group).length < 2);
}

export function Clocks() {
	const answer = useAnswer(["sync", "--limit", "0"]);
	if (answer.data && rowsOf(answer.data, "hosts").length < 2) return null;
	return (
		<Card title="Clocks" words={["sync"]}>
			<Loaded of={answer}>{(a) => { const hosts = joined(a, "hosts", "host_details"); return (
				<table id="clocks">
					<thead><tr><th>host</th><th class="n">offset, s</th><th class="n">ppm</th><th class="n">likely</th>
						<th class="n">bound</th></tr></thead>
					<tbody>{hosts.map((h) => (
						<tr key={h.host}>
							<td><a href={address({ v: "clocks" })}>{h.host}</a></td>
							{isApart(h, hosts) ? <td class="n warn" colSpan={4}>not aligned</td> : <>{h.is_reference
								? <td class="n dim">reference</td>
								: <td class="n">{h.offset_ns === null ? "-" : signed(h.offset_ns)}</td>}
							<td class="n">{h.is_reference || h.drift_ppm === null ? "" : fixed(h.drift_ppm, 2)}</td>
							<td class="n">{h.is_reference ? "" : duration(h.likely_p50_ns)}</td>
							<td class="n">{h.is_reference ? "" : duration(h.bound_p50_ns)}</td></>}
						</tr>))}</tbody>
				</table>); }}</Loaded>
		</Card>
	);
}

function lost(check: any): string {
	const sum = (key: string) => rowsOf(check, "traces").reduce((n, t) => n + Number(t[key]), 0);
	const events = sum("lost_events"), packets = sum("lost_packets");
	if (!events && !packets) return "nothing";
	return [events && `${count(events)} ${things(events, "event")}`,
		packets && `${count(packets)} ${things(packets, "packet")}`].filter(Boolean).join(", ");
}

export function Trust() {
	const check = useAnswer(["check"]), summary = useAnswer(["summary", "--limit", "0"]);
	const hosts = summary.data?.tables.find((t: any) => t.id === "hosts")?.rows ?? [];
	const notRecorded = hosts.length > 0 && hosts.every((h: any) => h.cpus === null);
	const unknown = hosts.filter((h: any) => h.unknown_percent > 0);
	return (
		<Card title="Trust" words={["check"]}>
			<Loaded of={check}>{(c) => {
				const partly = rowsOf(c, "analyses").filter((a) => a.possible !== "yes");
				const traces = rowsOf(c, "traces"), bad = traces.filter((t) => t.sound !== "yes");
				return (
					<div class="kv" id="trust">
						<span>lost</span><span>{lost(c)}</span>
						<span>unknown</span><span>{notRecorded ? "all of CPU and task activity" : unknown.length === 0 ? "0 % of CPU time"
							: unknown.map((h: any) => `${percent(h.unknown_percent)} of CPU time of ${h.host}`).join(", ")}</span>
						<span>sound</span><span>{bad.length === 0 ? traces.length === 1 ? "the trace" : `all ${traces.length} traces`
							: `not: ${bad.map((t: any) => t.path).join(", ")}`}</span>
						<span>recorded</span><span>{partly.length === 0 ? "all that these analyses need"
							: `not enough for ${partly.map((a: any) => a.name).join(", ")}`}</span>
					</div>);
			}}</Loaded>
		</Card>
	);
}
