// The same number in all views that show it; gaps where nothing is known; what a report has and has not.
import { check, equal, expected, finish, open, settled, withPage } from "./browser.mjs";
import { json, linesOf, plain } from "./program.mjs";

const { NAME, REPORT } = process.env;
const textOf = (page, selector) => page.$eval(selector, (e) => e.textContent);
const rowsOf = (page, selector) => page.$$eval(`${selector} tbody tr`, (all) => all.map((tr) =>
	[...tr.querySelectorAll("td")].map((td) => td.innerText.trim())));
const hashOf = (page) => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
const hasRequests = json("requests").kinds.length > 0;

/** Cells of a row, in a line of the command of its card; names of causes are in the page's words. */
async function asCommand(page, id, names) {
	const command = await page.$eval(id, (t) => t.closest(".card").querySelector("header [data-command]").dataset.command);
	const program = linesOf(command), rows = await rowsOf(page, id);
	check(`${id}: it has rows`, rows.length > 0);
	for (const row of rows) {
		const words = row.slice(names).map(plain).filter((c) => c && c !== "-");
		check(`${id} of ${command}`, program.some((line) => words.every((w) => line.includes(w))), row.join(" | "));
	}
	return rows;
}

/** One request: where its time went is the same in its own view, in that of its path, and in the command of both. */
async function oneRequest(page) {
	for (const { id } of json("requests", "--list", "-n", "3").requests.concat({ id: "r1.1" })) {
		await open(page, `v=requests&req=${id}`);
		const times = (rows) => rows.map((r) => r.slice(1, 3).join(" ")).join("; ");
		const own = await asCommand(page, "#request-causes", 1);
		await open(page, `v=path&req=${id}`);
		equal(`${id}: both views`, times(own), times(await asCommand(page, "#path-causes", 1)));
		// A long list has a last line for the rest.
		for (const table of ["#path-hosts", "#path-tasks"]) await asCommand(page, table, 0);
	}
}

const TESTS = { oneRequest: () => hasRequests && NAME === "shop-a" };
const only = process.env.ONLY?.split(",");
await withPage({}, async (page) => {
	for (const test of [oneRequest])
		if ((!only || only.includes(test.name)) && TESTS[test.name]()) await test(page);
});
console.log(NAME);
finish();
