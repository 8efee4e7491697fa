// Where lists were scrolled to belongs to each step of the browser's history: going back, forward and
// reloading return there. It is no part of the address: others have other windows.

type Places = Record<string, number>;
interface Scroller { get: () => number; set: (to: number) => void }

const SAVE_MS = 120, TRY_MS = 60, REST_MS = 900, PATIENCE_MS = 15000;

/** Of what is drawn, and no element: its rows scroll by themselves. */
const drawn = new Map<string, Scroller>();

export function keepsScroll(name: string, s: Scroller): () => void {
	drawn.set(name, s);
	return () => drawn.delete(name);
}

/** The view, and lists in it, by the heading of their card. */
function scrollers(): Map<string, Scroller> {
	const found = new Map(drawn);
	for (const e of document.querySelectorAll<HTMLElement>("#main, #main .scroll, #main .side")) {
		const name = e.id || e.closest(".card")?.querySelector("h2")?.textContent || e.className;
		found.set(name, { get: () => e.scrollTop, set: (to) => { e.scrollTop = to; } });
	}
	return found;
}

/** Where it is still to go to: lists have their length when their answer has come, and what comes above them moves them. */
let wanted: Places | null = null;
let until = 0, since = 0, timer = 0, saving = 0;

/** Keeps where everything is with this step of the history. */
export function saveScroll() {
	clearTimeout(saving);
	saving = 0;
	if (wanted) return;
	const scroll: Places = {};
	for (const [name, s] of scrollers()) if (s.get() > 0) scroll[name] = Math.round(s.get());
	if (JSON.stringify(scroll) !== JSON.stringify(history.state?.scroll ?? {})) history.replaceState({ scroll }, "");
}

/** Where it was when this step of the history was left. */
export function keptScroll(name: string): number | undefined {
	return history.state?.scroll?.[name];
}

/** Something was scrolled; browsers do not take as many states as there are such events. */
export function scrolled() {
	if (!saving) saving = window.setTimeout(saveScroll, SAVE_MS);
}

function giveUp() {
	clearTimeout(timer);
	wanted = null;
}

function tryAgain() {
	const found = scrollers(), now = Date.now(), isAt = (name: string, to: number) => Math.abs((found.get(name)?.get() ?? -1) - to) <= 1;
	for (const [name, to] of Object.entries(wanted ?? {})) {
		if (isAt(name, to)) continue;
		found.get(name)?.set(to);
		since = now;
	}
	if (!wanted || now - since > REST_MS || now > until) giveUp();
	else timer = window.setTimeout(tryAgain, TRY_MS);
}

const place = () => ["v", "tab", "req", "path"].map((key) => new URLSearchParams(location.hash.slice(1)).get(key)).join(" ");
let last = place();

/** At a step of the history: to where it was; at another view for the first time: to its begin. */
export function arrive() {
	const before = last, scroll: Places | undefined = history.state?.scroll;
	last = place();
	if (!scroll && before === last) return;
	giveUp();
	wanted = { main: 0, ...scroll };
	since = Date.now();
	until = since + PATIENCE_MS;
	// What is there now is of the view before.
	timer = window.setTimeout(tryAgain, 0);
}

addEventListener("scroll", scrolled, { capture: true, passive: true });
// Whoever scrolls now knows better.
for (const hand of ["wheel", "pointerdown", "keydown", "touchstart"]) addEventListener(hand, giveUp, { capture: true, passive: true });
// Links leave this step without asking.
addEventListener("click", saveScroll, { capture: true });
addEventListener("pagehide", saveScroll);
addEventListener("popstate", arrive);
if (history.state?.scroll) {
	last = "";
	arrive();
}
