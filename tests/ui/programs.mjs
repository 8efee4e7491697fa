// Rows of views and ranks in the page: what is drawn, told and summed is what the program prints.
import { check, equal, finish, open, settled, withPage } from "./browser.mjs";
import { json, linesOf, plain } from "./program.mjs";

const VIEW = process.env.VIEW;
const textOf = (page, selector) => page.$eval(selector, (e) => e.textContent);
const rowsOf = (page, selector) => page.$$eval(`${selector} tbody tr`, (all) => all.map((tr) =>
	[...tr.querySelectorAll("td")].map((td) => td.innerText.trim())));
const hashOf = (page) => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
const canvasOf = (page) => page.$eval("#timeline", (c) => c.toDataURL());
/** Seconds from the begin, of a time since 1970 as text of the program. */
const origin = async () => BigInt(/"begin":(\d+)/.exec(await (await fetch(`${process.env.PAGE_URL}api/status`)).text())[1]);
const LABELS = 196, HEAD = 74, FIRST = HEAD + 26 + 10; // the middle of the first row below its view

/** States of the program, exactly: as CSV, since JSON's numbers are too short for times. */
function statesOf() {
	const [head, ...rows] = linesOf(`meridian log view -n 0 --view ${VIEW} --format csv ${process.env.TRACES}`).filter(Boolean).map((l) => l.split(","));
	return rows.map((r) => Object.fromEntries(head.map((key, i) => [key, r[i]])));
}

// ---- Details of a state ----

async function details(page) {
	const begin = await origin(), all = statesOf().filter((s) => s.row === "Rank 2" && s.seen === "whole"), one = all[Math.floor(all.length / 2)];
	check("there are states", all.length > 10);
	const at = (BigInt(one.begin) + BigInt(one.duration_ns) / 2n - begin), seconds = (t) => `${t / 1000000000n}.${String(t % 1000000000n).padStart(9, "0")}`;
	const answer = await (await fetch(`${process.env.PAGE_URL}api/programs`)).json(), row = answer.rows.find((r) => r.label === "Rank 2");
	await open(page, `v=timeline&row=s:${one.host}:${row.row}&at=${seconds(at)}`);
	equal("the panel names the row", await textOf(page, "#selected-name"), "Rank 2");
	equal("and the state", await textOf(page, "#state-text"), one.state);
	const facts = await textOf(page, "#facts");
	const short = (t) => seconds(t).replace(/0+$/, "");
	check("since when", facts.includes(`since+${short(BigInt(one.begin) - begin)} s`), `${facts}: ${short(BigInt(one.begin) - begin)}`);
	check("until when", facts.includes(`until+${short(BigInt(one.end) - begin)} s`), facts);
	await page.keyboard.press("]");
	await settled(page);
	const next = statesOf().filter((s) => s.row === "Rank 2" && BigInt(s.begin) >= BigInt(one.end)).map((s) => BigInt(s.begin)).sort((a, b) => a < b ? -1 : 1)[0];
	equal("] goes to the next one", (await hashOf(page)).at, short(next - begin));
	await page.keyboard.press("m");
	await settled(page);
	check("M selects it", Number((await hashOf(page)).se) > Number((await hashOf(page)).sb));
}

// ---- The picture and its legend ----

/** Colours along the middle of the n-th row from the left to the right, of a canvas of whole pixels. */
const coloursOf = (page, y) => page.$eval("#timeline", (c, [y, from]) => {
	const to = c.getBoundingClientRect().width, k = c.width / to, g = c.getContext("2d"), all = {};
	const d = g.getImageData(from * k, y * k, (to - from) * k, 1).data;
	for (let i = 0; i < d.length; i += 4) {
		const key = `rgb(${d[i]}, ${d[i + 1]}, ${d[i + 2]})`;
		all[key] = (all[key] ?? 0) + 1;
	}
	return all;
}, [y, LABELS + 1]);

async function picture(page) {
	// So close that words do not cover all of it, and no pixel has two states.
	await open(page, "v=timeline&b=0.05&e=0.35");
	const legend = await page.$$eval(".program-legend .legend > span", (all) => all.map((e) => ({ text: e.textContent,
		colour: getComputedStyle(e.querySelector("i")).backgroundColor })));
	const named = new Set(legend.map((l) => l.colour));
	// Names of states are a bit below the top of their bar.
	const seen = await coloursOf(page, FIRST - 6), sum = Object.values(seen).reduce((a, b) => a + b, 0);
	const known = Object.entries(seen).filter(([c]) => named.has(c)).reduce((n, [, k]) => n + k, 0);
	check("colours of a row are in the legend", known > 0.9 * sum, `${known} of ${sum}: ${JSON.stringify(seen)}`);
	const green = legend.find((l) => l.text === "compute").colour, red = legend.find((l) => l.text === "wait at barrier").colour;
	check("work and waits are both seen", seen[green] > 30 && seen[red] > 30, JSON.stringify(seen));
	const begin = await origin(), window = [50000000n + begin, 350000000n + begin];
	const part = (state) => Number(statesOf().filter((s) => s.row === "Rank 0" && s.state === state).reduce((n, s) => {
		const a = BigInt(s.begin) > window[0] ? BigInt(s.begin) : window[0], b = BigInt(s.end) < window[1] ? BigInt(s.end) : window[1];
		return b > a ? n + (b - a) : n;
	}, 0n)) / 3e8;
	check("as much of the row is green as it computed", Math.abs(seen[green] / sum - part("compute")) < 0.03, `${seen[green] / sum} ${part("compute")}`);
	const before = await canvasOf(page);
	await open(page, "v=timeline&b=0.75&e=1.1");
	const without = await canvasOf(page);
	await open(page, "v=timeline&b=0.75&e=1.1&wake=1");
	check("another range looks otherwise", before !== without);
	check("arrows are drawn", (await canvasOf(page)) !== without);
	await page.reload();
	await settled(page);
	check("a reload gives the same picture", (await canvasOf(page)).length > 0 && (await hashOf(page)).wake === "1");
}

/** What the pointer is over, in words. */
async function pointer(page) {
	await open(page, "v=timeline&b=0.05&e=0.35");
	const box = await page.locator(".board").boundingBox();
	await page.mouse.move(box.x + 600, box.y + FIRST);
	const tip = await textOf(page, ".tip");
	check("the pointer says row, state and length", /^Rank 0: (compute|wait at barrier|exchange), [\d.]+ (ms|µs|s)$/.test(tip), tip);
	await page.mouse.click(box.x + 600, box.y + FIRST);
	await settled(page);
	check("a click selects what the pointer said", tip.includes(await textOf(page, "#state-text")), tip);
}

// ---- Tables of the range ----

async function tables(page, range) {
	await open(page, `v=timeline&${range}`);
	let n = 0;
	for (const tab of ["States", "Ranks", "Matrix", "Messages", "MPI waits"]) {
		await page.click(`.tables [role=tab]:text-is("${tab}")`);
		await settled(page);
		const command = await page.$eval(".tables [data-command]", (e) => e.dataset.command);
		check(`${tab}: the range is in the command`, command.includes("--begin") && command.includes("--end"), command);
		equal(`${tab}: no error`, (await page.$$(".tables .error")).length, 0);
		const program = linesOf(command).concat(tab === "Ranks" ? linesOf(command.replace("ranks", "states")) : []);
		for (const row of (await rowsOf(page, ".tables [data-table]")).slice(0, 25)) {
			// People's table of ranks has no column for the only host.
			const words = row.filter((_, i) => tab !== "Ranks" || i !== 1 || row.length < 9).map(plain).filter((c) => c && c !== "-");
			n++;
			check(`${tab} of the range`, program.some((line) => words.every((w) => line.includes(w))), `${command}: ${row.join(" | ")}`);
		}
	}
	check("tables were compared", n > 20, String(n));
}

/** Cells of the matrix, and parts of bars, against the program's numbers. */
async function sums(page) {
	await open(page, "v=timeline&tab=matrix");
	const cells = json("top", "mpi", "--table", "matrix", "-n", "0").tables[0].rows;
	const seen = await page.$$eval("#matrix-grid tbody tr", (all) => all.map((tr) => [...tr.querySelectorAll("td")].map((td) => td.textContent)));
	const ranks = [...new Set(cells.flatMap((r) => [r.from_rank, r.to_rank]))].sort((a, b) => a - b);
	equal("a row for each rank", seen.length, ranks.length);
	ranks.forEach((from, i) => ranks.forEach((to, k) => {
		const wanted = cells.find((c) => c.from_rank === from && c.to_rank === to)?.messages;
		equal(`messages from ${from} to ${to}`, seen[i][k].replaceAll(",", ""), wanted === undefined ? "" : String(wanted));
	}));
	equal("the pattern has its name", await textOf(page, "#pattern b"), json("top", "mpi", "--table", "pattern").tables[0].rows[0].pattern);
	await page.click('.choice button:text-is("bytes")');
	await settled(page);
	equal("which numbers is in the address", (await hashOf(page)).of, "bytes");
	await open(page, "v=timeline&tab=states");
	const bars = await page.$$eval("#state-bars .bar", (all) => all.map((e) => [...e.children].map((i) => parseFloat(i.style.width))));
	const states = json("top", "view", "-n", "0", "--view", VIEW).tables.find((t) => t.id === "top").rows;
	const rows = [...new Set(states.map((s) => s.row))].sort();
	equal("a bar for each row", bars.length, rows.length);
	rows.forEach((row, i) => {
		const mine = states.filter((s) => s.row === row), whole = mine.reduce((n, s) => n + s.exclusive_ns, 0);
		const wanted = mine.map((s) => (100 * s.exclusive_ns) / whole).sort((a, b) => b - a), got = [...bars[i]].sort((a, b) => b - a);
		check(`parts of ${row}`, wanted.length === got.length && wanted.every((w, k) => Math.abs(w - got[k]) < 0.01), `${got} ${wanted}`);
	});
}

async function filters(page) {
	const count = () => page.$eval(".board", (e) => Number(e.dataset.rows));
	await open(page, `v=timeline&q=${encodeURIComponent('kind == "rank"')}`);
	equal("ranks and their heading", await count(), 5);
	await open(page, `v=timeline&q=${encodeURIComponent('view == "imbalance" && name == "Rank 1*"')}`);
	equal("one row of the view", await count(), 2);
	await open(page, "v=timeline&fold=w:imbalance");
	equal("a view can be folded", await count(), 6);
}

/** The same as a file. */
async function report(page) {
	await page.goto("about:blank");
	await page.goto(`file://${process.env.REPORT}#v=timeline&tab=states`);
	await settled(page);
	equal("report: no errors", (await page.$$(".error")).length, 0);
	const seen = await coloursOf(page, FIRST - 6);
	check("report: rows are drawn", Object.keys(seen).length > 2, JSON.stringify(seen));
	equal("report: its mark", (await rowsOf(page, "#marks"))[0]?.[0], "a noted moment");
	check("report: nothing can be changed", (await page.$('[aria-label^="remove the mark"]')) === null);
}

await withPage({}, async (page) => {
	await details(page);
	await picture(page);
	await pointer(page);
	await tables(page, "b=0.7&e=1.2&sb=0.75&se=1.1");
	await sums(page);
	await filters(page);
	if (process.env.REPORT) await report(page);
});
finish();
