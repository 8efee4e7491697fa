// Clocks: how far each was off, how sure that is, over time; latencies with the clocks as recorded
// and aligned.
import { useMemo } from "preact/hooks";
import { joined, rowsOf, useAnswer } from "../api";
import { MOST_MESSAGES } from "../commands";
import { Card, Cut, Loaded } from "../parts/card";
import { type Band, Chart, type Line } from "../parts/chart";
import { type Column, Rows } from "../parts/table";
import { coloursOf } from "../parts/pairs";
import { count, duration, fixed } from "../numbers";
import { since, switchClocks } from "../range";
import { isReport } from "../report";
import { isRecorded } from "../state";
import { isApart, signed } from "./answer_side";

const PAIRS: Column[] = [
	{ key: "a", title: "from", type: "text" }, { key: "b", title: "to", type: "text" },
	{ key: "quality", title: "quality", type: "text" },
	{ key: "matched_ab", title: "forward", type: "count" }, { key: "matched_ba", title: "back", type: "count" },
	{ key: "used", title: "used", type: "count" }, { key: "rejected", title: "rejected", type: "count" },
	{ key: "min_latency_ab_ns", title: "min forward", type: "duration" }, { key: "min_latency_ba_ns", title: "min back", type: "duration" },
	{ key: "bound_p50_ns", title: "bound", type: "duration" }, { key: "bound_ns", title: "max", type: "duration" },
	{ key: "inversions_before", title: "inversions before", type: "count" }, { key: "inversions_after", title: "after", type: "count" },
];
const LATENCIES: Column[] = [
	{ key: "from", title: "from", type: "text" }, { key: "to", title: "to", type: "text" },
	{ key: "count", title: "messages", type: "count" }, { key: "min_ns", title: "min", type: "duration" },
	{ key: "p50_ns", title: "p50", type: "duration" }, { key: "p90_ns", title: "p90", type: "duration" },
	{ key: "p99_ns", title: "p99", type: "duration" }, { key: "max_ns", title: "max", type: "duration" },
	{ key: "mean_ns", title: "mean", type: "duration" }, { key: "inversions", title: "inversions", type: "count" },
	{ key: "before_mean_ns", title: "mean as recorded", type: "duration" },
	{ key: "before_inversions", title: "inversions as recorded", type: "count" },
];
const LINES: Column[] = [
	{ key: "a", title: "from", type: "text" }, { key: "b", title: "to", type: "text" },
	{ key: "formula", title: "line", type: "text" }, { key: "line_quality", title: "quality", type: "text" },
	{ key: "line_messages", title: "messages", type: "count" }, { key: "line_accurate", title: "accurate", type: "count" },
];
const MOMENTS = 80, DIGITS = 15;

/** One line for a pair, as the classic method has it; all its digits are in JSON. */
function withFormula(pairs: any[]) {
	const cut = (text: string) => text.includes(".") ? text.slice(0, Math.max(text.indexOf("."), DIGITS)).replace(/\.$/, "") : text;
	return pairs.filter((p) => p.alpha && p.beta_ns).map((p) => ({ ...p, formula: `${p.b} = ${cut(p.alpha)} × ${p.a} ${
		String(p.beta_ns).startsWith("-") ? "−" : "+"} ${cut(String(p.beta_ns).replace("-", ""))} ns` }));
}

function Hosts({ hosts }: { hosts: any[] }) {
	return (
		<table id="clock-hosts">
			<thead><tr><th>host</th><th>quality</th><th>method</th><th class="n">offset, s</th><th class="n">ppm</th><th class="n">±</th>
				<th class="n">likely</th><th class="n">bound</th><th class="n">max</th><th class="n">messages</th><th class="n">used</th></tr></thead>
			<tbody>{hosts.map((h) => (
				<tr>
					<td>{h.host}</td><td>{h.quality}</td><td class="dim">{h.method}</td>
					{isApart(h, hosts) ? <td class="n warn" colSpan={6}>not aligned</td> : <>
					<td class="n">{h.is_reference || h.offset_ns === null ? "" : signed(h.offset_ns)}</td>
					<td class="n">{h.is_reference || h.drift_ppm === null ? "" : fixed(h.drift_ppm, 2)}</td>
					<td class="n">{h.is_reference || !h.drift_error_ppm ? "" : fixed(h.drift_error_ppm, 2)}</td>
					<td class="n">{h.is_reference ? "" : duration(h.likely_p50_ns)}</td>
					<td class="n">{h.is_reference ? "" : duration(h.bound_p50_ns)}</td>
					<td class="n">{h.is_reference ? "" : duration(h.bound_max_ns)}</td>
					</>}
					<td class="n">{count(h.matched)}</td><td class="n">{count(h.used)}</td>
				</tr>))}</tbody>
		</table>
	);
}

/** Offsets of a host against the reference at many moments, between its bounds. */
function OffsetOf({ host, answer }: { host: string; answer: any }) {
	const data = useMemo(() => {
		const points = rowsOf(answer, "at").filter((p) => p.host === host);
		const off = (p: any, key: string) => p[key] === null || p[key] === undefined ? null : Number(BigInt(p.from_time) - BigInt(p[key]));
		const line = (name: string, key: string, colour: string, isDashed: boolean): Line =>
			({ name, colour, isDashed, values: points.map((p: any) => off(p, key)) });
		return { x: points.map((p: any) => since(p.from_time) / 1e9), lines: [line("offset", "time", "accent", false),
			line("at least", "high", "muted", true), line("at most", "low", "muted", true)] };
	}, [answer, host]);
	return <><h2 class="table-title">{host}</h2><Chart x={data.x} lines={data.lines} height={150}
		format={(v) => `${fixed(v / 1e6, 3)} ms`} /></>;
}

function Offsets({ hosts, apart }: { hosts: any[]; apart: any[] }) {
	const others = hosts.filter((h) => !h.is_reference && !apart.includes(h));
	const reference = others.length ? hosts.find((h) => h.is_reference && h.group === others[0].group) : null;
	const words = useMemo(() => {
		if (!reference) return null;
		const length = Number(BigInt(reference.end) - BigInt(reference.begin));
		const moments = Array.from({ length: MOMENTS }, (_, i) => `+${((length * i) / (MOMENTS - 1) / 1e9).toFixed(6)}s`);
		return ["sync", "--at", `${reference.host}:${moments.join(",")}`];
	}, [hosts]);
	const answer = useAnswer(words);
	if (!words) return null;
	return (
		<Card title={`Offsets against ${reference.host} over time, between their bounds`} words={words}>
			<Loaded of={answer}>{(a) => others.slice(0, 12).map((h: any) =>
				<OffsetOf key={h.host} host={h.host} answer={a} />)}</Loaded>
		</Card>
	);
}

/** Messages over time; floors: the least latency of a direction, which no message can be below, and how far that may be
 *  off because of the clocks. */
function Scatter({ answer, latencies, pairs: known }: { answer: any; latencies: any[] | undefined; pairs: any[] | undefined }) {
	const { x, lines, bands } = useMemo(() => {
		const all = [...rowsOf(answer, "messages")].sort((a: any, b: any) => (a.start < b.start ? -1 : 1));
		const pairs = [...new Set<string>(all.map((m: any) => `${m.from} → ${m.to}`))].sort(), colours = coloursOf(pairs);
		const floors = (latencies ?? []).filter((l) => colours.has(`${l.from} → ${l.to}`)).map((l) => ({ name: `${l.from} → ${l.to}`, ns: Number(l.min_ns),
			bound: Number(known?.find((p) => (p.a === l.from && p.b === l.to) || (p.b === l.from && p.a === l.to))?.bound_p50_ns ?? 0) }));
		return { x: all.map((m: any) => since(m.start) / 1e9), bands: floors.map((f): Band => ({ colour: colours.get(f.name)!, at: f.ns, low: f.ns - f.bound, high: f.ns + f.bound })),
			lines: pairs.map((name): Line => ({ name, isPoints: true, colour: colours.get(name)!,
				values: all.map((m: any) => `${m.from} → ${m.to}` === name ? Number(m.duration_ns) : null) })) };
	}, [answer, latencies, known]);
	if (!x.length) return <div class="note">No messages between hosts.</div>;
	return <>
		<Chart x={x} lines={lines} height={240} isLog bands={bands} format={(v) => duration(v)} />
		{bands.length > 0 && <div class="note">Dashed: the least latency of each direction{bands.some((b) => b.high > b.low) && "; shaded: how far it may be off because of the clocks (bound)"}.</div>}
	</>;
}

export function ClocksView() {
	const sync = useAnswer(["sync", "--limit", "0"]), latency = useAnswer(["latency"]);
	const beforeWords = ["latency", "--messages", "--method", "none", "--limit", String(MOST_MESSAGES)];
	const afterWords = ["latency", "--messages", "--limit", String(MOST_MESSAGES)];
	const before = useAnswer(beforeWords), after = useAnswer(afterWords);
	const directions = useMemo(() => rowsOf(latency.data, "latencies"), [latency.data]);
	const hosts = useMemo(() => joined(sync.data, "hosts", "host_details"), [sync.data]);
	const pairs = useMemo(() => joined(sync.data, "pairs", "pair_details"), [sync.data]);
	const all = latency.data ? directions.reduce((n, l) => n + l.count, 0) : null;
	const recorded = isRecorded.value, apart = hosts.filter((h) => isApart(h, hosts));
	return (
		<div class="pad">
			<div class="view-head">
				<h1>Clocks</h1>
				{!isReport && apart.length < (sync.data ? hosts.length : 1) && <div class="tabs" role="tablist">
					<button class={recorded ? "" : "on"} onClick={() => void switchClocks(false)}>aligned</button>
					<button class={recorded ? "on" : ""} onClick={() => void switchClocks(true)}>as recorded</button>
				</div>}
				{!recorded && apart.length > 0 ? <span class="warn">clocks not aligned: times of {apart.map((h) => h.host).join(", ")} cannot be compared with those of other hosts</span>
					: <span class="dim">{recorded ? "the timeline shows times as each host's own clock gave them; requests and findings are those of aligned clocks" : "all views show the time of one clock"}</span>}
			</div>
			<Card title="Hosts" words={["sync", "--limit", "0"]}>
				<Loaded of={sync}>{() => <Hosts hosts={hosts} />}</Loaded>
			</Card>
			<Card title="Pairs of hosts" words={["sync", "--limit", "0"]}>
				<Loaded of={sync}>{() => <Rows id="clock-pairs" columns={PAIRS} rows={pairs} />}</Loaded>
			</Card>
			<Card title="Pairs of hosts, each by itself: one line (hull)" words={["sync", "--limit", "0", "--json"]}>
				<Loaded of={sync}>{() => <Rows id="clock-lines" columns={LINES} rows={withFormula(pairs)} />}</Loaded>
			</Card>
			<div class="split">
				<Card title="Latency of messages, clocks as recorded" words={beforeWords}>
					<Loaded of={before}>{(a) => <><Scatter answer={a} latencies={undefined} pairs={undefined} /><Cut shown={rowsOf(a, "messages").length} all={all} which="first" things="messages" /></>}</Loaded></Card>
				<Card title="Latency of messages, clocks aligned" words={afterWords}>
					<Loaded of={after}>{(a) => <><Scatter answer={a} latencies={directions} pairs={pairs} /><Cut shown={rowsOf(a, "messages").length} all={all} which="first" things="messages" /></>}</Loaded></Card>
			</div>
			<Card title="Latency by direction" words={["latency"]}>
				<Loaded of={latency}>{() => <Rows id="latencies" columns={LATENCIES} rows={directions} />}</Loaded>
			</Card>
			{sync.data && <Offsets hosts={hosts} apart={apart} />}
		</div>
	);
}
