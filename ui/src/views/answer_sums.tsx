// Who used most, and what was waited for: tables of the summary, each row a way into the timeline.
import { bytes, count, duration } from "../numbers";
import { colour } from "../parts/states";
import { setRange, setSelected, since, toSeconds, whole } from "../range";
import { go } from "../state";

const MOST_ROWS = 8;

function rowsOf(summary: any, id: string): any[] {
	return (summary.tables.find((t: any) => t.id === id)?.rows ?? []).slice(0, MOST_ROWS);
}

/** A row that leads somewhere, by mouse and by keyboard. */
function link(open: (() => void) | null) {
	return open ? { class: "link", tabIndex: 0, onClick: open, onKeyDown: (e: KeyboardEvent) => { if (e.key === "Enter") open(); } } : {};
}

export function Users({ summary }: { summary: any }) {
	return (
		<table class="dense" id="users">
			<thead><tr><th>resource</th><th>host</th><th>task</th><th class="n">time</th><th class="n">bytes</th></tr></thead>
			<tbody>{rowsOf(summary, "top").map((r, i) => (
				<tr key={i} {...link(r.tid === null ? null : () => go({ v: "timeline", row: `t:${r.host}:${r.tid}`, at: null, req: null, path: null }))}>
					<td>{r.resource}</td><td>{r.host ?? "-"}</td><td class="cut" title={r.who ?? undefined}>{r.who}</td>
					<td class="n">{r.time_ns === null ? "" : duration(r.time_ns)}</td><td class="n">{r.bytes === null ? "" : bytes(r.bytes)}</td>
				</tr>))}</tbody>
		</table>
	);
}

/** The longest one, with some time around it. */
function openLongest(w: any) {
	const begin = since(w.max_at), end = begin + Number(w.max_ns), room = Math.max(1e6, 0.5 * (end - begin));
	go({ v: "timeline", ...setRange({ begin: Math.max(0, begin - room), end: Math.min(whole.value.end, end + room) }),
		...setSelected({ begin, end }), row: `t:${w.host}:${w.tid}`, at: toSeconds((begin + end) / 2), req: null, path: null, q: null });
}

export function Waits({ summary }: { summary: any }) {
	return (
		<table class="dense" id="waits">
			<thead><tr><th>cause</th><th>host</th><th class="n">total</th><th class="n">count</th><th class="n">longest</th><th>by</th></tr></thead>
			<tbody>{rowsOf(summary, "waits").map((w, i) => (
				<tr key={i} {...link(w.max_at === null || w.tid === null ? null : () => openLongest(w))}>
					<td><i class="dot" style={{ background: colour(w.cause) }} />{w.cause}</td><td>{w.host}</td>
					<td class="n">{duration(w.total_ns)}</td><td class="n">{count(w.count)}</td><td class="n">{duration(w.max_ns)}</td>
					<td class="cut" title={w.who ?? undefined}>{w.who}</td>
				</tr>))}</tbody>
		</table>
	);
}
