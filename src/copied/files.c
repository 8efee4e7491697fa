#include "copied/files.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/map.h"
#include "ctf/writer.h"

void copied_uuid(uint8_t uuid[16], uint64_t id, uint64_t what, uint64_t key)
{
	for (uint64_t half = 0; half < 2; half++) {
		const uint64_t from[] = { id, what, key, half };
		uint64_t hash = mer_hash(from, sizeof(from));
		memcpy(uuid + 8 * half, &hash, sizeof(hash));
	}
	uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x40); /* in the shape of a random one */
	uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
}

static int write_file(
	const char *folder, const char *name, const struct mer_str *text, struct mer_err *err)
{
	char path[4200];
	int n = snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (text->failed)
		return mer_fail_nomem(err);
	if ((size_t)n >= sizeof(path))
		return mer_fail(err, MER_ERR_LIMIT, "%s: the path is too long", folder);
	const char *bytes = text->data ? text->data : "";
	return mer_file_replace(path, &(struct mer_bytes){ bytes, text->len }, 1)
		       ? 0
		       : mer_fail_errno(err, "write", path);
}

int copied_write_metadata(const char *folder, const struct ctf_schema *schema, struct mer_err *err)
{
	struct mer_str text = { 0 };
	int rc = ctf_write_metadata(schema, &(struct ctf_metadata_options){ 0 }, &text, err);
	if (rc == 0)
		rc = write_file(folder, "metadata", &text, err);
	mer_str_fini(&text);
	return rc;
}

int copied_write_notes(const char *folder, const struct mer_str *notes, struct mer_err *err)
{
	return write_file(folder, "notes", notes, err);
}
