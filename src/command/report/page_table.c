/* page_table.c - rows of a dataframe, a sparse matrix, compound data. */
#include "command/report/page_internal.h"

static uint64_t number_of(const vz_json *object, const char *key)
{
    uint64_t number = 0;
    return vz_json_get_uint64(vz_json_get(object, key), &number) ? number : 0;
}

/* Do the texts of a column stand at the right? */
static bool is_number(const vz_json *column)
{
    const char *type = vz_json_get_text(column, "type");
    return type && (strncmp(type, "int", 3) == 0 || strncmp(type, "uint", 4) == 0 || strncmp(type, "float", 5) == 0);
}

static void counted(vz_page *page, const char *before, uint64_t count, const char *noun)
{
    vz_page_put(page, "%s%llu %s%s", before, (unsigned long long)count, noun, count == 1 ? "" : "s");
}

static void caption(vz_page *page, const vz_json *table, size_t columns, bool has_index)
{
    const uint64_t left = number_of(table, "columns_left_out");
    const bool has_rows = !vz_json_get(table, "noun") || vz_json_is(vz_json_get(table, "noun"), "row");
    vz_page_put(page, "<caption>");
    vz_page_isolated(page, vz_json_get(table, "what"));
    counted(page, ": ", number_of(table, "rows"), has_rows ? "row" : "element");
    if (has_rows)
        counted(page, ", ", columns - has_index + left, "column");
    if (left)
        vz_page_put(page, " (%zu shown)", columns - has_index);
    vz_page_put(page, "</caption>\n");
}

static void heads(vz_page *page, const vz_json *columns, size_t count, bool has_index)
{
    vz_page_put(page, "<thead><tr>%s", has_index ? "" : "<td></td>");
    for (size_t i = 0; i < count; i++) {
        vz_page_put(page, "<th scope=\"col\"%s>", is_number(vz_json_at(columns, i)) ? " class=\"n\"" : "");
        vz_page_isolated(page, vz_json_get(vz_json_at(columns, i), "name"));
        vz_page_put(page, "</th>");
    }
    vz_page_put(page, "</tr></thead>\n");
}

static void cell(vz_page *page, const vz_json *value, bool is_head, bool is_right)
{
    vz_page_put(page, is_head ? "<th scope=\"row\"%s>" : "<td%s>", is_right ? " class=\"n\"" : "");
    if (vz_json_get_string(value, NULL))
        vz_page_isolated(page, value);
    else
        vz_page_put(page, "<span class=\"soft\">-</span>"); /* it is missing */
    vz_page_put(page, is_head ? "</th>" : "</td>");
}

static void rows(vz_page *page, const vz_json *table, const char *key, uint64_t first, size_t count)
{
    const vz_json *list = vz_json_get(table, key), *columns = vz_json_get(table, "columns");
    bool has_index = false;
    vz_json_get_bool(vz_json_get(table, "has_index"), &has_index);
    for (size_t i = 0; i < vz_json_length(list) && i < VZ_PAGE_ROWS_MAX; i++) {
        vz_page_put(page, "<tr>");
        if (!has_index)
            vz_page_put(page, "<th scope=\"row\" class=\"n\">%llu</th>", (unsigned long long)(first + i));
        for (size_t k = 0; k < count; k++)
            cell(page, vz_json_at(vz_json_at(list, i), k), k == 0 && has_index, is_number(vz_json_at(columns, k)));
        vz_page_put(page, "</tr>\n");
    }
}

void vz_page_table(vz_page *page, const vz_json *table, const vz_json *path)
{
    const vz_json *columns = vz_json_get(table, "columns");
    const uint64_t all = number_of(table, "rows"), head = vz_json_length(vz_json_get(table, "head")),
                   tail = vz_json_length(vz_json_get(table, "tail"));
    size_t count = vz_json_length(columns);
    bool has_index = false;
    if (count == 0)
        return;
    count = count < VZ_PAGE_COLUMNS_MAX ? count : VZ_PAGE_COLUMNS_MAX;
    vz_json_get_bool(vz_json_get(table, "has_index"), &has_index);
    vz_page_put(page, "<div class=\"table\" role=\"group\" tabindex=\"0\" aria-label=\"Rows of ");
    vz_page_quoted_string(page, path);
    vz_page_put(page, "\"><table>\n");
    caption(page, table, count, has_index);
    heads(page, columns, count, has_index);
    vz_page_put(page, "<tbody>\n");
    rows(page, table, "head", 0, count);
    if (all > head + tail)
        vz_page_put(page, "<tr><td colspan=\"%zu\" class=\"left\">... %llu more</td></tr>\n", count + !has_index,
                    (unsigned long long)(all - head - tail));
    rows(page, table, "tail", all > tail ? all - tail : 0, count);
    vz_page_put(page, "</tbody></table></div>\n");
}
