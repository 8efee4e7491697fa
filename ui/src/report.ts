// A report is this page with its answers in it (meridian report): the same questions, no server.

const script = document.getElementById("answers");
export const isReport = script !== null;
const BASE64 = "base64,";

/** By address; compressed, as most of them say the same keys over and over. */
async function unpack(packed: string): Promise<Record<string, string>> {
	const stream = new Blob([bytesOf(BASE64 + packed.trim())]).stream().pipeThrough(new DecompressionStream("gzip"));
	return JSON.parse(await new Response(stream).text());
}
const answers = script ? unpack(script.textContent!) : null;

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
	const raw = atob(text.slice(BASE64.length)), bytes = new Uint8Array(raw.length);
	for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
	return bytes;
}

/** Why there is no answer, for who looks at a table. */
function missing(target: string): string {
	const isOfRange = /&w=--(begin|end)&/.test(target + "&");
	return isOfRange
		? "A report has its tables for the whole recording, not for a part of it. The command prints this one, where the traces are."
		: "This was not put into the report. The command prints it, where the traces are.";
}

/** Instead of fetch: a report has only what was put into it. */
export async function get(target: string, signal?: AbortSignal): Promise<Response> {
	if (!answers) return fetch(target, { signal });
	const text = (await answers)[target];
	if (text === undefined)
		return new Response(JSON.stringify({ error: missing(target) }), { status: 404 });
	return new Response(text.startsWith(BASE64) ? bytesOf(text) : text);
}

/** What a report has below such an address. */
export async function storedTargets(prefix: string): Promise<string[]> {
	return Object.keys((await answers) ?? {}).filter((target) => target.startsWith(prefix));
}

/** Pictures of lanes in a report, by the arguments that they were asked with. */
export async function storedLanes(): Promise<{ lanes: string[]; begin: bigint; end: bigint; target: string }[]> {
	return (await storedTargets("api/lanes?")).map((target) => {
		const args = new URLSearchParams(target.slice(target.indexOf("?") + 1));
		return { target, lanes: (args.get("lanes") ?? "").split(","), begin: BigInt(args.get("begin") ?? 0), end: BigInt(args.get("end") ?? 0) };
	});
}
