/* ls.c - h5zarr ls: the members of a group. */
#include "command/command/command.h"
#include <stdlib.h>

#define NAME_COLUMNS 28

struct listing {
    bool sizes, recursive, json;
    const char *store;
    const char *below; /* path of the group listed, relative to the one asked for; "" for that
                        * one */
    uint64_t printed, links;
    vz_exit status;
};

/* The facts about one link. */
struct item {
    const char *name; /* relative to the group asked for */
    const vz_link *link;
    vz_node *node; /* NULL: the link is none of a node, or `why` tells */
    vz_error why;
    bool has_size, has_decoded;
    vz_command_stored_size stored;
    uint64_t decoded;
};

/* ---- printing ---- */

static bool is_link(const struct item *item)
{
    return item->link && item->link->kind != VZ_LINK_NODE;
}

static bool print_text(const struct item *item, vz_error *err)
{
    vz_buffer words = {0};
    char size[VZ_SAY_SIZE], decoded[VZ_SAY_SIZE];
    const bool is_array = item->node && item->node->kind == VZ_NODE_ARRAY;
    char *target = is_link(item) ? vz_describe_link_target(item->link, err) : NULL;
    const bool ok = !item->node || is_link(item) || vz_describe_short(item->node, &words, err);
    fputs(vz_say_colour(is_link(item) ? VZ_COLOUR_LINK : is_array ? VZ_COLOUR_ARRAY : VZ_COLOUR_GROUP), stdout);
    vz_say_text(stdout, item->name);
    fputs(vz_say_colour(VZ_COLOUR_PLAIN), stdout);
    const size_t used = strlen(item->name);
    printf("%*s", used < NAME_COLUMNS ? (int)(NAME_COLUMNS - used) : 2, "");
    if (is_link(item)) {
        printf("%s link -> ", vz_describe_link_word(item->link));
        vz_say_text(stdout, target ? target : "?");
    } else if (item->node && ok) {
        vz_say_text(stdout, (const char *)words.data);
    } else {
        printf("%scannot be read: ", vz_say_colour(VZ_COLOUR_BAD));
        vz_say_text(stdout, item->why.text);
        fputs(vz_say_colour(VZ_COLOUR_PLAIN), stdout);
    }
    if (item->has_size)
        printf("  %s", vz_say_size(item->stored.bytes, size));
    if (item->has_size && item->has_decoded)
        printf(" of %s", vz_say_size(item->decoded, decoded));
    putchar('\n');
    free(target);
    vz_buffer_clear(&words);
    return ok;
}

static bool fill_json(const struct item *item, vz_json *object, vz_error *err)
{
    if (!vz_describe_set_text(object, "name", item->name, err))
        return false;
    if (is_link(item)) {
        char *target = vz_describe_link_target(item->link, err);
        const bool ok = vz_describe_set_text(object, "kind", "link", err) &&
                        vz_describe_set_text(object, "link", vz_describe_link_word(item->link), err) &&
                        (!target || vz_describe_set_text(object, "target", target, err));
        free(target);
        return ok;
    }
    if (!item->node)
        return vz_describe_set_text(object, "kind", "unreadable", err) &&
               vz_describe_set_text(object, "error", item->why.text, err);
    return vz_describe_json(item->node, object, err) &&
           (!item->has_size || vz_json_set(object, "stored", vz_json_uint64(item->stored.bytes, err), err)) &&
           (!item->has_decoded || vz_json_set(object, "decoded", vz_json_uint64(item->decoded, err), err));
}

static bool print_json(const struct listing *listing, const struct item *item, vz_error *err)
{
    vz_buffer text = {0};
    vz_json *object = vz_json_object(err);
    const bool ok = object && fill_json(item, object, err) && vz_json_print(object, 0, &text, err);
    if (ok)
        printf("%s\n  %.*s", listing->printed ? "," : "", (int)text.size, (const char *)text.data);
    vz_buffer_clear(&text);
    vz_json_free(object);
    return ok;
}

static bool print_item(struct listing *listing, const struct item *item, vz_error *err)
{
    const bool ok = listing->json ? print_json(listing, item, err) : print_text(item, err);
    listing->printed++;
    return ok;
}

/* ---- listing ---- */

static bool measure(struct item *item, vz_error *err)
{
    item->has_decoded = vz_describe_decoded(item->node, &item->decoded);
    const bool ok = vz_describe_stored(item->node, &item->stored, err);
    item->has_size = ok && item->stored.is_known;
    return ok;
}

static bool list_node(struct listing *listing, const char *name, const vz_link *link, vz_node *node, vz_error *err)
{
    struct item item = {.name = name, .link = link, .node = node};
    if (node && node->kind == VZ_NODE_ARRAY && listing->sizes && !measure(&item, err))
        return false;
    if (node && node->kind == VZ_NODE_ARRAY && !vz_node_understood(node))
        listing->status = VZ_EXIT_FAILED;
    return print_item(listing, &item, err);
}

static bool list_group(struct listing *listing, vz_node *group, const char *below, vz_error *err);

static bool go_into(struct listing *listing, vz_node *node, const char *path, vz_error *err)
{
    if (!listing->recursive || !node || node->kind != VZ_NODE_GROUP)
        return true;
    if (vz_subject_enters_group(node, path, &listing->links))
        return list_group(listing, node, path, err);
    listing->status = VZ_EXIT_FAILED;
    return true;
}

static bool visit(void *context, vz_node *group, vz_link *link, vz_error *err)
{
    struct listing *listing = context;
    vz_error why = VZ_ERROR_NONE;
    const char *below = listing->below;
    vz_node *node = link->kind == VZ_LINK_NODE ? vz_link_node(group, link, &why) : NULL;
    if (why.class == VZ_NO_MEMORY) {
        *err = why;
        return false;
    }
    char *path = vz_document_key_join(below, link->name, err);
    bool ok = path != NULL;
    if (ok && !node && link->kind == VZ_LINK_NODE) {
        struct item item = {.name = path, .why = why};
        listing->status = VZ_EXIT_FAILED;
        ok = print_item(listing, &item, err);
    } else if (ok) {
        if (node)
            vz_node_ref(node);
        ok = list_node(listing, path, link, node, err) && go_into(listing, node, path, err);
        if (node)
            vz_node_unref(node); /* it may be forgotten now */
    }
    free(path);
    listing->below = below;
    return ok;
}

static bool list_group(struct listing *listing, vz_node *group, const char *below, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    listing->below = below;
    if (vz_group_each_link(group, visit, listing, &why))
        return true;
    if (why.class == VZ_NO_MEMORY || ferror(stdout)) {
        *err = why;
        return false;
    }
    /* The members of this group are unknown; the rest is known. */
    vz_error_where(&why, listing->store, *below ? below : NULL);
    listing->status = vz_say_failure(&why, listing->store);
    return true;
}

static bool list_all(struct listing *listing, vz_node *node, const char *name, vz_error *err)
{
    return node->kind == VZ_NODE_GROUP ? list_group(listing, node, "", err) : list_node(listing, name, NULL, node, err);
}

static vz_exit run(const vz_command_call *call)
{
    vz_error err = VZ_ERROR_NONE;
    vz_subject subject;
    const char *store = call->operands[0];
    if (!vz_subject_open(store, &subject, &err))
        return vz_say_failure(&err, store);
    struct listing listing = {.sizes = vz_command_has(call, "long"),
                              .recursive = vz_command_has(call, "recursive"),
                              .json = vz_command_has(call, "json"),
                              .store = store};
    if (listing.json)
        putchar('[');
    const bool ok = list_all(&listing, subject.node, store, &err);
    if (listing.json)
        printf("%s]\n", listing.printed ? "\n" : "");
    vz_subject_close(&subject);
    return ok ? listing.status : vz_say_failure(&err, store);
}

static const vz_command_option options[] = {
    {'l', "long", NULL, "the bytes that each array takes in the store, and those of its elements, too"},
    {'r', "recursive", NULL, "groups below, too: names are then paths"},
    {0, "json", NULL, "a JSON array with an object for each member"},
    {0},
};

const vz_command vz_command_ls = {
    .name = "ls",
    .summary = "lists the members of a group: name, kind, shape, type",
    .usage = "STORE[/PATH]",
    .description = "Members come in the order of their names, and each is printed when it was looked at. Types have "
                   "the words of the store. Links are shown, not followed; a PATH may go through soft ones.\n\n"
                   "Objects that cannot be read are listed with the reason, and the exit status is then 1.",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
