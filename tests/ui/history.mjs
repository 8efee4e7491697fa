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
	await open(page, "v=events");
	const boxes = () => page.$$eval("#main .pad *", (all) => all.filter((e) => /auto|scroll/.test(getComputedStyle(e).overflowY) && e.scrollHeight > e.clientHeight + 1).length);
	const top = () => page.$eval("#main", (e) => Math.round(e.scrollTop));
	const seen = () => page.$$eval("#events tbody tr", (all) => all.filter((e) => e.offsetHeight).length);
	equal("long tables begin with their first rows", await seen(), 25);
	await page.click("#events ~ .more-rows");
	await settled(page);
	check("all of them are there", (await seen()) > 100, String(await seen()));
	equal("in the address", (await hashOf(page)).whole, "events");
	for (const view of ["events&whole=events,event-counts", "resources", "requests", "path"]) {
		if (view !== "events&whole=events,event-counts") await open(page, `v=${view}`);
		equal(`${view}: nothing scrolls in the page that scrolls`, await boxes(), 0);
	}
	await open(page, "v=events&whole=events,event-counts");
	const table = await page.locator("#events").boundingBox();
	await page.mouse.move(table.x + 200, Math.max(table.y, 0) + 150);
	await page.mouse.wheel(0, 600);
	check("the wheel over a table moves the page", (await eventually(async () => (await top()) === 600)) === true, String(await top()));
	await page.evaluate(() => { document.querySelector("#main").scrollTop = 1300; });
	await page.waitForTimeout(400);
	await stays(page, "the page is where it was", async () => (await top()) === 1300 || String(await top()));
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
