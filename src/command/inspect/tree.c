/* tree.c - h5zarr tree: a group and all below it, with what each array takes. */
#include "command/command/command.h"
#include "base/os/terminal.h"
#include <stdlib.h>

struct shape { /* of the lines, in what the terminal shows */
    const char *branch, *last, *through, *blank;
};
static const struct shape in_ascii = {"|-- ", "`-- ", "|   ", "    "};
static const struct shape in_utf8 = {"\u251c\u2500\u2500 ", "\u2514\u2500\u2500 ", "\u2502   ", "    "};

struct tree {
    bool json, quick;
    uint64_t depth_max;
    const char *store;
    const struct shape *shape;
    vz_buffer indent; /* of text: what stands before the lines of a level; NUL-terminated, not
                       * counted */
    vz_line line;     /* under way */
    vz_exit status;
    uint64_t groups, arrays, stored, decoded, links;
    bool is_open_ended; /* some array's elements have no size of their own */
    bool has_unknown;   /* what is stored of some array is not known */
};

/* One group that is listed: a member is shown when it is known whether another one comes. */
struct level {
    struct tree *tree;
    vz_node *group;
    vz_link *waiting;
    uint64_t depth, shown;
};

static bool show_group(struct tree *tree, vz_node *group, uint64_t depth, vz_error *err);

/* ---- sizes ---- */

struct sizes {
    bool known, has_decoded;
    vz_command_stored_size stored;
    uint64_t decoded;
};

static bool measure(struct tree *tree, vz_node *array, struct sizes *sizes, vz_error *err)
{
    *sizes = (struct sizes){0};
    tree->arrays++;
    if (tree->quick)
        return true;
    if (!vz_describe_stored(array, &sizes->stored, err))
        return false;
    sizes->known = sizes->stored.is_known;
    tree->has_unknown |= !sizes->known;
    sizes->has_decoded = vz_describe_decoded(array, &sizes->decoded);
    tree->stored += sizes->stored.bytes;
    if (sizes->has_decoded)
        tree->decoded += sizes->decoded;
    else
        tree->is_open_ended = true;
    return true;
}

static void print_sizes(FILE *out, const struct sizes *sizes)
{
    char stored[VZ_SAY_SIZE], decoded[VZ_SAY_SIZE];
    if (!sizes->known)
        return;
    fprintf(out, "  %s%s", vz_say_colour(VZ_COLOUR_FAINT), vz_say_size(sizes->stored.bytes, stored));
    if (sizes->has_decoded)
        fprintf(out, " of %s", vz_say_size(sizes->decoded, decoded));
    if (sizes->has_decoded && sizes->stored.bytes)
        fprintf(out, ", %.1fx", (double)sizes->decoded / (double)sizes->stored.bytes);
    fputs(vz_say_colour(VZ_COLOUR_PLAIN), out);
}

/* ---- one node ---- */

static FILE *print_name(struct tree *tree, const char *name, vz_colour colour)
{
    FILE *out = vz_line_stream(&tree->line);
    fputs(vz_say_colour(colour), out);
    vz_say_text(out, name);
    fputs(vz_say_colour(VZ_COLOUR_PLAIN), out);
    return out;
}

static bool print_array(struct tree *tree, const char *name, vz_node *array, vz_error *err)
{
    vz_buffer words = {0}, storage = {0};
    struct sizes sizes;
    const bool ok = measure(tree, array, &sizes, err) && vz_describe_short(array, &words, err) &&
                    vz_describe_storage(array, &storage, err);
    if (ok) {
        const char *text = (const char *)words.data;
        FILE *out = print_name(tree, name, VZ_COLOUR_ARRAY);
        fputs("  ", out);
        vz_say_text(out, array->meta ? text + strlen("array  ") : text);
        if (storage.size)
            fputs("  ", out);
        vz_say_text(out, (const char *)storage.data);
        print_sizes(out, &sizes);
        vz_line_end(&tree->line);
    }
    vz_buffer_clear(&words);
    vz_buffer_clear(&storage);
    return ok;
}

static bool print_node(struct tree *tree, const char *name, vz_node *node, vz_error *err)
{
    if (node->kind == VZ_NODE_ARRAY)
        return print_array(tree, name, node, err);
    tree->groups++;
    print_name(tree, name, VZ_COLOUR_GROUP);
    vz_line_end(&tree->line);
    return true;
}

/* The members of the object but its bracket at the end, which what is below goes before. */
static bool print_node_json(struct tree *tree, const char *name, vz_node *node, vz_error *err)
{
    vz_buffer text = {0};
    struct sizes sizes = {0};
    vz_json *object = vz_json_object(err);
    bool ok = object && vz_describe_set_text(object, "name", name, err) && vz_describe_json(node, object, err);
    if (ok && node->kind == VZ_NODE_ARRAY)
        ok = measure(tree, node, &sizes, err);
    else
        tree->groups++;
    ok = ok && (!sizes.known || vz_json_set(object, "stored", vz_json_uint64(sizes.stored.bytes, err), err)) &&
         (!sizes.has_decoded || vz_json_set(object, "decoded", vz_json_uint64(sizes.decoded, err), err)) &&
         vz_json_print(object, 0, &text, err);
    if (ok)
        printf("%.*s", (int)text.size - 1, (const char *)text.data);
    vz_buffer_clear(&text);
    vz_json_free(object);
    return ok;
}

/* A link that is no first name, or a node that cannot be read (`why`). */
static bool print_other(struct tree *tree, const vz_link *link, const vz_error *why, vz_error *err)
{
    const bool is_link = link->kind != VZ_LINK_NODE;
    char *target = is_link ? vz_describe_link_target(link, err) : NULL;
    if (!tree->json) {
        FILE *out = print_name(tree, link->name, is_link ? VZ_COLOUR_LINK : VZ_COLOUR_BAD);
        fprintf(out, is_link ? "  %s link -> " : "  cannot be read: ", vz_describe_link_word(link));
        vz_say_text(out, !is_link ? why->text : target ? target : "?");
        vz_line_end(&tree->line);
        free(target);
        return true;
    }
    vz_buffer text = {0};
    vz_json *object = vz_json_object(err);
    const bool ok = object && vz_describe_set_text(object, "name", link->name, err) &&
                    vz_describe_set_text(object, "kind", is_link ? "link" : "unreadable", err) &&
                    (!is_link || vz_describe_set_text(object, "link", vz_describe_link_word(link), err)) &&
                    (!is_link || !target || vz_describe_set_text(object, "target", target, err)) &&
                    (is_link || vz_describe_set_text(object, "error", why->text, err)) &&
                    vz_json_print(object, 0, &text, err);
    if (ok)
        printf("%.*s", (int)text.size, (const char *)text.data);
    vz_buffer_clear(&text);
    vz_json_free(object);
    free(target);
    return ok;
}

/* ---- the members of a group ---- */

static bool set_indent(struct tree *tree, size_t length, const char *more, vz_error *err)
{
    tree->indent.size = length;
    const bool ok =
        vz_buffer_append(&tree->indent, more, strlen(more), err) && vz_buffer_append(&tree->indent, "", 1, err);
    tree->indent.size -= ok;
    return ok;
}

static bool show_node(struct level *level, const vz_link *link, vz_node *node, bool is_last, vz_error *err)
{
    struct tree *tree = level->tree;
    const size_t length = tree->indent.size;
    bool goes_on = node->kind == VZ_NODE_GROUP && level->depth + 1 < tree->depth_max;
    if (goes_on && !vz_subject_enters_group(node, link->name, &tree->links)) {
        goes_on = false;
        tree->status = VZ_EXIT_FAILED;
    }
    vz_node_ref(node);
    bool ok = tree->json ? print_node_json(tree, link->name, node, err) : print_node(tree, link->name, node, err);
    if (node->kind == VZ_NODE_ARRAY && !vz_node_understood(node))
        tree->status = VZ_EXIT_FAILED;
    ok = ok && set_indent(tree, length, is_last ? tree->shape->blank : tree->shape->through, err) &&
         (!goes_on || show_group(tree, node, level->depth + 1, err)) && set_indent(tree, length, "", err);
    if (tree->json && ok)
        putchar('}');
    vz_node_unref(node);
    return ok;
}

static bool show_waiting(struct level *level, bool is_last, vz_error *err)
{
    struct tree *tree = level->tree;
    vz_link *link = level->waiting;
    vz_error why = VZ_ERROR_NONE;
    level->waiting = NULL;
    if (!link)
        return true;
    vz_node *node = link->kind == VZ_LINK_NODE ? vz_link_node(level->group, link, &why) : NULL;
    if (why.class == VZ_NO_MEMORY)
        return vz_fail_memory(err);
    if (tree->json)
        printf("%s\n%*s", level->shown ? "," : "", (int)level->depth + 1, "");
    else
        fprintf(vz_line_stream(&tree->line), "%s%s", (const char *)tree->indent.data,
                is_last ? tree->shape->last : tree->shape->branch);
    level->shown++;
    if (node)
        return show_node(level, link, node, is_last, err);
    if (link->kind == VZ_LINK_NODE)
        tree->status = VZ_EXIT_FAILED;
    return print_other(tree, link, &why, err);
}

static bool visit(void *context, vz_node *group, vz_link *link, vz_error *err)
{
    struct level *level = context;
    (void)group;
    const bool ok = show_waiting(level, false, err);
    level->waiting = link;
    return ok;
}

static bool show_group(struct tree *tree, vz_node *group, uint64_t depth, vz_error *err)
{
    struct level level = {.tree = tree, .group = group, .depth = depth};
    vz_error why = VZ_ERROR_NONE;
    if (tree->json)
        printf(",\"members\":[");
    bool ok = vz_group_each_link(group, visit, &level, &why);
    if (!ok && why.class != VZ_NO_MEMORY) {
        tree->status = vz_say_failure(&why, tree->store);
        ok = true;
    }
    ok = show_waiting(&level, true, err) && ok;
    if (tree->json)
        putchar(']');
    return ok || vz_fail_memory(err);
}

/* ---- all ---- */

static void print_sum(const struct tree *tree)
{
    char stored[VZ_SAY_SIZE], decoded[VZ_SAY_SIZE];
    printf("%llu group%s, %llu array%s", (unsigned long long)tree->groups, tree->groups == 1 ? "" : "s",
           (unsigned long long)tree->arrays, tree->arrays == 1 ? "" : "s");
    const bool is_known = !tree->quick && !tree->has_unknown;
    if (is_known)
        printf(", %s stored", vz_say_size(tree->stored, stored));
    if (is_known && !tree->is_open_ended)
        printf(" of %s", vz_say_size(tree->decoded, decoded));
    if (is_known && !tree->is_open_ended && tree->stored)
        printf(", %.1fx", (double)tree->decoded / (double)tree->stored);
    putchar('\n');
}

static bool show(struct tree *tree, vz_node *node, vz_error *err)
{
    const bool is_group = node->kind == VZ_NODE_GROUP;
    bool ok = set_indent(tree, 0, "", err) &&
              (tree->json ? print_node_json(tree, tree->store, node, err) : print_node(tree, tree->store, node, err));
    ok = ok && (!is_group || !tree->depth_max || show_group(tree, node, 0, err));
    if (!ok)
        return false;
    if (tree->json)
        printf("}\n");
    else
        print_sum(tree);
    return true;
}

static bool read_depth(const char *text, uint64_t *depth)
{
    char *end;
    *depth = text ? strtoull(text, &end, 10) : VZ_MAX_DEPTH + 1;
    return !text || (*text >= '0' && *text <= '9' && !*end);
}

static vz_exit run(const vz_command_call *call)
{
    vz_error err = VZ_ERROR_NONE;
    vz_subject subject;
    struct tree tree = {.json = vz_command_has(call, "json"),
                        .quick = vz_command_has(call, "quick"),
                        .store = call->operands[0],
                        .shape = vz_terminal_shows_utf8() ? &in_utf8 : &in_ascii};
    if (!read_depth(vz_command_value(call, "depth"), &tree.depth_max)) {
        vz_say_error("tree: --depth takes a number, not \"%s\"", vz_command_value(call, "depth"));
        return VZ_EXIT_USAGE;
    }
    if (!vz_subject_open(tree.store, &subject, &err))
        return vz_say_failure(&err, tree.store);
    const bool ok = show(&tree, subject.node, &err);
    vz_subject_close(&subject);
    vz_buffer_clear(&tree.indent);
    vz_line_end(&tree.line);
    return ok ? tree.status : vz_say_failure(&err, tree.store);
}

static const vz_command_option options[] = {
    {'d', "depth", "LEVELS", "shows so many levels below the group"},
    {'q', "quick", NULL, "without the bytes that arrays take, for which each chunk is looked at"},
    {0, "json", NULL, "a JSON object, with the objects of its members in it"},
    {0},
};

const vz_command vz_command_tree = {
    .name = "tree",
    .summary = "shows a group and all below it: shapes, types, chunks, codecs, sizes",
    .usage = "STORE[/PATH]",
    .description = "Behind each array stand the bytes that its chunks take in the store, those of its elements, and "
                   "how many times smaller the store is. Further names of an object are shown as links, so that each "
                   "object stands in the tree once.",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
