/* World text: tasks and their spans from a text, a line each, for rules that need a world of their
 * own.
 *
 *   TIME HOST:TID STATE                       user, syscall, thread, ready, running, unknown,
 *                                             stopped, dead, ...
 *   TIME HOST:TID CALL[:OBJECT] CAUSE [by HOST:TID]   a wait; CALL "-": in none; CAUSE as
 *                                                     kernel_cause_name, "-": none
 *   TIME HOST:TID fork TID [thread]           by a task of the same host
 *   TIME HOST:TID NAME kernel                 a thread of the kernel; before its first span
 *
 * Times are ms and rise. A wait ends where the task's next span begins; who ends it does so in the
 * span that it has then, or, on another host, by a packet that is sent 1 ms before, on a connection
 * that the two tasks have for all of theirs. Objects "tty..." are terminals. Tasks are made at
 * their first line; hosts are 0 to 2. */
#ifndef TESTS_WORLD_TEXT_H
#define TESTS_WORLD_TEXT_H

#include "tasks_world.h"

void world_text(struct tasks_world *t, const char *text);
uint32_t world_text_task(const struct tasks_world *t, uint32_t host, int32_t tid);

#endif
