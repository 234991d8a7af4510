/* token.c - numbers for nodes, for the life of the process. A tree of names per store (spots) holds the numbers, so
 * that a rename carries a whole subtree along and a deletion retires one; a table leads from number to spot. Numbers
 * are never used twice. State of the module instance, as node.h says. */
#include "zarr/hierarchy.h"
#include "zarr/location.h"
#include <stdio.h>
#include <stdlib.h>

#define TOKEN_END ((uint64_t)1 << 62)

typedef struct spot {
    uint64_t token; /* 0: nobody asked */
    uint64_t identity;
    struct spot *above; /* NULL: a store's root */
    char *name;
    vz_strmap *below; /* NULL: nothing */
} spot;

/* ---- number -> spot ---- */

typedef struct row {
    uint64_t token; /* 0: free */
    spot *spot;     /* NULL: the node is unlinked or gone */
} row;

static struct {
    row *rows;
    size_t capacity; /* a power of two */
    size_t count;
} table;

static row *find_row(uint64_t token)
{
    if (!table.capacity)
        return NULL;
    const size_t mask = table.capacity - 1;
    for (size_t i = vz_hash(&token, sizeof token, 0) & mask; table.rows[i].token; i = (i + 1) & mask)
        if (table.rows[i].token == token)
            return &table.rows[i];
    return NULL;
}

static void insert_row(row *rows, size_t capacity, row new_row)
{
    size_t i = vz_hash(&new_row.token, sizeof new_row.token, 0) & (capacity - 1);
    while (rows[i].token)
        i = (i + 1) & (capacity - 1);
    rows[i] = new_row;
}

static bool add_row(uint64_t token, vz_error *err)
{
    if (2 * (table.count + 1) > table.capacity) {
        const size_t capacity = table.capacity ? 2 * table.capacity : 64;
        row *rows = calloc(capacity, sizeof *rows);
        if (!rows)
            return vz_fail_memory(err);
        for (size_t i = 0; i < table.capacity; i++)
            if (table.rows[i].token)
                insert_row(rows, capacity, table.rows[i]);
        free(table.rows);
        table.rows = rows;
        table.capacity = capacity;
    }
    insert_row(table.rows, table.capacity, (row){.token = token});
    table.count++;
    return true;
}

/* The first number from the hash on that was never handed out. */
static uint64_t new_token(uint64_t hash, vz_error *err)
{
    uint64_t token = VZ_TOKEN_FIRST + hash % ((TOKEN_END - VZ_TOKEN_FIRST) / VZ_TOKEN_STEP) * VZ_TOKEN_STEP;
    while (find_row(token))
        token = token + VZ_TOKEN_STEP < TOKEN_END ? token + VZ_TOKEN_STEP : VZ_TOKEN_FIRST;
    return add_row(token, err) ? token : 0;
}

static void set_spot(uint64_t token, spot *s)
{
    row *r = find_row(token);
    if (r)
        r->spot = s;
}

/* ---- spots ---- */

static vz_strmap *stores; /* identity in hexadecimal -> the root's spot */

static void identity_key(uint64_t identity, char key[17])
{
    snprintf(key, 17, "%016llx", (unsigned long long)identity);
}

static spot *new_spot(spot *above, uint64_t identity, const char *name, vz_error *err)
{
    spot *s = calloc(1, sizeof *s);
    if (s && (s->name = strdup(name))) {
        s->above = above;
        s->identity = identity;
        return s;
    }
    free(s);
    vz_fail_memory(err);
    return NULL;
}

/* Frees the spot with all below; its numbers stay taken. */
static void retire(void *value)
{
    spot *s = value;
    if (s->token)
        set_spot(s->token, NULL);
    vz_strmap_free(s->below, retire);
    free(s->name);
    free(s);
}

static spot *root_spot(uint64_t identity, bool make, vz_error *err)
{
    char key[17];
    identity_key(identity, key);
    spot *root = stores ? vz_strmap_get(stores, key) : NULL;
    if (root || !make)
        return root;
    if (!stores && !(stores = vz_strmap_new())) {
        vz_fail_memory(err);
        return NULL;
    }
    root = new_spot(NULL, identity, "", err);
    if (root && vz_strmap_put(stores, key, root, err))
        return root;
    if (root)
        retire(root);
    return NULL;
}

static spot *spot_below(spot *above, const char *name, bool make, vz_error *err)
{
    spot *s = above->below ? vz_strmap_get(above->below, name) : NULL;
    if (s || !make)
        return s;
    if (!above->below && !(above->below = vz_strmap_new())) {
        vz_fail_memory(err);
        return NULL;
    }
    s = new_spot(above, above->identity, name, err);
    if (s && vz_strmap_put(above->below, name, s, err))
        return s;
    if (s)
        retire(s);
    return NULL;
}

/* The spot at "/a/b". */
static spot *spot_at(uint64_t identity, const char *path, bool make, vz_error *err)
{
    spot *s = root_spot(identity, make, err);
    char *copy = s ? strdup(path) : NULL, *rest = copy, *part;
    while (s && (part = strsep(&rest, "/")))
        if (*part)
            s = spot_below(s, part, make, err);
    if (s && !copy)
        vz_fail_memory(err);
    s = copy ? s : NULL;
    free(copy);
    return s;
}

/* Takes a spot out of its tree; it and what is below stay together. */
static void detach(spot *s)
{
    vz_strmap_remove(s->above->below, s->name);
    s->above = NULL;
}

void vz_tokens_forget(uint64_t identity)
{
    char key[17];
    identity_key(identity, key);
    spot *root = stores ? vz_strmap_remove(stores, key) : NULL;
    if (root)
        retire(root);
}

uint64_t vz_store_identity(uint64_t device, uint64_t inode)
{
    return vz_hash(&inode, sizeof inode, vz_hash(&device, sizeof device, 0));
}

static void keep_numbers(vz_node *node, const spot *s)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    if (s->token)
        node->token = s->token;
    while (s->below && node->members && vz_strmap_next(s->below, &cursor, &name, &value)) {
        const vz_member *member = vz_strmap_get(node->members->by_name, name);
        if (member && member->link.node)
            keep_numbers(member->link.node, value);
    }
}

void vz_token_keep(vz_node *node, const char *path)
{
    const spot *s = spot_at(node->hierarchy->identity, path, false, NULL);
    if (s)
        keep_numbers(node, s);
}

void vz_token_deleted(vz_hierarchy *hierarchy, const char *path)
{
    hierarchy->names_gone = true;
    hierarchy->names_changed++;
    spot *s = spot_at(hierarchy->identity, path, false, NULL);
    if (s && s->above) {
        detach(s);
        retire(s);
    }
}

void vz_token_moved(vz_hierarchy *hierarchy, const char *from, const char *to)
{
    spot *s = spot_at(hierarchy->identity, from, false, NULL);
    vz_token_deleted(hierarchy, to);
    if (!s || !s->above)
        return;
    detach(s);
    spot *place = spot_at(hierarchy->identity, to, true, NULL); /* made for the way to it */
    spot *above = place ? place->above : NULL;
    if (!above) {
        retire(s); /* out of memory: new numbers for these nodes */
        return;
    }
    char *name = place->name;
    place->name = s->name;
    s->name = name;
    s->above = above;
    vz_strmap_remove(above->below, name);
    retire(place);
    if (!vz_strmap_put(above->below, name, s, NULL))
        retire(s);
}

static void link_number(vz_node *node)
{
    char *path = node->token ? vz_node_path(node, NULL) : NULL;
    spot *s = path ? spot_at(node->hierarchy->identity, path, true, NULL) : NULL;
    free(path);
    if (!s)
        return;
    if (s->token && s->token != node->token)
        set_spot(s->token, NULL);
    s->token = node->token;
    set_spot(s->token, s);
}

void vz_token_linked(vz_node *node)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    node->hierarchy->names_changed++;
    link_number(node);
    while (node->members && vz_strmap_next(node->members->by_name, &cursor, &name, &value))
        if (((vz_member *)value)->link.node)
            vz_token_linked(((vz_member *)value)->link.node);
}

/* ---- nodes ---- */

static uint64_t token_at(uint64_t identity, const char *path, vz_error *err)
{
    spot *s = spot_at(identity, path, true, err);
    if (s && !s->token) {
        s->token = new_token(vz_hash(path, strlen(path), identity), err);
        set_spot(s->token, s);
    }
    return s ? s->token : 0;
}

uint64_t vz_hierarchy_path_token(vz_hierarchy *hierarchy, const char *path, vz_error *err)
{
    return token_at(hierarchy->identity, path, err);
}

uint64_t vz_path_token(const char *store, const char *path, vz_error *err)
{
    vz_location location;
    int sys_errno;
    vz_buffer whole = {0};
    uint64_t token = 0;
    if (vz_path_locate(store, &location, &sys_errno, err) && location.kind == VZ_PATH_ZARR &&
        vz_buffer_printf(&whole, err, "%s/%s", location.real + strlen(location.top), path) &&
        vz_buffer_append(&whole, "", 1, err))
        token = token_at(vz_store_identity(location.device, location.inode), (const char *)whole.data, err);
    vz_buffer_clear(&whole);
    vz_location_clear(&location);
    return token;
}

/* Writes the path of a spot so that it ends at `end`. */
static void print_path(const spot *s, char *end)
{
    for (; s->above; s = s->above) {
        const size_t length = strlen(s->name);
        end -= length;
        memcpy(end, s->name, length);
        *--end = '/';
    }
}

/* Heap. */
static char *path_of(const spot *here, vz_error *err)
{
    size_t size = 0;
    for (const spot *s = here; s->above; s = s->above)
        size += strlen(s->name) + 1;
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

char *vz_hierarchy_token_path(const vz_hierarchy *hierarchy, uint64_t token, vz_error *err)
{
    const row *r = find_row(token);
    if (r && r->spot && r->spot->identity == hierarchy->identity)
        return path_of(r->spot, err);
    vz_fail(err, VZ_NOT_FOUND, "no named object of this store has the token %llu", (unsigned long long)token);
    return NULL;
}

char *vz_token_path(uint64_t token, vz_error *err)
{
    const row *r = find_row(token);
    return r && r->spot ? path_of(r->spot, err) : NULL;
}

uint64_t vz_hierarchy_token_here(vz_hierarchy *hierarchy, uint64_t token, vz_error *err)
{
    const row *r = find_row(token);
    if (!r || !r->spot || r->spot->identity == hierarchy->identity)
        return r && r->spot ? token : 0;
    char *path = path_of(r->spot, err);
    const uint64_t here = path ? vz_hierarchy_path_token(hierarchy, path, err) : 0;
    free(path);
    return here;
}

static vz_node *find_unlinked(vz_node *node, uint64_t token)
{
    if (node->token == token)
        return node;
    size_t cursor = 0;
    const char *name;
    void *value;
    while (node->members && vz_strmap_next(node->members->by_name, &cursor, &name, &value)) {
        vz_node *member = ((vz_member *)value)->link.node;
        vz_node *found = member ? find_unlinked(member, token) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

bool vz_token_is_nameless(const vz_hierarchy *hierarchy, uint64_t token)
{
    for (vz_node *node = hierarchy->unlinked; node; node = node->next)
        if (find_unlinked(node, token))
            return true;
    return false;
}

bool vz_token_is_retired(const vz_hierarchy *hierarchy, uint64_t token)
{
    const row *r = find_row(token);
    return r && !r->spot && !vz_token_is_nameless(hierarchy, token);
}

static uint64_t token_of_linked(vz_node *node, vz_error *err)
{
    char *path = vz_node_path(node, err);
    const uint64_t token = path ? vz_hierarchy_path_token(node->hierarchy, path, err) : 0;
    free(path);
    return token;
}

static uint64_t token_of_unlinked(const vz_node *node, vz_error *err)
{
    char *prefix = vz_node_prefix(node, err);
    const uint64_t token = prefix ? new_token(vz_hash(prefix, strlen(prefix), node->hierarchy->identity), err) : 0;
    free(prefix);
    return token;
}

uint64_t vz_node_token(vz_node *node, vz_error *err)
{
    if (!node->token)
        node->token = vz_node_is_linked(node) ? token_of_linked(node, err) : token_of_unlinked(node, err);
    return node->token;
}

/* Down from the root along the spots above. */
static vz_node *node_at(vz_hierarchy *hierarchy, const spot *s, vz_error *err)
{
    if (!s->above)
        return hierarchy->root;
    vz_node *group = node_at(hierarchy, s->above, err);
    if (!group || group->kind != VZ_NODE_GROUP)
        return NULL;
    vz_link *link = vz_group_find(group, s->name, err);
    return link ? vz_link_node(group, link, err) : NULL;
}

vz_node *vz_hierarchy_by_token(vz_hierarchy *hierarchy, uint64_t token, vz_error *err)
{
    const row *r = find_row(token);
    vz_node *found = NULL;
    if (r && r->spot && r->spot->identity == hierarchy->identity) {
        found = node_at(hierarchy, r->spot, err);
        if (found)
            found->token = token;
    } else if (r && !r->spot) {
        for (vz_node *node = hierarchy->unlinked; node && !found; node = node->next)
            found = find_unlinked(node, token);
    }
    if (!found)
        vz_fail(err, VZ_NOT_FOUND, "no object of this store has the token %llu", (unsigned long long)token);
    return found;
}
