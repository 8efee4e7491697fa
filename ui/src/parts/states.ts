// Words of answers to colours: states of tasks, causes of waits, parts of requests.

const COLOURS: Record<string, string> = {
	user: "user", running: "user", ran: "user", "on CPU": "user", "on the CPU": "user",
	syscall: "sys", thread: "sys",
	interrupted: "irq", irq: "irq", softirq: "irq", ipi: "irq",
	runnable: "cpu", preempted: "cpu",
	disk: "disk",
	network: "net", "in-flight": "net",
	lock: "lock", locks: "lock", futex: "lock", file: "lock",
	queued: "queue", pool: "queue",
	timer: "timer", sleep: "timer", input: "timer", pipe: "timer", task: "timer", blocked: "timer",
	requester: "own", below: "own",
	mpi: "mpi",
	stolen: "stolen", hypervisor: "stolen", unknown: "unknown", other: "unknown",
};

/** Names for people, where the word of the answer alone does not say it. */
const NAMES: Record<string, string> = {
	futex: "futex, lock", interrupted: "interrupts", below: "in requests that the server made", timer: "asleep", syscall: "system call", mpi: "MPI wait (spinning)", stolen: "CPU stolen", hypervisor: "hypervisor at work",
};

export function colourName(word: string | null | undefined): string {
	return COLOURS[word ?? "unknown"] ?? "unknown";
}

export function colour(word: string | null | undefined): string {
	return `var(--${colourName(word)})`;
}

/** Its CPU was away: not an interrupt, though the task is interrupted. */
export function isAway(state: string, cause: string | null): boolean {
	return state === "interrupted" && (cause === "stolen" || cause === "hypervisor");
}

export function causeName(word: string): string {
	return NAMES[word] ?? word;
}
