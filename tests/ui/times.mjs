// How long a person waits for the page, in ms from the start of the server: times.mjs WHAT. The server is
// started by whoever runs this: START is when, in ms since 1970.
import { withPage } from "./browser.mjs";

const start = Number(process.env.START), what = process.argv[2];
const MOST_MS = 300000;

await withPage({}, async (page) => {
	const opened = Date.now();
	await page.goto(`${process.env.PAGE_URL}#v=timeline&fold=q:requests`, { waitUntil: "commit" });
	const when = async (name, isThere) => {
		await page.waitForFunction(isThere, undefined, { timeout: MOST_MS, polling: 20 });
		const now = Date.now();
		console.log(`${what}: ${name}: ${now - start} ms after the start, ${now - opened} ms after it was opened`);
	};
	await when("first content", () => document.querySelector("h1, .board") !== null);
	await when("overview of what was recorded", () => document.querySelector(".board[data-rows]:not([data-rows='0'])") !== null ||
		document.querySelectorAll("table svg").length > 0);
	await when("rows of the timeline", () => {
		const board = document.querySelector(".board[data-rows]:not([data-rows='0']) canvas");
		if (!board || !board.width) return false;
		// Something coloured right of the labels: states are drawn.
		const d = board.getContext("2d").getImageData(200, 80, board.width - 200, board.height - 80).data;
		for (let i = 0; i < d.length; i += 4) if (Math.max(d[i], d[i + 1], d[i + 2]) - Math.min(d[i], d[i + 1], d[i + 2]) > 60) return true;
		return false;
	});
	// By the page's own clock, without the browser's way to its first page.
	const painted = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
	console.log(`${what}: first painted ${Math.round(painted)} ms after the browser had the address`);
	console.log(`${what}: heap ${(await page.evaluate(() => performance.memory.usedJSHeapSize / 1e6)).toFixed(1)} MB`);
});
