// A small curve without axes; most: the value at its top. Where a value is not known (null) there is no line, but hatching.
import { useId } from "preact/hooks";

/** [from, until) of neighbours that are all known, or all not. */
function runs(values: (number | null)[]): { from: number; until: number; isKnown: boolean }[] {
	const all: { from: number; until: number; isKnown: boolean }[] = [];
	values.forEach((v, i) => {
		const last = all.at(-1);
		if (last && last.isKnown === (v !== null)) last.until = i + 1;
		else all.push({ from: i, until: i + 1, isKnown: v !== null });
	});
	return all;
}

export function Spark({ values, most, colour, width = 170, height = 34 }:
	{ values: (number | null)[]; most: number; colour: string; width?: number; height?: number }) {
	const n = values.length, hatch = useId();
	if (n < 2) return null;
	const at = (i: number) => (i * width) / (n - 1);
	const x = (i: number) => at(i).toFixed(1);
	const y = (v: number) => (height - 2 - (height - 4) * Math.min(1, Math.max(0, v / (most || 1)))).toFixed(1);
	const all = runs(values), hasGaps = all.some((r) => !r.isKnown);
	return (
		<svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true" style={{ display: "block" }}>
			{hasGaps && <>
				<title>hatched: unknown</title>
				<pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse">
					<path d="M-1 1L1 -1M0 6L6 0M5 7L7 5" stroke="var(--unknown)" stroke-width="1.4" /></pattern>
			</>}
			{all.map(({ from, until, isKnown }) => {
				// What is not known begins and ends half way to its neighbours.
				const left = Math.max(0, at(from - 0.5)), right = Math.min(width, at(until - 0.5));
				if (!isKnown) return <rect class="gap" x={left} y="0" width={right - left} height={height} fill={`url(#${hatch})`} />;
				const line = values.slice(from, until).map((v, i) => `${x(from + i)} ${y(v!)}`).join(" L");
				return <>
					<path d={`M${x(from)} ${height} L${line} L${x(until - 1)} ${height}Z`} fill={`var(--${colour})`} opacity=".25" />
					<path d={`M${line}`} fill="none" stroke={`var(--${colour})`} stroke-width="1.4" />
				</>;
			})}
		</svg>
	);
}
