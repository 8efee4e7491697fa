// Words that depend on a number.

export function things(n: number, one: string, many = one + "s"): string {
	return n === 1 ? one : many;
}
