// How many lasted how long: buckets of durations that double, as bars; a colour for each group.
import { count, duration } from "../numbers";
import { Nothing } from "./nothing";
import { coloursOf } from "./pairs";

export interface Bucket { group: string; from: number; to: number; count: number }

const WIDTH = 1000, HEIGHT = 150, LEFT = 60, BOTTOM = 18, MOST_GROUPS = 12, LABELS = 9;

/** colourOf: where groups have colours elsewhere, too; what it does not know gets one here. */
export function Histogram({ buckets, colourOf: known }: { buckets: Bucket[]; colourOf?: (group: string) => string | undefined }) {
	const sums = new Map<string, number>();
	for (const b of buckets) sums.set(b.group, (sums.get(b.group) ?? 0) + b.count);
	const groups = [...sums].sort((a, b) => b[1] - a[1]).map(([name]) => name);
	const named = (g: string) => groups.indexOf(g) < MOST_GROUPS ? g : "others";
	const bins = new Map<number, { to: number; parts: Map<string, number>; all: number }>();
	for (const b of buckets) {
		const bin = bins.get(b.from) ?? bins.set(b.from, { to: b.to, parts: new Map(), all: 0 }).get(b.from)!;
		bin.parts.set(named(b.group), (bin.parts.get(named(b.group)) ?? 0) + b.count);
		bin.all += b.count;
	}
	const order = [...bins].sort(([a], [b]) => a - b);
	if (!order.length) return <Nothing />;
	const most = Math.max(...order.map(([, b]) => b.all)), seen = [...new Set(groups.map(named))];
	const low = Math.log2(Math.max(1, order[0][0])), high = Math.log2(Math.max(2, order.at(-1)![1].to));
	const x = (ns: number) => LEFT + ((WIDTH - LEFT) * (Math.log2(Math.max(1, ns)) - low)) / Math.max(1e-9, high - low);
	const own = coloursOf(groups);
	const colourOf = (name: string) => name === "others" ? "var(--muted)" : known?.(name) ?? own.get(name);
	const step = Math.ceil(order.length / LABELS);
	return <>
		<svg class="histogram" viewBox={`0 0 ${WIDTH} ${HEIGHT + BOTTOM}`} role="img" aria-label="how many lasted how long">
			<text x="0" y="11" font-size="11" fill="var(--muted)">{count(most)}</text>
			<rect x={LEFT} y={HEIGHT} width={WIDTH - LEFT} height="1" fill="var(--line)" />
			{order.map(([from, bin], i) => {
				const left = x(from), width = Math.max(1, x(bin.to) - left - 1);
				let y = HEIGHT;
				return (
					<g>
						<title>{`${duration(from)} to ${duration(bin.to)}: ${count(bin.all)}\n${[...bin.parts].map(([g, n]) => `${g}: ${count(n)}`).join("\n")}`}</title>
						{seen.map((name) => {
							const h = (HEIGHT * (bin.parts.get(name) ?? 0)) / most;
							y -= h;
							return h > 0 ? <rect x={left} y={y} width={width} height={h} fill={colourOf(name)} /> : null;
						})}
						{i % step === 0 && <text x={left} y={HEIGHT + 14} font-size="11" fill="var(--muted)">{duration(from)}</text>}
					</g>);
			})}
		</svg>
		<div class="legend">{seen.map((name) => <span key={name}><i style={{ background: colourOf(name) }} />{name}</span>)}</div>
	</>;
}

/** In a decade as many as there are here: what differs by less is the same to the eye. */
const A_DECADE = 8;

/** Of single durations. */
export function bucketsOf(all: { group: string; ns: number }[]): Bucket[] {
	const bins = new Map<string, Bucket>();
	for (const { group, ns } of all) {
		const at = Math.floor(A_DECADE * Math.log10(Math.max(1, ns))), key = `${at} ${group}`, one = bins.get(key);
		if (one) one.count++;
		else bins.set(key, { group, from: 10 ** (at / A_DECADE), to: 10 ** ((at + 1) / A_DECADE), count: 1 });
	}
	return [...bins.values()];
}
