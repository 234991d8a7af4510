/* thread_context.c - a table of contexts behind one thread-specific key, which frees them as the
 * thread ends. The key is the module's only global state. */
#include "codec/codec/codec_internal.h"

#include "base/os/thread.h"
#include <stdlib.h>

typedef struct context_table {
    struct {
        void *context;
        void (*destroy)(void *context);
    } entries[VZ_CONTEXT_KINDS];
} context_table;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t table_key;
static int key_failed;

static void table_free(void *data)
{
    context_table *table = data;
    for (int i = 0; i < VZ_CONTEXT_KINDS; i++)
        if (table->entries[i].context)
            table->entries[i].destroy(table->entries[i].context);
    free(table);
}

static void make_key(void)
{
    key_failed = pthread_key_create(&table_key, table_free);
}

/* A process ends without ending its last thread. Whatever still wants a context after this makes a
 * new one. */
__attribute__((destructor)) static void last_thread_ends(void)
{
    if (pthread_once(&key_once, make_key) != 0 || key_failed)
        return;
    context_table *table = pthread_getspecific(table_key);
    if (!table)
        return;
    pthread_setspecific(table_key, NULL);
    table_free(table);
}

static context_table *thread_table(void)
{
    if (pthread_once(&key_once, make_key) != 0 || key_failed)
        return NULL;
    context_table *table = pthread_getspecific(table_key);
    if (table)
        return table;
    table = calloc(1, sizeof *table);
    if (!table || pthread_setspecific(table_key, table) != 0) {
        free(table);
        return NULL;
    }
    return table;
}

void **vz_thread_context(vz_thread_context_kind kind, void (*destroy)(void *context))
{
    context_table *table = thread_table();
    if (!table)
        return NULL;
    table->entries[kind].destroy = destroy;
    return &table->entries[kind].context;
}
