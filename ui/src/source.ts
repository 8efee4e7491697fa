// Where answers come from: the server, or, in a report, the page itself, which then has those to the
// questions of its first views: a map from address to text, compressed, in the script "answers".

export interface Reply {
	ok: boolean;
	status: number;
	text(): Promise<string>;
	arrayBuffer(): Promise<ArrayBuffer>;
}

const element = document.getElementById("answers");
export const isReport = element !== null;

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
	const text = atob(base64);
	const bytes = new Uint8Array(text.length);
	for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
	return bytes;
}

async function unpack(): Promise<Record<string, string>> {
	const stream = new Blob([bytesOf(element!.textContent!.trim())]).stream()
		.pipeThrough(new DecompressionStream("gzip"));
	return JSON.parse(await new Response(stream).text());
}

const answers = isReport ? unpack() : null;
const BINARY = "base64,";

interface Recorded { url: string; begin: bigint; end: bigint; lanes: Set<string> }

function recorded(url: string): Recorded {
	const args = new URLSearchParams(url.slice(url.indexOf("?")));
	return { url, begin: BigInt(args.get("begin")!), end: BigInt(args.get("end")!),
		lanes: new Set(args.get("lanes")!.split(",")) };
}

/** The picture with the shortest window around what is wanted, and most of its lanes; which lanes it
 * has and of when is up to who asks. */
export async function recordedPicture(begin: bigint, end: bigint, lanes: string[]):
	Promise<{ begin: bigint; end: bigint; lanes: string[]; bytes: ArrayBuffer } | null> {
	const all = await answers!;
	const pictures = Object.keys(all).filter((url) => url.startsWith("api/lanes?")).map(recorded);
	const length = (p: Recorded) => p.end - p.begin;
	const whole = pictures.reduce((a, b) => (length(b) > length(a) ? b : a), pictures[0]);
	if (!whole) return null;
	const around = pictures.filter((p) => p.begin <= begin && p.end >= end)
		.sort((a, b) => (length(a) < length(b) ? -1 : 1));
	const best = around.find((p) => lanes.every((l) => p.lanes.has(l) || !whole.lanes.has(l))) ?? whole;
	return { begin: best.begin, end: best.end, lanes: [...best.lanes],
		bytes: bytesOf(all[best.url].slice(BINARY.length)).buffer };
}

class Kept implements Reply {
	ok = true;
	status = 200;
	constructor(private body: string) {}
	text = async () => this.body;
	arrayBuffer = async () => bytesOf(this.body.slice(BINARY.length)).buffer;
}

class Missing extends Kept {
	override ok = false;
	override status = 404;
}

/** What the server answers, or the report has. */
export async function get(url: string): Promise<Reply> {
	if (!answers) return fetch(url);
	const body = (await answers)[url];
	return body === undefined
		? new Missing('{"error":"This is not part of the report. The command prints it, where the traces are."}')
		: new Kept(body);
}
