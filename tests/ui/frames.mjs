// How smooth the timeline is: times of frames while it is moved and zoomed, and the heap afterwards.
import { open, withPage } from "./browser.mjs";

const LEVELS = 4;

/** Milliseconds between frames while something is done. */
async function frames(page, act) {
	await page.evaluate(() => {
		const all = (window.frameTimes = []);
		let last = performance.now();
		const step = (t) => {
			all.push(t - last);
			last = t;
			if (window.frameTimes === all) requestAnimationFrame(step);
		};
		requestAnimationFrame(step);
	});
	await act();
	const all = await page.evaluate(() => { const t = window.frameTimes; window.frameTimes = null; return t.slice(2); });
	all.sort((a, b) => a - b);
	return `${all.length} frames, p50 ${all[all.length >> 1].toFixed(1)} ms, p95 ${all[Math.floor(0.95 * all.length)].toFixed(1)} ms, max ${
		all.at(-1).toFixed(1)} ms`;
}

await withPage({}, async (page) => {
	await open(page, "v=timeline");
	const box = await page.locator(".board").boundingBox(), x = box.x + 700, y = box.y + 200;
	await page.mouse.move(x, y);
	for (let level = 0; level < LEVELS; level++) {
		const panned = await frames(page, async () => {
			await page.keyboard.down("Shift");
			await page.mouse.down();
			for (let i = 0; i < 60; i++) {
				await page.mouse.move(x + 250 * Math.sin(i / 8), y);
				await page.waitForTimeout(12);
			}
			await page.mouse.up();
			await page.keyboard.up("Shift");
		});
		console.log(`moving, level ${level}: ${panned}`);
		const zoomed = await frames(page, async () => {
			await page.keyboard.down("Control");
			for (let i = 0; i < 12; i++) {
				await page.mouse.wheel(0, -120);
				await page.waitForTimeout(16);
			}
			await page.keyboard.up("Control");
		});
		console.log(`zooming, level ${level}: ${zoomed}`);
		await page.waitForTimeout(800);
	}
	console.log(`heap: ${(await page.evaluate(() => performance.memory.usedJSHeapSize / 1e6)).toFixed(1)} MB`);
});
