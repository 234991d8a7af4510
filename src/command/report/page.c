/* page.c - the page of a report: what it is of, sums, what was left out, what a check found, the
 * largest arrays, and all nodes. It has no script, and nothing of another host. */
#include "command/command/command.h"
#include "command/report/page_internal.h"

#define TITLE "h5zarr report"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
    "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
    "<meta name=\"generator\" content=\"" TITLE "\">\n<title>";

/* Numbers in words: "1 group", "2 arrays". */
static void count(vz_page *page, const vz_json *totals, const char *key, const char *word)
{
    uint64_t number;
    if (vz_json_get_uint64(vz_json_get(totals, key), &number) && number)
        vz_page_put(page, "<dt>%ss</dt><dd>%llu</dd>\n", word, (unsigned long long)number);
}

static void list(vz_page *page, const char *class, const vz_json *texts)
{
    vz_page_put(page, "<ul class=\"%s\">\n", class);
    for (size_t i = 0; i < vz_json_length(texts); i++) {
        vz_page_put(page, "<li>");
        vz_page_isolated(page, vz_json_at(texts, i));
        vz_page_put(page, "</li>\n");
    }
    vz_page_put(page, "</ul>\n");
}

/* ---- parts ---- */

static void top(vz_page *page, const vz_json *model)
{
    const bool has_check = vz_json_get(model, "check"), has_largest = vz_json_length(vz_json_get(model, "largest"));
    vz_page_put(page, "%s", head);
    vz_page_string(page, vz_json_get(model, "name"));
    vz_page_put(page, " - " TITLE "</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n<h1>", vz_page_style);
    vz_page_isolated(page, vz_json_get(model, "name"));
    vz_page_put(page,
                "</h1>\n<nav aria-label=\"Parts of this page\"><ul><li><a href=\"#sums\">Summary</a></li>%s%s"
                "<li><a href=\"#nodes\">All objects</a></li></ul></nav>\n</header>\n<main>\n",
                has_check ? "<li><a href=\"#check\">Check</a></li>" : "",
                has_largest ? "<li><a href=\"#largest\">Largest arrays</a></li>" : "");
}

static void sums(vz_page *page, const vz_json *model)
{
    const vz_json *totals = vz_json_get(model, "totals"), *facts = vz_json_get(model, "facts");
    vz_page_put(page, "<section id=\"sums\" aria-labelledby=\"h-sums\"><h2 id=\"h-sums\">Summary</h2>\n<dl>\n");
    for (size_t i = 0; i < vz_json_length(facts); i++) {
        vz_page_put(page, "<dt>");
        vz_page_isolated(page, vz_json_at(vz_json_at(facts, i), 0));
        vz_page_put(page, "</dt><dd>");
        vz_page_isolated(page, vz_json_at(vz_json_at(facts, i), 1));
        vz_page_put(page, "</dd>\n");
    }
    count(page, totals, "groups", "Group");
    count(page, totals, "arrays", "Array");
    count(page, totals, "types", "Committed type");
    count(page, totals, "links", "Link");
    count(page, totals, "attributes", "Attribute");
    if (vz_json_get(totals, "stored")) {
        vz_page_put(page, "<dt>Size</dt><dd>");
        vz_page_size(page, totals);
        vz_page_put(page, "</dd>\n");
    }
    vz_page_put(page, "</dl>\n");
    if (vz_json_length(vz_json_get(model, "notes"))) {
        vz_page_put(page, "<p>What this page does not have:</p>\n");
        list(page, "notes left", vz_json_get(model, "notes"));
    }
    vz_page_put(page, "</section>\n");
}

static void finding(vz_page *page, const vz_json *found)
{
    bool wrong = false;
    vz_json_get_bool(vz_json_get(found, "wrong"), &wrong);
    vz_page_put(page, "<li><span class=\"%s\">", wrong ? "bad" : "soft");
    if (vz_json_get_string(vz_json_get(found, "label"), NULL))
        vz_page_isolated(page, vz_json_get(found, "label"));
    else
        vz_page_put(page, "%s", wrong ? "wrong" : "note");
    vz_page_put(page, "</span> <span class=\"mono\">");
    vz_page_isolated(page, vz_json_get(found, "object"));
    vz_page_put(page, "</span>: ");
    vz_page_isolated(page, vz_json_get(found, "text"));
    vz_page_put(page, "</li>\n");
}

static void findings(vz_page *page, const vz_json *list)
{
    if (vz_json_length(list) == 0)
        return;
    vz_page_put(page, "<ul class=\"findings\">\n");
    for (size_t i = 0; i < vz_json_length(list); i++)
        finding(page, vz_json_at(list, i));
    vz_page_put(page, "</ul>\n");
}

static void check(vz_page *page, const vz_json *model)
{
    const vz_json *check = vz_json_get(model, "check");
    uint64_t wrong = 0, left = 0;
    if (!check)
        return;
    vz_page_put(page, "<section id=\"check\" aria-labelledby=\"h-check\"><h2 id=\"h-check\">Check</h2>\n");
    if (vz_json_get_uint64(vz_json_get(check, "wrong"), &wrong))
        vz_page_put(page,
                    wrong ? "<p class=\"bad\">Wrong: %llu found.</p>\n" : "<p class=\"good\">Nothing is wrong.</p>\n",
                    (unsigned long long)wrong);
    vz_page_put(page, "<p>");
    vz_page_isolated(page, vz_json_get(check, "text"));
    vz_page_put(page, "</p>\n");
    findings(page, vz_json_get(check, "findings"));
    findings(page, vz_json_get(check, "remarks"));
    if (vz_json_get_uint64(vz_json_get(check, "left_out"), &left) && left)
        vz_page_put(page, "<p class=\"left\">%llu more findings are not on this page: h5zarr check prints them.</p>\n",
                    (unsigned long long)left);
    vz_page_put(page, "</section>\n");
}

static void bar(vz_page *page, double share)
{
    vz_page_put(page,
                ", %s%.0f %% of all<svg class=\"bar\" viewBox=\"0 0 100 1\" preserveAspectRatio=\"none\" "
                "aria-hidden=\"true\"><rect width=\"%.1f\" height=\"1\"/></svg>",
                share < 1 ? "less than " : "", share < 1 ? 1 : share, share);
}

static void largest(vz_page *page, const vz_json *model)
{
    const vz_json *rows = vz_json_get(model, "largest");
    uint64_t all = 0, stored = 0, node = 0;
    char text[VZ_SAY_SIZE];
    if (vz_json_length(rows) == 0)
        return;
    vz_json_get_uint64(vz_json_get(vz_json_get(model, "totals"), "stored"), &all);
    vz_page_put(page, "<section id=\"largest\" aria-labelledby=\"h-largest\"><h2 id=\"h-largest\">Largest arrays</h2>\n"
                      "<ol class=\"largest\">\n");
    for (size_t i = 0; i < vz_json_length(rows); i++) {
        const vz_json *row = vz_json_at(rows, i);
        if (!vz_json_get_uint64(vz_json_get(row, "node"), &node) || node >= page->nodes ||
            !vz_json_get_uint64(vz_json_get(row, "stored"), &stored))
            continue;
        vz_page_put(page, "<li><a href=\"#n%llu\">", (unsigned long long)node);
        vz_page_isolated(page, vz_json_get(row, "path"));
        vz_page_put(page, "</a> %s", vz_say_size(stored, text));
        if (all) /* else the sum is not known */
            bar(page, stored < all ? 100.0 * (double)stored / (double)all : 100);
        vz_page_put(page, "</li>\n");
    }
    vz_page_put(page, "</ol>\n</section>\n");
}

static void nodes(vz_page *page, const vz_json *model)
{
    vz_page_put(page, "<section id=\"nodes\" aria-labelledby=\"h-nodes\"><h2 id=\"h-nodes\">All objects</h2>\n");
    vz_page_nodes(page, vz_json_get(model, "nodes"));
    if (page->short_of)
        vz_page_put(page, "<p class=\"left\">%zu objects are here without details: the page would be too large.</p>\n",
                    page->short_of);
    if (page->beyond)
        vz_page_put(page, "<p class=\"left\">%zu objects more are not here: the page would be too large.</p>\n",
                    page->beyond);
    vz_page_put(page, "</section>\n");
}

static void bottom(vz_page *page, const vz_json *model)
{
    vz_page_put(page, "</main>\n<footer><p>");
    vz_page_isolated(page, vz_json_get(model, "made"));
    vz_page_put(page, "</p></footer>\n</body>\n</html>\n");
}

bool vz_page_write(const vz_json *model, vz_buffer *out, vz_error *err)
{
    vz_page page = {.err = err, .nodes = vz_json_length(vz_json_get(model, "nodes"))};
    top(&page, model);
    sums(&page, model);
    check(&page, model);
    largest(&page, model);
    nodes(&page, model);
    bottom(&page, model);
    if (page.failed)
        vz_buffer_clear(&page.out);
    *out = page.out;
    return !page.failed;
}
