/* Parts of a result as JSON objects, for this layer. */
#ifndef MER_SYNC_RESULT_PUT_H
#define MER_SYNC_RESULT_PUT_H

#include "base/json.h"
#include "sync/result.h"

/* limits: as for sync_result_write. */
void sync_put_host(struct mer_json *j, const struct sync_result *r, uint32_t number, bool limits);
void sync_put_pair(struct mer_json *j, const struct sync_result *r, const struct sync_pair *p);
void sync_put_vm(struct mer_json *j, const struct sync_result *r, const struct sync_vm *vm);

#endif
