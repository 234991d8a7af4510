/* stored_path.c - a path as it is stored: with the number of the last move, if the path alone would
 * be taken for another object's. */
#include "hierarchy/documents/documents.h"
#include "hierarchy/moves/move_log.h"
#include <stdio.h>
#include <stdlib.h>

bool vz_moves_since(const vz_moves *moves, const char *path, uint64_t *since, vz_error *err)
{
    const uint64_t last = vz_moves_last(moves);
    char *now = last ? vz_moves_follow(moves, path, 0, err) : NULL;
    *since = now && strcmp(now, path) != 0 ? last : 0;
    free(now);
    return !last || now;
}

char *vz_moves_stored_path(const vz_moves *moves, const char *path, vz_error *err)
{
    uint64_t since;
    char *stored = NULL;
    if (!vz_moves_since(moves, path, &since, err))
        return NULL;
    if (!since)
        return vz_text_of_path(path, err);
    if (asprintf(&stored, "%llu%s", (unsigned long long)since, path) < 0) {
        vz_fail_memory(err);
        return NULL;
    }
    char *text = vz_text_of_path(stored, err);
    free(stored);
    return text;
}

uint64_t vz_move_log_number_before(char *text, char **path)
{
    return strtoull(text, path, 10);
}

char *vz_moves_path_of_stored(const vz_moves *moves, const char *stored, vz_error *err)
{
    char *path, *text = vz_text_to_path(stored, err);
    if (!text)
        return NULL;
    const uint64_t since = vz_move_log_number_before(text, &path);
    char *now = vz_moves_follow(moves, path, since, err);
    free(text);
    return now;
}
