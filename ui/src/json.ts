// JSON without loss: integers that a double cannot hold, such as ns since 1970, become BigInt.

export type Num = number | bigint;
export type Json = null | boolean | Num | string | Json[] | { [key: string]: Json };

const QUOTE = 34, BACKSLASH = 92, SAFE_DIGITS = 15;
const ESCAPES: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

class Reader {
	private at = 0;
	constructor(private readonly text: string) {}

	whole(): Json {
		const value = this.value();
		this.space();
		if (this.at < this.text.length) this.fail();
		return value;
	}

	private fail(): never {
		throw new Error(`not JSON at character ${this.at}`);
	}

	private space() {
		while (this.text.charCodeAt(this.at) <= 32) this.at++;
	}

	/** Is c next? Then go behind it. */
	private take(c: string): boolean {
		this.space();
		if (this.text[this.at] !== c) return false;
		this.at++;
		return true;
	}

	private value(): Json {
		this.space();
		switch (this.text[this.at]) {
			case "{": return this.object();
			case "[": return this.array();
			case '"': return this.string();
			case "t": return this.word("true", true);
			case "f": return this.word("false", false);
			case "n": return this.word("null", null);
			default: return this.number();
		}
	}

	private word<T>(word: string, value: T): T {
		if (!this.text.startsWith(word, this.at)) this.fail();
		this.at += word.length;
		return value;
	}

	private number(): Num {
		const from = this.at;
		let isInteger = true;
		for (;;) {
			const c = this.text.charCodeAt(this.at);
			if ((c >= 48 && c <= 57) || c === 45) this.at++;
			else if (c === 46 || c === 43 || c === 69 || c === 101) (isInteger = false), this.at++;
			else break;
		}
		if (from === this.at) this.fail();
		const digits = this.text.slice(from, this.at);
		return isInteger && digits.length > SAFE_DIGITS ? BigInt(digits) : Number(digits);
	}

	private string(): string {
		const from = ++this.at;
		let plain = true;
		for (;;) {
			const c = this.text.charCodeAt(this.at);
			if (c === QUOTE) break;
			if (c !== c) this.fail();
			if (c === BACKSLASH) (plain = false), this.at++;
			this.at++;
		}
		const raw = this.text.slice(from, this.at++);
		if (plain) return raw;
		return raw.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, hex, c) =>
			hex ? String.fromCharCode(parseInt(hex, 16)) : ESCAPES[c] ?? c);
	}

	private array(): Json[] {
		const all: Json[] = [];
		this.at++;
		if (this.take("]")) return all;
		do all.push(this.value());
		while (this.take(","));
		if (!this.take("]")) this.fail();
		return all;
	}

	private object(): { [key: string]: Json } {
		const all: { [key: string]: Json } = {};
		this.at++;
		if (this.take("}")) return all;
		do {
			this.space();
			if (this.text[this.at] !== '"') this.fail();
			const key = this.string();
			if (!this.take(":")) this.fail();
			all[key] = this.value();
		} while (this.take(","));
		if (!this.take("}")) this.fail();
		return all;
	}
}

export function parseJson(text: string): any {
	return new Reader(text).whole();
}
