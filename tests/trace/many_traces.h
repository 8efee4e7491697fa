/* Random traces of several machines: written to a new directory, to be opened as one experiment.
 *
 * All events are called "step" and have a field "serial", which counts in each stream. Headers of
 * all shapes, clocks of 1 GHz and others, packets with and without a gap between them, many events
 * at one instant. Time never goes backwards. */
#ifndef MANY_TRACES_H
#define MANY_TRACES_H

struct many_traces {
	char dir[64];
};

void many_traces_make(struct many_traces *t, unsigned seed);
void many_traces_remove(struct many_traces *t);

#endif
