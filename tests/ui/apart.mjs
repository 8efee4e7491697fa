// Clocks of hosts whose times cannot be compared.
import { check, equal, finish, open, withPage } from "./browser.mjs";

const textOf = (page, selector) => page.$eval(selector, (e) => e.textContent);

await withPage({}, async (page) => {
	await open(page, "");
	const chip = await page.$$eval(".top .chip", (all) => all.map((e) => e.textContent).find((t) => t.includes("clocks")));
	equal("the bar above", chip, "clocks not aligned");
	for (const [view, table] of [["", "#clocks"], ["v=clocks", "#clock-hosts"]]) {
		await open(page, view);
		const rows = await page.$$eval(`${table} tbody tr`, (all) => all.map((tr) => tr.textContent));
		equal(`${table}: both hosts are there`, rows.length, 2);
		for (const row of rows) check(`${table}: without figures of errors`, row.includes("not aligned") && !/\d (n|µ|m)?s/.test(row), row);
	}
	check("clocks: it says so above", (await textOf(page, ".view-head")).includes("not aligned"));
	equal("and offers no aligned clocks", (await page.$$(".view-head [role=tablist]")).length, 0);
});
finish();
