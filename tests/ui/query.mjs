// The view Query: rows are the program's, a mistake has its place, curves, the way into the timeline, what the address has.
import { execFileSync } from "node:child_process";
import { check, eventually, expected, open, settled, withPage } from "./browser.mjs";

const TRACES = process.env.TRACES;
/** Also where nothing was recorded, which is an exit status. */
function program(sql) {
	try {
		return JSON.parse(execFileSync(process.env.MERIDIAN, ["query", "-q", "--json", TRACES, sql], { maxBuffer: 1 << 28 })).tables[0].rows;
	} catch (e) {
		return JSON.parse(e.stdout).tables[0].rows;
	}
}
const hash = (page) => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));

if (!/built without SQLite/.test(execFileSync("sh", ["-c", `"${process.env.MERIDIAN}" query .tables 2>&1 || true`]).toString()))
	await withPage({}, async (page) => {
		const run = async (sql) => { await page.fill("#sql", sql); await page.click("#run-sql"); await settled(page); };
		const rows = () => page.$$eval("#query-result tbody tr", (all) => all.map((r) => [...r.children].map((c) => c.dataset.value ?? c.textContent)));

		await open(page, "");
		await page.click('.nav a:text("Query")');
		const counted = "select host, comm, count(*) as n, sum(latency_ns) as total_ns from sched group by 1, 2 order by n desc, 1, 2 limit 20";
		await run(counted);
		const wanted = program(counted).map((r) => [r.host, r.comm, String(r.n), String(r.total_ns)]);
		check("rows of a query", JSON.stringify(await rows()) === JSON.stringify(wanted), JSON.stringify(await rows()).slice(0, 200));
		check("the statement is in the address", (await hash(page)).sql === counted);
		check("no curves of texts", (await page.$(".query-chart")) === null);
		const line = await page.$eval(".cmd", (c) => c.dataset.command);
		check("its command", line.endsWith(`${TRACES} '${counted}'`), line);

		await run("select begin / 500000000 * 500000000 as begin, host, max(latency_ns) as max_ns from sched group by 1, 2 order by 1");
		check("curves", (await page.$$(".query-chart .u-series")).length > 1);

		await run("select begin, host, tid, latency_ns from sched order by latency_ns desc limit 3");
		await page.click("#query-result tbody tr:first-child");
		const first = program("select begin, host, tid, latency_ns from sched order by latency_ns desc limit 1")[0];
		const at = await hash(page);
		check("a row leads into the timeline", at.v === "timeline" && at.row === `t:${first.host}:${first.tid}` && at.at !== undefined, JSON.stringify(at));
		await page.goBack();
		check("and back", (await eventually(async () => (await rows()).length === 3)) === true);

		expected.refusals = true;
		await run("select latency from sched");
		check("a mistake", /character 8, at 'latency from sched': no such column: latency/.test(await page.textContent("[role=alert]")));
		await run("drop table sched");
		check("only reading", /only reads/.test(await page.textContent("[role=alert]")));
		expected.refusals = false;
		await run("select count(*) as n from mpi");
		check("not recorded", program("select count(*) as n from mpi")[0].n > 0 || /traces lack the events/.test(await page.textContent(".note.warn")));

		await page.click(".query-tables summary");
		await settled(page);
		await page.fill('[aria-label="tables with these letters"]', "sync_host");
		const names = await page.$$eval(".query-tables dt button", (all) => all.map((b) => b.textContent));
		check("tables", names.includes("sync_hosts") && !names.includes("sched"), names.join());
		await page.fill("#sql", "");
		await page.click('.query-tables button:text-is("sync_hosts")');
		check("a table is put into the query", (await page.inputValue("#sql")) === "select * from sync_hosts limit 100");
		await page.press("#sql", "Control+Enter");
		await settled(page);
		check("Ctrl+Enter runs it", (await rows()).length === program("select * from sync_hosts").length);
	});
