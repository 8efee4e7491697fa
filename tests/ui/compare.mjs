// The view Compare: two ranges, two requests, two tasks.
import { check, equal, hashOf, open, rowsOf, settled, textOf } from "./browser.mjs";
import { isIn, json, linesOf, plain, table } from "./program.mjs";

/** Both sides are what the commands beside them print. */
export async function compare(page) {
	await open(page, "v=compare&ra=2~4&rb=5~8");
	const [a, b] = await page.$$eval("section.card .view-head [data-command]", (all) => all.map((e) => e.dataset.command));
	const sides = [linesOf(a), linesOf(b)], rows = (await rowsOf(page, "#compare")).filter((r) => !/lttng|Client manag|Notification/.test(r[0]));
	check("compare: there are rows", rows.length > 3);
	for (const row of rows.slice(0, 20)) {
		const [, host, name, pid] = /^(.*?): (.*)\/(\d+)$/.exec(row[0]);
		for (const i of [0, 1])
			if (row[i + 1] !== "0 ns") check(`compare: side ${"AB"[i]}`, isIn(sides[i], [host, pid, name, row[i + 1]]), row.join(" | "));
	}
}

/** Totals of ranges of different lengths: that is said, and they can be compared per second. */
export async function lengths(page) {
	const numbers = async () => (await rowsOf(page, "#compare")).map((r) => r[1].replaceAll(",", ""));
	await open(page, "v=compare&tab=counts&ra=2~4&rb=4~6");
	equal("ranges of one length need no word", await page.$("#lengths"), null);
	await open(page, "v=compare&tab=counts&ra=2~4&rb=5~8");
	check("that one is longer is said", /A is 2.00 s long, B 3.00 s.*per second/.test(plain(await textOf(page, "#lengths"))), await textOf(page, "#lengths"));
	const [name, a, b] = (await rowsOf(page, "#compare"))[0].map((c) => c.replaceAll(",", ""));
	await page.click("button:text-is('per second')");
	await settled(page);
	const row = (await rowsOf(page, "#compare")).find((r) => r[0] === name);
	equal("events per second", `${row?.[1]} ${row?.[2]}`, `${(a / 2).toFixed(2)}/s ${(b / 3).toFixed(2)}/s`);
	await page.reload();
	await settled(page);
	check("also after a reload", (await numbers()).every((n) => n.endsWith("/s")), (await numbers()).join());
	await open(page, "v=compare&per=s&ra=2~4&rb=5~8");
	check("and times", (await numbers()).every((n) => /s\/s$/.test(n)), (await numbers()).join());
	const windows = async () => (await page.$$eval("section.card .view-head [data-command]", (all) => all.map((e) => e.dataset.command.match(/(--(begin|end) \S+ ?)+/)[0].trim()))).join(" | ");
	await open(page, "v=compare&ra=2~4");
	equal("one range: the other is what comes after it", await windows(), "--begin +2s --end +4s | --begin +4s");
	await open(page, "v=compare&rb=7~9");
	equal("or before it, if that is longer", await windows(), "--end +7s | --begin +7s --end +9s");
	await open(page, "v=compare&tab=tails&per=s&ra=2~4&rb=5~8");
	check("latencies are no totals", (await numbers()).every((n) => !n.includes("/s")) && !(await page.$("#lengths")), (await numbers()).join());
}

/** Rows are named by what is known of them: a wait outside of any call has no call, one of no file no object. */
export async function waits(page) {
	const all = table(json("blocked", "--flat", "--limit", "0", "--end", "+4s"), "waits"), names = new Set(all.map((r) =>
		[`${r.host}: ${r.comm}${r.tid === null ? "" : `/${r.tid}`}`, r.call ?? r.kind ?? "", r.object ?? ""].filter((part) => part).join(" ") + `, ${r.cause ?? "?"}`));
	await open(page, "v=compare&tab=waits&ra=0~4&rb=0~4");
	const shown = (await rowsOf(page, "#compare")).map((r) => r[0]);
	check("waits: there are rows", shown.length > 3);
	check("waits: some have an object, some none", new Set(all.map((r) => r.object === null)).size === 2);
	for (const name of shown) check("waits: its name", [...names].some((n) => plain(n) === plain(name)), name);
}

/** Two requests, part by part. */
export async function paths(page) {
	if (table(json("requests"), "kinds").every((k) => k.count < 2)) return;
	await open(page, "v=compare&tab=paths");
	const command = await page.$eval("section.card header [data-command]", (e) => e.dataset.command);
	const [a, b] = /--request (\S+),(\S+)/.exec(command).slice(1), one = (id) => table(json("requests", "--tree", "--request", id), "requests")[0];
	const { kind, latency_ns } = one(b), { p50_ns } = table(json("requests"), "kinds").find((k) => k.kind === kind), of = table(json("requests", "--explain", "--request", a), "groups")[0];
	equal("the typical one is of the same kind", one(a).kind, kind);
	if (of?.typical_request) equal("and of the shape that --explain compares it with", b, of.typical_request);
	else check("and as fast as half of them", Math.abs(latency_ns - p50_ns) <= 0.1 * p50_ns, `${latency_ns}, not ${p50_ns}`);
	const program = linesOf(command);
	for (const id of ["#diff-causes", "#diff-hosts"])
		for (const row of await rowsOf(page, id))
			check("diff: the program prints the same", isIn(program, row.slice(1).map((c) => c.replace("+", ""))), row.join(" | "));
}

/** Two tasks of a host; with the keys of the address, and by choice. */
export async function tasksCompared(page) {
	await open(page, "v=compare&tab=tasks");
	const command = () => page.$eval("section.card header [data-command]", (e) => e.dataset.command);
	const [a, b, host] = /--tid (\d+) --tid-b (\d+) --host (\S+)/.exec(await command()).slice(1);
	check("two tasks: of one host", a !== b, `${a} ${b}`);
	for (const id of ["#diff-causes", "#diff-hosts"])
		for (const row of await rowsOf(page, id))
			check("two tasks: the program prints the same", isIn(linesOf(await command()), row.slice(1).map((c) => c.replace("+", ""))), row.join(" | "));
	await page.click('button:text("swap")');
	await settled(page);
	const there = await hashOf(page);
	equal("two tasks: exchanged, and in the address", `${there.dh} ${there.ta} ${there.tb}`, `${host} ${b} ${a}`);
	await page.selectOption('select[aria-label="A"]', a);
	await settled(page);
	equal("two tasks: chosen", (await hashOf(page)).ta, a);
}
