/* Other clients on the path of a task: a server that serves several goes on to the request of
 * another one, and so does the path, which follows threads. */
#ifndef MER_ASK_PATH_PATH_OTHERS_H
#define MER_ASK_PATH_PATH_OTHERS_H

#include "ask/answer.h"
#include "ask/path/path_print.h"

/* For people: that there are, whose server it is, and what follows one request alone; nothing if
 * there are none. */
void ask_path_put_others(const struct ask_path *c, struct mer_str *out);
/* The table other_clients. */
void ask_path_add_others(const struct ask_path *c, struct answer *a);

#endif
