// A headless browser with nothing of anybody's in it, and a count of what held.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRequire } from "node:module";

const { chromium } = createRequire(join(process.cwd(), "package.json"))("playwright-core");

const ARGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
	"--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** refusals: what the server refuses is no error of the page just now. */
export const expected = { refusals: false };

/** Pages' requests that are not answered yet, and when the last one came or was answered. */
const asked = new WeakMap();
function watchRequests(page) {
	const w = { open: new Set(), last: Date.now() };
	const moved = (change) => (request) => { change(request); w.last = Date.now(); };
	page.on("request", moved((r) => w.open.add(r)));
	for (const end of ["requestfinished", "requestfailed"]) page.on(end, moved((r) => w.open.delete(r)));
	page.on("framenavigated", () => w.open.clear());
	asked.set(page, w);
}

/** Asks until it is true, for so long as a slow machine may take; else the last answer. */
export async function eventually(ask, most = 20000) {
	for (const start = Date.now(); ; await new Promise((r) => setTimeout(r, 100))) {
		const answer = await Promise.resolve().then(ask).catch((e) => e.message);
		if (answer === true || Date.now() - start > most) return answer;
	}
}

/** Runs with a page of that size; errors of the page are errors of the test. */
export async function withPage({ width = 1440, height = 900, dark = false } = {}, run) {
	const profile = mkdtempSync(join(tmpdir(), "meridian-page-"));
	const context = await chromium.launchPersistentContext(profile, { executablePath: process.env.CHROMIUM, headless: true,
		args: ARGS, viewport: { width, height }, colorScheme: dark ? "dark" : "light" });
	try {
		const page = await context.newPage();
		watchRequests(page);
		page.on("pageerror", (e) => fail("error in the page", e.message));
		page.on("console", (m) => m.type() === "error" && !(expected.refusals && /status of 4\d\d/.test(m.text())) && fail("console", m.text()));
		await run(page);
	} finally {
		await context.close();
		rmSync(profile, { recursive: true, force: true });
	}
}

/** Opens a view and waits until nothing is asked any more. */
export async function open(page, hash) {
	await page.goto("about:blank");
	await page.goto(`${process.env.PAGE_URL}#${hash}`);
	await page.waitForSelector("h1, .board", { timeout: 60000 });
	await settled(page);
}

/** Does it read something, or say that it does? After two frames: what an answer made it ask for is asked then. */
const isReading = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() =>
	done(!!document.querySelector(".busy, [aria-busy=true]") || [...document.querySelectorAll(".note")].some((n) => n.textContent === "reading …")))))));

/** Waits until the page has asked for nothing for a while, and reads nothing. */
export async function settled(page) {
	await page.waitForTimeout(150);
	const w = asked.get(page); // a load state of the browser's is reached once, and stays
	const isQuiet = () => w.open.size === 0 && Date.now() - w.last > 200;
	await eventually(async () => isQuiet() && !(await isReading(page)) && isQuiet(), 60000);
	await page.waitForTimeout(100);
}

export const textOf = (page, selector) => page.$eval(selector, (e) => e.textContent);
export const rowsOf = (page, selector) => page.$$eval(`${selector} tbody tr`, (all) => all.map((tr) =>
	[...tr.querySelectorAll("td")].map((td) => td.innerText.trim())));
export const hashOf = (page) => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
export const canvasOf = (page) => page.$eval("#timeline", (c) => c.toDataURL());

let held = 0, failures = 0;
export function fail(what, why) {
	failures++;
	console.log(`FAILED: ${what}: ${why}`);
}
export function check(what, isTrue, why = "") {
	if (isTrue) held++;
	else fail(what, why);
}
export function equal(what, got, wanted) {
	check(what, got === wanted, `'${got}', not '${wanted}'`);
}
export function finish() {
	console.log(`${held} held, ${failures} failed`);
	process.exit(failures ? 1 : 0);
}
