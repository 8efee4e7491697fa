// A picture of each view of a recording at 1440x900, light and dark: screenshots.mjs FOLDER RECORDING.
import { join } from "node:path";
import { open, withPage } from "./browser.mjs";

/** By recording: what it is good for. */
const VIEWS = {
	"shop-a": {
		answer: "",
		requests: "v=requests",
		"requests-why": "v=requests&tab=explain",
		"requests-time": "v=requests&tab=time",
		request: "v=requests&req=r1.1",
		timeline: "v=timeline",
		"timeline-request": "v=timeline&req=r7.1&only=1&b=0.636&e=0.828&sb=0.64642425&se=0.817839452&row=t:web:166&at=0.7",
		"timeline-close": "v=timeline&b=2.5&e=2.56&row=t:web:158&at=2.52",
		"timeline-interrupts": "v=timeline&b=2.5&e=2.56&fold=q:requests,h:client,h:db&open=g:web:interrupts&tab=irqs",
		"timeline-filter": `v=timeline&b=2.4&e=2.7&tab=waits&q=${encodeURIComponent('comm == "shop*" || (kind == "cpu" && $host == "web")')}`,
		path: "v=path&req=r1.1",
		cpu: "v=resources&tab=cpu",
		"cpu-of-a-process": "v=resources&tab=cpu&proc=web:162",
		disk: "v=resources&tab=disk",
		network: "v=resources&tab=net",
		interrupts: "v=resources&tab=irq",
		locks: "v=resources&tab=futex",
		relations: "v=relations",
		clocks: "v=clocks",
		"control-flow-aligned": "v=timeline&b=2.5&e=2.56&wake=1&fold=q:requests",
		"control-flow-recorded": "v=timeline&b=2.5&e=2.56&wake=1&fold=q:requests&clocks=recorded",
		state: "v=timeline&b=2.5&e=2.56&row=t:web:158&at=2.52&tab=state",
		events: "v=events",
		query: `v=query&sql=${encodeURIComponent("select begin / 100000000 * 100000000 as begin, host, max(latency_ns) as max_ns from sched group by 1, 2 order by 1")}`,
		compare: "v=compare&ra=2~5&rb=5~8",
		"compare-requests": "v=compare&tab=paths",
	},
	"wget-cold-hot": {
		"path-cold": "v=path&path=t:client:232",
		"path-hot": "v=path&path=t:client:236",
		"timeline-cold": "v=timeline&path=t:client:232&only=1&b=0.9&e=1.4&tab=breakdown",
	},
	"cpu-mem-io": { "lives-and-faults": "v=resources&tab=mem", "disk-offsets": "v=resources&tab=disk", load: "v=timeline" },
	"kvm-nested": { "timeline-vcpus": "v=timeline&b=6&e=6.1", "vms": "v=resources&tab=vm" },
	"cluster-10": { "ten-hosts": "v=timeline&wake=1&fold=h:node02,h:node03,h:node04,h:node05,h:node06,h:node07,h:node08,h:node09,h:node10", "clocks-of-ten": "v=clocks" },
	"mpi-imbalance": {
		"states-of-a-program": "v=timeline&b=0&e=0.75&fold=w:ranks",
		"arrows-of-a-program": "v=timeline&b=0.745&e=1.1&wake=1&tab=states&row=s:vm:0&at=0.79",
		"mpi-histogram": "v=timeline&fold=w:imbalance&tab=ranks",
	},
	"mpi-3vm": {
		"states-and-kernel": "v=timeline&b=5.9&e=6.35&fold=w:ranks,q:requests&row=s:n2:0&at=6.1",
		"mpi-ranks": "v=timeline&b=6&e=6.4&wake=1&tab=matrix&fold=w:imbalance,q:requests",
		"mpi-all": "v=timeline&wake=1&tab=messages&fold=w:imbalance,q:requests",
		"mpi-path": "v=timeline&b=5.9&e=6.35&fold=w:ranks,q:requests&path=t:n1:284&tab=breakdown",
	},
	"lost-packets": { losses: "v=timeline" },
};

const [folder, recording] = process.argv.slice(2);
for (const dark of [false, true])
	await withPage({ dark }, async (page) => {
		for (const [name, hash] of Object.entries(VIEWS[recording])) {
			await open(page, hash);
			await page.screenshot({ path: join(folder, `${name}-${dark ? "dark" : "light"}.png`) });
		}
	});
