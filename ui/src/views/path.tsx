// The critical path: of which tasks, where its time went, and its pieces in the order of time.
import { useMemo, useState } from "preact/hooks";
import { useAnswer, useLoaded, useText } from "../api";
import { parseCsv } from "../csv";
import { Bar, byCause, Legend } from "../parts/bar";
import { Card, Cut, Loaded } from "../parts/card";
import { AnswerTable, type Column, LongList, Rows } from "../parts/table";
import { causesOf, mostly, ownShares, slowestPart } from "./path_causes";
import type { Path } from "./path_answer";
import { pathWords, usePath } from "../timeline/path";
import { activityOf, USERS } from "../timeline/model";
import { loadTasks, type TaskRow } from "../tasks";
import { causeName } from "../parts/states";
import { arrows, duration, percent } from "../numbers";
import { since, toSeconds, setRange, setSelected, whole } from "../range";
import { isReport } from "../report";
import { change, go, params } from "../state";

const BY_TASK: Column[] = [
	{ key: "host", title: "host", type: "text" }, { key: "comm", title: "task", type: "text" },
	{ key: "tid", title: "tid", type: "id" }, { key: "own_ns", title: "time", type: "duration" },
	{ key: "percent", title: "share", type: "ratio" },
	{ key: "on_cpu_ns", title: "on CPU", type: "duration" }, { key: "waits_ns", title: "waits", type: "duration" },
];
const BY_HOST = BY_TASK.filter((c) => c.key !== "comm" && c.key !== "tid");
const CAUSES: Column[] = [{ key: "name", title: "cause", type: "text" }, { key: "ns", title: "time", type: "duration" },
	{ key: "percent", title: "share", type: "ratio" }];
const SEGMENTS: Column[] = [
	{ key: "begin", title: "begin", type: "time" }, { key: "ns", title: "for", type: "duration" },
	{ key: "host", title: "host", type: "text" }, { key: "comm", title: "task", type: "text" },
	{ key: "tid", title: "tid", type: "id" }, { key: "cause", title: "cause", type: "text" },
	{ key: "detail", title: "detail", type: "text" }, { key: "depth", title: "depth", type: "count" },
];

const partsOf = (path: any) => byCause(path.by_cause.map((c: any) => ({ cause: c.cause, ns: Number(c.total_ns) })));

function withLength(segments: any[]) {
	return segments.map((s) => ({ ...s, ns: BigInt(s.end) - BigInt(s.begin) }));
}

function toTimeline(a: any) {
	const begin = since(a.begin), end = since(a.end), room = 0.06 * (end - begin);
	go({ v: "timeline", only: "1", ...setRange({ begin: Math.max(0, begin - room), end: Math.min(whole.value.end, end + room) }),
		...setSelected({ begin, end }) });
}

/** In words: what took most, and the longest wait, which leads to its place in the timeline. */
function Verdict({ path }: { path: any }) {
	const all = mostly(path), slowest = slowestPart(path);
	const show = (s: any) => {
		const begin = since(s.begin), end = since(s.end), room = 1.5 * (end - begin);
		go({ v: "timeline", only: "1", ...setRange({ begin: Math.max(0, begin - room), end: Math.min(whole.value.end, end + room) }),
			...setSelected({ begin, end }), row: `t:${s.host}:${s.tid}`, at: toSeconds((begin + end) / 2) });
	};
	return (
		<p class="lead" id="path-verdict">
			{all.length > 0 && <>Mostly: {all.map((r) => `${r.text} (${duration(r.ns)}, ${percent(r.percent)})`).join("; ")}. </>}
			{slowest && <>The longest wait: <button class="text" id="slowest-part" onClick={() => show(slowest.segment)}>{slowest.segment.comm}/{slowest.segment.tid} on {slowest.segment.host}, {duration(slowest.ns)} {causeName(slowest.segment.cause)}
				{slowest.segment.detail ? `${slowest.segment.cause === "runnable" ? " behind" : ":"} ${slowest.segment.detail}` : ""}</button>.</>}
		</p>
	);
}

/** Who had what it waited for, longest first; what is shorter than this share of the path says nothing of it. */
const LEAST_HELD = 0.02;

function HeldUp({ path }: { path: Path }) {
	const rows = path.held_up_by.filter((r, i) => !i || Number(r.ns) >= LEAST_HELD * Number(path.total_ns));
	if (!rows.length) return null;
	return <>
		<h2 class="table-title">Held up by</h2>
		<table class="dense" id="held-up"><tbody>{rows.slice(0, 8).map((r: any, i: number) => (
			<tr key={i} class={r.request ? "link" : ""} onClick={() => r.request && change({ req: r.request, path: null }, true)}>
				<td class="n">{duration(r.ns)}</td><td>{r.waiter_tid !== null ? `${r.waiter_comm}/${r.waiter_tid} on ${r.waiter_host}` : ""}</td>
				<td>{r.tid !== null ? `${r.comm}/${r.tid} ` : ""}{r.what}{r.for ? ` for ${arrows(r.for)}` : ""}</td><td class="dim">{r.request ?? ""}</td>
			</tr>))}</tbody></table>
	</>;
}

/** As the list of requests asks, so that one answer serves both. */
const LIST = ["requests", "--list", "--limit", "500"];

const MOST_TASKS = 40;

/** The busiest first, the tracer's own last: nobody asks where their time went. */
function useTasks(): TaskRow[] {
	const tasks = useLoaded("tasks", loadTasks), users = useAnswer(USERS);
	return useMemo(() => {
		const busy = activityOf(users.data);
		return (tasks.data?.rows ?? []).filter((t) => !t.isCpu && !t.isKernel).sort((a, b) =>
			Number(a.isTracer) - Number(b.isTracer) || (busy.get(b.key) ?? 0) - (busy.get(a.key) ?? 0));
	}, [tasks.data, users.data]);
}

function Choose() {
	const tasks = useTasks(), requests = useText([...LIST, "--format", "csv"]);
	const [text, setText] = useState("");
	const found = tasks.filter((t) => `${t.host} ${t.name} ${t.process ?? ""}`.toLowerCase().includes(text.toLowerCase()));
	return (
		<div class="split">
			<Card title="Path of a task">
				<input type="search" placeholder="name, tid or host" aria-label="task" value={text} onInput={(e) => setText(e.currentTarget.value)} />
				<div class="scroll"><table class="dense" id="choose-task"><tbody>{found.slice(0, MOST_TASKS).map((t) => (
					<tr class="link" tabIndex={0} onKeyDown={(e) => e.key === "Enter" && change({ path: t.key, req: null }, true)}
						onClick={() => change({ path: t.key, req: null }, true)}>
						<td>{t.name}</td><td class="dim">{t.process ?? ""}</td><td class="dim">{t.host}</td></tr>))}</tbody></table></div>
				<Cut shown={Math.min(MOST_TASKS, found.length)} all={found.length} which="busiest" things="tasks" />
			</Card>
			<Card title="Path of a request" words={LIST}>
				<Loaded of={requests}>{(text) => <table class="dense"><tbody>{parseCsv(text, []).slice(0, 12).map((r: any) => (
					<tr class="link" tabIndex={0} onKeyDown={(e) => e.key === "Enter" && change({ req: r.id, path: null }, true)}
						onClick={() => change({ req: r.id, path: null }, true)}>
						<td>{r.id}</td><td class="n">{duration(r.latency_ns)}</td><td class="dim">{arrows(r.kind)}</td></tr>))}</tbody></table>}</Loaded>
			</Card>
		</div>
	);
}

/** What it cost on all hosts: its waits, CPU time, memory, disk and network, of it and of who worked for it. */
function Cost({ words }: { words: string[] }) {
	const answer = useAnswer(words);
	return (
		<Card title="What it waited for and what it cost, on all hosts" words={words}>
			<Loaded of={answer}>{(a) => <AnswerTable answer={a} />}</Loaded>
		</Card>
	);
}

export function PathView() {
	const answer = usePath(), words = pathWords.value, p = params.value;
	if (!words) return <div class="pad"><div class="view-head"><h1>Path</h1>
		<span class="dim">Where the time of a task or a request went, across hosts</span></div><Choose /></div>;
	return (
		<div class="pad">
			<div class="view-head">
				<h1>Path of {p.req ? `request ${p.req}` : answer.data ? `${answer.data.task.comm}/${answer.data.task.tid} on ${answer.data.task.host}` : "a task"}</h1>
				<button class="chip" onClick={() => change({ req: null, path: null }, true)}>another</button>
			</div>
			<Card title="Where the time went" words={words}>
				<Loaded of={answer}>{(a) => <>
					<Verdict path={a} />
					<div class="view-head">
						<span class="selected-name">{duration(a.total_ns)}</span>
						<span class="dim">{a.task.comm}/{a.task.tid} on {a.task.host} · from +{toSeconds(since(a.begin))} s</span>
						<button class="chip on" onClick={() => toTimeline(a)}>show in the timeline</button>
					</div>
					<Bar parts={partsOf(a)} whole={Number(a.total_ns)} />
					<div style={{ margin: "8px 0 14px" }}><Legend causes={partsOf(a).map((x) => x.cause)} /></div>
					<div class="split">
						<Rows id="path-tasks" columns={BY_TASK} rows={ownShares(a.by_task)} />
						<div><Rows id="path-causes" columns={CAUSES} rows={causesOf(a)} /><div style={{ height: "12px" }} />
							<Rows id="path-hosts" columns={BY_HOST} rows={ownShares(a.by_host)} /></div>
					</div>
					<HeldUp path={a} />
					{Number(a.in_flight_ns) > 0 && <div class="note">Shares by host and task are of the {duration(Number(a.total_ns) - Number(a.in_flight_ns))}{" "}
						that belong to tasks; packets were in flight for {duration(a.in_flight_ns)}.</div>}
				</>}</Loaded>
			</Card>
			<Card title="In the order of time" words={[...words, "--limit", "0"]}>
				<Loaded of={answer}>{(a) => <LongList><Rows columns={SEGMENTS} rows={withLength(a.segments)} /></LongList>}</Loaded>
			</Card>
			{!isReport && <Cost words={["task", ...words.slice(1)]} />}
		</div>
	);
}
