// How the page looks: on screens of each size, on a phone, in each theme.
import { check, equal, open, settled, textOf, withPage } from "./browser.mjs";
import { lowContrast } from "./contrast.mjs";
import { json, table } from "./program.mjs";

/** Views that have tables. */
export const VIEWS = ["v=resources", "v=resources&tab=sched", "v=resources&tab=disk", "v=resources&tab=net", "v=resources&tab=syscall",
	"v=resources&tab=irq", "v=resources&tab=futex", "v=resources&tab=io", "v=resources&tab=servers", "v=resources&tab=rates",
	"v=requests", "v=clocks", "v=relations", "v=events&b=2&e=3", "v=path", "v=resources&b=2&e=3.5"];

/** Waits that matter can be told apart, in each theme and set of colours. */
export async function colours() {
	for (const dark of [false, true])
		await withPage({ dark }, async (page) => {
			for (const safe of ["0", "1"]) {
				await open(page, "");
				await page.evaluate((s) => localStorage.setItem("meridian-safe", s), safe);
				await page.reload();
				await settled(page);
				const lights = await page.evaluate(() => ["disk", "lock", "net"].map((name) => {
					const hex = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
					const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
					return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
				}));
				for (const [i, j] of [[0, 1], [0, 2], [1, 2]]) {
					const contrast = Math.max(lights[i], lights[j]) / Math.min(lights[i], lights[j]);
					check(`${dark ? "dark" : "light"} ${safe === "1" ? "safe" : ""}: disk, lock and network differ`, contrast > 1.24, `${i} ${j}: ${contrast}`);
				}
			}
		});
}

/** A phone has the panel below the chart; what a report does not have is not offered. */
export async function phone() {
	await withPage({ width: 390, height: 844 }, async (page) => {
		await page.goto(`file://${process.env.REPORT}#v=timeline`);
		await settled(page);
		const [board, side] = await page.$$eval(".board, .side", (all) => all.map((e) => e.getBoundingClientRect()).map((r) => [r.top, r.bottom, r.width]));
		check("phone: the panel is below the chart", side[0] >= board[1], `${side} ${board}`);
		check("phone: the chart is as wide as the window", board[2] > 380, String(board[2]));
		const views = await page.$$eval(".nav a", (all) => all.map((e) => e.textContent));
		check("report: no ranges to compare", views.length > 5 && !views.some((v) => v.startsWith("Compare")), views.join());
		for (const v of ["resources", "events", "timeline&tab=waits&sb=1&se=2", "path&path=t:a:1", "clocks"]) {
			await page.goto(`file://${process.env.REPORT}#v=${v}`);
			await settled(page);
			equal(`report: ${v} has no errors`, (await page.$$(".error")).length, 0);
		}
	});
}

/** On a very wide screen all views use all of it, side by side, and lines of text stay short. */
export async function wide() {
	await withPage({ width: 3840, height: 2160 }, async (page) => {
		for (const v of ["", ...VIEWS, "v=compare&ra=2~4&rb=5~8", ...(table(json("requests"), "kinds").length ? ["v=compare&tab=paths"] : [])]) {
			await open(page, v);
			const { used, texts } = await page.evaluate(() => {
				const pad = document.querySelector(".pad").getBoundingClientRect();
				const right = Math.max(...[...document.querySelectorAll(".card")].map((c) => c.getBoundingClientRect().right));
				const widthOf = (e) => { const r = document.createRange(); r.selectNodeContents(e); return r.getBoundingClientRect().width; };
				return { used: (right - pad.left) / (innerWidth - pad.left), texts: Math.max(0, ...[...document.querySelectorAll("h1, .lead")].map(widthOf)) };
			});
			check(`${v || "home"} uses a wide screen`, used > 0.95, `${Math.round(100 * used)} % of it`);
			check("and lines of text stay short", texts <= 1201, `${texts} pixels`);
			if (!v) check("headline and lead are below each other", await page.$eval(".lead", (e) => e.getBoundingClientRect().top >=
				document.querySelector("h1").getBoundingClientRect().bottom));
		}
	});
}

/** Nothing is wider than the window. */
export async function sizes() {
	for (const [width, height, dark] of [[1280, 720, false], [1440, 900, true], [3840, 2160, false]])
		await withPage({ width, height, dark }, async (page) => {
			for (const v of ["", "v=timeline", "v=clocks", "v=requests"]) {
				await open(page, v);
				const over = await page.$eval("#main", (m) => m.scrollWidth - m.clientWidth);
				check(`${v || "home"} fits into ${width}x${height}`, over <= 0, `${over} pixels too wide`);
				const wide = await page.$$eval("section.card", (all) => all.filter((c) => c.scrollWidth > c.clientWidth + 1).map((c) =>
					c.querySelector("h2").textContent));
				equal(`${v || "home"} at ${width}x${height}: nothing sticks out of its frame`, wide.join(), "");
				const faint = await page.evaluate(lowContrast);
				equal(`${v || "home"} ${dark ? "dark" : "light"}: texts are read well`, faint.slice(0, 4).join("; "), "");
				equal(`${v || "home"}: no errors shown`, (await page.$$(".error")).length, 0);
			}
			await open(page, "v=timeline&sb=2.5&se=2.655&tab=waits");
			for (const what of [".crumb", ".place", ".tables .cmd span"])
				check(`${what} has room at ${width}x${height}`, await page.$eval(what, (e) => e.scrollWidth <= e.clientWidth + 1 || e.clientWidth > 400), await textOf(page, what));
			const first = table(json("requests"), "kinds").length ? `&req=${table(json("requests", "--list", "-n", "1"), "requests")[0].id}&only=1` : "";
			await open(page, `v=timeline&wake=1&rank=here&sb=2.5&se=2.655${first}`);
			const cut = await page.$$eval(".tools > *", (all) => all.filter((e) => e.scrollWidth > e.clientWidth && e.localName !== "span").map((e) => e.textContent));
			equal(`the bar of the timeline at ${width}x${height}: no label is cut`, cut.join(), "");
			await open(page, "v=requests");
			check("one kind of arrow", !(await textOf(page, "#main")).includes(" -> "));
		});
}
