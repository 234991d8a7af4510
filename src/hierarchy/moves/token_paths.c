/* token_paths.c - see moves.h. A table leads from numbers to entries. */
#include "hierarchy/moves/moves.h"
#include <stdio.h>
#include <stdlib.h>

#define TOKEN_END ((uint64_t)1 << 62)

/* ---- number -> entry ---- */

static vz_nummap table;  /* by token; NULL: the node is unlinked or gone */
static uint64_t changes; /* of what numbers that were given lead to */

uint64_t vz_moves_token_changes(void)
{
    return changes;
}

uint64_t vz_moves_token_new(uint64_t hash, vz_error *err)
{
    uint64_t token = VZ_TOKEN_FIRST + hash % ((TOKEN_END - VZ_TOKEN_FIRST) / VZ_TOKEN_STEP) * VZ_TOKEN_STEP;
    while (vz_nummap_find(&table, token))
        token = token + VZ_TOKEN_STEP < TOKEN_END ? token + VZ_TOKEN_STEP : VZ_TOKEN_FIRST;
    return vz_nummap_put(&table, token, err) ? token : 0;
}

bool vz_moves_token_find(uint64_t token, vz_moves_token_entry **found)
{
    void **place = vz_nummap_find(&table, token);
    *found = place ? *place : NULL;
    return place != NULL;
}

static void set_entry(uint64_t token, vz_moves_token_entry *s)
{
    void **place = vz_nummap_find(&table, token);
    if (place)
        *place = s;
}

/* ---- entries ---- */

static vz_strmap *stores; /* identity in hexadecimal -> the root's entry */

static void identity_key(uint64_t identity, char key[17])
{
    snprintf(key, 17, "%016llx", (unsigned long long)identity);
}

static vz_moves_token_entry *new_entry(vz_moves_token_entry *above, uint64_t identity, const char *name, vz_error *err)
{
    vz_moves_token_entry *s = calloc(1, sizeof *s);
    if (s && (s->name = strdup(name))) {
        s->above = above;
        s->identity = identity;
        return s;
    }
    free(s);
    vz_fail_memory(err);
    return NULL;
}

/* Frees the entry with all below; its numbers stay taken. */
static void retire(void *value)
{
    vz_moves_token_entry *s = value;
    changes++;
    if (s->token)
        set_entry(s->token, NULL);
    vz_strmap_free(s->below, retire);
    free(s->name);
    free(s);
}

static vz_moves_token_entry *root_entry(uint64_t identity, bool make, vz_error *err)
{
    char key[17];
    identity_key(identity, key);
    vz_moves_token_entry *root = stores ? vz_strmap_get(stores, key) : NULL;
    if (root || !make)
        return root;
    if (!stores && !(stores = vz_strmap_new())) {
        vz_fail_memory(err);
        return NULL;
    }
    root = new_entry(NULL, identity, "", err);
    if (root && vz_strmap_put(stores, key, root, err))
        return root;
    if (root)
        retire(root);
    return NULL;
}

static vz_moves_token_entry *entry_below(vz_moves_token_entry *above, const char *name, bool make, vz_error *err)
{
    vz_moves_token_entry *s = above->below ? vz_strmap_get(above->below, name) : NULL;
    if (s || !make)
        return s;
    if (!above->below && !(above->below = vz_strmap_new_borrowing())) {
        vz_fail_memory(err);
        return NULL;
    }
    s = new_entry(above, above->identity, name, err);
    if (s && vz_strmap_put(above->below, s->name, s, err))
        return s;
    if (s)
        retire(s);
    return NULL;
}

vz_moves_token_entry *vz_moves_token_at(uint64_t identity, const char *path, bool make, vz_error *err)
{
    vz_moves_token_entry *s = root_entry(identity, make, err);
    char *copy = s ? strdup(path) : NULL, *rest = copy, *part;
    while (s && (part = strsep(&rest, "/")))
        if (*part)
            s = entry_below(s, part, make, err);
    if (s && !copy)
        vz_fail_memory(err);
    s = copy ? s : NULL;
    free(copy);
    return s;
}

/* Takes an entry out of its tree, with all entries below. */
static void detach(vz_moves_token_entry *s)
{
    changes++;
    vz_strmap_remove(s->above->below, s->name);
    s->above = NULL;
}

void vz_moves_tokens_retire(uint64_t identity, const char *path)
{
    vz_moves_token_entry *s = vz_moves_token_at(identity, path, false, NULL);
    if (s && s->above) {
        detach(s);
        retire(s);
    }
}

void vz_moves_tokens_move(uint64_t identity, const char *from, const char *to)
{
    vz_moves_token_entry *s = vz_moves_token_at(identity, from, false, NULL);
    vz_moves_tokens_retire(identity, to);
    if (!s || !s->above)
        return;
    detach(s);
    /* made for the way to it */
    vz_moves_token_entry *place = vz_moves_token_at(identity, to, true, NULL);
    vz_moves_token_entry *above = place ? place->above : NULL;
    if (!above) {
        retire(s); /* out of memory: new numbers for these nodes */
        return;
    }
    char *name = place->name;
    changes++;
    place->name = s->name;
    s->name = name;
    s->above = above;
    vz_strmap_remove(above->below, name);
    retire(place);
    if (!vz_strmap_put(above->below, name, s, NULL))
        retire(s);
}

void vz_moves_tokens_forget(uint64_t identity)
{
    char key[17];
    identity_key(identity, key);
    vz_moves_token_entry *root = stores ? vz_strmap_remove(stores, key) : NULL;
    if (root)
        retire(root);
}

/* ---- numbers and paths ---- */

static size_t path_length(const vz_moves_token_entry *s)
{
    size_t length = 0;
    for (; s->above; s = s->above)
        length += strlen(s->name) + 1;
    return length;
}

/* Writes the path of an entry so that it ends at `end`. */
static void print_path(const vz_moves_token_entry *s, char *end)
{
    for (; s->above; s = s->above) {
        const size_t length = strlen(s->name);
        end -= length;
        memcpy(end, s->name, length);
        *--end = '/';
    }
}

static uint64_t number_entry(vz_moves_token_entry *s, const char *path, size_t length, vz_error *err)
{
    s->token = vz_moves_token_new(vz_hash(path, length, s->identity), err);
    set_entry(s->token, s);
    return s->token;
}

uint64_t vz_moves_token_of_path(uint64_t identity, const char *path, vz_error *err)
{
    vz_moves_token_entry *s = vz_moves_token_at(identity, path, true, err);
    return !s ? 0 : s->token ? s->token : number_entry(s, path, strlen(path), err);
}

uint64_t vz_moves_token_below(vz_moves_token_entry *above, const char *name, vz_error *err)
{
    vz_moves_token_entry *s = entry_below(above, name, true, err);
    if (!s || s->token)
        return s ? s->token : 0;
    char short_path[512];
    const size_t length = path_length(s);
    char *path = length > sizeof short_path ? malloc(length) : short_path;
    if (!path) {
        vz_fail_memory(err);
        return 0;
    }
    print_path(s, path + length);
    const uint64_t token = number_entry(s, path, length, err);
    if (path != short_path)
        free(path);
    return token;
}

void vz_moves_token_take(vz_moves_token_entry *s, uint64_t token)
{
    changes++;
    if (s->token && s->token != token)
        set_entry(s->token, NULL);
    s->token = token;
    set_entry(token, s);
}

char *vz_moves_token_path(const vz_moves_token_entry *here, vz_error *err)
{
    const size_t size = path_length(here);
    char *path = calloc(1, size + 2);
    if (!path) {
        vz_fail_memory(err);
        return NULL;
    }
    print_path(here, path + size);
    if (size == 0)
        *path = '/';
    return path;
}
