// What a reload, the way back and a link keep: how tables are sorted, and how far lists were scrolled.
import { canvasOf, check, equal, eventually, hashOf, open, rowsOf, settled } from "./browser.mjs";

/** The same after a reload, elsewhere and back, and for whoever gets the link. */
async function stays(page, what, isSo) {
	const same = async (how) => check(`${what} ${how}`, (await eventually(isSo)) === true, String(await isSo()));
	await page.reload();
	await settled(page);
	await same("after a reload");
	await page.keyboard.press("1");
	await settled(page);
	await page.goBack();
	await settled(page);
	await same("after the way back");
}

export async function sorts(page) {
	await open(page, "v=clocks");
	const heads = () => page.$$eval("#latencies th", (all) => all.map((th) => `${th.textContent} ${th.ariaSort ?? ""}`.trim()));
	const values = async () => {
		const column = (await heads()).findIndex((h) => h.startsWith("messages"));
		return (await rowsOf(page, "#latencies")).map((r) => Number(r[column].replaceAll(",", "")));
	};
	const before = (await values()).join(), click = () => page.click("#latencies th:has-text('messages') button");
	await click();
	const down = (await values()).join(), isDown = async () => (await values()).join() === down || down;
	equal("a heading sorts", down, before.split(",").sort((a, b) => b - a).join());
	check("and says so", (await heads()).some((h) => h.endsWith("descending")), (await heads()).join());
	equal("in the address", (await hashOf(page)).sort, "latencies:count:down");
	await stays(page, "the table is sorted", isDown);
	await open(page, "v=clocks&sort=latencies:count:up,nobody:x:up,latencies");
	equal("a link sorts", (await values()).join(), down.split(",").reverse().join());
	await click();
	equal("a third click gives the order of the command", (await values()).join(), before);
	await open(page, "v=timeline&tab=tasks");
	await page.click(".tables th:has-text('tid') button");
	equal("the tables of the timeline have names, too", (await hashOf(page)).sort, "top-cpu-top:tid:down");
	await open(page, "v=timeline&tab=waits&sort=blocked:count:up");
	equal("each its own", await page.$$eval(".tables th[aria-sort]", (all) => all.map((th) => th.ariaSort).join()), "ascending");
}

export async function scrolls(page) {
	await open(page, "v=resources");
	const where = () => page.evaluate(() => [document.querySelector("#main"), ...document.querySelectorAll(".card .scroll")].map((e) => Math.round(e.scrollTop)).join());
	await page.evaluate(() => {
		document.querySelector("#main").scrollTop = 300;
		for (const [i, e] of document.querySelectorAll(".card .scroll").entries()) e.scrollTop = 50 * (i + 1);
	});
	await page.waitForTimeout(400);
	const before = await where(), isThere = async () => (await where()) === before || await where();
	check("there is something to scroll", /^300,50/.test(before), before);
	await stays(page, "lists are where they were", isThere);
	await page.keyboard.press("7");
	await settled(page);
	equal("another view is seen from its begin", await page.$eval("#main", (e) => e.scrollTop), 0);

	await open(page, "v=timeline&idle=1");
	const box = await page.locator(".board").boundingBox(), first = await canvasOf(page);
	await page.mouse.move(box.x + 100, box.y + 200);
	await page.mouse.wheel(0, 400);
	await page.waitForTimeout(400);
	await page.mouse.move(5, 5);
	await settled(page);
	const scrolled = await canvasOf(page);
	check("rows scroll", scrolled !== first);
	await stays(page, "rows are where they were", async () => (await canvasOf(page)) === scrolled || "another picture");
}
