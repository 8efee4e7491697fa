// What people ask first, and how many clicks it takes: three at most, from the first view on.
import { check, eventually, open, settled, withPage } from "./browser.mjs";
import { json, lines, plain, table } from "./program.mjs";

const MOST_CLICKS = 3;

/** A question: clicks on these, in order; then this must be on the page. */
async function question(page, text, clicks, isAnswered) {
	await open(page, "");
	for (const selector of clicks) {
		await page.click(selector, { timeout: 20000 }).catch((e) => check(text, false, `${selector}: ${e.message.split("\n")[0]}`));
		await settled(page);
	}
	check(`${text}: ${clicks.length} clicks`, clicks.length <= MOST_CLICKS);
	const why = await eventually(isAnswered);
	check(text, why === true, why);
}

const view = (name) => `.nav a:text("${name}")`;

await withPage({}, async (page) => {
	const body = async () => plain(await page.$eval("#main", (m) => m.innerText));
	const has = async (...texts) => {
		const all = await body();
		return texts.every((t) => all.includes(plain(String(t)))) || `lacks one of ${texts.join(" | ")}`;
	};
	const hash = () => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
	const summary = json("summary", "-n", "0");

	await question(page, "Which host is busy?", [], () => has(...table(summary, "hosts").map((h) => h.host)));
	await question(page, "Was anything lost?", [], () => has("nothing lost").then(() => page.$$eval(".chip", (all) =>
		all.some((c) => /lost/.test(c.textContent)) || "no word about losses")));
	await question(page, "How far can the clocks be trusted?", [view("Clocks")], () => has("likely", "bound", "inversions"));
	await question(page, "What takes the CPU?", [view("Resources")], () =>
		has(table(summary, "top")[0].comm, lines("top", "cpu", "-n", "1")[2].split(" ")[1]));
	await question(page, "What waits for the disk?", [view("Resources"), '.tabs button:text("Disks")'], () => has("Disk requests"));
	await question(page, "Which system calls take longest?", [view("Resources"), '.tabs button:text("Calls")'], () =>
		has("The longest system calls"));
	await question(page, "Who talks to whom?", [view("Relations")], () => has("Between programs", "Between tasks"));
	const requests = table(json("requests"), "kinds");
	if (requests.length) {
		const slowest = table(json("requests", "--list", "-n", "1"), "requests")[0];
		await question(page, "Which request was slowest, and where did its time go?", [view("Requests"), "#request-list tbody tr"], () =>
			has(`Request ${slowest.id}`, "share"));
		await question(page, "Where was it on which host?", [view("Requests"), "#request-list tbody tr", "#to-timeline"], async () => {
			const at = await hash();
			return (at.v === "timeline" && at.req === slowest.id && (await page.$$(".tables tbody tr")).length > 1) || JSON.stringify(at);
		});
		if (table(json("requests", "--explain"), "causes").length)
			await question(page, "Why are slow requests slow?", ["#kinds tbody tr:first-child a:text('why?')"], () => has("Why slow requests are slow", "Who, and what"));
	}
	await question(page, "What did the longest wait wait for?", ["#waits tbody tr:first-child"], async () =>
		(await page.$("#span-length")) !== null || "no wait is selected");
	await question(page, "And who ended it?", ["#waits tbody tr:first-child", '.actions button:text("why?")'], async () =>
		(await hash()).path !== undefined || "no path is drawn");
});
