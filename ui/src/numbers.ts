// Numbers as people read them: the same digits as the program prints (src/base/human.c,
// src/cli/text.c), so that page and terminal never disagree.
import type { Num } from "./json";
import { isUtc } from "./state";

/** As printf("%.*f"): exact ties go to the even digit, which toFixed does not do. */
export function fixed(v: number, decimals: number): string {
	const scaled = v * 10 ** decimals;
	const isTie = v * 8 === Math.trunc(v * 8) && Math.abs(scaled % 1) === 0.5;
	const text = isTie
		? ((Math.floor(scaled / 2 + 0.5) * 2) / 10 ** decimals).toFixed(decimals)
		: v.toFixed(decimals);
	return minus(text);
}

/** A minus sign, not a hyphen, of which there was another one in each table. */
function minus(text: string): string {
	return text.startsWith("-") ? `−${text.slice(1)}` : text;
}

export function count(v: Num): string {
	return minus(v.toString()).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** v in the largest unit that keeps it at least 1, with three digits. */
function withUnit(v: number, step: number, units: string[]): string {
	let u = 0;
	while (u + 1 < units.length && Math.abs(v) >= (step > 1000 ? step : 999.5)) {
		v /= step;
		u++;
	}
	const decimals = Math.abs(v) < 9.995 ? 2 : Math.abs(v) < 99.95 ? 1 : 0;
	return `${fixed(v, u ? decimals : 0)} ${units[u]}`;
}

export function bytes(v: Num): string {
	return withUnit(Number(v), 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]);
}

const two = (v: number) => String(Math.floor(v)).padStart(2, "0");

export function duration(v: Num): string {
	const ns = Math.round(Number(v));
	const s = Math.trunc(ns / 1e9);
	if (s >= 86400) return `${Math.floor(s / 86400)}d ${two((s / 3600) % 24)}h`;
	if (s >= 3600) return `${Math.floor(s / 3600)}h ${two((s / 60) % 60)}min`;
	if (s >= 60) return `${Math.floor(s / 60)}min ${two(s % 60)}s`;
	return withUnit(ns, 1000, ["ns", "µs", "ms", "s"]);
}

/** percent: 0..100, as answers have it. */
export function percent(v: number): string {
	return `${fixed(v, Math.abs(v / 100) < 0.0995 ? 2 : 1)} %`;
}

/** A part of a whole; more than all of it, or less than none, says nothing. */
export function share(v: number | null): string {
	return v === null || v < 0 || v > 1 ? "-" : percent(100 * v);
}

export function real(v: number): string {
	if (Math.abs(v) >= 1e7) return minus(v.toPrecision(3));
	return fixed(Math.abs(v) < 0.005 ? 0 : v, 2);
}

/** Seconds to the last digit, for offsets of clocks. */
export function seconds(v: Num): string {
	const ns = BigInt(v);
	const all = ns < 0n ? -ns : ns;
	return `${ns < 0n ? "−" : ""}${all / 1000000000n}.${String(all % 1000000000n).padStart(9, "0")}`;
}

/** Time of day, with this many digits of the second; of the browser's time zone, or UTC. */
export function clock(v: Num, digits = 6): string {
	const ns = BigInt(v);
	let part = ns % 1000000000n;
	if (part < 0n) part += 1000000000n;
	const d = new Date(Number((ns - part) / 1000000n));
	const time = isUtc.value ? d.toISOString().slice(11, 19) : `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
	return digits ? `${time}.${String(part).padStart(9, "0").slice(0, digits)}` : time;
}

export function date(v: Num): string {
	const d = new Date(Number(BigInt(v) / 1000000n));
	if (isUtc.value) return d.toISOString().slice(0, 10);
	return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}`;
}

/** As the page writes them everywhere; the program's are of any terminal's letters. */
export function arrows(text: string): string {
	return text.replaceAll(" -> ", " → ").replace(/(\d) us\b/g, "$1 µs");
}

/** A value of a table, by its column's type; null: unknown. */
export function cell(type: string, v: unknown): string {
	if (v === null || v === undefined) return "-";
	switch (type) {
		case "count": case "frequency": return count(v as Num);
		case "bytes": return bytes(v as Num);
		case "duration": return duration(v as Num);
		case "ratio": return percent(v as number);
		case "real": case "ppm": return real(Number(v));
		case "rate": return `${bytes(Math.round(Number(v)))}/s`;
		case "time": return clock(v as Num);
		case "offset": return seconds(v as Num);
		case "date": return `${date(v as Num)} ${clock(v as Num, 9)}`;
		default: return arrows(String(v));
	}
}

export function isNumeric(type: string): boolean {
	return type !== "text";
}
