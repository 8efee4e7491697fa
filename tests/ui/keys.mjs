// The timeline by keys alone.
import { check, equal, eventually, hashOf, open, settled, textOf } from "./browser.mjs";
import { json } from "./program.mjs";

const rowCount = (page) => page.$eval(".board", (b) => Number(b.dataset.rows));

/** Every row is reached, whatever it is of; bars are selected one by one; groups are folded. */
export async function rowsByKeys(page) {
	await open(page, "v=timeline");
	const press = async (key) => { await page.keyboard.press(key); await settled(page); };
	const all = await rowCount(page), seen = [];
	for (let i = 0; i < all + 3; i++) {
		await page.keyboard.press("ArrowDown");
		await page.waitForTimeout(30);
		const { row } = await hashOf(page);
		if (row !== seen.at(-1)) seen.push(row);
	}
	equal("arrows reach every row", new Set(seen).size, all);
	for (const [kind, what] of [["r", "requests"], ["d", "disks"], ["n", "interfaces"]]) {
		const row = seen.find((r) => r.startsWith(`${kind}:`));
		if (!row) continue;
		await open(page, `v=timeline&at=0&row=${encodeURIComponent(row)}`);
		const texts = [], places = [];
		for (let i = 0; i < 3; i++) {
			await press("]");
			const { at, lvl } = await hashOf(page);
			places.push(`${at} ${lvl}`);
			texts.push(await textOf(page, "#bar-text").catch(() => "nothing"));
		}
		check(`] selects one of the ${what} after the other`, new Set(places).size === places.length && !texts.includes("nothing"), `${places}: ${texts.join("; ")}`);
		if (kind === "r") check("with its path", texts[2].startsWith(`${(await hashOf(page)).req} `), texts[2]);
		await press("[");
		equal("[ goes back", await textOf(page, "#bar-text"), texts[1]);
		if (Number((await hashOf(page)).se) > 0) {
			await press("Escape");
			await press("m");
			check("M selects its range", Number((await hashOf(page)).se) > Number((await hashOf(page)).sb), JSON.stringify(await hashOf(page)));
		}
	}
	const host = seen.find((r) => r.startsWith("h:"));
	await open(page, `v=timeline&row=${encodeURIComponent(host)}`);
	equal("a host is selected", await textOf(page, "#selected-name"), host.slice(2));
	await page.keyboard.press("Enter");
	check("Enter folds it", (await eventually(async () => (await rowCount(page)) < all)) === true);
	await page.keyboard.press("Enter");
	check("and unfolds it", (await eventually(async () => (await rowCount(page)) === all)) === true, `${await rowCount(page)} of ${all}`);
	const request = seen.find((r) => r.startsWith("r:"));
	if (!request) return;
	await open(page, `v=timeline&row=${encodeURIComponent(request)}`);
	await press("x");
	equal("X folds what a row is in", (await hashOf(page)).fold, "q:requests");
}

/** A and B, the ends of the selected range, without a mouse. */
export async function edgesByKeys(page) {
	const press = async (key) => { await page.keyboard.press(key); await settled(page); };
	const range = async () => { const { sb, se } = await hashOf(page); return `${sb} ${se}`; };
	await open(page, "v=timeline&b=2&e=3&at=2.5");
	await press("q");
	equal("Q sets A, and B is at the edge", await range(), "2.5 3");
	await open(page, "v=timeline&b=2&e=3&at=2.75&sb=2.5&se=3");
	await press("e");
	equal("E sets B", await range(), "2.5 2.75");
	await open(page, "v=timeline&b=2&e=3&at=2.25&sb=2.5&se=2.75");
	await press("e");
	equal("B before A: A is at the edge", await range(), "2 2.25");
	await page.goBack();
	await settled(page);
	equal("the way back has the range before", await range(), "2.5 2.75");
	await open(page, "v=timeline&b=2&e=3");
	await press("q");
	equal("without a moment in the middle", await range(), "2.5 3");
	const task = json("top", "cpu", "-n", "1").tables[0].rows[0];
	await open(page, `v=timeline&b=2&e=3&row=t:${task.host}:${task.tid}`);
	await press("]");
	await press("m");
	const span = await range();
	await press("Escape");
	await press("q");
	await press("e");
	equal("of a span both ends", await range(), span);
	await page.keyboard.press("Shift+?");
	const help = await textOf(page, "[role=dialog] .keys");
	check("the help lists them", help.includes("begin (A) and end (B)"), help);
}

/** Keys that come before the page knows what is selected mean that, not what was selected before. */
export async function earlyKeys(page) {
	const tasks = json("top", "cpu", "-n", "2").tables[0].rows.map((t) => `t:${t.host}:${t.tid}`);
	const allOf = (keys) => page.evaluate((keys) => { for (const key of keys) document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })); }, keys);
	const press = async (...keys) => { for (const key of keys) { await page.keyboard.press(key); await settled(page); } };
	const at = async () => (await hashOf(page)).at;
	for (const row of tasks) {
		const start = `v=timeline&b=2&e=3&row=${row}`;
		await open(page, start);
		await press("]", "]", "]", "]", "[");
		const slow = await at();
		await open(page, start);
		await allOf(["]", "]", "]", "]", "["]);
		await settled(page);
		equal(`${row}: spans by fast keys as by slow ones`, await at(), slow);
		await press("m");
		const range = async () => { const { sb, se } = await hashOf(page); return `${sb} ${se}`; }, span = await range();
		await press("Escape", "[", "]");
		await allOf(["[", "]", "m"]);
		await settled(page);
		equal(`${row}: the range of the state that was stepped to`, await range(), span);
		await press("Escape", "]", "j");
		const slowly = `${(await hashOf(page)).row} ${await at()} ${await textOf(page, "#said").catch(() => "")}`;
		await open(page, start + `&at=${slow}`);
		await allOf(["]", "j"]);
		await settled(page);
		equal(`${row}: J at once`, `${(await hashOf(page)).row} ${await at()} ${await textOf(page, "#said").catch(() => "")}`, slowly);
	}
	await open(page, `v=timeline&b=2&e=3&at=2.5&row=${tasks[0]}`);
	await allOf(["]", "]", "ArrowDown"]);
	const { row } = await hashOf(page);
	await settled(page);
	equal("another row drops what waited", (await hashOf(page)).row, row);
}

/** Each press counts, however fast they come. */
export async function fastKeys(page) {
	for (const pause of [0, 5, 40]) {
		await open(page, "v=timeline&b=2&e=3&at=2.5");
		for (let i = 0; i < 6; i++) {
			await page.keyboard.press("w");
			if (pause) await page.waitForTimeout(pause);
		}
		await settled(page);
		const { b, e } = await hashOf(page);
		check(`six W with ${pause} ms between are six`, Math.abs(e - b - 0.7 ** 6) < 1e-6, `${e - b}, not ${0.7 ** 6}`);
	}
	await open(page, "v=timeline&b=2&e=2.1");
	// Both in one task of the browser's, as a busy one has them.
	await page.evaluate(() => { for (const key of ["d", "d", "w", "s", "d"]) document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })); });
	await settled(page);
	const { b, e } = await hashOf(page);
	check("so do other keys", Math.abs(b - 2.045) < 1e-6 && Math.abs(e - b - 0.1) < 1e-6, `${b} ${e}`);
}
