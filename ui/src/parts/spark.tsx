// A small curve without axes; most: the value at its top.

export function Spark({ values, most, colour, width = 170, height = 34 }:
	{ values: number[]; most: number; colour: string; width?: number; height?: number }) {
	const n = values.length;
	if (n < 2) return null;
	const x = (i: number) => ((i * width) / (n - 1)).toFixed(1);
	const y = (v: number) => (height - 2 - (height - 4) * Math.min(1, Math.max(0, v / (most || 1)))).toFixed(1);
	const line = values.map((v, i) => `${x(i)} ${y(v)}`).join(" L");
	return (
		<svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true" style={{ display: "block" }}>
			<path d={`M0 ${height} L${line} L${width} ${height}Z`} fill={`var(--${colour})`} opacity=".25" />
			<path d={`M${line}`} fill="none" stroke={`var(--${colour})`} stroke-width="1.4" />
		</svg>
	);
}
