// A picture of each view at 1440x900, light and dark: screenshots.mjs FOLDER.
import { join } from "node:path";
import { open, withPage } from "./browser.mjs";

/** Views of the request that makes the shop slow, and of others that the recording is good for. */
const VIEWS = {
	answer: "",
	requests: "v=requests",
	"requests-why": "v=requests&tab=explain",
	"requests-time": "v=requests&tab=time",
	request: "v=requests&req=r1.1",
	timeline: "v=timeline",
	"timeline-request": "v=timeline&req=r7.1&only=1&b=0.636&e=0.828&sb=0.64642425&se=0.817839452&row=t:web:166&at=0.7",
	"timeline-close": "v=timeline&b=2.5&e=2.56&row=t:web:158&at=2.52",
	path: "v=path&req=r1.1",
	cpu: "v=resources&tab=cpu",
	disk: "v=resources&tab=disk",
	network: "v=resources&tab=net",
	locks: "v=resources&tab=futex",
	relations: "v=relations",
	clocks: "v=clocks",
	"clocks-recorded": "v=timeline&clocks=recorded&b=2.5&e=2.6",
	events: "v=events",
	compare: "v=compare&ra=2~5&rb=5~8",
};

for (const dark of [false, true])
	await withPage({ dark }, async (page) => {
		for (const [name, hash] of Object.entries(VIEWS)) {
			await open(page, hash);
			await page.screenshot({ path: join(process.argv[2], `${name}-${dark ? "dark" : "light"}.png`) });
		}
	});
