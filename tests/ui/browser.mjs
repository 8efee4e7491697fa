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

/** Runs with a page of that size; errors of the page are errors of the test. */
export async function withPage({ width = 1440, height = 900, dark = false } = {}, run) {
	const profile = mkdtempSync(join(tmpdir(), "meridian-page-"));
	const context = await chromium.launchPersistentContext(profile, { executablePath: process.env.CHROMIUM, headless: true,
		args: ARGS, viewport: { width, height }, colorScheme: dark ? "dark" : "light" });
	try {
		const page = await context.newPage();
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

export async function settled(page) {
	await page.waitForTimeout(250);
	await page.waitForLoadState("networkidle");
	await page.waitForFunction(() => !document.querySelector(".busy") &&
		![...document.querySelectorAll(".note")].some((n) => n.textContent === "reading …"), undefined, { timeout: 60000 });
	await page.waitForTimeout(100);
}

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
