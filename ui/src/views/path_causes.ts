// Where the time of a path went, by cause, as 'meridian path' prints it: waits for the network are of
// four kinds, which say different things (src/cli/path/path_text.c).

export interface CauseRow { cause: string; name: string; ns: number; percent: number }

export function causesOf(path: any): CauseRow[] {
	const whole = Number(path.total_ns) || 1, flight = Number(path.in_flight_ns), held = Number(path.held_ns), lost = Number(path.unresolved_ns);
	return path.by_cause.flatMap((c: any): [string, string, number][] => {
		const ns = Number(c.total_ns);
		return c.cause !== "network" ? [[c.cause, c.cause, ns]] : [
			[c.cause, "network, packets in flight", flight], [c.cause, "network, packet delivery", ns - flight - held - lost],
			[c.cause, "network, packets held back for ARP", held], [c.cause, "network, sender not recorded", lost]];
	}).filter(([, , ns]: [string, string, number]) => ns > 0)
		.map(([cause, name, ns]: [string, string, number]) => ({ cause, name, ns, percent: (100 * ns) / whole }))
		.sort((a: CauseRow, b: CauseRow) => b.ns - a.ns);
}
