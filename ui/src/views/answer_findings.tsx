// Findings of the summary, each with the moment that shows it best and the command that says more.
import { useState } from "preact/hooks";
import { ask } from "../api";
import { Command } from "../parts/command";
import { wordsOf } from "../commands";
import { arrows, duration } from "../numbers";
import { setRange, setSelected, since, toSeconds, whole } from "../range";
import { go } from "../state";

interface Moment { begin: number; end: number; row?: string }

/** The longest wait of the kind that a finding is about. */
const CAUSES: Record<string, string> = {
	"cpu-queue": "runnable", "network-latency": "network", "disk-waits": "disk", "scheduling-latency": "runnable",
	"lock-waits": "futex", "futex-waits": "futex",
};

function ofWait(summary: any, finding: any): Moment | null {
	const cause = CAUSES[finding.rule];
	const waits = summary.tables.find((t: any) => t.id === "waits")?.rows ?? [];
	const wait = waits.find((w: any) => w.cause === cause && w.host === finding.host);
	if (!wait?.max_at) return null;
	const begin = since(wait.max_at);
	return { begin, end: begin + Number(wait.max_ns), row: `t:${wait.host}:${wait.tid}` };
}

/** The first row of the longest ones, of interrupts as of anything else that has "begin". */
async function ofTop(analysis: string, host: string): Promise<Moment | null> {
	const answer = await ask(["top", analysis, "--host", host, "--limit", "1"]);
	const row = answer.tables[0]?.rows[0];
	if (!row?.begin) return null;
	const begin = since(row.begin), lasts = Number(row.duration_ns ?? row.latency_ns ?? 0);
	return { begin, end: begin + lasts, row: row.tid >= 0 ? `t:${host}:${row.tid}` : undefined };
}

async function momentOf(summary: any, finding: any): Promise<Moment | null> {
	const wait = ofWait(summary, finding);
	if (wait) return wait;
	const words = wordsOf(finding.next ?? "");
	if (finding.host && (words[0] === "stats" || words[0] === "top") && words[1] && !words[1].startsWith("-"))
		return ofTop(words[1], finding.host).catch(() => null);
	return null;
}

/** With some time around it, so that one sees what came before. */
function open(m: Moment | null, finding: any) {
	if (!m) {
		go({ v: "timeline", b: null, e: null, sb: null, se: null, row: null, req: null, path: null, q: finding.host });
		return;
	}
	const room = Math.max(1e6, 1.5 * (m.end - m.begin));
	const view = { begin: Math.max(0, m.begin - room), end: Math.min(whole.value.end, m.end + room) };
	go({ v: "timeline", ...setRange(view), ...setSelected(m), row: m.row, at: m.row ? toSeconds((m.begin + m.end) / 2) : null, req: null, path: null, q: null });
}

function Finding({ finding, summary, hasTimes }: { finding: any; summary: any; hasTimes: boolean }) {
	const [isBusy, setBusy] = useState(false);
	const show = async () => {
		setBusy(true);
		const moment = await momentOf(summary, finding);
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
