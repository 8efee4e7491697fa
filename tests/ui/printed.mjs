// A report as it is printed: printed.mjs, REPORT is the file.
import { check, equal, finish, settled, withPage } from "./browser.mjs";

const VIEWS = ["Requests", "Timeline", "Resources", "Relations", "Clocks"];

for (const [what, hash] of [["home", ""], ["another view", "v=clocks"], ["a part of the timeline", "v=timeline&b=1&e=2"]])
	await withPage({}, async (page) => {
		await page.goto(`file://${process.env.REPORT}#${hash}`);
		await page.waitForFunction(() => document.querySelector(".printed")?.paper?.querySelector("canvas.sheet"), undefined, { timeout: 60000 });
		await settled(page);
		const paper = (selector, what) => page.evaluate(([selector, what]) => [...document.querySelector(".printed").paper.querySelectorAll(selector)]
			.map(new Function("e", `return ${what}`)), [selector, what]);
		equal(`${what}: what the page has is there once`, await page.$$eval("#headline", (all) => all.length), hash ? 0 : 1);
		// On the screen there is nothing of it, nor is it reached by keys.
		const isBeside = await page.$eval(".printed", (e) => e.getBoundingClientRect().right < 0 && e.inert);
		check(`${what}: on the screen it is not seen`, isBeside);
		await page.emulateMedia({ media: "print" });
		equal(`${what}: what is open does not matter`, await page.$eval("#main", (e) => getComputedStyle(e).display), "none");
		const heads = await paper("h1", "e.textContent");
		for (const view of VIEWS) check(`${what}: ${view} is there`, heads.some((h) => h.startsWith(view)), heads.join());
		check(`${what}: and what stands out comes first`, heads[0].length > 20 && !VIEWS.includes(heads[0]), heads[0]);
		const bars = await paper(".bar i, .legend i", "getComputedStyle(e).printColorAdjust");
		check(`${what}: bars keep their colours`, bars.length > 10 && bars.every((b) => b === "exact"), bars.join().slice(0, 100));
		// Lanes of everything, in colours.
		const inks = await page.evaluate(() => [...document.querySelector(".printed").paper.querySelectorAll("canvas.sheet")].map((c) => {
			const d = c.getContext("2d").getImageData(400, 160, c.width - 400, c.height - 160).data;
			let n = 0;
			for (let i = 0; i < d.length; i += 4) if (Math.max(d[i], d[i + 1], d[i + 2]) - Math.min(d[i], d[i + 1], d[i + 2]) > 60) n++;
			return n;
		}));
		check(`${what}: the lanes are drawn`, inks[0] > 2000, inks.join());
		// No card must stay whole where it would leave a sheet half empty.
		equal(`${what}: cards may go on on the next sheet`, (await paper(".card", "getComputedStyle(e).breakInside"))[0], "auto");
		equal(`${what}: nothing is still read`, (await paper(".note", "e.textContent")).filter((t) => t === "reading …").length, 0);
	});
finish();
