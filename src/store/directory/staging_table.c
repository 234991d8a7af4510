/* staging_table.c - the prefixes that are staged. Those within a prefix are found without a look
 * at the others: each stands in a list of what lies below the prefix above it. */
#include "store/directory/staging_internal.h"
#include <stdlib.h>

/* A prefix that is staged, or above one that is. */
struct slot {
    struct staged *entry; /* NULL: only something below it is staged */
    struct slot *above;   /* NULL: the table's root */
    struct slot *below;   /* the first of those below it */
    struct slot *next, *previous;
    size_t length; /* of the prefix */
    char prefix[];
};

struct vz_staging_table {
    vz_strmap *slots; /* by prefix */
    struct slot *root;
    size_t count; /* entries */
};

static struct slot *new_slot(const char *prefix, size_t length)
{
    struct slot *slot = calloc(1, sizeof *slot + length + 1);
    if (!slot)
        return NULL;
    slot->length = length;
    memcpy(slot->prefix, prefix, length);
    return slot;
}

vz_staging_table *vz_staging_table_new(void)
{
    vz_staging_table *table = calloc(1, sizeof *table);
    if (!table)
        return NULL;
    table->slots = vz_strmap_new_borrowing();
    table->root = new_slot("", 0);
    if (table->slots && table->root)
        return table;
    vz_staging_table_free(table);
    return NULL;
}

static void free_slot(void *value)
{
    struct slot *slot = value;
    free(slot->entry);
    free(slot);
}

void vz_staging_table_free(vz_staging_table *table)
{
    if (!table)
        return;
    vz_strmap_free(table->slots, free_slot);
    free(table->root);
    free(table);
}

size_t vz_staging_table_count(const vz_staging_table *table)
{
    return table->count;
}

struct staged *vz_staging_table_get(const vz_staging_table *table, const char *prefix)
{
    const struct slot *slot = vz_strmap_get(table->slots, prefix);
    return slot ? slot->entry : NULL;
}

static void unlink_slot(vz_staging_table *table, struct slot *slot)
{
    if (slot->next)
        slot->next->previous = slot->previous;
    if (slot->previous)
        slot->previous->next = slot->next;
    else
        slot->above->below = slot->next;
    vz_strmap_remove(table->slots, slot->prefix);
    free(slot);
}

/* Takes away a slot for which there is no reason, and those above it that lose theirs. */
static void tidy(vz_staging_table *table, struct slot *slot)
{
    while (slot != table->root && !slot->entry && !slot->below) {
        struct slot *above = slot->above;
        unlink_slot(table, slot);
        slot = above;
    }
}

/* The slot of a prefix, made with those above it. NULL: out of memory; what was made for it is
 * gone. */
static struct slot *slot_at(vz_staging_table *table, const char *prefix)
{
    struct slot *slot = vz_strmap_get(table->slots, prefix);
    if (slot)
        return slot;
    const char *slash = strrchr(prefix, '/');
    slot = new_slot(prefix, strlen(prefix));
    if (!slot)
        return NULL;
    struct slot *above = table->root;
    if (slash) {
        char *cut = slot->prefix + (slash - prefix);
        *cut = '\0';
        above = slot_at(table, slot->prefix);
        *cut = '/';
    }
    if (!above || !vz_strmap_put(table->slots, slot->prefix, slot, NULL)) {
        if (above)
            tidy(table, above);
        free(slot);
        return NULL;
    }
    slot->above = above;
    slot->next = above->below;
    if (slot->next)
        slot->next->previous = slot;
    above->below = slot;
    return slot;
}

bool vz_staging_table_put(vz_staging_table *table, const char *prefix, struct staged *entry, vz_error *err)
{
    struct slot *slot = slot_at(table, prefix);
    if (!slot)
        return vz_fail_memory(err);
    table->count += !slot->entry;
    slot->entry = entry;
    return true;
}

struct staged *vz_staging_table_remove(vz_staging_table *table, const char *prefix)
{
    struct slot *slot = vz_strmap_get(table->slots, prefix);
    struct staged *entry = slot ? slot->entry : NULL;
    if (!entry)
        return NULL;
    slot->entry = NULL;
    table->count--;
    tidy(table, slot);
    return entry;
}

/* Down to the first slot that lies lowest. */
static struct slot *lowest(struct slot *slot)
{
    while (slot->below)
        slot = slot->below;
    return slot;
}

const char *vz_staging_table_first(const vz_staging_table *table, const char *prefix)
{
    struct slot *slot = *prefix ? vz_strmap_get(table->slots, prefix) : table->root;
    if (!slot || (slot == table->root && !slot->below))
        return NULL;
    return lowest(slot)->prefix; /* one that has nothing below it is staged itself */
}

const char *vz_staging_table_next(const vz_staging_table *table, const char *prefix, const char *at)
{
    const struct slot *top = *prefix ? vz_strmap_get(table->slots, prefix) : table->root;
    struct slot *slot = vz_strmap_get(table->slots, at);
    while (slot && slot != top) {
        slot = slot->next ? lowest(slot->next) : slot->above;
        if (slot->entry)
            return slot->prefix;
    }
    return NULL;
}
