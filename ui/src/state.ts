// What is looked at, all of it in the address behind '#': reloading or sending it gives the same view.
import { batch, computed, signal } from "@preact/signals";
import { arrive, saveScroll } from "./scroll";

export type Params = Record<string, string>;

function read(): Params {
	const all: Params = {};
	for (const [key, value] of new URLSearchParams(location.hash.slice(1))) all[key] = value;
	return all;
}

export const params = signal<Params>(read());
addEventListener("hashchange", () => (params.value = read()));
addEventListener("popstate", () => (params.value = read()));

function write(all: Params): string {
	const text = new URLSearchParams(all).toString();
	return "#" + text.replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%2F", "/");
}

export type Change = Record<string, string | number | null | undefined>;

/** Views that can show each host's own clock. Requests and findings are those of aligned clocks everywhere: else
 *  packets would arrive before they were sent, and what they are numbered by would change. */
const WITH_CLOCKS = new Set(["timeline", "clocks"]);
const byRecorded = (all: Params) => all.clocks === "recorded" && WITH_CLOCKS.has(all.v ?? "answer");

/** The times of an address by the other clocks; range.ts knows how. */
export const hooks: { otherClocks: (all: Params, toRecorded: boolean) => Params } = { otherClocks: () => ({}) };

function changed(change: Change): Params {
	const all = withChange(change), toRecorded = byRecorded(all);
	if (toRecorded === byRecorded(params.value)) return all;
	const moved = hooks.otherClocks(all, toRecorded);
	for (const key of Object.keys(moved)) if (!(key in change)) all[key] = moved[key];
	return all;
}

function withChange(change: Change): Params {
	const all = { ...params.value };
	for (const [key, value] of Object.entries(change))
		if (value === null || value === undefined || value === "") delete all[key];
		else all[key] = String(value);
	return all;
}

/** The address of the view with something changed, for links. */
export function address(change: Change): string {
	return write(changed(change));
}

/** step: the browser's "back" returns to what was there before. */
export function change(what: Change, step = false) {
	const all = changed(what);
	const hash = write(all);
	if (hash === (location.hash || "#")) return;
	if (step) saveScroll();
	batch(() => {
		if (step) history.pushState(null, "", hash);
		else history.replaceState(history.state, "", hash);
		params.value = all;
	});
	if (step) arrive();
}

export function go(what: Change) {
	change(what, true);
}

export function param(key: string): string | undefined {
	return params.value[key];
}

export const viewName = computed(() => params.value.v ?? "answer");
/** Clocks as they were recorded, instead of aligned? */
export const isRecorded = computed(() => byRecorded(params.value));

/** Times of day in UTC, and on the ruler instead of offsets. */
export const isUtc = computed(() => params.value.utc === "1");
export const isAbsolute = computed(() => params.value.abs === "1");

/** Light or dark: the system's, unless somebody chose. It is no part of what others should see. */
const systemDark = matchMedia("(prefers-color-scheme: dark)");
const chosen = signal<string | null>(localStorage.getItem("meridian-theme"));
const system = signal(systemDark.matches);
systemDark.addEventListener("change", (e) => (system.value = e.matches));
export const isDark = computed(() => (chosen.value ? chosen.value === "dark" : system.value));

/** Colours that do not need red and green to be told apart. */
export const isSafe = signal(localStorage.getItem("meridian-safe") === "1");

export function switchSafe() {
	isSafe.value = !isSafe.value;
	localStorage.setItem("meridian-safe", isSafe.value ? "1" : "0");
}

export function switchTheme() {
	chosen.value = isDark.value ? "light" : "dark";
	localStorage.setItem("meridian-theme", chosen.value);
}
