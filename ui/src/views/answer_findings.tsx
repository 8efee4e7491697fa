// Findings of the summary, each with the moment that shows it best and the command that says more.
import { useState } from "preact/hooks";
import { ask, rowsOf } from "../api";
import { Command } from "../parts/command";
import { wordsOf } from "../commands";
import { arrows, duration } from "../numbers";
import { rangeWords, setRange, setSelected, since, toSeconds, whole } from "../range";
import { go } from "../state";

/** row alone: all of its time. */
interface Moment { begin?: number; end?: number; at?: number; row?: string; open?: string }

/** The longest wait of the kind that a finding is about. */
const CAUSES: Record<string, string> = {
	"disk-waits": "disk", "major-faults": "disk", "lock-waits": "futex", "futex-waits": "futex",
};

const isNumber = (v: any) => v !== null && v !== undefined && v >= 0;

/** As text of a filter, where * and ? are wildcards. */
const quoted = (text: string) => text.replace(/[\\"*?]/g, "\\$&");

function lasting(t: any, ns: any, row: string | undefined): Moment {
	const begin = since(t);
	return { begin, end: begin + Number(ns ?? 0), row };
}

function ofWait(summary: any, finding: any): Moment | null {
	const waits = summary.tables.find((t: any) => t.id === "waits")?.rows ?? [];
	const wait = waits.find((w: any) => w.cause === CAUSES[finding.rule] && w.host === finding.host);
	return wait?.max_at ? lasting(wait.max_at, wait.max_ns, `t:${wait.host}:${wait.tid}`) : null;
}

/** The longest such wait of the task that the finding names. */
async function ofTask(f: any): Promise<Moment | null> {
	const answer = await ask(["blocked", "--all", "--flat", "--limit", "0", "--tid", String(f.tid), "--host", f.host]);
	const waits = rowsOf(answer, "waits").filter((w: any) => w.cause === CAUSES[f.rule] && w.max_at).sort((a: any, b: any) => Number(b.max_ns - a.max_ns));
	return waits.length ? lasting(waits[0].max_at, waits[0].max_ns, `t:${f.host}:${f.tid}`) : null;
}

/** The longest wait for a CPU of that task. */
async function ofLatency(f: any): Promise<Moment | null> {
	const answer = await ask(["top", "sched", "--host", f.host, "--tid", String(f.tid), "--limit", "1"]);
	const row = answer.tables[0]?.rows[0];
	return row?.begin ? lasting(row.begin, row.latency_ns, `t:${f.host}:${f.tid}`) : null;
}

/** The task whose wait the packet ended: the first one on its CPU that was woken then, if its path says so. */
async function wokenBy(packet: any, host: string): Promise<number | null> {
	const at = since(packet.begin);
	const log = await ask(["log", "sched", "--all", "--host", host, "--cpu", String(packet.cpu), "--filter", 'cause == "network"', "--limit", "1",
		...rangeWords({ begin: at, end: at + 1e6 })]);
	const woken = log.tables[0]?.rows[0];
	if (!woken || !isNumber(woken.tid)) return null;
	const path = await ask(["path", "--tid", String(woken.tid), "--host", host, // from before it was sent, to have its sender
		...rangeWords({ begin: at - Number(packet.duration_ns) - 1e5, end: since(woken.begin) })]);
	return rowsOf(path, "links").some((l) => l.kind === "network" && l.to_tid === woken.tid && since(l.to_time) === at) ? woken.tid : null;
}

/** Of the packets that the finding has the latency of, the one that was longest in flight while a task waited for it. */
async function ofFlight(f: any): Promise<Moment | null> {
	const of = `direction == "received" && peer == "${quoted(f.object)}"`;
	const answer = await ask(["log", "net", "--host", f.host, "--filter", of, "--sort", "duration_ns", "--limit", "20"]);
	for (const p of answer.tables[0]?.rows ?? []) {
		const tid = isNumber(p.duration_ns) ? await wokenBy(p, f.host).catch(() => null) : null;
		if (tid !== null) return { begin: since(p.begin) - Number(p.duration_ns), end: since(p.begin), row: `t:${f.host}:${tid}` };
	}
	return null;
}

/** The longest time that somebody waited while the one who used most CPU time had the CPU; that one is selected. */
async function ofQueue(f: any): Promise<Moment | null> {
	const of = isNumber(f.tid) ? `next_tid == ${f.tid}` : `next_comm == "${quoted(f.comm)}"`;
	const answer = await ask(["top", "sched", "--host", f.host, "--filter", of, "--limit", "1"]);
	const row = answer.tables[0]?.rows[0];
	if (!row?.begin) return null;
	const wait = lasting(row.begin, row.latency_ns, `t:${f.host}:${row.next_tid}`), half = Number(row.next_ns ?? 2) / 2;
	// It had the CPU already, or got it when others were done.
	const first = wait.begin! + half, state = await ask(["state", "--at", `+${toSeconds(first)}s`, "--host", f.host, "--tid", String(row.next_tid)]);
	const has = state.tables.find((t: any) => t.id === "tasks")?.rows[0]?.state;
	return { ...wait, at: has === "blocked" || has === "runnable" ? wait.end! - half : first };
}

/** The first row of the longest ones, of interrupts as of anything else that has "begin". */
async function ofTop(analysis: string, f: any): Promise<Moment | null> {
	const answer = await ask(["top", analysis, "--host", f.host, "--limit", "20"]), rows = answer.tables[0]?.rows ?? [];
	// Of all interrupts, those that it is about.
	const row = rows.find((r: any) => f.rule === `${r.kind}s`) ?? rows[0];
	if (!row?.begin) return null;
	const handler = row.kind ? `i:${f.host}:${row.kind} ${row.name ?? row.nr ?? "?"}` : null;
	// What interrupts took of a CPU that had nothing to do is in their own rows alone.
	if (handler) return { ...lasting(row.begin, row.duration_ns, handler), open: `g:${f.host}:interrupts` };
	const key = isNumber(row.tid) ? `t:${f.host}:${row.tid}` : isNumber(row.cpu) ? `c:${f.host}:${row.cpu}` : undefined;
	return lasting(row.begin, row.duration_ns ?? row.latency_ns, key);
}

async function momentOf(summary: any, f: any): Promise<Moment | null> {
	const isTask = isNumber(f.tid), words = wordsOf(f.next ?? "");
	const named = f.rule === "cpu-queue" && (isTask || f.comm) ? await ofQueue(f)
		: f.rule === "scheduling-latency" && isTask ? await ofLatency(f)
			: f.rule === "network-latency" ? await ofFlight(f)
				: CAUSES[f.rule] && isTask ? await ofTask(f) : null;
	if (named) return named;
	if (isTask) return { row: `t:${f.host}:${f.tid}` };
	const wait = ofWait(summary, f);
	if (wait) return wait;
	return f.host && (words[0] === "stats" || words[0] === "top") && words[1] && !words[1].startsWith("-") ? ofTop(words[1], f) : null;
}

/** With some time around it, so that one sees what came before. */
function open(m: Moment | null, finding: any) {
	const nothing = { v: "timeline", b: null, e: null, sb: null, se: null, row: null, at: null, lvl: null, open: null, req: null, path: null, q: null };
	if (!m) return go({ ...nothing, q: finding.host });
	const { begin, end, row } = m;
	if (begin === undefined || end === undefined) return go({ ...nothing, row });
	const room = Math.max(1e6, 1.5 * (end - begin));
	const view = { begin: Math.max(0, begin - room), end: Math.min(whole.value.end, end + room) };
	go({ ...nothing, open: m.open, ...setRange(view), ...setSelected({ begin, end }), row, at: row ? toSeconds(m.at ?? (begin + end) / 2) : null });
}

function Finding({ finding, summary, hasTimes }: { finding: any; summary: any; hasTimes: boolean }) {
	const [isBusy, setBusy] = useState(false);
	const show = async () => {
		setBusy(true);
		const moment = await momentOf(summary, finding).catch(() => null);
		setBusy(false);
		open(moment, finding);
	};
	return (
		<div class={hasTimes ? "finding" : "finding plain"}>
			{hasTimes && <b>{finding.kind === "note" ? "" : finding.time_ns !== null && duration(finding.time_ns)}</b>}
			<span>{finding.host && <b>{finding.host}: </b>}<span class="what">{arrows(finding.finding)}</span></span>
			{finding.host ? <button class="chip" disabled={isBusy} onClick={show}>show</button> : <span />}
			{finding.next ? <Command words={wordsOf(finding.next)} /> : <span />}
		</div>
	);
}

export function Findings({ summary }: { summary: any }) {
	const rows = summary.tables.find((t: any) => t.id === "findings")?.rows ?? [];
	const hasTimes = rows.some((f: any) => f.kind !== "note" && f.time_ns !== null);
	if (!rows.length) return <div class="note">Nothing stands out.</div>;
	return <div id="findings">{rows.map((f: any, i: number) =>
		<Finding key={i} finding={f} summary={summary} hasTimes={hasTimes} />)}</div>;
}
