// Curves over time by uPlot: x is seconds from the begin of the traces; a drag selects a range. Charts that stand below
// each other have the same range, the same width of their axes, and one cursor.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { isDark, isSafe } from "../state";

const LEAST_AXIS = 92, LETTER = 6.6, FEW = 3;

export interface Line { name: string; colour: string; values: (number | null)[]; isDashed?: boolean; isPoints?: boolean; fill?: string }

/** A dashed line at a value, and what lies around it, behind the curves. */
export interface Band { colour: string; at: number; low: number; high: number }

/** Steps of axes with bytes: round in KiB, MiB and so on. */
export const BYTE_STEPS = [0, 1, 2, 3, 4].flatMap((k) => [1, 2, 5, 10, 20, 50, 100, 200, 500].map((n) => n * 1024 ** k));

/** Where a logarithmic axis becomes linear: below a microsecond there is nothing to tell apart, and negative values are on it, too. */
const LINEAR_BELOW_NS = 1000;

/** Powers of ten of a logarithmic axis, to both sides of 0. */
function decades(low: number, high: number): number[] {
	const all: number[] = [];
	for (let v = LINEAR_BELOW_NS; v <= Math.max(-low, high); v *= 10) all.push(-v, v);
	// Around 0 there is no room for both sides of it.
	return [0, ...all].filter((v) => v >= low && v <= high && (low >= 0 || v === 0 || Math.abs(v) >= 100 * LINEAR_BELOW_NS)).sort((a, b) => a - b);
}

function drawBands(u: uPlot, bands: Band[], css: (name: string) => string) {
	const { left, top, width, height } = u.bbox, inside = (v: number) => Math.min(top + height, Math.max(top, u.valToPos(v, "y", true)));
	u.ctx.save();
	for (const b of bands) {
		u.ctx.fillStyle = u.ctx.strokeStyle = css(b.colour);
		u.ctx.globalAlpha = 0.08;
		u.ctx.fillRect(left, inside(b.high), width, inside(b.low) - inside(b.high));
		u.ctx.globalAlpha = 0.9;
		u.ctx.lineWidth = devicePixelRatio;
		u.ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
		u.ctx.beginPath();
		u.ctx.moveTo(left, inside(b.at));
		u.ctx.lineTo(left + width, inside(b.at));
		u.ctx.stroke();
	}
	u.ctx.restore();
}

/** range: of time; else that of the values. */
export function Chart({ x, lines, format, height = 220, onSelect, range, steps, isLog, bands }: { x: number[]; lines: Line[];
	format: (v: number) => string; height?: number; onSelect?: (begin: number, end: number) => void; range?: { begin: number; end: number };
	steps?: number[]; isLog?: boolean; bands?: Band[] }) {
	const box = useRef<HTMLDivElement>(null);
	const dark = `${isDark.value} ${isSafe.value}`;
	useEffect(() => {
		const css = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim() || name;
		const axis = { stroke: css("muted"), grid: { stroke: css("line"), width: 1 }, ticks: { stroke: css("line"), width: 1 },
			font: '11px Inter, system-ui, "DejaVu Sans", sans-serif' };
		const plot = new uPlot({
			width: box.current!.clientWidth, height,
			// The one that is pointed at, here or in the legend, stands out of many.
			...(lines.length > FEW ? { focus: { alpha: 0.12 } } : {}),
			cursor: { sync: { key: "time" }, drag: { x: !!onSelect, y: false, setScale: false }, ...(lines.length > FEW ? { focus: { prox: 12 } } : {}) },
			scales: { x: { time: false, ...(range ? { range: [range.begin / 1e9, range.end / 1e9] as [number, number] } : {}) },
				y: isLog ? { distr: 4, asinh: LINEAR_BELOW_NS } : {} },
			axes: [{ ...axis, values: (_, all) => all.map((v) => `${+v.toFixed(6)} s`) },
				// As wide as its labels: a cut number would be another one.
				{ ...axis, ...(steps ? { incrs: steps } : {}), ...(isLog ? { splits: (_: uPlot, __: number, low: number, high: number) => decades(low, high), filter: (_: uPlot, all: number[]) => all } : {}), size: (_, labels) => Math.max(LEAST_AXIS, 18 + LETTER * Math.max(0, ...(labels ?? []).map((l) => l.length))),
					values: (_, all) => all.map((v) => v === null ? "" : format(v)) }],
			series: [{ label: "time", value: (_, v) => v === null ? "" : `+${+v.toFixed(6)} s` },
				...lines.map((l) => ({ label: l.name, stroke: css(l.colour), width: l.isPoints ? 1 : 1.4,
					fill: l.fill ? css(l.fill) : undefined, dash: l.isDashed ? [5, 4] : undefined,
					points: { show: !!l.isPoints, size: 4, fill: css(l.colour), width: 0 }, paths: l.isPoints ? () => null : undefined,
					value: (_: uPlot, v: number) => v === null ? "" : format(v) }))],
			hooks: { ...(bands?.length ? { drawClear: [(u: uPlot) => drawBands(u, bands, css)] } : {}), setSelect: [(u) => {
				if (!onSelect || u.select.width < 3) return;
				onSelect(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
			}] },
		}, [x, ...lines.map((l) => l.values)] as uPlot.AlignedData, box.current!);
		const watch = new ResizeObserver(() => box.current && plot.setSize({ width: box.current.clientWidth, height }));
		watch.observe(box.current!);
		return () => { watch.disconnect(); plot.destroy(); };
	}, [x, lines, dark, height, range?.begin, range?.end, bands]);
	return <div class="chart" ref={box} />;
}
