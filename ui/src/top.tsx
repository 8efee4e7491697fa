// The bar above: what was read, how far its clocks can be trusted, what was lost, and the range.
import { rowsOf, useAnswer, status } from "./api";
import { clock, count, duration } from "./numbers";
import { absolute, origin, selected, shown, tabled, toSeconds, whole } from "./range";
import { address, change, isDark, isRecorded, switchTheme } from "./state";
import { openHelp } from "./help";
import { openPalette } from "./palette";

function lastPart(path: string): string {
	return path.replace(/\/+$/, "").split("/").pop() ?? path;
}

function Clocks() {
	const now = status.value!;
	if (now.hosts.length < 2) return null;
	const apart = now.hosts_unsynchronized ?? 0;
	if (apart && !isRecorded.value)
		return <a class="chip warn" href={address({ v: "clocks" })}
			title={`times of ${apart} of ${now.hosts.length} hosts cannot be compared with those of others`}>clocks not aligned</a>;
	const known = isRecorded.value
		? <>clocks as recorded</>
		: <>clocks accurate to {now.likely_p50_ns === undefined ? "?" : duration(now.likely_p50_ns)}{" "}
			<i>({now.bound_p50_ns === undefined ? "worst case not known" : `worst case ${duration(now.bound_p50_ns)}`})</i></>;
	return <a class={isRecorded.value ? "chip on" : "chip"} href={address({ v: "clocks" })}>{known}</a>;
}

function Losses() {
	const check = useAnswer(status.value?.stage === "ready" ? ["check"] : null);
	if (!check.data) return null;
	const sum = (key: string) => rowsOf(check.data, "traces").reduce((n, t) => n + Number(t[key]), 0);
	const events = sum("lost_events"), packets = sum("lost_packets"), errors = sum("errors");
	const words = [events && `${count(events)} ${events === 1 ? "event" : "events"} lost`,
		packets && `${count(packets)} ${packets === 1 ? "packet" : "packets"} lost`,
		errors && `${count(errors)} ${errors === 1 ? "error" : "errors"}`].filter(Boolean);
	return <span class={words.length ? "chip bad" : "chip"}>{words.join(", ") || "nothing lost"}</span>;
}

function Shown() {
	const r = tabled.value ?? shown.value;
	return (
		<a class="chip" href={address({ v: "timeline" })}
			title={`${selected.value ? "selected" : "shown"}: +${toSeconds(r.begin)} s to +${toSeconds(r.end)} s`}>
			{clock(absolute(r.begin), 3)} – {clock(absolute(r.end), 3)}{" "}
			<i>{duration(r.end - r.begin)}</i>
		</a>
	);
}

export function Top() {
	const now = status.value;
	const isReady = now?.stage === "ready";
	return (
		<header class="top">
			<b>meridian</b>
			<span class="crumb" title={now?.traces.join("\n")}>
				{now?.traces.map(lastPart).join(", ")}
				{now && ` · ${now.hosts.length} ${now.hosts.length === 1 ? "host" : "hosts"}`}
				{isReady && origin.value > 0n && ` · ${duration(whole.value.end)}`}
			</span>
			<button class="find" onClick={openPalette}>
				<span>Find a task, host, event, command …</span><kbd>Ctrl K</kbd>
			</button>
			{isReady && <><Clocks /><Losses /><Shown /></>}
			{isReady && tabled.value &&
				<button class="chip" title="show the whole recording" onClick={() =>
					change({ b: null, e: null, sb: null, se: null }, true)}>all</button>}
			<button class="icon" onClick={switchTheme} aria-label="light or dark"
				title="light or dark">{isDark.value ? "☾" : "☀"}</button>
			<button class="icon" onClick={openHelp} aria-label="help" title="keys (?)">?</button>
		</header>
	);
}
