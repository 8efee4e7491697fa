// Curves over time by uPlot: x is seconds from the begin of the traces; a drag selects a range.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { isDark, isSafe } from "../state";

const LEAST_AXIS = 74, LETTER = 6.6, FEW = 3;

export interface Line { name: string; colour: string; values: (number | null)[]; isDashed?: boolean; isPoints?: boolean; fill?: string }

export function Chart({ x, lines, format, height = 220, onSelect }: { x: number[]; lines: Line[];
	format: (v: number) => string; height?: number; onSelect?: (begin: number, end: number) => void }) {
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
			cursor: { drag: { x: !!onSelect, y: false, setScale: false }, ...(lines.length > FEW ? { focus: { prox: 12 } } : {}) },
			scales: { x: { time: false } },
			axes: [{ ...axis, values: (_, all) => all.map((v) => `${+v.toFixed(6)} s`) },
				// As wide as its labels: a cut number would be another one.
				{ ...axis, size: (_, labels) => Math.max(LEAST_AXIS, 18 + LETTER * Math.max(0, ...(labels ?? []).map((l) => l.length))),
					values: (_, all) => all.map((v) => v === null ? "" : format(v)) }],
			series: [{ label: "time", value: (_, v) => v === null ? "" : `+${+v.toFixed(6)} s` },
				...lines.map((l) => ({ label: l.name, stroke: css(l.colour), width: l.isPoints ? 1 : 1.4,
					fill: l.fill ? css(l.fill) : undefined, dash: l.isDashed ? [5, 4] : undefined,
					points: { show: !!l.isPoints, size: 4, fill: css(l.colour), width: 0 }, paths: l.isPoints ? () => null : undefined,
					value: (_: uPlot, v: number) => v === null ? "" : format(v) }))],
			hooks: { setSelect: [(u) => {
				if (!onSelect || u.select.width < 3) return;
				onSelect(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
			}] },
		}, [x, ...lines.map((l) => l.values)] as uPlot.AlignedData, box.current!);
		const watch = new ResizeObserver(() => box.current && plot.setSize({ width: box.current.clientWidth, height }));
		watch.observe(box.current!);
		return () => { watch.disconnect(); plot.destroy(); };
	}, [x, lines, dark, height]);
	return <div class="chart" ref={box} />;
}
