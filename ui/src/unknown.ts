// What is not known of the load of CPUs, in answers of 'top cpu --bins': where events were lost, time is no one's, and a host
// that looks idle may have been busy.

const lengthOf = (row: any) => Number(BigInt(row.end) - BigInt(row.begin));

/** Share of a host's time in a bin that is unknown, of the time of all its CPUs. */
export function unknownShare(rows: any[]): (row: any) => number {
	const cpus = new Map<string, Set<unknown>>();
	for (const r of rows) {
		if (r.of !== "cpu") continue;
		if (!cpus.has(r.host)) cpus.set(r.host, new Set());
		cpus.get(r.host)!.add(r.cpu);
	}
	return (row) => Math.min(1, Number(row.unknown_ns ?? 0) / (lengthOf(row) * Math.max(1, cpus.get(row.host)?.size ?? 1)));
}

/** From here on a curve has a gap: what it would show is more guess than load. */
export const MOST_UNKNOWN = 0.5;

export function isUnknown(rows: any[]): (row: any) => boolean {
	const shareOf = unknownShare(rows);
	return (row) => shareOf(row) > MOST_UNKNOWN;
}

export const GAPS = "No line where more than half of the time is unknown: events are missing there.";
