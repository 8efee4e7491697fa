// Marks in the timeline: flags on the ruler, a list at the right, and the note that is asked for.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { Dialog } from "../dialog";
import { addMark, type Mark, marks, marksError, marksFile, removeMark } from "../marks";
import { duration } from "../numbers";
import { Command } from "../parts/command";
import { type Range, selected, setRange, setSelected, shown, toSeconds, whole } from "../range";
import { isReport } from "../report";
import { go } from "../state";
import { HEAD, LABELS, RULER, colour, FONT, type Scene, xOf } from "./draw";

/** What the note that is being written is of. */
const asked = signal<Range | null>(null);

/** The selected range; else this moment, or the middle. */
export function askMark(at: number | null) {
	const s = selected.peek(), v = shown.peek(), t = Math.round(at ?? (v.begin + v.end) / 2);
	asked.value = s ?? { begin: t, end: t };
}

export function openMark(m: Mark) {
	const view = shown.peek(), length = m.end - m.begin, all = whole.peek().end;
	const room = length ? 0.15 * length : (view.end - view.begin) / 2;
	const isInside = m.begin >= view.begin && m.end <= view.end && (!length || length > 0.05 * (view.end - view.begin));
	go({ v: "timeline", ...(length ? setSelected(m) : {}), ...(isInside ? {} :
		setRange({ begin: Math.max(0, m.begin - room), end: Math.min(all, m.end + room) })) });
}

export function Note() {
	const [text, setText] = useState(""), r = asked.value;
	if (!r) return null;
	const close = () => { asked.value = null; setText(""); };
	const save = (e: Event) => {
		e.preventDefault();
		void addMark(r, text);
		close();
	};
	return (
		<Dialog label="mark" close={close}>
			<form onSubmit={save} class="note-form">
				<input type="text" maxLength={300} placeholder="note" aria-label="note" value={text} onInput={(e) => setText(e.currentTarget.value)} />
				<div class="view-head"><span class="dim small">{r.end > r.begin ? `+${toSeconds(r.begin)} s, for ${duration(r.end - r.begin)}` : `+${toSeconds(r.begin)} s`}</span>
					<button class="chip on" type="submit">mark</button></div>
			</form>
		</Dialog>
	);
}

export function MarkList() {
	if (isReport && !marks.value.length && !marksError.value) return null;
	return <>
		<h2 class="gap">Marks</h2>
		{marksError.value && <div class="error">{marksError.value}</div>}
		{marks.value.length === 0 && <p class="dim small"><kbd>N</kbd> marks the selected range, or the moment at the pointer, with a note.</p>}
		<table class="dense small" id="marks"><tbody>
			{marks.value.map((m) => (
				<tr class="link" key={m.line} tabIndex={0} onClick={() => openMark(m)} onKeyDown={(e) => e.key === "Enter" && openMark(m)}>
					<td class="cut">{m.text || "without a note"}</td>
					<td class="n dim">{m.end > m.begin ? duration(m.end - m.begin) : ""}</td>
					{!isReport && <td class="n"><button class="text" aria-label={`remove the mark ${m.text}`} title="remove"
						onClick={(e) => { e.stopPropagation(); void removeMark(m); }}>×</button></td>}
				</tr>))}
		</tbody></table>
		{marks.value.length > 0 && <div title={`kept in ${marksFile.value}`}><Command words={["top", "cpu", "--marks", "-"]} /></div>}
	</>;
}

/** Over the ruler: a band where it is a range, and a flag. */
export function drawMarks(g: CanvasRenderingContext2D, s: Scene) {
	g.font = `600 10px ${FONT}`;
	let free = 0;
	for (const m of marks.peek()) {
		const a = xOf(s, m.begin), b = xOf(s, m.end);
		if (b < LABELS || a > s.width) continue;
		const left = Math.max(LABELS, a), right = Math.min(s.width, b);
		g.fillStyle = colour(s, "warn");
		g.globalAlpha = 0.18;
		g.fillRect(left, HEAD - RULER, Math.max(1, right - left), RULER);
		g.globalAlpha = 0.75;
		if (a >= LABELS) g.fillRect(a, HEAD - RULER, 1, s.height);
		if (m.end > m.begin && b <= s.width) g.fillRect(b - 1, HEAD - RULER, 1, s.height);
		g.globalAlpha = 1;
		g.fillRect(left, HEAD - 4, Math.max(5, right - left), 3);
		const width = g.measureText(m.text).width;
		// Notes that would lie over others are in the list.
		if (left < free || left + width + 8 > s.width) continue;
		g.fillStyle = colour(s, "bg");
		g.globalAlpha = 0.92;
		g.fillRect(left + 1, HEAD - RULER + 2, width + 7, RULER - 6);
		g.globalAlpha = 1;
		g.fillStyle = colour(s, "warn");
		g.fillText(m.text, left + 4, HEAD - 6);
		free = left + width + 12;
	}
}
