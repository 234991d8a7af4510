/* move_log_token.c - what stored references lead to now, as tokens. */
#include "hierarchy/resolve/path_internal.h"
#include "hierarchy/nodes/root_move_log.h"
#include "hierarchy/documents/documents.h"
#include "hierarchy/resolve/token.h"
#include <stdlib.h>

static uint64_t token_of(vz_hierarchy *hierarchy, const char *path, uint64_t since, vz_error *err)
{
    const vz_moves *moves = vz_root_move_log_all(hierarchy, err);
    if (!moves || !vz_moves_last(moves))
        return moves ? vz_token_at_path(hierarchy, path, err) : 0;
    char *now = vz_moves_follow(moves, path, since, err);
    uint64_t token = 0;
    const bool ok = now && (!vz_moves_is_nowhere(now) || vz_token_of_deleted(hierarchy, now, &token, err));
    if (ok && !token)
        token = vz_token_at_path(hierarchy, now, err);
    free(now);
    return token;
}

uint64_t vz_token_of_reference(vz_hierarchy *hierarchy, const char *path, uint64_t since, vz_error *err)
{
    if (!vz_text_is_coded_path(path))
        return token_of(hierarchy, path, since, err);
    char *decoded = vz_text_to_path(path, err);
    const uint64_t token = decoded ? token_of(hierarchy, decoded, since, err) : 0;
    free(decoded);
    return token;
}

uint64_t vz_token_of_stored(vz_hierarchy *hierarchy, const char *stored, vz_error *err)
{
    char *path, *text = vz_text_to_path(stored, err);
    if (!text)
        return 0;
    const uint64_t since = vz_move_log_number_before(text, &path);
    const uint64_t token = token_of(hierarchy, path, since, err);
    free(text);
    return token;
}
