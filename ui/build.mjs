// Builds the page: one HTML file with its script and style, as dist/page.html.gz, and the policy
// with their hashes. The same sources give the same bytes everywhere.
//
// With --dev FOLDER it writes FOLDER/page.html, neither compressed nor with a policy, for
// `meridian serve --page FOLDER`.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const dev = process.argv.indexOf("--dev");
const MOST_BYTES = 300 * 1024; // what the page may weigh inside the program

async function bundle(entry) {
	const result = await build({
		entryPoints: [join(here, entry)],
		absWorkingDir: here,
		bundle: true,
		minify: dev < 0,
		write: false,
		format: "iife",
		target: "es2022",
		charset: "utf8",
		legalComments: "none",
		jsx: "automatic",
		jsxImportSource: "preact",
		define: { "process.env.NODE_ENV": '"production"' },
	});
	return result.outputFiles[0].text.trim();
}

function hash(text) {
	return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

// Control characters stand in strings alone; written as escapes, no terminal obeys a page.
const script = (await bundle("src/main.tsx")).replaceAll("</script", "<\\/script")
	.replace(/[\x00-\x08\x0b-\x1f\x7f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
const style = await bundle("src/style/all.css");
const template = readFileSync(join(here, "src/page.html"), "utf8");
const html = template
	.replace("/*STYLE*/", () => style)
	.replace("/*SCRIPT*/", () => script);
const policy = [
	"default-src 'none'",
	`script-src ${hash(script)}`,
	`style-src ${hash(style)}`,
	"connect-src 'self'",
	"img-src data: blob:",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join("; ");

if (dev >= 0) {
	mkdirSync(process.argv[dev + 1], { recursive: true });
	writeFileSync(join(process.argv[dev + 1], "page.html"), html);
} else {
	// gzip itself, not zlib of node: its bytes do not change with the version of node.
	const packed = execFileSync("gzip", ["-9n"], { input: html, maxBuffer: 1 << 26 });
	if (packed.length > MOST_BYTES)
		throw new Error(`the page has ${packed.length} bytes, more than ${MOST_BYTES}`);
	mkdirSync(join(here, "dist"), { recursive: true });
	writeFileSync(join(here, "dist/page.html.gz"), packed);
	writeFileSync(join(here, "dist/page.policy"), policy);
	console.log(`dist/page.html.gz: ${packed.length} bytes`);
}
