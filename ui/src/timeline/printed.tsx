// The rows of everything as pictures for paper, as many as two sheets have room for.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useLoaded } from "../api";
import { count, duration } from "../numbers";
import { whole } from "../range";
import { isAbsolute, isSafe } from "../state";
import { hasGuests, KernelLegend } from "./details";
import { drawScene, layout, type Scene } from "./draw";
import { type Model, useModel } from "./model";
import { type Palette, readPalette } from "./palette";
import { type Picture, widestStored } from "./picture";
import { allStates } from "./programs";
import type { Row } from "./rows";

const WIDTH = 700, MOST_HEIGHT = 820, MOST_SHEETS = 2, SCALE = 2;

/** Rows that fit on a sheet, by their heights. */
function sheetsOf(rows: Row[]): Row[][] {
	const sheets: Row[][] = [[]];
	let height = 0;
	for (const row of rows) {
		if (height + row.height > MOST_HEIGHT) {
			sheets.push([]);
			height = 0;
		}
		sheets[sheets.length - 1].push(row);
		height += row.height;
	}
	return sheets.filter((s) => s.length);
}

function Sheet({ rows, model, palette, picture }: { rows: Row[]; model: Model; palette: Palette; picture: Picture }) {
	const canvas = useRef<HTMLCanvasElement>(null), { tops, height } = useMemo(() => layout(rows), [rows]), states = allStates.value;
	useEffect(() => {
		const c = canvas.current!, g = c.getContext("2d")!, all = whole.peek();
		c.width = WIDTH * SCALE;
		c.height = height * SCALE;
		g.setTransform(SCALE, 0, 0, SCALE, 0, 0);
		const scene: Scene = { width: WIDTH, height, view: all, whole: all, rows, scroll: 0, tasks: model.tasks!, palette, pictures: [picture],
			states: [states], path: [], selectedRow: undefined, selected: null, span: null, isAbsolute: isAbsolute.peek(), load: model.load,
			losses: model.losses, arrows: [], density: model.density, likely: 0, bound: 0 };
		drawScene(g, scene, tops);
	}, [rows, model.load, model.density, palette, picture, states]);
	return <canvas ref={canvas} class="sheet" style={{ width: `${WIDTH}px`, height: `${height}px` }} />;
}

export function PrintedTimeline() {
	const model = useModel(), picture = useLoaded("the widest picture", widestStored);
	const palette = useMemo(() => model.tasks && readPalette(model.tasks, SCALE), [model.tasks, isSafe.value]);
	const sheets = useMemo(() => sheetsOf(model.rows), [model.rows]);
	if (!palette || !picture.data || !sheets.length) return null;
	const shown = sheets.slice(0, MOST_SHEETS), n = shown.reduce((sum, s) => sum + s.length, 0);
	return (
		<div class="pad">
			<h1>Timeline</h1>
			<p class="lead small">{duration(whole.value.end)}, everything.{n < model.rows.length && ` The first ${count(n)} of ${count(model.rows.length)} rows.`}</p>
			{shown.map((rows, i) => <Sheet key={i} rows={rows} model={model} palette={palette} picture={picture.data!} />)}
			<KernelLegend hasGuests={hasGuests(model.tasks!, [picture.data])} hasRanks={model.rows.some((r) => r.program?.isRank)} />
		</div>
	);
}
