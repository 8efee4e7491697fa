// Requests over time: percentiles of a kind, and every request as a point.
import { useMemo } from "preact/hooks";
import { rowsOf, useAnswer, useText } from "../api";
import { Card, Cut, Loaded } from "../parts/card";
import { Chart } from "../parts/chart";
import { Nothing } from "../parts/nothing";
import { parseCsv } from "../csv";
import { bucketsOf, Histogram } from "../parts/histogram";
import { arrows, duration } from "../numbers";
import { rangeWords, setRange, since, tabled } from "../range";
import { change, params } from "../state";

const LIST = [{ key: "begin", title: "", type: "time" }, { key: "latency_ns", title: "", type: "duration" }];

const select = (begin: number, end: number) => change(setRange({ begin: begin * 1e9, end: end * 1e9 }), true);

function Percentiles({ answer, kind }: { answer: any; kind: string | undefined }) {
	const rows = useMemo(() => { const bins = rowsOf(answer, "bins"); return bins.filter((b) => b.kind === (kind ?? bins[0].kind)); }, [answer, kind]);
	const x = useMemo(() => rows.map((b: any) => (since(b.begin) + since(b.end)) / 2e9), [rows]);
	const lines = useMemo(() => [["max", "max_ns", "muted"], ["p99", "p99_ns", "disk"], ["p90", "p90_ns", "cpu"], ["p50", "p50_ns", "user"]].map(([name, key, colour]) =>
		({ name, colour, values: rows.map((b: any) => b[key] === null || !b.count ? null : Number(b[key])) })), [rows]);
	if (!rows.length) return <Nothing />;
	return <><div class="dim small">{rows[0].kind.replace("->", "→")}</div>
		<Chart x={x} lines={lines} format={duration} onSelect={select} /></>;
}

function Points({ text, all }: { text: string; all: number | null }) {
	const rows = useMemo(() => parseCsv(text, LIST).sort((a, b) => (a.begin < b.begin ? -1 : 1)), [text]);
	const x = useMemo(() => rows.map((r) => since(r.begin) / 1e9), [rows]);
	const lines = useMemo(() => [{ name: "latency", colour: "accent", isPoints: true, values: rows.map((r) => r.latency_ns) }], [rows]);
	return <><Chart x={x} lines={lines} format={duration} onSelect={select} />
		<Cut shown={rows.length} all={all} which="slowest" things="requests" /></>;
}

export function OverTime({ count }: { count: number | null }) {
	const kind = params.value.kind, of = kind ? ["--kind", kind] : [];
	const words = ["requests", "--bins", "80", ...of, ...rangeWords(tabled.value)];
	const all = ["requests", "--list", "--limit", "5000", ...of, ...rangeWords(tabled.value)];
	const bins = useAnswer(words), list = useText([...all, "--format", "csv"]);
	return <>
		<Card title="Percentiles over time" words={words}><Loaded of={bins}>{(a) => <Percentiles answer={a} kind={kind} />}</Loaded></Card>
		<Card title="Each request" words={all}><Loaded of={list}>{(t) => <Points text={t} all={count} />}</Loaded></Card>
		<Card title="How many took how long" words={all}><Loaded of={list}>{(t) => <><Histogram buckets={bucketsOf(parseCsv(t, LIST)
			.map((r) => ({ group: arrows(r.kind), ns: r.latency_ns })))} /><Cut shown={parseCsv(t, LIST).length} all={count} which="slowest" things="requests" /></>}</Loaded></Card>
	</>;
}
