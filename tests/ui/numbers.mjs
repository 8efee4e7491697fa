// The same number in all views that show it; gaps where nothing is known; what a report has and has not.
import { check, equal, expected, finish, open, settled, withPage } from "./browser.mjs";
import { json, lines, linesOf, plain, table } from "./program.mjs";

const { NAME, REPORT } = process.env;
const textOf = (page, selector) => page.$eval(selector, (e) => e.textContent);
const rowsOf = (page, selector) => page.$$eval(`${selector} tbody tr`, (all) => all.map((tr) =>
	[...tr.querySelectorAll("td")].map((td) => td.innerText.trim())));
const hashOf = (page) => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
const hasRequests = table(json("requests"), "kinds").length > 0;

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

/** What took most of a path is what the command says first; the longest wait is one of its segments. */
async function verdict(page, id) {
	const text = await textOf(page, "#path-verdict"), command = lines("path", "--request", id).join(" ").replace(/\s+/g, " ");
	const [, name, time] = /^Mostly: (.+?) \(([\d.]+ \S+),/.exec(plain(text));
	check(`${id}: mostly ${name}`, command.includes(`Mostly: ${name} (${time},`), command.slice(0, 400));
	const longest = table(json("path", "--request", id), "segments").filter((s) => s.tid !== null && !s.in_flight && s.cause !== "running" && s.cause !== "interrupted")
		.sort((a, b) => (b.end - b.begin) - (a.end - a.begin))[0];
	const shown = await page.$("#slowest-part");
	check(`${id}: the longest wait`, longest ? (await shown.textContent()).startsWith(`${longest.comm}/${longest.tid} on ${longest.host}, `) : !shown);
}

/** One request: where its time went is the same in its own view, in that of its path, and in the command of both. */
async function oneRequest(page) {
	for (const { id } of table(json("requests", "--list", "-n", "3"), "requests").concat({ id: "r1.1" })) {
		await open(page, `v=requests&req=${id}`);
		const times = (rows) => rows.map((r) => r.slice(1, 3).join(" ")).join("; ");
		const own = await asCommand(page, "#request-causes", 1);
		await open(page, `v=path&req=${id}`);
		await verdict(page, id);
		equal(`${id}: both views`, times(own), times(await asCommand(page, "#path-causes", 1)));
		// A long list has a last line for the rest.
		for (const table of ["#path-hosts", "#path-tasks"]) await asCommand(page, table, 0);
	}
}

/** The drawing of relations has the boxes, frames, labels and kinds of the program's. */
async function relations(page) {
	const dot = lines("graph", "--format", "dot"), texts = dot.flatMap((l) => [...l.matchAll(/(?:^| \[)label="((?:[^"\\]|\\.)*)"/g)].map((m) => m[1]));
	await open(page, "v=relations");
	if (!dot.some((l) => l.includes(" -> "))) return;
	const drawn = await page.$$eval("#relations text", (all) => all.map((t) => t.textContent)), wanted = texts.flatMap((t) => t.split("\\n")).map(plain);
	equal("relations: all that the program draws, and no more", drawn.map(plain).sort().join("|"), wanted.sort().join("|"));
	equal("relations: as many lines", (await page.$$("#relations .relation")).length, dot.filter((l) => l.includes(" -> ")).length);
}

// ---- Reports ----

async function openReport(page, hash) {
	await page.goto("about:blank");
	await page.goto(`file://${REPORT}#${hash}`);
	await page.waitForSelector("h1, .board", { timeout: 60000 });
	await settled(page);
}

/** What the first sentence rests on is in it, and what is not is told in words: no error, and none in the console. */
async function inReport(page) {
	await openReport(page, "");
	const buttons = await page.$$eval("#explain button", (all) => all.map((b) => b.textContent));
	// A softirq that had the CPU, or packets on their way, served no request.
	const why = json("requests", "--explain"), causes = table(why, "causes").filter((c) => c.group === 1).slice(0, 5);
	equal("report: a request for each cause that has one", buttons.length, causes.filter((c, i) => table(why, "culprits").some((x) => x.row === i + 1 && x.request)).length);
	check("report: there are some", buttons.length > 1, buttons.length);
	for (let i = 0; i < buttons.length; i++) {
		await openReport(page, "");
		await page.click(`#explain button >> nth=${i}`);
		await settled(page);
		equal(`report: ${buttons[i]}`, `show ${(await hashOf(page)).req}`, buttons[i]);
		check(`report: ${buttons[i]} has a path`, (await page.$$(".tables tbody tr")).length > 1, await textOf(page, ".tables"));
	}
	const rows = await page.evaluate(() => document.querySelectorAll(".notice").length);
	equal("report: nothing was missing", rows, 0);
	await openReport(page, "v=timeline&tab=requests");
	const last = await page.$$eval(".tables tbody tr", (all) => all.at(-1)?.querySelector("td").textContent);
	await page.click(".tables tbody tr:last-child");
	await settled(page);
	check(`report: ${last} is not in it, and that is told`, (await textOf(page, ".notice").catch(() => "nothing")).includes(`request ${last} is not in this report`));
	await page.keyboard.press("1");
	await settled(page);
	equal("the line goes with what it was about", (await page.$$(".notice")).length, 0);
	// All kinds of requests: their lists, and why the slow ones are slow.
	for (const { kind } of table(json("requests"), "kinds"))
		for (const tab of ["", "&tab=explain"]) {
			await openReport(page, `v=requests&kind=${encodeURIComponent(kind)}${tab}`);
			check(`report: ${kind}${tab}`, (await page.$$(".notice, #main .error")).length === 0 && !(await textOf(page, "#main")).includes("was not put into the report"));
		}
	// Where its steps are seen, it says so; around a slow request there are none.
	await openReport(page, "v=timeline&b=3&e=3.2");
	check("report: its steps are named", /no states closer than [\d.]+ ms/.test(await textOf(page, "#coarse").catch(() => "nothing")));
	const { begin, end } = json("path", "--request", table(json("requests", "--list", "-n", "1"), "requests")[0].id), from = json("top", "cpu").begin;
	await openReport(page, `v=timeline&b=${((begin - from) / 1e9).toFixed(6)}&e=${((end - from) / 1e9).toFixed(6)}`);
	equal("report: around a slow request every state is there", (await page.$$("#coarse")).length, 0);
	await openReport(page, "v=timeline");
	equal("report: from afar nothing has to be said", (await page.$$("#coarse")).length, 0);
	await openReport(page, "v=compare&ra=2~4&rb=5~8");
	equal("report: an address of two ranges is no error", (await page.$$(".error")).length, 0);
	check("and says why", (await textOf(page, "#main")).includes("has no answers for two ranges"));
	await openReport(page, "v=timeline&tab=waits&b=2&e=2.5");
	check("report: a range has no tables, in words", (await textOf(page, ".tables")).includes("for the whole recording, not for a part of it"), await textOf(page, ".tables"));
}

// ---- Where events were lost ----

/** The longest run of bins of the first host of which nearly all is unknown: [first, last], of all n. */
function longestUnknown(n) {
	const rows = json("top", "cpu", "--bins", String(n)).tables[0].rows, host = rows.find((r) => r.of === "host").host;
	const cpus = new Set(rows.filter((r) => r.of === "cpu" && r.host === host).map((r) => r.cpu)).size;
	const share = rows.filter((r) => r.of === "host" && r.host === host).map((r) => r.unknown_ns / (r.end - r.begin) / cpus);
	let best = [0, -1], from = 0;
	share.forEach((u, i) => {
		if (u < 0.95) from = i + 1;
		else if (i - from > best[1] - best[0]) best = [from, i];
	});
	return { first: best[0], last: best[1], n: share.length };
}

/** How many of the pixels of a column of a canvas, from y on and so many high, are of another colour than its first one. */
const inked = (page, selector, x, y, height) => page.$eval(selector, (c, [x, y, height]) => {
	const scale = c.width / c.getBoundingClientRect().width, at = (v) => Math.round(v * scale);
	const { data } = c.getContext("2d").getImageData(at(x), at(y), 3, at(height));
	let n = 0;
	for (let i = 0; i < data.length; i += 4)
		if (Math.abs(data[i] - data[0]) + Math.abs(data[i + 1] - data[1]) + Math.abs(data[i + 2] - data[2]) > 24) n++;
	return n;
}, [x, y, height]);

/** Lost time is no load of 0 %: the curve has a gap, the line above the timeline is hatched, and so is that of home. */
async function unknown(page) {
	await open(page, "v=resources&tab=cpu");
	const { first, last, n } = longestUnknown(150);
	check("the recording has such a time", last - first > 2, `${first} ${last}`);
	const chart = await page.evaluate(() => {
		const all = [...document.querySelectorAll(".card")].find((c) => /busy/.test(c.querySelector("h2").textContent));
		const over = all.querySelector(".u-over").getBoundingClientRect(), canvas = all.querySelector("canvas");
		canvas.id = "busy";
		const own = canvas.getBoundingClientRect();
		return { left: over.left - own.left, top: over.top - own.top, width: over.width, height: over.height, note: all.textContent };
	});
	// A line along the ground would be drawn over the grid, which is there everywhere: between two lines of it.
	const blue = (x) => page.$eval("#busy", (c, [x, top, height]) => {
		const scale = c.width / c.getBoundingClientRect().width;
		const { data } = c.getContext("2d").getImageData(Math.round(x * scale), Math.round(top * scale), 2, Math.round(height * scale));
		let n = 0;
		for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 60 && data[i + 2] - data[i] > 60) n++;
		return n;
	}, [x, chart.top - 2, chart.height + 4]);
	const at = (bin) => chart.left + (chart.width * bin) / (n - 1);
	equal("no line where nothing is known", await blue(at((first + last) / 2)), 0);
	let lines = 0;
	for (let bin = 0; bin < n; bin += 2) lines += (await blue(at(bin))) > 0;
	check("but elsewhere", lines > n / 10, String(lines));
	check("and a word about it", /more than half of the time is unknown/.test(chart.note), chart.note);
	await open(page, "");
	check("home: hatched, too", (await page.$$("#hosts .gap")).length > 0);
	await open(page, "v=timeline");
	const over = longestUnknown(240), box = await page.locator(".board").boundingBox(), LABELS = 196, DENSITY = 12;
	const x = LABELS + ((box.width - LABELS) * (over.first + over.last) / 2) / over.n;
	check("the line above the timeline: hatched", (await inked(page, "#timeline", x, DENSITY + 3, 20)) > 4);
}

// ---- Events ----

/** How many there are, by the filter; the next ones; numbers in the bases of the text. */
async function events(page) {
	const filter = 'name == "timer_hrtimer_start"', all = lines("events", "-n", "0", "-f", filter).filter(Boolean);
	await open(page, `v=events&${new URLSearchParams({ filter })}`);
	const [first] = await rowsOf(page, "#events"), pages = () => textOf(page, "#event-pages").then(plain);
	check("a pointer is hexadecimal", /hrtimer=0x/i.test(first[4]) && all[0].includes(/hrtimer=(0x\w+)/i.exec(first[4])[1]), first[4]);
	const number = (n) => n.toString().replace(/\B(?=(\d{3})+$)/g, ",");
	check("how many there are", (await pages()).startsWith(`1 to 300 of ${number(all.length)} events`), await pages());
	const counts = await rowsOf(page, "#event-counts");
	check("counts are of the filter", counts.length > 0 && counts.every((r) => r[1] === "timer_hrtimer_start"), JSON.stringify(counts));
	await page.click("#next-events");
	await settled(page);
	const second = (await rowsOf(page, "#events"))[0];
	check("the next ones", (await pages()).startsWith(`300 to 599 of ${number(all.length)} events`), await pages());
	check("begin where the first ones ended", all[299].includes(second[0].slice(0, 15)), `${all[299].slice(0, 30)} ${second[0]}`);
	await asCommand(page, "#event-counts", 0);
	await open(page, "v=events");
	check("without a filter, too", (await pages()).endsWith("next 300"), await pages());
}

// ---- Colours ----

/** Colours of the legends of charts, by name. */
const legend = (page, title) => page.$$eval("section.card", (all, title) => Object.fromEntries(all.filter((c) => c.querySelector("h2")?.textContent.includes(title))
	.flatMap((c) => [...c.querySelectorAll(".u-legend .u-series")].slice(1).map((row) => [row.querySelector(".u-label").textContent,
		getComputedStyle(row.querySelector(".u-marker")).borderTopColor]))), title);

/** In OKLab, where equal distances look equal. */
function labOf(text) {
	const [r, g, b] = text.match(/[\d.]+/g).slice(0, 3).map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
	const [l, m, s] = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]]
		.map(([x, y, z]) => Math.cbrt(x * r + y * g + z * b));
	return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
		0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
}

/** Many directions: each has a colour of its own; the one that is pointed at in the legend stands out. */
async function pairs(page) {
	await open(page, "v=clocks");
	const of = await legend(page, "clocks aligned"), labs = Object.values(of).map(labOf);
	check("there are many directions", labs.length >= 20, String(labs.length));
	let least = 1;
	labs.forEach((p, i) => labs.slice(0, i).forEach((q) => { least = Math.min(least, Math.hypot(...p.map((v, k) => v - q[k]))); }));
	check("their colours can be told apart", least > 0.04, String(least));
	const canvas = ".card:has(h2:text('clocks aligned')) canvas", picture = () => page.$eval(canvas, (c) => c.toDataURL());
	const before = await picture();
	await page.hover(".card:has(h2:text('clocks aligned')) .u-legend .u-series:nth-child(3)");
	await page.waitForTimeout(300);
	check("one stands out when the pointer is on its name", (await picture()) !== before);
}

/** One disk has one colour in all charts. */
async function disks(page) {
	await open(page, "v=resources&tab=disk");
	const all = {};
	for (const title of ["requests in flight", "Disks: read", "Disks: written"])
		for (const [name, colour] of Object.entries(await legend(page, title))) (all[name] ??= new Set()).add(colour);
	check("there are disks", Object.keys(all).length > 1, Object.keys(all).join());
	for (const name in all) equal(`${name} has one colour`, all[name].size, 1);
	const colours = Object.values(all).map((c) => [...c].join());
	equal("and each another one", new Set(colours).size, colours.length);
	const sectors = await legend(page, "sectors of requests");
	check("its writes, too", all["db vdb"]?.has(sectors["db vdb disk write"]), JSON.stringify(sectors));
}

// ---- Names and numbers as texts ----

/** A process whose first thread did nothing is named all the same, and so it is after a reload. */
async function chooser(page) {
	await open(page, "v=resources&tab=cpu&proc=web:162");
	const chosen = () => page.$eval('select[aria-label="process"]', (s) => s.selectedOptions[0]?.textContent);
	equal("the chosen process is named", await chosen(), "web: shopapp/162");
	await page.reload();
	await settled(page);
	equal("also after a reload", await chosen(), "web: shopapp/162");
}

/** What is cut off is in the tooltip. */
async function tooltips(page) {
	await open(page, "");
	const cut = await page.$$eval("#waits td.cut, #users td.cut, #explain td.cut, #kinds td:first-child", (all) => all.filter((td) => td.textContent).map((td) =>
		[td.textContent.replace(/\s+/g, " ").trim(), td.title]));
	check("there are some", cut.length > 4, String(cut.length));
	for (const [text, title] of cut) equal("the tooltip is the whole text", title, text);
}

/** Formulas, minus signs, and what a spreadsheet gets. */
async function texts(page) {
	await open(page, "v=clocks");
	const formulas = await page.$$eval("#clock-lines tbody td:nth-child(3)", (all) => all.map((td) => td.textContent));
	check("formulas have no stray dot", formulas.length > 0 && formulas.every((f) => !/\.( |$)/.test(f)), formulas.find((f) => /\.( |$)/.test(f)));
	check("one minus sign", !/(^|[^\w.-])-\d/.test(await page.$eval("#main", (m) => [...m.querySelectorAll("td")].map((td) => td.innerText).join("\n"))));
	await page.evaluate(() => { navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }; });
	const tsv = async (title) => {
		await page.$eval(`.card:has(h2:text-is("${title}"))`, () => {}).catch(() => {});
		const card = page.locator("section.card").filter({ has: page.locator(`h2:text-is("${title}")`) });
		await card.hover();
		await card.locator(".downloads button").click({ force: true });
		return (await page.evaluate(() => window.copied)).split("\n").map((line) => line.split("\t"));
	};
	const [heads, ...rows] = await tsv("Latency by direction"), wanted = table(json("latency"), "latencies");
	check("tsv: the unit is in the heading", heads.includes("p50 (ns)"), heads.join("|"));
	equal("tsv: numbers of the program", rows.map((r) => r[heads.indexOf("p50 (ns)")]).join(), wanted.map((l) => String(l.p50_ns)).join());
	equal("tsv: and negative ones", rows.map((r) => Number(r[heads.indexOf("mean as recorded (ns)")])).join(), wanted.map((l) => l.before_mean_ns).join());
	const [hosts, , second] = await tsv("Hosts");
	check("tsv: tables by hand have numbers, too", hosts.includes("likely (ns)") && /^\d+$/.test(second[hosts.indexOf("likely (ns)")]), `${hosts} ${second}`);
}

/** Lives of processes: a time axis, all of them, and all page faults, as the command counts them. */
async function lives(page) {
	await open(page, "v=resources&tab=mem");
	check("there is a time axis", (await page.$$eval("#lives-axis text", (all) => all.map((t) => t.textContent))).filter((t) => /^[\d.]+ s$/.test(t)).length > 3);
	const few = (await page.$$(".life")).length, more = await page.$("#all-lives");
	if (more) {
		const all = Number(/of (\d+) processes/.exec(await page.$eval("#all-lives", (b) => b.parentElement.textContent))[1]);
		await more.click();
		await settled(page);
		equal("all processes are reachable", (await page.$$(".life")).length, all);
	} else check("all processes are there", few > 0);
	if (NAME === "login-tree") return check("there are many", few === 60 && more !== null); // without page faults
	const drawn = await page.$$eval(".faults", (all) => all.reduce((n, e) => n + Number(e.dataset.n), 0));
	const shown = new Set((await page.$$eval(".life text", (all) => all.map((t) => /\/(\d+) (.*)$/.exec(t.textContent)).map(([, pid, host]) => `${host}:${pid}`))));
	const counted = json("top", "faults", "--all", "-n", "0").tables[0].rows.filter((r) => shown.has(`${r.host}:${r.pid}`));
	const left = json("top", "faults", "-n", "0").tables[0].rows.filter((r) => shown.has(`${r.host}:${r.pid}`));
	const sum = (rows) => rows.reduce((n, r) => n + r.faults, 0);
	check("all faults are drawn", drawn === sum(left) || drawn === sum(counted), `${drawn}, not ${sum(left)} or ${sum(counted)}`);
}

const TESTS = { relations: () => NAME === "shop-a" || NAME === "cluster-10", oneRequest: () => hasRequests && NAME === "shop-a", inReport: () => REPORT && NAME === "shop-a", unknown: () => NAME === "lost-packets", events: () => NAME === "shop-a",
	pairs: () => NAME === "cluster-10", disks: () => NAME === "shop-a",
	chooser: () => NAME === "shop-a", tooltips: () => hasRequests || NAME === "cluster-10", texts: () => NAME === "cluster-10", lives: () => NAME === "cpu-mem-io" || NAME === "login-tree" };
const only = process.env.ONLY?.split(",");
await withPage({}, async (page) => {
	for (const test of [oneRequest, relations, inReport, unknown, events, pairs, disks, chooser, tooltips, texts, lives])
		if ((!only || only.includes(test.name)) && TESTS[test.name]()) await test(page);
});
console.log(NAME);
finish();
