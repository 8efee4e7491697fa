// Stolen time: guests.mjs. The selected span is the longest that the program knows of.
import { check, equal, eventually, finish, hashOf, open, settled, textOf, withPage } from "./browser.mjs";
import { json, table } from "./program.mjs";

const path = json("path", "--host", "l2", "--tid", "178", "--begin", "+6s", "--end", "+8s");
/** By the aligned clocks. */
const begin = BigInt((await (await fetch(`${process.env.PAGE_URL}api/status`)).json()).begin);
const theft = table(path, "segments").filter((s) => s.tid === 178 && s.cause === "stolen" && s.detail)
	.map((s) => ({ ...s, ns: Number(BigInt(s.end) - BigInt(s.begin)), at: Number((BigInt(s.begin) + BigInt(s.end)) / 2n - begin) / 1e9 }))
	.sort((a, b) => b.ns - a.ns)[0];

/** Pixels of the colour in the row of the selected span, by the style sheet's name. */
const pixels = (page, name) => page.evaluate((name) => {
	const hex = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
	const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)), canvas = document.querySelector("#timeline");
	const d = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
	let n = 0;
	for (let i = 0; i < d.length; i += 4) if (d[i] === r && d[i + 1] === g && d[i + 2] === b) n++;
	return n;
}, name);

await withPage({}, async (page) => {
	check("there is a theft to look at", !!theft);
	const at = theft.at.toFixed(9).replace(/0+$/, "");
	for (const [what, row] of [["of the task", "t:l2:178"], ["of the CPU", "c:l2:0"]]) {
		await open(page, `v=timeline&b=${(theft.at - 0.02).toFixed(3)}&e=${(theft.at + 0.02).toFixed(3)}&row=${row}&at=${at}`);
		equal(`${what}: who had the CPU`, await textOf(page, "#thief"), theft.detail);
		const state = await textOf(page, "#facts");
		check(`${what}: no interrupt`, state.startsWith("stateCPU stolen") && !state.includes("interrupt"), state);
		check(`${what}: the legend has it`, (await textOf(page, ".side")).includes("CPU stolen"));
		const stolen = await pixels(page, "stolen"), interrupted = await pixels(page, "irq");
		check(`${what}: it is drawn in its colour`, stolen > 1000 && stolen > interrupted, `${stolen} ${interrupted}`);
		await page.keyboard.press("j");
		await settled(page);
		const [, tid, host] = /\/(\d+) on (\S+)$/.exec(theft.detail);
		equal(`${what}: J goes to who had it`, (await hashOf(page)).row, `t:${host}:${tid}`);
	}
	// From afar it has its colour, too.
	await open(page, "v=timeline&row=t:l2:178");
	check("from afar it is drawn in its colour", await eventually(async () => await pixels(page, "stolen") > 100) === true);
});
finish();
