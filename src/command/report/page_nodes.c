/* page_nodes.c - all nodes, as lists in lists that fold. */
#include "command/command/command.h"
#include "command/report/page_internal.h"

static const vz_json *member(const vz_json *object, const char *key)
{
    return vz_json_get(object, key);
}

/* ---- facts ---- */

void vz_page_size(vz_page *page, const vz_json *object)
{
    char text[VZ_SAY_SIZE];
    uint64_t stored = 0, decoded = 0;
    const bool has_stored = vz_json_get_uint64(member(object, "stored"), &stored);
    const bool has_decoded = vz_json_get_uint64(member(object, "decoded"), &decoded);
    if (has_stored)
        vz_page_put(page, "%s", vz_say_size(stored, text));
    if (has_decoded)
        vz_page_put(page, "%s%s", has_stored ? " of " : "", vz_say_size(decoded, text));
    if (has_stored && has_decoded && stored)
        vz_page_put(page, ", %.1fx", (double)decoded / (double)stored);
}

static void fact(vz_page *page, const char *label, const vz_json *value)
{
    if (!vz_json_get_string(value, NULL))
        return;
    vz_page_put(page, "<dt>%s</dt><dd>", label);
    vz_page_isolated(page, value);
    vz_page_put(page, "</dd>\n");
}

/* Pairs of a label and a text, both from the model. */
static void pairs(vz_page *page, const vz_json *list)
{
    for (size_t i = 0; i < vz_json_length(list); i++) {
        vz_page_put(page, "<dt>");
        vz_page_isolated(page, vz_json_at(vz_json_at(list, i), 0));
        vz_page_put(page, "</dt><dd>");
        vz_page_isolated(page, vz_json_at(vz_json_at(list, i), 1));
        vz_page_put(page, "</dd>\n");
    }
}

static void facts(vz_page *page, const vz_json *node)
{
    uint64_t count;
    vz_page_put(page, "<dl class=\"facts\">\n");
    fact(page, "Path", member(node, "path"));
    fact(page, "Shape", member(node, "shape"));
    fact(page, "Type", member(node, "type"));
    fact(page, "Storage", member(node, "storage"));
    if (!vz_json_is(member(node, "fill"), "0")) /* as nearly everywhere */
        fact(page, "Fill value", member(node, "fill"));
    if (member(node, "stored") || member(node, "decoded")) {
        vz_page_put(page, "<dt>Size</dt><dd>");
        vz_page_size(page, node);
        vz_page_put(page, "</dd>\n");
    }
    if (vz_json_get_uint64(member(node, "members"), &count))
        vz_page_put(page, "<dt>Members</dt><dd>%llu</dd>\n", (unsigned long long)count);
    pairs(page, member(node, "statistics"));
    fact(page, "Elements", member(node, "elements"));
    vz_page_put(page, "</dl>\n");
}

static void attribute(vz_page *page, const vz_json *value)
{
    vz_page_put(page, "<dt>");
    vz_page_isolated(page, member(value, "name"));
    vz_page_put(page, "</dt><dd>");
    vz_page_isolated(page, member(value, "value"));
    if (member(value, "type")) {
        vz_page_put(page, " <span class=\"soft\">");
        vz_page_isolated(page, member(value, "type"));
        vz_page_put(page, "</span>");
    }
    if (member(value, "note")) {
        vz_page_put(page, " <span class=\"left\">");
        vz_page_isolated(page, member(value, "note"));
        vz_page_put(page, "</span>");
    }
    vz_page_put(page, "</dd>\n");
}

static void attributes(vz_page *page, const vz_json *node)
{
    const vz_json *list = member(node, "attributes");
    if (vz_json_length(list) == 0)
        return;
    vz_page_put(page, "<p class=\"soft\">Attributes</p>\n<dl class=\"attributes\">\n");
    for (size_t i = 0; i < vz_json_length(list); i++)
        attribute(page, vz_json_at(list, i));
    vz_page_put(page, "</dl>\n");
}

static void notes(vz_page *page, const vz_json *node)
{
    const vz_json *list = member(node, "notes");
    for (size_t i = 0; i < vz_json_length(list); i++) {
        vz_page_put(page, "<p class=\"left\">");
        vz_page_isolated(page, vz_json_at(list, i));
        vz_page_put(page, "</p>\n");
    }
}

static void body(vz_page *page, const vz_json *node)
{
    const vz_json *path = member(node, "path");
    vz_page_put(page, "<div class=\"body\">\n<div class=\"about\">\n");
    facts(page, node);
    vz_page_table(page, member(node, "table"), path);
    attributes(page, node);
    notes(page, node);
    vz_page_put(page, "</div>\n");
    if (member(node, "picture") || member(node, "map")) {
        vz_page_put(page, "<div class=\"figures\">\n");
        vz_page_picture(page, member(node, "picture"), path);
        vz_page_map(page, member(node, "map"), path);
        vz_page_put(page, "</div>\n");
    }
    vz_page_put(page, "</div>\n");
}

/* ---- a node ---- */

typedef enum node_kind { KIND_GROUP, KIND_ARRAY, KIND_TYPE, KIND_LINK, KIND_UNREADABLE, KINDS } node_kind;
static const char *const kind_words[KINDS] = {"group", "array", "type", "link", "unreadable"};

static node_kind kind_of(const vz_json *node)
{
    for (int kind = 0; kind < KINDS; kind++)
        if (vz_json_is(member(node, "kind"), kind_words[kind]))
            return (node_kind)kind;
    return KIND_UNREADABLE;
}

/* A line: kind, name, and what tells most of it. */
static void line(vz_page *page, const vz_json *node, node_kind kind)
{
    static const char *const members[] = {"type", "shape", "target"};
    vz_page_put(page, "<span class=\"%s\">%s</span> <span class=\"name\">", kind == KIND_UNREADABLE ? "bad" : "kind",
                kind_words[kind]);
    vz_page_isolated(page, member(node, "name"));
    vz_page_put(page, "</span>");
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (vz_json_get_string(member(node, members[i]), NULL)) {
            vz_page_put(page, " <span class=\"soft\">");
            vz_page_isolated(page, member(node, members[i]));
            vz_page_put(page, "</span>");
        }
    if (member(node, "stored") || (kind == KIND_ARRAY && member(node, "decoded"))) {
        vz_page_put(page, " <span class=\"size\">");
        vz_page_size(page, node);
        vz_page_put(page, "</span>");
    }
}

/* Lists end until that level is reached again. */
static void end_lists(vz_page *page, uint64_t *open, uint64_t level)
{
    for (; *open > level; (*open)--)
        vz_page_put(page, "</ul></details></li>\n");
}

/* *open: lists that are open, of the groups above. */
static void one(vz_page *page, const vz_json *node, size_t index, uint64_t *open)
{
    const node_kind kind = kind_of(node);
    const bool folds = kind != KIND_LINK && kind != KIND_UNREADABLE && page->out.size < VZ_PAGE_DETAILS_MAX;
    const bool is_list = kind == KIND_GROUP && folds && *open < VZ_PAGE_LEVELS_MAX;
    const bool is_open = !page->in_table && (page->nodes <= VZ_PAGE_OPEN_MAX || (*open < 1 && kind == KIND_GROUP));
    page->short_of += !folds && kind != KIND_LINK && kind != KIND_UNREADABLE;
    if (folds)
        vz_page_put(page, "<li id=\"n%zu\"><details%s><summary>", index, is_open ? " open" : "");
    else
        vz_page_put(page, "<li id=\"n%zu\" class=\"row\">", index);
    line(page, node, kind);
    if (folds) {
        vz_page_put(page, "</summary>\n");
        body(page, node);
    } else {
        notes(page, node);
    }
    if (is_list) {
        vz_page_put(page, "<ul>\n");
        (*open)++;
    } else {
        vz_page_put(page, folds ? "</details></li>\n" : "</li>\n");
    }
}

void vz_page_nodes(vz_page *page, const vz_json *nodes)
{
    uint64_t open = 0, table_level = 0;
    vz_page_put(page, "<ul class=\"tree\">\n");
    for (size_t i = 0; i < page->nodes && !page->failed; i++) {
        const vz_json *node = vz_json_at(nodes, i);
        uint64_t level = 0;
        if (page->out.size >= VZ_PAGE_SIZE_MAX) {
            page->beyond = page->nodes - i;
            break;
        }
        if (vz_json_get_uint64(member(node, "level"), &level))
            end_lists(page, &open, level);
        page->in_table = page->in_table && level > table_level;
        one(page, node, i, &open);
        /* its columns are folded */
        if (!page->in_table && kind_of(node) == KIND_GROUP && member(node, "table")) {
            page->in_table = true;
            table_level = level;
        }
    }
    end_lists(page, &open, 0);
    vz_page_put(page, "</ul>\n");
}
