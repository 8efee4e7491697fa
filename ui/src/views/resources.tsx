// CPUs, disks, network, calls, interrupts, locks: charts and the tables of the range.
import { useEffect, useMemo, useState } from "preact/hooks";
import { useAnswer } from "../api";
import { type Curve, named, type Topic, topics } from "../catalog";
import { Card, Cut, Loaded } from "../parts/card";
import { BYTE_STEPS, Chart } from "../parts/chart";
import { Histogram } from "../parts/histogram";
import { coloursOf } from "../parts/pairs";
import { AnswerTable, LongList } from "../parts/table";
import { cell } from "../numbers";
import { rangeWords, setRange, since, tabled, whole } from "../range";
import { isReport, storedTargets } from "../report";
import { change, params } from "../state";
import { GAPS, isUnknown } from "../unknown";
import { Lives, OneProcess, Processes, Sectors, useDiskColours } from "./resources_more";

const lengthOf = (row: any) => Number(BigInt(row.end) - BigInt(row.begin));
const MOST_CURVES = 8;
const rowsOf = (topic: Topic) => ["--limit", String(isReport ? topic.report_rows : 200)];
const binsOf = (topic: Topic) => String(isReport ? topic.report_bins : 150);

/** What a curve shows of a row: a sum over its bin as a part of the time, or per second. */
function valueOf(r: any, c: Curve): number | null {
	const v = r[c.value];
	return v === null || v === undefined ? null : Number(v) / (!c.sum ? 1 : c.type === "ratio" ? lengthOf(r) / 100 : lengthOf(r) / 1e9);
}

const formatOf = (c: Curve) => (v: number) => cell(c.type, c.type === "count" ? Math.round(v) : v);

function curvesOf(answer: any, c: Curve) {
	const rows = answer.tables[0].rows.filter((r: any) => !c.of || r.of === c.of);
	const x = [...new Set<string>(rows.map((r: any) => String(r.begin)))].map((b) => BigInt(b)).sort((a, b) => (a < b ? -1 : 1));
	const at = new Map(x.map((b, i) => [String(b), i]));
	const lines = new Map<string, (number | null)[]>(), isGap = c.gaps ? isUnknown(answer.tables[0].rows) : undefined;
	let hasGaps = false;
	for (const r of rows) {
		const isHere = !!isGap?.(r);
		hasGaps ||= isHere;
		const name = named(c.name, r), v = isHere ? null : valueOf(r, c);
		if (!lines.has(name)) lines.set(name, x.map(() => c.sum ? 0 : null));
		const values = lines.get(name)!, i = at.get(String(r.begin))!;
		values[i] = c.sum ? (values[i] ?? 0) + (v ?? 0) : v;
	}
	const sum = (values: (number | null)[]) => values.reduce<number>((n, v) => n + (v ?? 0), 0);
	const largest = [...lines].sort((a, b) => sum(b[1]) - sum(a[1]));
	const colours = coloursOf(lines.keys());
	return { n: lines.size, hasGaps, x: x.map((b) => since(b) / 1e9), lines: largest.slice(0, MOST_CURVES).map(([name, values]) =>
		({ name, colour: colours.get(name)!, values })) };
}

function OneChart({ topic, curve }: { topic: Topic; curve: Curve }) {
	const words = ["top", topic.topic, "--bins", binsOf(topic), ...rangeWords(tabled.value)];
	const answer = useAnswer(words);
	const data = useMemo(() => answer.data && curvesOf(answer.data, curve), [answer.data, curve]);
	return (
		<Card title={`${topic.title}: ${curve.title}`} words={words}>
			<Loaded of={answer}>{() => data && data.x.length > 1
				? <><Chart x={data.x} lines={data.lines} format={formatOf(curve)} height={170} range={tabled.value ?? whole.value}
					steps={curve.type === "rate" || curve.type === "bytes" ? BYTE_STEPS : undefined}
					onSelect={(b, e) => change(setRange({ begin: b * 1e9, end: e * 1e9 }), true)} />
					<Cut shown={data.lines.length} all={data.n} which="largest" things="curves" />
					{data.hasGaps && <div class="note">{GAPS}</div>}</>
				: <div class="note">None in this range.</div>}</Loaded>
		</Card>
	);
}

/** How many lasted how long. */
function Durations({ topic }: { topic: Topic }) {
	const isNamed = topic.topic === "syscall" && params.value.name;
	const words = ["freq", topic.topic, "--limit", "0", ...(isNamed ? ["--name", params.value.name] : []), ...rangeWords(tabled.value)];
	const answer = useAnswer(words), table = answer.data?.tables?.[0], disks = useDiskColours(topic.topic === "disk");
	return (
		<Card title={table?.title ?? "How many lasted how long"} words={words}>
			<Loaded of={answer}>{(a) => <Histogram colourOf={disks} buckets={(a.tables[0]?.rows ?? []).filter((r: any) => Number(r.count)).map((r: any) => ({
				group: named(topic.durations!, r), from: Number(r.from_ns), to: Number(r.to_ns), count: Number(r.count) }))} />}</Loaded>
		</Card>
	);
}

function OneTable({ words, topic }: { words: string[]; topic: Topic }) {
	const all = [...words, ...rowsOf(topic), ...rangeWords(tabled.value)];
	const answer = useAnswer(all);
	const title = answer.data?.tables?.[0]?.title ?? words.join(" ");
	return (
		<Card title={title} words={all}>
			<Loaded of={answer}>{(a) => <LongList><AnswerTable answer={a} /></LongList>}</Loaded>
		</Card>
	);
}

/** How a report calls the answer of a command. */
const targetOf = (words: string[]) => `api/run?${words.map((w) => `w=${encodeURIComponent(w)}`).join("&")}&`;

/** Topics of which there is anything; in a report those whose tables were put into it. */
function useTopics(): { all: Topic[]; has: (words: string[]) => boolean } {
	const [stored, setStored] = useState<string[] | null>(null);
	useEffect(() => {
		if (isReport) void storedTargets("api/run?").then(setStored);
	}, []);
	const has = (words: string[]) => !isReport || !!stored?.some((target) => target.startsWith(targetOf(words)));
	return { all: topics.value.filter((t, i) => i === 0 || t.questions.some((w) => has([...w, ...rowsOf(t)]))), has };
}

export function ResourcesView() {
	return <Resources printed={false} />;
}

/** printed: of a report on paper, all topics one after the other. */
export function Resources({ printed }: { printed: boolean }) {
	const { all, has } = useTopics();
	const topic = all.find((t) => t.topic === params.value.tab) ?? all[0];
	return (
		<div class="pad">
			<div class="view-head">
				<h1>Resources</h1>
				{!printed && all.length > 1 && <div class="tabs">{all.map((t) => <button key={t.topic} class={t === topic ? "on" : ""}
					onClick={() => change({ tab: t.topic }, true)}>{t.title}</button>)}</div>}
			</div>
			{(printed || !topic ? all : [topic]).map((t) => <OneTopic key={t.topic} topic={t} has={has} />)}
		</div>
	);
}

function OneTopic({ topic, has }: { topic: Topic; has: (words: string[]) => boolean }) {
	const isNamed = topic.topic === "syscall" && !!params.value.name;
	const words = topic.questions.filter((w) => has([...w, ...rowsOf(topic)]));
	return (
		<>
			{topic.topic === "disk" && !isReport && <Sectors />}
			{topic.topic === "mem" && !isReport && <Lives />}
			{topic.curves.filter(() => has(["top", topic.topic, "--bins", binsOf(topic)])).map((c) => <OneChart key={topic.topic + c.value} topic={topic} curve={c} />)}
			{topic.topic === "cpu" && <Processes />}
			{topic.topic === "cpu" && !isReport && <OneProcess />}
			{topic.durations && has(["freq", topic.topic, "--limit", "0"]) && <Durations topic={topic} />}
			{isNamed && <div class="view-head"><button class="chip on" onClick={() => change({ name: null }, true)}>only {params.value.name} ×</button></div>}
			{words.map((w) => isNamed ? [...w, "--name", params.value.name] : w).map((w) => <OneTable key={w.join(" ")} words={w} topic={topic} />)}
		</>
	);
}
