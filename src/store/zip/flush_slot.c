/* flush_slot.c - the two slots behind the header of a one-file store: read, checked, printed. */
#include "store/zip/central_internal.h"
#include <libdeflate.h>

#define MAGIC "VZSLOT1\n"

/* Where fields stand in a slot; all are little-endian. They are there twice, with a checksum of
 * their own, so that one damaged byte leaves one of them. The rest up to the checksum of all is
 * zeros. */
enum {
    AT_MAGIC = 0,
    AT_SEQUENCE = 8,
    AT_OPEN = 16,
    AT_GENERATION = 24,
    AT_DIRECTORY = 32,
    AT_SIZE = 40,
    AT_COUNT = 48,
    AT_SHIFT = 56,
    AT_AFTER = 64,
    AT_CRC = 72,
    AT_DELTAS = 76,
    AT_DELTA_OFFSET = 80,
    AT_DELTA_SIZE = 88,
    AT_DELTA_CRC = 92,
    AT_DELTA_BYTES = 96,
    AT_USED = 104,
    FIELDS_SIZE = 112,
    AT_INDEX_SIZE = 112, /* there once: without it the whole directory is read */
    AT_INDEX_CRC = 116,
    AT_COPY = 256,
    AT_COPY_SUM = AT_COPY + FIELDS_SIZE,
    AT_SUM = VZ_SIGNATURE_SLOT_SIZE - 4,
};

/* The fields of a slot, or their copy; NULL: neither is what was written. */
static const uint8_t *find_fields(const uint8_t *slot, bool *is_whole, bool *is_damaged)
{
    const uint8_t *copy = slot + AT_COPY, *fields = slot;
    const uint32_t sum = vz_bytes_load_le32(slot + AT_COPY_SUM);
    *is_whole = libdeflate_crc32(0, slot, AT_SUM) == vz_bytes_load_le32(slot + AT_SUM);
    bool found = *is_whole || libdeflate_crc32(0, slot, FIELDS_SIZE) == sum || memcmp(slot, copy, FIELDS_SIZE) == 0;
    if (!found && libdeflate_crc32(0, copy, FIELDS_SIZE) == sum)
        found = true, fields = copy;
    found = found && memcmp(fields + AT_MAGIC, MAGIC, strlen(MAGIC)) == 0;
    *is_damaged = !*is_whole && (found || memcmp(slot + AT_MAGIC, MAGIC, strlen(MAGIC)) == 0);
    return found ? fields : NULL;
}

static bool parse(const uint8_t *bytes, uint64_t size, bool is_whole, vz_zip_slot *slot)
{
    *slot = (vz_zip_slot){
        .sequence = vz_bytes_load_le64(bytes + AT_SEQUENCE),
        .is_open = bytes[AT_OPEN] != 0,
        .end = {.generation = vz_bytes_load_le64(bytes + AT_GENERATION),
                .directory = vz_bytes_load_le64(bytes + AT_DIRECTORY),
                .size = vz_bytes_load_le64(bytes + AT_SIZE),
                .count = vz_bytes_load_le64(bytes + AT_COUNT),
                .shift = vz_bytes_load_le64(bytes + AT_SHIFT),
                .after = vz_bytes_load_le64(bytes + AT_AFTER),
                .crc = vz_bytes_load_le32(bytes + AT_CRC),
                .index_size = is_whole ? vz_bytes_load_le32(bytes + AT_INDEX_SIZE) : 0,
                .index_crc = is_whole ? vz_bytes_load_le32(bytes + AT_INDEX_CRC) : 0},
        .last = {.offset = vz_bytes_load_le64(bytes + AT_DELTA_OFFSET),
                 .size = vz_bytes_load_le32(bytes + AT_DELTA_SIZE),
                 .crc = vz_bytes_load_le32(bytes + AT_DELTA_CRC)},
        .deltas = vz_bytes_load_le32(bytes + AT_DELTAS),
        .delta_bytes = vz_bytes_load_le64(bytes + AT_DELTA_BYTES),
        .used = vz_bytes_load_le64(bytes + AT_USED),
    };
    const vz_zip_end *end = &slot->end;
    return slot->used <= size && end->directory <= size && end->size <= size - end->directory &&
           end->after >= end->directory && slot->last.offset <= size && slot->last.size <= size - slot->last.offset;
}

bool vz_zip_slot_read(vz_byte_source *source, uint64_t base, vz_zip_slot slots[VZ_SIGNATURE_SLOTS], unsigned *count,
                      vz_error *err)
{
    uint8_t bytes[VZ_SIGNATURE_SLOTS * VZ_SIGNATURE_SLOT_SIZE];
    const uint64_t first = vz_signature_slot(base, 0);
    bool is_whole = false, is_damaged = false, any_damaged = false;
    *count = 0;
    if (!vz_byte_source_read(source, first, bytes, sizeof bytes, err))
        return false;
    for (unsigned i = 0; i < VZ_SIGNATURE_SLOTS; i++) {
        const uint8_t *fields = find_fields(bytes + (size_t)i * VZ_SIGNATURE_SLOT_SIZE, &is_whole, &is_damaged);
        *count += fields && parse(fields, INT64_MAX, is_whole, &slots[*count]);
        any_damaged |= is_damaged;
    }
    for (unsigned i = 0; i < *count; i++)
        slots[i].is_damaged = any_damaged;
    if (*count == VZ_SIGNATURE_SLOTS && slots[1].sequence > slots[0].sequence) {
        const vz_zip_slot older = slots[0];
        slots[0] = slots[1];
        slots[1] = older;
    }
    return true;
}

void vz_zip_slot_print(const vz_zip_slot *slot, uint8_t bytes[VZ_SIGNATURE_SLOT_SIZE])
{
    memset(bytes, 0, VZ_SIGNATURE_SLOT_SIZE);
    memcpy(bytes + AT_MAGIC, MAGIC, strlen(MAGIC));
    vz_bytes_store_le64(bytes + AT_SEQUENCE, slot->sequence);
    bytes[AT_OPEN] = slot->is_open;
    vz_bytes_store_le64(bytes + AT_GENERATION, slot->end.generation);
    vz_bytes_store_le64(bytes + AT_DIRECTORY, slot->end.directory);
    vz_bytes_store_le64(bytes + AT_SIZE, slot->end.size);
    vz_bytes_store_le64(bytes + AT_COUNT, slot->end.count);
    vz_bytes_store_le64(bytes + AT_SHIFT, slot->end.shift);
    vz_bytes_store_le64(bytes + AT_AFTER, slot->end.after);
    vz_bytes_store_le32(bytes + AT_CRC, slot->end.crc);
    vz_bytes_store_le32(bytes + AT_DELTAS, slot->deltas);
    vz_bytes_store_le64(bytes + AT_DELTA_OFFSET, slot->last.offset);
    vz_bytes_store_le32(bytes + AT_DELTA_SIZE, slot->last.size);
    vz_bytes_store_le32(bytes + AT_DELTA_CRC, slot->last.crc);
    vz_bytes_store_le64(bytes + AT_DELTA_BYTES, slot->delta_bytes);
    vz_bytes_store_le64(bytes + AT_USED, slot->used);
    vz_bytes_store_le32(bytes + AT_INDEX_SIZE, slot->end.index_size);
    vz_bytes_store_le32(bytes + AT_INDEX_CRC, slot->end.index_crc);
    memcpy(bytes + AT_COPY, bytes, FIELDS_SIZE);
    vz_bytes_store_le32(bytes + AT_COPY_SUM, libdeflate_crc32(0, bytes, FIELDS_SIZE));
    vz_bytes_store_le32(bytes + AT_SUM, libdeflate_crc32(0, bytes, AT_SUM));
}
