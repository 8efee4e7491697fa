import { signal } from "@preact/signals";
import { Dialog } from "./dialog";

const isOpen = signal(false);
export const openHelp = () => { isOpen.value = true; };

const KEYS: [string[], string][] = [
	[["Ctrl K", "/"], "find a task, host, request, event, system call, mark, time or command"],
	[["1", "…", "9"], "views, from above to below"],
	[["W", "S"], "zoom in and out, where the pointer is"],
	[["A", "D"], "move to earlier and later; also ← →"],
	[["drag"], "select a range: sums of it stand below; on the ruler: zoom to it"],
	[["Ctrl wheel"], "zoom; with Shift: move; the wheel alone: rows"],
	[["Q", "E"], "begin (A) and end (B) of the selected range: at the selected span, else at the selected moment or the pointer"],
	[["Z"], "zoom to the selected range"],
	[["F"], "fit: what is selected, then everything"],
	[["U"], "undo the last zoom"],
	[["↑", "↓"], "row above, row below, whatever it is of"],
	[["[", "]"], "earlier, later span or bar of the row; also , and ."],
	[["Enter"], "why? of the selected wait; fold or unfold a group of rows"],
	[["J"], "jump to the task that ended the wait, or that had the CPU while it was stolen"],
	[["P"], "the path of the selected task in the range"],
	[["M"], "select the range of the selected span"],
	[["N"], "mark the selected range, or the moment at the pointer, with a note"],
	[["X"], "fold or unfold the selected group, or the host of the selected row"],
	[["I"], "hide or show idle rows"],
	[["T"], "times of day or offsets on the ruler"],
	[["Esc"], "deselect"],
	[["?"], "this list"],
];

export function Help() {
	if (!isOpen.value) return null;
	return (
		<Dialog label="keys" close={() => (isOpen.value = false)}>
			<h2>Keys</h2>
			<div class="keys">
				{KEYS.flatMap(([keys, text]) => [
					<span>{keys.map((k) => <><kbd>{k}</kbd> </>)}</span>, <div>{text}</div>])}
			</div>
		</Dialog>
	);
}
