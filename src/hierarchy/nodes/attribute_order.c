/* attribute_order.c - the names of a node's attributes in their order. It is made when first asked
 * for, then kept up to date by every change. So walks by index over thousands of attributes, also
 * ones that delete, sort once. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/node_state_internal.h"
#include <stdlib.h>

struct vz_attribute_order {
    size_t count, capacity;
    const char **names; /* keys of node->attributes */
};

void vz_attributes_order_drop(vz_node *node)
{
    if (node->attribute_order)
        free(node->attribute_order->names);
    free(node->attribute_order);
    node->attribute_order = NULL;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static struct vz_attribute_order *make(const vz_node *node)
{
    struct vz_attribute_order *order = calloc(1, sizeof *order);
    const size_t count = vz_json_length(node->attributes);
    if (order)
        order->names = malloc((count + 1) * sizeof *order->names);
    if (!order || !order->names) {
        free(order);
        return NULL;
    }
    order->capacity = count + 1;
    while (order->count < count && vz_json_member(node->attributes, order->count, &order->names[order->count], NULL))
        order->count++;
    qsort(order->names, order->count, sizeof *order->names, compare);
    return order;
}

static bool be_there(vz_node *node, vz_error *err)
{
    if (!node->attribute_order)
        node->attribute_order = make(node);
    return node->attribute_order || vz_fail_memory(err);
}

/* Where the name is, or would be. */
static size_t place_of(const struct vz_attribute_order *order, const char *name)
{
    size_t low = 0, high = order->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(order->names[middle], name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const struct vz_attribute_order *order, size_t place, const char *name)
{
    return place < order->count && strcmp(order->names[place], name) == 0;
}

const char *vz_node_attribute_in_order(vz_node *node, size_t index, vz_error *err)
{
    if (!be_there(node, err))
        return NULL;
    if (index < node->attribute_order->count)
        return node->attribute_order->names[index];
    vz_fail(err, VZ_NOT_FOUND, "there are only %zu attributes", node->attribute_order->count);
    return NULL;
}

bool vz_node_attribute_place(vz_node *node, const char *name, size_t *place, vz_error *err)
{
    if (!be_there(node, err))
        return false;
    *place = place_of(node->attribute_order, name);
    return is_at(node->attribute_order, *place, name);
}

static bool make_room(struct vz_attribute_order *order)
{
    if (order->count < order->capacity)
        return true;
    const size_t capacity = 2 * order->capacity;
    const char **names = realloc(order->names, capacity * sizeof *names);
    if (!names)
        return false;
    order->names = names;
    order->capacity = capacity;
    return true;
}

void vz_attributes_order_added(vz_node *node, const char *name)
{
    struct vz_attribute_order *order = node->attribute_order;
    const ptrdiff_t index = vz_json_index(node->attributes, name);
    const char *key;
    if (!order)
        return;
    if (index < 0 || !vz_json_member(node->attributes, (size_t)index, &key, NULL) || !make_room(order)) {
        vz_attributes_order_drop(node);
        return;
    }
    const size_t place = place_of(order, key);
    memmove(order->names + place + 1, order->names + place, (order->count - place) * sizeof *order->names);
    order->names[place] = key;
    order->count++;
}

void vz_attributes_order_leaves(vz_node *node, const char *name)
{
    struct vz_attribute_order *order = node->attribute_order;
    const size_t place = order ? place_of(order, name) : 0;
    if (!order || !is_at(order, place, name))
        return;
    memmove(order->names + place, order->names + place + 1, (order->count - place - 1) * sizeof *order->names);
    order->count--;
}
