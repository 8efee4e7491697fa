// Bars of states, and their legend.
import { duration } from "../numbers";
import { causeName, colour } from "./states";

export interface Part { cause: string; ns: number }

/** In an order that is the same everywhere, so that bars can be compared. */
const ORDER = ["on CPU", "running", "interrupted", "runnable", "queued", "locks", "disk", "network", "below", "requester"];

function place(cause: string): number {
	const at = ORDER.indexOf(cause);
	return at < 0 ? ORDER.length : at;
}

export function sorted(parts: Part[]): Part[] {
	return [...parts].filter((p) => p.ns > 0).sort((a, b) => place(a.cause) - place(b.cause));
}

/** Sums of what has the same cause. */
export function byCause(all: Part[]): Part[] {
	const sums = new Map<string, number>();
	for (const p of all) sums.set(p.cause, (sums.get(p.cause) ?? 0) + p.ns);
	return sorted([...sums].map(([cause, ns]) => ({ cause, ns })));
}

/** whole: what the full width stands for, ns. */
export function Bar({ parts, whole, thin }: { parts: Part[]; whole: number; thin?: boolean }) {
	const text = parts.map((p) => `${causeName(p.cause)} ${duration(p.ns)}`).join("\n");
	return (
		<div class={thin ? "bar thin" : "bar"} title={text} role="img" aria-label={text}>
			{parts.map((p) => (
				<i key={p.cause} style={{ width: `${(100 * p.ns) / whole}%`, background: colour(p.cause) }} />
			))}
		</div>
	);
}

export function Legend({ causes }: { causes: string[] }) {
	return (
		<div class="legend">
			{causes.map((c) => (
				<span key={c}><i style={{ background: colour(c) }} />{causeName(c)}</span>
			))}
		</div>
	);
}
