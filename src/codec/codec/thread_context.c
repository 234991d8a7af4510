/* thread_context.c - a table of contexts behind one slot of each thread, which frees them as the
 * thread ends. The slot is the module's only global state. */
#include "codec/codec/codec_internal.h"

#include "base/os/thread.h"
#include <stdlib.h>

typedef struct context_table {
    struct {
        void *context;
        void (*destroy)(void *context);
    } entries[VZ_CONTEXT_KINDS];
} context_table;

static vz_os_once slot_once = VZ_OS_ONCE_INIT;
static vz_os_thread_slot table_slot;
static bool has_slot;

static void table_free(void *data)
{
    context_table *table = data;
    for (int i = 0; i < VZ_CONTEXT_KINDS; i++)
        if (table->entries[i].context)
            table->entries[i].destroy(table->entries[i].context);
    free(table);
}

static void make_slot(void)
{
    has_slot = vz_os_thread_slot_init(&table_slot, table_free);
}

/* A process ends without ending its last thread. Whatever still wants a context after this makes a
 * new one. */
__attribute__((destructor)) static void last_thread_ends(void)
{
    vz_os_run_once(&slot_once, make_slot);
    if (!has_slot)
        return;
    context_table *table = vz_os_thread_slot_get(table_slot);
    if (!table)
        return;
    vz_os_thread_slot_set(table_slot, NULL);
    table_free(table);
}

static context_table *thread_table(void)
{
    vz_os_run_once(&slot_once, make_slot);
    if (!has_slot)
        return NULL;
    context_table *table = vz_os_thread_slot_get(table_slot);
    if (table)
        return table;
    table = calloc(1, sizeof *table);
    if (!table || !vz_os_thread_slot_set(table_slot, table)) {
        free(table);
        return NULL;
    }
    return table;
}

void **vz_codec_thread_context(vz_codec_thread_context_kind kind, void (*destroy)(void *context))
{
    context_table *table = thread_table();
    if (!table)
        return NULL;
    table->entries[kind].destroy = destroy;
    return &table->entries[kind].context;
}
