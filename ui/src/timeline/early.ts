// Keys about what is selected that are pressed before it is known: they have their turn when it is, so that fast hands
// lose no step, and nothing is said or done about what was selected before.
import { params } from "../state";

/** What is selected, as the address has it. */
export const place = () => `${params.peek().row} ${params.peek().at}`;

export class EarlyKeys {
	private keys: string[] = [];
	private at = "";

	/** Keeps a key for what is selected now. */
	add(key: string) {
		if (this.at !== place()) this.keys = [];
		this.keys.push(key);
		this.at = place();
	}

	/** Now that what is selected is known: up to the first that selects something else, for which the others wait. */
	run(press: (key: string) => void) {
		if (this.at !== place()) this.keys = [];
		while (this.keys.length && this.at === place()) press(this.keys.shift()!);
		this.at = place();
	}

	get isEmpty() { return !this.keys.length; }
}
