/* move_log_token.c - what stored references lead to now, as tokens. */
#include "hierarchy/resolve/path_internal.h"
#include "hierarchy/nodes/root_move_log.h"
#include "hierarchy/documents/documents.h"
#include "hierarchy/resolve/token.h"
#include <stdlib.h>

static uint64_t token_of(vz_hierarchy *hierarchy, const char *path, uint64_t since, vz_error *err)
{
    const vz_moves *moves = vz_move_log_all(hierarchy, err);
    if (!moves || !vz_moves_last(moves))
        return moves ? vz_hierarchy_path_token(hierarchy, path, err) : 0;
    char *now = vz_moves_follow(moves, path, since, err);
    uint64_t token = 0;
    const bool ok = now && (!vz_path_is_nowhere(now) || vz_gone_token(hierarchy, now, &token, err));
    if (ok && !token)
        token = vz_hierarchy_path_token(hierarchy, now, err);
    free(now);
    return token;
}

uint64_t vz_hierarchy_reference_token(vz_hierarchy *hierarchy, const char *path, uint64_t since, vz_error *err)
{
    if (!vz_path_text_is_coded(path))
        return token_of(hierarchy, path, since, err);
    char *decoded = vz_path_from_text(path, err);
    const uint64_t token = decoded ? token_of(hierarchy, decoded, since, err) : 0;
    free(decoded);
    return token;
}

uint64_t vz_hierarchy_stored_token(vz_hierarchy *hierarchy, const char *stored, vz_error *err)
{
    char *path, *text = vz_path_from_text(stored, err);
    if (!text)
        return 0;
    const uint64_t since = vz_move_log_number_before(text, &path);
    const uint64_t token = token_of(hierarchy, path, since, err);
    free(text);
    return token;
}
