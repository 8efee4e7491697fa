// Which rows: words, all of which a row has to have; or an expression in the language of --filter
// (docs: meridian events --help), over what a row is: comm, name, process, tid, pid, cpu, kind, $host.
// As there, a comparison with what a row has not is false.

export type Fields = Record<string, string | number | undefined>;
export type Test = (row: Fields) => boolean;

/** Words; * and ? are wildcards. */
function ofWords(filter: string): Test {
	const words = filter.trim().toLowerCase().split(/\s+/).filter(Boolean).map((w) =>
		new RegExp(w.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".")));
	return (row) => {
		const text = `${row.$host ?? ""} ${row.name ?? ""} ${row.process ?? ""}`.toLowerCase();
		return words.every((w) => w.test(text));
	};
}

const TOKEN = /\s*(?:(&&|\|\||==|!=|<=|>=|=~|!~|[<>!()])|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(-?\d+(?:\.\d+)?)|([$A-Za-z_][\w.]*))/y;
type Token = { kind: "sign" | "text" | "number" | "field"; text: string; at: number };

function tokens(text: string): Token[] {
	const all: Token[] = [];
	TOKEN.lastIndex = 0;
	while (text.slice(TOKEN.lastIndex).trim()) {
		const at = TOKEN.lastIndex, m = TOKEN.exec(text);
		if (!m && text.slice(at).trim()[0] === "=") throw new Error(`column ${text.indexOf("=", at) + 1}: did you mean ==?`);
		if (!m) throw new Error(`column ${at + 1}: this is no field, text, number or operator`);
		const kind = m[1] ? "sign" : m[4] ? "number" : m[5] ? "field" : "text";
		all.push({ kind, at, text: m[1] ?? m[4] ?? m[5] ?? (m[2] ?? m[3]).replace(/\\(["'\\])/g, "$1") });
	}
	return all;
}

const SIGNS = new Set(["==", "!=", "<", "<=", ">", ">=", "=~", "!~"]);
const FIELDS = new Set(["comm", "name", "process", "tid", "pid", "cpu", "$cpu", "kind", "view", "$host", "host"]);

/** * and ? are wildcards, \* and \? are not. */
function wildcard(text: string): RegExp {
	return new RegExp(`^${text.replace(/\\([*?])|[.+^${}()|[\]\\*?]/g, (c, plain) => plain ? `\\${plain}` : c === "*" ? ".*" : c === "?" ? "." : `\\${c}`)}$`, "s");
}

class Parser {
	private at = 0;
	constructor(private readonly all: Token[], private readonly end: number) {}

	whole(): Test {
		const test = this.or();
		if (this.at < this.all.length) this.fail("an operator, such as &&");
		return test;
	}

	private fail(wanted: string): never {
		const t = this.all[this.at];
		throw new Error(`column ${(t?.at ?? this.end) + 1}: expected ${wanted}${t ? `, found ${t.text}` : ""}`);
	}

	private take(sign: string): boolean {
		const t = this.all[this.at];
		if (t?.kind !== "sign" || t.text !== sign) return false;
		this.at++;
		return true;
	}

	private or(): Test {
		let left = this.and();
		while (this.take("||")) {
			const a = left, b = this.and();
			left = (row) => a(row) || b(row);
		}
		return left;
	}

	private and(): Test {
		let left = this.not();
		while (this.take("&&")) {
			const a = left, b = this.not();
			left = (row) => a(row) && b(row);
		}
		return left;
	}

	private not(): Test {
		if (this.take("!")) {
			const test = this.not();
			return (row) => !test(row);
		}
		if (this.take("(")) {
			const test = this.or();
			if (!this.take(")")) this.fail(")");
			return test;
		}
		return this.comparison();
	}

	private value(): (row: Fields) => string | number | undefined {
		const t = this.all[this.at];
		if (!t || t.kind === "sign") this.fail("a field, a text or a number");
		this.at++;
		if (t.kind === "number") return () => Number(t.text);
		if (t.kind === "text") return () => t.text;
		if (!FIELDS.has(t.text)) throw new Error(`column ${t.at + 1}: rows have no ${t.text}, but ${[...FIELDS].join(", ")}`);
		return (row) => row[t.text];
	}

	private comparison(): Test {
		const left = this.value(), sign = this.all[this.at];
		if (sign?.kind !== "sign" || !SIGNS.has(sign.text)) return (row) => !!left(row);
		this.at++;
		const token = this.all[this.at], right = this.value();
		if (sign.text === "=~" || sign.text === "!~") {
			if (token.kind !== "text") throw new Error(`column ${token.at + 1}: expected a text with a regular expression`);
			const pattern = new RegExp(token.text);
			return (row) => {
				const v = left(row);
				return typeof v === "string" && pattern.test(v) === (sign.text === "=~");
			};
		}
		const pattern = token.kind === "text" ? wildcard(token.text) : null;
		return (row) => compare(left(row), sign.text, right(row), pattern);
	}
}

function compare(a: string | number | undefined, sign: string, b: string | number | undefined, pattern: RegExp | null): boolean {
	if (a === undefined || b === undefined || typeof a !== typeof b) return false;
	switch (sign) {
		case "==": return pattern ? pattern.test(String(a)) : a === b;
		case "!=": return !(pattern ? pattern.test(String(a)) : a === b);
		case "<": return a < b;
		case "<=": return a <= b;
		case ">": return a > b;
		default: return a >= b;
	}
}

export interface Filter { test: Test; error: string | null }

/** A field and one =: no word of a name, but half of a comparison. */
const HALF = /(^|[\s(!])(\$?\w+)\s*=(?![=~])/;

export function rowFilter(text: string): Filter {
	const isHalf = FIELDS.has(HALF.exec(text)?.[2] ?? "");
	if (!isHalf && !/==|!=|=~|!~|<|>|&&|\|\|/.test(text)) return { test: ofWords(text), error: null };
	try {
		return { test: new Parser(tokens(text), text.length).whole(), error: null };
	} catch (e) {
		// Half of an expression is no reason to hide rows.
		return { test: () => true, error: (e as Error).message };
	}
}
