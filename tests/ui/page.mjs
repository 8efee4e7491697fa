// What the page shows, and what hands do to it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { canvasOf, check, equal, eventually, expected, finish, hashOf, open, rowsOf, settled, textOf, withPage } from "./browser.mjs";
import { compare, lengths, paths, tasksCompared, waits } from "./compare.mjs";
import { scrolls, sorts } from "./history.mjs";
import { edgesByKeys, earlyKeys, fastKeys, rowsByKeys } from "./keys.mjs";
import { colours, phone, sizes, VIEWS, wide } from "./looks.mjs";
import { isIn, json, lines, linesOf, plain, table } from "./program.mjs";

function allIn(what, program, rows) {
	check(`${what}: it has rows`, rows.length > 0);
	for (const row of rows) check(`${what}: the program prints the same`, isIn(program, row), row.join(" | "));
}

// ---- Home ----

/** The explanation's sentence, if it is of some requests, and of a part of the difference that says something. */
function headlineOf(explain) {
	const percent = table(explain, "causes")[0]?.percent, first = table(explain, "groups")[0];
	return first?.sentence && first.slow_count >= 5 && percent >= 20 && percent <= 100 ? plain(`${first.sentence}.`) : null;
}

function costliest() {
	const findings = json("summary", "-n", "0").tables.find((t) => t.id === "findings").rows;
	return (findings.find((f) => f.kind !== "note" && f.time_ns !== null) ?? findings[0]).finding;
}

async function home(page) {
	await open(page, "");
	const summary = lines("summary", "-n", "0"), requests = lines("requests");
	const explain = json("requests", "--explain"), sync = lines("sync", "-n", "0");
	const headline = plain(await textOf(page, "#headline")), first = headlineOf(explain);
	check("the first sentence", first ? headline === first : headline.toLowerCase().endsWith(`${plain(costliest())}.`.toLowerCase()), headline);
	const kinds = table(json("requests"), "kinds");
	equal("kinds are there when there are some", (await page.$("#kinds")) !== null, kinds.length > 0);
	if (kinds.length) allIn("kinds of requests", requests, (await rowsOf(page, "#kinds")).map((r) => r.slice(0, 4)));
	allIn("clocks", sync, (await rowsOf(page, "#clocks")).map((r) => r[1] === "reference" ? [r[0]] : [r[0],
		r[1].replace("+", ""), ...r.slice(2)]));
	const hosts = await rowsOf(page, "#hosts");
	for (const h of json("summary").tables.find((t) => t.id === "hosts").rows) {
		const row = hosts.find((r) => r[0].startsWith(h.host));
		check(`load of ${h.host}`, row && summary.some((l) => l.startsWith(`${h.host} `) && l.includes(row[2])), row?.[2]);
	}
	const findings = json("summary", "-n", "0").tables.find((t) => t.id === "findings").rows;
	const shown = await page.$$eval("#findings .what", (all) => all.map((e) => e.textContent));
	equal("all findings are there", shown.length, findings.length);
	findings.forEach((f, i) => equal("finding", plain(shown[i]), plain(f.finding)));
	allIn("largest users", summary, (await rowsOf(page, "#users")));
	allIn("waits by cause", summary, (await rowsOf(page, "#waits")));
	if (table(explain, "causes").length) allIn("causes", lines("requests", "--explain", "-n", "0"),
		(await rowsOf(page, "#explain")).map((r) => r.slice(0, 2)));
	const commands = await page.$$eval("[data-command]", (all) => all.map((e) => e.dataset.command));
	check("a command beside each card", commands.length >= 6, commands.join("\n"));
	for (const c of new Set(commands)) check("the command runs", linesOf(c).length > 1, c);
}

// ---- Tables of all views: each has its command, and the same numbers ----

/** Columns of tables of the page that people's table of the same command does not have, or has in other words. */
const OWN = {
	"request-kinds": ["mean"], "request-list": ["mostly", "confidence", "nested", "certain", "kind"], "clock-hosts": ["method"],
	"clock-pairs": ["quality", "used", "rejected", "max", "inversions before", "after"], "clock-lines": ["line", "quality", "messages", "accurate"],
	latencies: ["p90", "inversions", "mean as recorded", "inversions as recorded"], events: ["fields"], accounting: ["Count", "count", "Disk", "disk"],
	graph: ["First", "Last", "From PID", "From pid", "From program", "To PID", "To pid", "To program"],
};

async function tables(page, hash) {
	await open(page, hash);
	const cards = await page.$$eval("section.card", (all) => all.map((card) => ({
		command: card.querySelector("header [data-command]")?.dataset.command,
		rows: [...card.querySelectorAll("[data-table] tbody tr, table[id] tbody tr")].slice(0, 40).map((tr) => ({
			id: tr.closest("table").id || tr.closest("[data-table]").dataset.table,
			heads: [...tr.closest("table").querySelectorAll("th")].map((th) => th.innerText.trim()),
			cells: [...tr.querySelectorAll("td")].map((td) => td.innerText.trim()) })) })));
	let n = 0;
	for (const { command, rows } of cards) {
		if (!command || !rows.length) continue;
		const program = linesOf(command);
		for (const { id, heads, cells } of rows) {
			n++;
			const words = cells.filter((_, i) => !OWN[id]?.includes(heads[i])).map((c) => plain(c).replace(/^\+/, "")).filter((c) => c && c !== "-");
			check(`${hash}: ${command}`, program.some((line) => words.every((w) => line.includes(w))), cells.join(" | "));
		}
	}
	check(`${hash}: tables were compared`, n > 0);
}

/** What can be downloaded is there, as what its name says; charts over time as a picture, too. */
async function downloads(page) {
	const types = { csv: "text/csv", json: "application/json", svg: "image/svg+xml" };
	const seen = { csv: 0, json: 0, svg: 0 };
	for (const hash of ["v=resources&tab=cpu", "v=resources&tab=disk", "v=requests", "v=clocks"]) {
		await open(page, hash);
		const links = await page.$$eval(".downloads a", (all) => Promise.all(all.map(async (a) => {
			const answer = await fetch(a.href);
			return { name: a.download, status: answer.status, type: answer.headers.get("content-type"), size: (await answer.text()).length };
		})));
		for (const { name, status, type, size } of links) {
			const kind = name.split(".").pop();
			seen[kind]++;
			check(`${hash}: ${name}`, status === 200 && type.startsWith(types[kind]) && size > 0, `${status} ${type} ${size}`);
		}
	}
	for (const kind in seen) check(`downloads of ${kind}`, seen[kind] > 2, seen[kind]);
}

// ---- Timeline ----

/** Where a row of the canvas is drawn; told by the row's name in the panel after a click. */
async function clickRow(page, y, x = 600) {
	const box = await page.locator(".board").boundingBox();
	await page.mouse.click(box.x + x, box.y + y);
	await settled(page);
}

async function timeline(page) {
	await open(page, "v=timeline");
	const box = await page.locator(".board").boundingBox();
	await page.mouse.move(box.x + 600, box.y + 200);
	await page.keyboard.down("Control");
	for (let i = 0; i < 4; i++) await page.mouse.wheel(0, -400);
	await page.keyboard.up("Control");
	await settled(page);
	const zoomed = await hashOf(page);
	check("the wheel zooms", Number(zoomed.e) - Number(zoomed.b) > 0, JSON.stringify(zoomed));
	await page.keyboard.press("d");
	await settled(page);
	check("D moves", Number((await hashOf(page)).b) > Number(zoomed.b));
	await page.keyboard.press("u");
	await settled(page);
	equal("U undoes it", (await hashOf(page)).b, zoomed.b);

	await page.mouse.move(box.x + 400, box.y + 150);
	await page.mouse.down();
	await page.mouse.move(box.x + 700, box.y + 180, { steps: 5 });
	await page.mouse.up();
	await settled(page);
	const area = await hashOf(page);
	check("a drag selects", Number(area.se) > Number(area.sb), JSON.stringify(area));
	for (const tab of ["tasks", "waits", "calls", "irqs"]) await sums(page, tab);
	await page.keyboard.press("Escape");
	await settled(page);
	equal("Escape deselects", (await hashOf(page)).sb, undefined);
	await page.keyboard.press("f");
	await settled(page);
	equal("F shows everything", (await hashOf(page)).b, undefined);
}

/** The tables below are of the selected range: as the command beside them prints. */
async function sums(page, tab) {
	const title = { tasks: "Tasks", waits: "Waits", calls: "Calls", irqs: "Interrupts" }[tab];
	await page.click(`.tables [role=tab]:text-is("${title}")`);
	await settled(page);
	const command = await page.$eval(".tables [data-command]", (e) => e.dataset.command);
	check(`${tab}: the range is in the command`, command.includes("--begin") && command.includes("--end"), command);
	const program = linesOf(command), rows = await rowsOf(page, ".tables");
	for (const row of rows.slice(0, 30)) {
		// People's table of waits has the task above its waits, and puts who ended them into words.
		const words = row.filter((_, i) => tab !== "waits" || (i > 2 && i !== 6)).map(plain).filter((c) => c && c !== "-");
		check(`${tab} of the selected range`, program.some((line) => words.every((w) => line.includes(w))), `${command}: ${row.join(" | ")}`);
	}
}

/** Columns of a table under the timeline that people's table of the same command has, too. */
const OTHERWISE = {
	waits: [0, 1, 2, 6], // who waits stands above, and who ended it in words
	requests: [3, 6], events: [4], relations: [11, 12, 13, 14, 15, 16],
};

/** All tables under the timeline, of a range, against what the command beside each prints as CSV. */
async function rangeTables(page, range) {
	await open(page, `v=timeline&${range}`);
	const tabs = await page.$$eval(".tables [role=tab]", (all) => all.map((e) => e.textContent));
	let compared = 0;
	for (const tab of tabs.filter((t) => t !== "Breakdown")) {
		await page.click(`.tables [role=tab]:text-is("${tab}")`);
		await settled(page);
		const command = await page.$eval(".tables [data-command]", (e) => e.dataset.command);
		if (tab !== "State") check(`${tab}: the range is in the command`, command.includes("--begin") && command.includes("--end"), command);
		const rows = await rowsOf(page, ".tables"), program = linesOf(command);
		equal(`${tab}: no error`, (await page.$$(".tables .error")).length, 0);
		for (const row of rows.slice(0, 15)) {
			const words = row.filter((_, i) => !(OTHERWISE[tab.toLowerCase()] ?? []).includes(i)).map(plain).filter((c) => c && c !== "-");
			compared++;
			check(`${tab} of the range`, program.some((line) => words.every((w) => line.includes(w))), `${command}: ${row.join(" | ")}`);
		}
	}
	check("tables under the timeline were compared", compared > 40, String(compared));
}

/** With the clocks as recorded, ranges are from their own start. */
async function recorded(page) {
	await open(page, "v=timeline&clocks=recorded&b=2.5&e=2.7&sb=2.55&se=2.65");
	for (const tab of ["tasks", "irqs"]) await sums(page, tab);
	const command = await page.$eval(".tables [data-command]", (e) => e.dataset.command);
	check("the command says that clocks are as recorded", command.includes("--sync none"), command);
	await page.click('.tables [role=tab]:text-is("Events")');
	await settled(page);
	const first = json("events", "-n", "1", "--sync", "none", "--begin", "+2.55s", "--end", "+2.65s").events[0];
	equal("events of the range", (await rowsOf(page, ".tables"))[0][3], first.name);
	const picture = await canvasOf(page);
	await open(page, "v=timeline&b=2.5&e=2.7&sb=2.55&se=2.65&tab=events");
	check("aligned, the rows look otherwise", (await canvasOf(page)) !== picture);
	await keepsRequests(page);
}

/** Requests and what stands out are those of aligned clocks, whatever the timeline shows. */
async function keepsRequests(page) {
	const seen = async (hash) => {
		await open(page, hash);
		return [await textOf(page, "#headline"), JSON.stringify(await rowsOf(page, "#kinds"))].join();
	};
	equal("clocks as recorded: the same headline, the same requests", await seen("clocks=recorded"), await seen(""));
	const n = table(json("requests"), "kinds").reduce((sum, k) => sum + k.count, 0);
	const list = async (hash) => { await open(page, hash); return JSON.stringify((await rowsOf(page, "#request-list")).slice(0, 20).map((r) => r[0])); };
	equal("and the same numbers of requests", await list("v=requests&clocks=recorded"), await list("v=requests"));
	await open(page, "v=timeline&clocks=recorded");
	const side = (await page.$$eval(".nav a", (all) => all.map((a) => a.textContent))).find((t) => t.startsWith("Requests"));
	equal("as many as there are", side.replace(/\D/g, ""), String(n));
	equal("the timeline does not offer them by other clocks", await page.$$eval('.tables [role=tab]:text-is("Requests")', (all) => all.length).catch(() => 0), 0);
}

/** There and back, the view shows the same times of day. */
async function otherClocks(page) {
	const place = async () => { await page.keyboard.press("3"); await settled(page); return textOf(page, ".place"); };
	const click = async (name) => { await page.keyboard.press("7"); await settled(page); await page.click(`.view-head button:text-is("${name}")`); await settled(page); };
	await open(page, "v=timeline&b=2.5&e=2.7&at=2.6&idle=1");
	const before = await hashOf(page), time = await place();
	await click("as recorded");
	equal("as recorded: the same time of day", await place(), time);
	const there = await hashOf(page);
	check("the range is as long", Math.abs(there.e - there.b - 0.2) < 1e-6 && there.clocks === "recorded", JSON.stringify(there));
	await click("aligned");
	await place();
	equal("and back", JSON.stringify(await hashOf(page)), JSON.stringify(before));
}

/** Hosts without wake-ups: who ended a wait is known where a packet did, if at all. */
const withoutWakes = () => new Set(json("summary", "-n", "0").diagnostics.filter((d) => d.code === "kernel-no-wakeups").map((d) => d.host));
const NOT_RECORDED = "It was not recorded who ended this wait.";

/** The longest wait for the network: what it is, why, and who ended it. */
async function wait(page) {
	const waits = json("summary", "-n", "0").tables.find((t) => t.id === "waits").rows.filter((w) => w.max_at && w.tid >= 0);
	const longest = waits.find((w) => w.cause === "network") ?? waits[0];
	if (!longest) return;
	const status = await (await fetch(`${process.env.PAGE_URL}api/status`)).text();
	const origin = BigInt(/"begin":(\d+)/.exec(status)[1]);
	const at = rowTime(origin, longest);
	await open(page, `v=timeline&row=t:${longest.host}:${longest.tid}&at=${at}`);
	check("the panel names the task", (await textOf(page, "#selected-name")).includes(`/${longest.tid}`));
	const length = plain(await textOf(page, "#span-length"));
	check("the length of the wait is the summary's", lines("summary", "-n", "0").some((l) => l.includes(length)), length);
	const waker = await page.$("#waker") ? await textOf(page, "#waker") : null;
	if (waker === null && !withoutWakes().has(longest.host)) return check("the wait has a waker", false, `${longest.host}/${longest.tid} +${at}`);
	if (waker === null) equal("without wake-ups the panel says so", await textOf(page, "#no-waker"), NOT_RECORDED);
	await page.keyboard.press("Enter");
	await settled(page);
	const asked = await hashOf(page);
	equal("why? draws the path of the wait", asked.path, `t:${longest.host}:${longest.tid}`);
	check("and selects its time", Number(asked.se) > Number(asked.sb));
	const view = asked.b ? asked.e - asked.b : 10;
	check("which is wide enough to be seen", (asked.se - asked.sb) / view > 0.019, JSON.stringify(asked));
	const command = await page.$eval(".tables [data-command]", (e) => e.dataset.command);
	check("the breakdown is that of path", command.startsWith("meridian path --tid"), command);
	await page.keyboard.press("j");
	await settled(page);
	const jumped = await hashOf(page);
	if (waker === null) equal("and so does J", `${jumped.row} ${await textOf(page, "#said")}`, `${asked.row} ${NOT_RECORDED}`);
	else check("J goes to the waker", jumped.row !== asked.row && waker.includes(`/${jumped.row.split(":")[2]} `), `${waker}, ${jumped.row}`);
}

/** Whoever ended a wait is named, not only where a packet did; J goes there, or says why it cannot. */
async function wakers(page) {
	const status = await (await fetch(`${process.env.PAGE_URL}api/status`)).text(), origin = BigInt(/"begin":(\d+)/.exec(status)[1]);
	const waits = json("summary", "-n", "0").tables.find((t) => t.id === "waits").rows.filter((w) => w.max_at && w.tid >= 0);
	const seen = { woken: 0, alone: 0 }, without = withoutWakes();
	for (const cause of new Set(waits.map((w) => w.cause))) {
		const w = waits.find((x) => x.cause === cause), at = rowTime(origin, w), what = `${cause}, ${w.who} on ${w.host} at +${at}`;
		const state = json("state", "--at", `+${at}s`, "--tid", String(w.tid), "--host", w.host).tables.find((t) => t.id === "tasks").rows[0];
		const begin = `+${Number(BigInt(Math.round(w.max_at)) - origin) / 1e9 - 1e-6}s`;
		const sched = cause === "runnable" ? json("log", "sched", "-n", "0", "--all", "--tid", String(w.tid), "--host", w.host, "--begin", begin, "--end", `+${at}s`).tables[0].rows.at(-1) : null;
		const tid = sched ? sched.waker_tid : state?.by_tid ?? null;
		await open(page, `v=timeline&row=t:${w.host}:${w.tid}&at=${at}`);
		const before = await hashOf(page);
		if (sched?.next_tid != null) check(`${what}: who had the CPU`, (await textOf(page, "#ahead")).includes(`/${sched.next_tid} on ${w.host}`), await textOf(page, "#facts"));
		await page.keyboard.press("j");
		await settled(page);
		const after = await hashOf(page);
		if (tid !== null) {
			seen.woken++;
			equal(`${what}: J goes to who ended it`, after.row, `t:${sched ? w.host : state.by_host}:${tid}`);
			check("at that moment", after.at !== before.at, after.at);
		} else {
			seen.alone++;
			equal(`${what}: J stays where nobody is known`, after.row, before.row);
			const said = await textOf(page, "#said");
			check("and says so", without.has(w.host) && state?.state === "blocked" && state.cause === null ? said === NOT_RECORDED : said.length > 10, said);
		}
	}
	check("waits that somebody ended, and that nobody did", waits.length < 4 || waits.every((w) => without.has(w.host)) || (seen.woken > 1 && seen.alone > 0), JSON.stringify(seen));
	await open(page, "v=timeline");
	await page.keyboard.press("j");
	check("without a selection J says what to select", (await textOf(page, "#said")).includes("click"));
}

/** A row of the table of waits leads to its longest one in the range. */
async function tableOfWaits(page) {
	await open(page, "v=timeline&sb=2.5&se=2.7&tab=waits");
	const range = ["--begin", "+2.5s", "--end", "+2.7s"], all = table(json("blocked", "--flat", "-n", "40", ...range), "waits");
	const i = Math.max(0, all.findIndex((w) => w.count > 1));
	if (!all.length) return;
	await page.click(`.tables tbody tr:nth-child(${i + 1})`);
	await settled(page);
	const there = await hashOf(page), w = all[i];
	equal("a wait of the table leads to its task", there.row, `t:${w.host}:${w.tid}`);
	check("and to a moment in the range", Number(there.at) >= 2.5 && Number(there.at) <= 2.7, there.at);
	const state = json("state", "--at", `+${there.at}s`, "--tid", String(w.tid), "--host", w.host).tables.find((t) => t.id === "tasks").rows[0];
	equal("at which it waits", `${state.state} ${state.cause ?? "unknown"} ${state.syscall}`, `blocked ${w.cause} ${w.call}`);
}

/** The selected time is that of a packet from the host that the finding names, and its task waited for that. */
async function ofFlight(page, f, there) {
	const of = `direction == "received" && peer == "${f.object}"`;
	const packets = json("log", "net", "--host", f.host, "--filter", of, "--sort", "duration_ns", "-n", "20").tables[0].rows;
	const ns = Math.round((there.se - there.sb) * 1e9);
	check(`${f.host}: ${f.finding}: a packet in flight`, packets.some((p) => Math.abs(Number(p.duration_ns) - ns) < 2), `${ns} ns`);
	await page.waitForSelector("#packet", { timeout: 60000 });
	const [sent, received] = (await textOf(page, "#packet")).match(/\d+\.\d+/g);
	equal("for which the task waited", `${Number(sent)} ${Number(received)}`, `${Number(there.sb)} ${Number(there.se)}`);
}

/** Where "show" of each finding leads: to what its sentence names, if it names a task. */
async function findings(page) {
	const all = json("summary", "-n", "0").tables.find((t) => t.id === "findings").rows;
	const tasks = json("top", "cpu", "-n", "0", "--all").tables[0].rows;
	for (const [i, f] of all.entries()) {
		if (!f.host) continue;
		await open(page, "");
		await page.click(`#findings .finding:nth-child(${i + 1}) button.chip`);
		// It asks where to go first, then what is there: on a slow machine there is a pause between.
		await page.waitForFunction(() => /[?&#]v=timeline/.test(location.hash), undefined, { timeout: 60000 });
		await settled(page);
		if ((await hashOf(page)).row) await page.waitForSelector("#selected-name", { timeout: 60000 });
		const there = await hashOf(page);
		equal(`${f.host}: ${f.finding}: leads to the timeline`, there.v, "timeline");
		check("to a place or rows", there.row || there.q, JSON.stringify(there));
		if (f.rule === "network-latency") check("to the task that waited for a packet", !!there.row, JSON.stringify(there));
		if (!there.row) continue;
		if (f.rule === "network-latency") await ofFlight(page, f, there);
		const [kind, host, number] = there.row.split(":");
		check(`${there.row}: a row that exists`, host === f.host && (kind === "i" ? number.length > 3 : Number.isInteger(Number(number))), there.row);
		if (f.tid !== null) equal(`${f.finding}: the task that it names`, number, String(f.tid));
		else if (f.comm !== null) equal(`${f.finding}: a task of the name`, tasks.find((t) => t.host === host && String(t.tid) === number)?.comm, f.comm);
		if (f.rule === "softirqs") check("the longest of them, in the panel", (await textOf(page, "#bar-text")).startsWith("softirq"), await textOf(page, "aside"));
		else check("which is shown", kind === "c" || (await textOf(page, "#selected-name")).includes(`/${number}`), await textOf(page, "aside"));
	}
}

/** A click into a bar of a device or a request: the panel says what the pointer did, in full, and the command prints it. */
async function bars(page) {
	const list = { disk: ["log", "disk", "--all"], net: ["log", "net", "--all"], irq: ["log", "irq", "--all"] };
	const status = await (await fetch(`${process.env.PAGE_URL}api/status`)).text(), origin = BigInt(/"begin":(\d+)/.exec(status)[1]);
	let seen = 0;
	const shows = async (what, hash, wanted) => {
		seen++;
		await open(page, hash);
		const text = await textOf(page, "#bar-text");
		check(`${what}: the panel says what it was`, wanted.every((w) => text.includes(w)), `${text}, not ${wanted.join()}`);
		const command = await page.$eval("aside [data-command]", (e) => e.dataset.command);
		check("and the command prints it", linesOf(command).some((l) => wanted.some((w) => w.trim().split(" ").every((x) => l.includes(x)))), command);
	};
	for (const [kind, words] of Object.entries(list)) {
		const rows = json(...words, "-n", "300").tables[0].rows.filter((r) => r.begin), r = rows[Math.floor(rows.length / 2)];
		if (!r) continue;
		const begin = Number(BigInt(Math.round(r.begin)) - origin) + Number(r.duration_ns ?? 0) / 2, s = (ns) => (Math.max(0, ns) / 1e9).toFixed(9);
		const key = kind === "disk" ? `d:${r.host}:${r.disk}` : kind === "net" ? `n:${r.host}:${r.interface}` : `i:${r.host}:${r.kind} ${r.name ?? r.nr}`;
		// JSON numbers are doubles here: a packet, which is a moment, is hit by hands below.
		if (kind !== "net") await shows(kind, `v=timeline&${new URLSearchParams({ b: s(begin - 1e6), e: s(begin + 1e6), row: key, at: s(begin), open: `g:${r.host}:interrupts` })}`,
			[kind === "disk" ? `${r.disk} ` : `${r.kind} ${r.name ?? r.nr}`]);
	}
	const first = table(json("requests", "--list", "-n", "1"), "requests")[0];
	if (first) {
		await open(page, "v=timeline");
		await page.locator(".board").focus();
		const box = await page.locator(".board").boundingBox();
		// Rows of requests are the first ones.
		for (let x = 300; x < 1000 && !(await hashOf(page)).req; x += 40) await clickRow(page, 74 + 26 + 10, x);
		const there = await hashOf(page);
		check("a click into a request's bar selects it", there.req && there.row?.startsWith("r:"), JSON.stringify(there));
		check("and the panel says what it was", (await textOf(page, "#bar-text")).startsWith(`${there.req} `), `${await textOf(page, "aside")} ${box.width}`);
		seen++;
	}
	check("bars were looked at", seen > 0 || !first);
}

/** Where a table has no rows because nothing was recorded for it, it says what to record, as the program does. */
async function unrecorded(page) {
	for (const [tab, command] of [["mem", ["top", "mem"]], ["faults", ["log", "faults"]], ["requests", ["requests", "--list"]]]) {
		const said = lines(...command), from = said.findIndex((l) => /^No [a-z]/.test(l));
		if (from < 0) continue;
		await open(page, `v=timeline&tab=${tab}`);
		const read = async () => plain(await textOf(page, ".tables .nothing")), begins = said[from].slice(0, 40);
		await eventually(async () => (await read()).startsWith(begins));
		const note = await read();
		check(`${tab}: why there is nothing`, note.startsWith(begins), note);
		const record = said.find((l) => l.startsWith("lttng "));
		check(`${tab}: what to record`, !record || note.includes(record), note);
	}
}

/** Inside the longest wait, in seconds from the begin; digits are cut off as JSON numbers are not exact. */
function rowTime(origin, w) {
	const at = BigInt(Math.round(w.max_at)) - origin + BigInt(Math.round(w.max_ns / 2));
	return `${at / 1000000000n}.${String(at % 1000000000n).padStart(9, "0")}`;
}

// ---- Address, keys, sizes ----

async function reload(page) {
	await open(page, "v=timeline&b=2.5&e=2.75&sb=2.6&se=2.65&idle=1&tab=waits");
	const before = await canvasOf(page), rows = await rowsOf(page, ".tables");
	await page.reload();
	await settled(page);
	check("a reload gives the same picture", (await canvasOf(page)) === before);
	equal("and the same tables", JSON.stringify(await rowsOf(page, ".tables")), JSON.stringify(rows));
}

async function request(page) {
	await open(page, "v=requests");
	if (!(await page.$("#request-list"))) return;
	const id = (await rowsOf(page, "#request-list"))[0][0];
	await page.click("#request-list tbody tr");
	await settled(page);
	const one = table(json("requests", "--tree", "--request", id), "requests")[0];
	check("the latency of one", lines("requests", "--list", "--request", id).some((l) =>
		l.includes(id)), id);
	equal("its waterfall has all that were made for it", (await page.$$(".fall-row")).length,
		table(json("requests", "--tree", "--request", id), "requests").length);
	await page.click("#to-timeline");
	await settled(page);
	const there = await hashOf(page);
	equal("it leads to the timeline", there.v, "timeline");
	equal("with its path", there.req, id);
	const length = Number(there.se) - Number(there.sb);
	check("the selected range is the request", Math.abs(length * 1e9 - one.latency_ns) < 2, `${length} ${one.latency_ns}`);
}

/** The same page as a file, without a server. */
async function report(page) {
	await page.goto("about:blank");
	await page.goto(`file://${process.env.REPORT}`);
	await settled(page);
	const sentence = headlineOf(json("requests", "--explain"));
	if (sentence) equal("report: the first sentence", plain(await textOf(page, "#headline")), sentence);
	equal("report: no errors", (await page.$$(".error")).length, 0);
	await page.goto(`file://${process.env.REPORT}#v=timeline`);
	await settled(page);
	check("report: the timeline has a picture", (await canvasOf(page)).length > 20000);
	const asked = await page.evaluate(() => performance.getEntriesByType("resource").map((r) => r.name).filter((n) => /^https?:/.test(n)));
	equal("report: nothing is fetched", asked.join(), "");
}

/** Tasks to choose a path of: the busiest first, those of the tracer last. */
async function tasksOfPaths(page) {
	await open(page, "v=path");
	const busy = new Map(json("top", "cpu", "-n", "0").tables[0].rows.map((r) => [`${r.comm}/${r.tid} ${r.host}`, r.self_ns + (r.runnable_ns ?? 0)]));
	const isTracer = (r) => /lttng/.test(`${r[0]} ${r[1]}`), mine = (await rowsOf(page, "#choose-task")).filter((r) => !isTracer(r)).length;
	const listed = async () => (await rowsOf(page, "#choose-task")).map((r) => `${r[0]} ${r[2]}`);
	const first = await listed(), ns = first.map((t) => busy.get(t) ?? 0), own = first.slice(0, mine);
	check("the busiest task is the first", ns[0] > 0 && ns[0] === Math.max(...ns.slice(0, own.length)), first.slice(0, 4).join());
	check("in this order", own.every((t, i) => !i || (busy.get(t) ?? 0) <= (busy.get(own[i - 1]) ?? 0)), own.join());
	check("the tracer's are the last", (await rowsOf(page, "#choose-task")).slice(0, mine).every((r) => !isTracer(r)), first.join());
	await page.fill("input[aria-label=task]", "lttng");
	const found = await listed(), some = json("top", "cpu", "-n", "0", "--all", "--comm", "lttng*").tables[0].rows[0];
	check("and are still found", !some || found.some((t) => t.startsWith("lttng")), found.join());
}

/** Rows of the breakdown: what each is mostly, also without a call; times of tasks without what packets were in flight. */
async function breakdown(page) {
	const requests = table(json("requests", "--list", "-n", "3"), "requests");
	for (const { id } of requests) {
		await open(page, `v=timeline&req=${id}&tab=breakdown`);
		const path = json("path", "--request", id), sums = new Map(), times = new Map();
		for (const s of table(path, "segments")) {
			const key = `${s.host}|${s.comm}/${s.tid}|${s.cause}`, detail = s.detail ?? (s.state === "user" ? "user mode" : "");
			const row = sums.get(key) ?? sums.set(key, new Map()).get(key);
			row.set(detail, (row.get(detail) ?? 0) + s.end - s.begin);
		}
		const shown = await rowsOf(page, ".tables");
		for (const [host, task, cause, mostly] of shown.slice(0, 3)) {
			const words = { "futex, lock": "futex", interrupts: "interrupted", asleep: "timer" };
			const row = sums.get(`${host}|${task}|${words[cause] ?? cause}`);
			if (row) equal(`${id}: ${task} ${cause}`, mostly, plain([...row].sort((a, b) => b[1] - a[1])[0][0]));
		}
		const ns = await page.$$eval(".tables tbody tr", (all) => all.map((tr) => Number(tr.dataset.ns)));
		shown.forEach(([host, task, cause], i) => {
			const who = cause === "network, packets in flight" ? "flight" : `${host}|${task}`;
			times.set(who, (times.get(who) ?? 0) + ns[i]);
		});
		equal(`${id}: packets in flight`, times.get("flight") ?? 0, Number(table(path, "path")[0].in_flight_ns));
		for (const t of table(path, "by_task"))
			equal(`${id}: all of ${t.comm} on ${t.host}`, times.get(`${t.host}|${t.tid === null ? "kernel" : `${t.comm}/${t.tid}`}`) ?? 0, Number(t.own_ns));
	}
}

/** Percentiles over time: a chart for each of these, with curves, by the command that prints them. */
async function percentiles(page) {
	const charts = [["sched", "Scheduling: latency that 99 % do not exceed"], ["syscall", "Calls: 99 % took at most"], ["irq", "Interrupts: 99 % took at most"]];
	for (const [tab, title] of charts) {
		await open(page, `v=resources&tab=${tab}`);
		const card = await page.$(`section.card:has(h2:text-is("${title}"))`);
		check(`${title}: it is there`, card);
		if (!card) continue;
		check(`${title}: with curves`, await card.$("canvas"), await card.innerText());
		check(`${title}: the command`, (await card.$eval("header [data-command]", (e) => e.dataset.command)).includes(`top ${tab} --bins`));
	}
	await open(page, "v=requests");
	check("p90 of requests", (await textOf(page, "#main")).includes("p90"));
}

/** A range that begins on the row of a CPU: the tables are of that CPU. */
async function ofACpu(page) {
	const host = table(json("info"), "hosts")[0].host;
	await open(page, `v=timeline&row=c:${host}:0&sb=2.5&se=2.6&tab=tasks`);
	const of = () => page.$eval(".tables [data-command]", (e) => e.dataset.command);
	check("tables are of the selected CPU", (await of()).includes(`--cpu 0 --host ${host} `), await of());
	await sums(page, "tasks");
	await page.click(`.tables button.chip:has-text("only CPU 0")`);
	await settled(page);
	check("or of all", !(await of()).includes("--cpu"), await of());
}

/** Zooming in keeps the selected moment where it is. */
async function zooms(page) {
	const host = table(json("info"), "hosts")[0].host;
	await open(page, `v=timeline&row=c:${host}:0&at=0.55&b=0.5&e=1.5`);
	for (let i = 0; i < 12; i++) await page.keyboard.press("w");
	await settled(page);
	const { b, e } = await hashOf(page), where = (0.55 - b) / (e - b);
	check("W zooms in", e - b < 0.6, `${b} ${e}`);
	check("and the selected moment stays where it is", Math.abs(where - 0.05) < 0.01, `${b} ${e}`);
	await open(page, `v=timeline&row=c:${host}:0&at=0.1&b=0.5&e=1.5`);
	await page.keyboard.press("w");
	await settled(page);
	const away = await hashOf(page);
	check("out of view, W zooms to the middle", Math.abs((Number(away.b) + Number(away.e)) / 2 - 1) < 1e-6, `${away.b} ${away.e}`);
}

/** The ruler: equal steps of one kind; the corner is the time of the left edge. */
async function ruler(page) {
	const drawn = async () => {
		await page.evaluate(() => {
			const draw = window.drawText ??= CanvasRenderingContext2D.prototype.fillText;
			window.texts = [];
			CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) {
				if (y === 67) window.texts.push([text, x]); // the ruler's line
				return draw.call(this, text, x, y, ...more);
			};
		});
		await page.keyboard.press("s");
		await settled(page);
		await page.evaluate(() => (window.texts = []));
		await page.keyboard.press("w");
		await settled(page);
		const all = await page.evaluate(() => window.texts), last = all.findLastIndex(([, x]) => x === 10);
		const from = all.slice(0, last).findLastIndex(([, x]) => x === 10);
		return { corner: all[last][0], lines: all.slice(from + 1, last) };
	};
	for (const [b, e] of [[0, 4], [0.66, 0.8], [2.5, 2.5123], [2.5, 2.500002], [1.00000001, 1.00000091]]) {
		await open(page, `v=timeline&b=${b}&e=${e}`);
		const { corner, lines: all } = await drawn(), what = `ruler of ${b} to ${e}`;
		check(`${what}: of one kind`, all.length > 3 && all.every(([text]) => /^\d+(\.\d+)? s$/.test(text)), JSON.stringify(all));
		const times = all.map(([text]) => parseFloat(text)), steps = times.slice(1).map((t, i) => t - times[i]);
		check("in equal steps", steps.every((d) => d > 0 && Math.abs(d - steps[0]) < 1e-9 + 1e-6 * steps[0]), JSON.stringify(times));
		check("within the view", times[0] >= b - 0.2 * (e - b) && times.at(-1) <= e + 0.2 * (e - b), JSON.stringify(times));
		const gap = (all[1][1] - all[0][1]) / Math.max(...all.map(([text]) => text.length));
		check("with room for each", gap > 6, JSON.stringify(all));
		const edge = (await textOf(page, ".place")).split(" ")[0].split("\u00a0")[0];
		check("the corner is the left edge", corner.startsWith(edge), `${corner}, not ${edge}`);
	}
}

/** The timeline by keys alone: a row, a span of it, its range, and the way back. */
async function byKeys(page) {
	await open(page, "v=timeline&b=2.5&e=3");
	const press = async (key) => { await page.keyboard.press(key); await settled(page); };
	for (let i = 0; i < 20 && !/^t:/.test((await hashOf(page)).row ?? ""); i++) await press("ArrowDown");
	check("arrows select a row", /^t:/.test((await hashOf(page)).row ?? ""), JSON.stringify(await hashOf(page)));
	await press("]");
	const first = (await hashOf(page)).at;
	check("] selects a span", first !== undefined);
	await press("]");
	check("and the next one", Number((await hashOf(page)).at) > Number(first), `${first}, ${(await hashOf(page)).at}`);
	await press("m");
	const marked = await hashOf(page);
	check("M selects its range", Number(marked.se) > Number(marked.sb), JSON.stringify(marked));
	await press("z");
	const zoomed = await hashOf(page);
	check("Z zooms to it", Number(zoomed.e) - Number(zoomed.b) <= Math.max(Number(marked.se) - Number(marked.sb), 2e-7) + 1e-9, JSON.stringify(zoomed));
}

async function keys(page) {
	await open(page, "");
	await page.keyboard.press("3");
	await page.waitForTimeout(300);
	equal("3 is the timeline", (await hashOf(page)).v, "timeline");
	await page.keyboard.press("Shift+?");
	check("? helps", await page.isVisible("[role=dialog]"));
	await page.keyboard.press("Escape");
	await page.keyboard.press("Control+k");
	await page.waitForSelector(".dialog input:focus");
	await page.keyboard.type("clocks");
	await page.keyboard.press("Enter");
	await page.waitForTimeout(300);
	equal("Ctrl K finds views", (await hashOf(page)).v, "clocks");
	await page.keyboard.press("Tab");
	check("Tab reaches something", await page.evaluate(() => document.activeElement !== document.body));
}

/** Marks: with a note, kept by the server, in the program's file, gone when removed; a reload has them. */
async function marks(page) {
	if (!process.env.CAN_MARK) return;
	const texts = () => page.$$eval("#marks tbody tr", (all) => all.map((tr) => tr.children[0].textContent));
	const add = async (text) => {
		await page.keyboard.press("n");
		await page.waitForSelector(".dialog input:focus");
		await page.keyboard.type(text);
		await page.keyboard.press("Enter");
		await settled(page);
	};
	await open(page, "v=timeline&sb=0.5&se=0.75");
	await page.locator(".board").focus();
	await add("warm <b>up</b>");
	equal("a mark is in the list", (await texts()).join(), "warm <b>up</b>");
	const program = lines("top", "cpu", "-n", "1", "--marks", "-");
	check("and the program's --marks - has it", program.some((l) => l === "Mark: warm <b>up</b>, from +0.5s for 250 ms" || l.startsWith("Mark: warm <b>up</b>")), program.join("\n"));
	await open(page, "v=timeline");
	await page.locator(".board").hover({ position: { x: 600, y: 200 } });
	await page.locator(".board").focus();
	await add("moment");
	equal("so is a moment", (await texts()).length, 2);
	await page.reload();
	await settled(page);
	equal("a reload has them", (await texts()).length, 2);
	await page.click("#marks tbody tr:first-child");
	await settled(page);
	const there = await hashOf(page);
	equal("a click goes there", `${there.sb} ${there.se}`, "0.5 0.75");
	await page.keyboard.press("Control+k");
	await page.waitForSelector(".dialog input:focus");
	await page.keyboard.type("moment");
	check("Ctrl K finds it", (await page.$$eval(".results li.on", (all) => all.map((e) => e.textContent))).join().startsWith("moment"));
	await page.keyboard.press("Escape");
	while ((await texts()).length) {
		await page.click("#marks button");
		await settled(page);
	}
	check("removed, there is no file of marks", !existsSync(join(process.env.TRACES, "marks.tsv")));
}

/** Rows by the language of --filter; half an expression hides nothing and says what is wrong. */
async function rowFilters(page) {
	const count = async (q) => {
		await open(page, `v=timeline&idle=1&${new URLSearchParams({ q })}`);
		return page.$eval(".board", (b) => Number(b.dataset.rows));
	};
	const host = table(json("info"), "hosts")[0].host, all = await count(""), cpus = json("top", "cpu", "--table", "cpus", "-n", "0").tables[0].rows;
	const mine = cpus.filter((c) => c.host === host).length;
	equal("CPUs of one host", await count(`kind == "cpu" && $host == "${host}"`), mine + 1);
	equal("the same by what they are not", await count(`!(kind != "cpu" || $host != "${host}")`), mine + 1);
	const said = () => textOf(page, ".tools [role=alert]").catch(() => "nothing");
	equal("none is called so", await count('comm == "no such task"'), 0);
	check("and that is told", (await said()).startsWith("no row matches"), await said());
	await count("zzz");
	equal("nor has one this word", await said(), "no row matches zzz");
	equal("one = hides nothing", await count("comm = nginx"), all);
	check("and the other one is missed", (await said()).includes("did you mean ==?"), await said());
	await count("tid > 0 && comm = x");
	check("there, too", (await said()).includes("did you mean ==?"), await said());
	check("tasks by number", (await count("tid > 0 && tid < 100")) < all);
	equal("an open parenthesis hides nothing", await count('(comm == "x"'), all);
	check("and is told", /expected \)/.test(await textOf(page, ".tools [role=alert]")));
	await count("no_field == 1");
	check("so is what rows do not have", /rows have no no_field/.test(await textOf(page, ".tools [role=alert]")));
}

/** Addresses of other traces, or by hand: what there is of them is shown, and nothing is asked for ever. */
async function oddAddresses(page) {
	const end = Number(json("info").end - json("info").begin) / 1e9;
	expected.refusals = true;
	for (const hash of [`b=${(end / 2).toFixed(3)}&e=${(end + 5).toFixed(3)}`, `b=${(end + 1).toFixed(3)}&e=${(end + 2).toFixed(3)}`, "b=-5&e=-1", "b=2&e=1",
		"sb=1e9&se=x", "row=t:nobody:1&at=5", "req=r99999.1", "path=t:nobody:7", "tab=nothing", "q=((a ==", "pin=,,&fold=,,x"]) {
		await open(page, `v=timeline&${hash}`);
		check(`${hash}: rows are shown`, Number(await page.$eval(".board", (b) => b.dataset.rows)) > 0);
		let asked = 0;
		page.on("request", () => asked++);
		await page.waitForTimeout(400);
		equal(`${hash}: nothing is asked any more`, asked, 0);
		page.removeAllListeners("request");
	}
	expected.refusals = false;
}

/** Names of events and calls are found; so is a time. */
async function finds(page) {
	const find = async (text) => {
		await open(page, "");
		await page.keyboard.press("Control+k");
		await page.waitForSelector(".dialog input:focus");
		await page.waitForTimeout(400);
		await page.keyboard.type(text);
		await page.waitForTimeout(200);
		await page.keyboard.press("Enter");
		await settled(page);
		return hashOf(page);
	};
	const event = table(json("stats", "--by", "name", "-n", "1"), "by_name")[0].name;
	equal("an event by its name", (await find(event)).filter, `name == "${event}"`);
	equal("events by a filter", (await find('name == "sched_*" && next_tid > 1')).filter, 'name == "sched_*" && next_tid > 1');
	const call = json("stats", "syscall", "-n", "1").tables[0].rows[0]?.name;
	if (call) equal("a call by its name", (await find(call)).name, call);
	const at = await find("+0.5s");
	/* Every question of the catalog that needs nothing else is a command to copy. */
	await open(page, "");
	await page.keyboard.press("Control+k");
	await page.waitForSelector(".dialog input:focus");
	await page.keyboard.type("meridian top net --table pairs");
	await page.waitForSelector(".dialog :text('meridian top net --table pairs')", { timeout: 5000 }).catch(() => {});
	check("a command of the catalog", (await textOf(page, ".dialog")).includes("meridian top net --table pairs"));
	await page.keyboard.press("Escape");
	check("a time", Number(at.b) < 0.5 && Number(at.e) > 0.5, JSON.stringify(at));
}

/** What a wait was: its call with the arguments that were recorded, and the packet that ended it. */
async function details(page) {
	const waits = json("summary", "-n", "0").tables.find((t) => t.id === "waits").rows.filter((w) => w.cause === "network" && w.max_at && w.tid >= 0);
	if (!waits.length) return;
	const w = waits[0], status = await (await fetch(`${process.env.PAGE_URL}api/status`)).text(), origin = BigInt(/"begin":(\d+)/.exec(status)[1]);
	await open(page, `v=timeline&row=t:${w.host}:${w.tid}&at=${rowTime(origin, w)}`);
	const facts = plain(await textOf(page, "#facts"));
	check("its call has returned", /returned/.test(facts), facts);
	if (await page.$("#arguments")) {
		const args = await textOf(page, "#arguments"), [key, value] = args.split(", ")[0].split("=");
		const call = await page.$$eval("#facts span", (all) => all.find((_, i) => all[i - 1]?.textContent === "call")?.textContent.split(" ")[0]);
		check("arguments are of the event", args.length > 3 && value !== undefined && lines("events", "-n", "0", "--host", w.host, "-f", `name == "*_${call}" && !(name == "*exit*")`)
			.some((l) => l.includes(`${key} = ${value}`)), args);
	}
	if (await page.$("#packet")) {
		const [sent, received] = (await textOf(page, "#packet")).match(/\d+\.\d+/g).map(Number);
		check("a packet is sent before it is received", received > sent, `${sent} ${received}`);
	}
}

async function allTables(page) {
	const first = table(json("requests"), "kinds").length ? table(json("requests", "--list", "-n", "1"), "requests")[0].id : null;
	for (const hash of VIEWS)
		if (hash !== "v=path") await tables(page, hash);
		else if (first) await tables(page, `v=path&req=${first}`);
	await rangeTables(page, "b=2&e=4&sb=2.5&se=2.9");
}

// ONLY=marks,details: while somebody works on these.
const only = process.env.ONLY?.split(",");
const isWanted = (test) => !only || only.includes(test.name);
await withPage({}, async (page) => {
	for (const test of [home, allTables, marks, rowFilters, oddAddresses, finds, details, downloads, timeline, wait, wakers, tableOfWaits, otherClocks, findings, bars, unrecorded, recorded, reload, sorts, scrolls, compare, lengths, waits, paths, tasksCompared,
		request, tasksOfPaths, byKeys, rowsByKeys, edgesByKeys, earlyKeys, fastKeys, zooms, ruler, keys, ofACpu, breakdown, percentiles, report])
		if (isWanted(test) && (![recorded, otherClocks].includes(test) || table(json("info"), "hosts").length > 1) && (test !== report || process.env.REPORT))
			await test(page);
});
if (process.env.REPORT && isWanted(phone)) await phone();
if (isWanted(colours)) await colours();
if (!only) await import("./questions.mjs");
if (!only || only.includes("query")) await import("./query.mjs");
if (isWanted(wide)) await wide();
if (isWanted(sizes)) await sizes();
finish();
