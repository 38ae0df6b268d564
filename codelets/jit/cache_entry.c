/* The layout of a cache file: header, text, machine code, and a digest of all of it.
 * Must not know: files, directories. */
#include "config.h"
#include "codelets/jit/internal.h"

#include <stdlib.h>
#include <string.h>

/* The format is not portable: a file is read only by the type of processor that wrote it. */
typedef struct {
    char magic[8];
    uint32_t abi, header_size;
    unsigned char digest[32]; /* of the header with zeros in this field, then of the rest */
    unsigned char key[32];
    uint64_t source_size, code_size;
    double seconds;
    char label[64], compiler[192], facts[128];
} header;

static const char magic[8] = { 'O', 'R', 'R', 'K', 'R', 'N', '\r', '\n' };

void orr__key_hex(const orr__key *k, char hex[65])
{
    for (int i = 0; i < 32; i++) {
        hex[2 * i] = "0123456789abcdef"[k->byte[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[k->byte[i] & 15];
    }
    hex[64] = '\0';
}

static void digest(const header *h, const unsigned char *rest, size_t size, unsigned char out[32])
{
    header bare = *h;
    orr__sha256 s;
    memset(bare.digest, 0, sizeof bare.digest);
    orr__sha256_begin(&s);
    orr__sha256_add(&s, &bare, sizeof bare);
    orr__sha256_add(&s, rest, size);
    orr__sha256_end(&s, out);
}

static void copy_name(char *to, size_t size, const char *from)
{
    size_t n = strnlen(from, size - 1);
    memset(to, 0, size);
    memcpy(to, from, n);
}

bool orr__entry_pack(const orr__key *k, const orr__entry *e, orr__bytes *out)
{
    header h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.abi = ORR__CACHE_ABI;
    h.header_size = sizeof h;
    memcpy(h.key, k->byte, sizeof h.key);
    h.source_size = e->source_size;
    h.code_size = e->code_size;
    h.seconds = e->seconds;
    copy_name(h.label, sizeof h.label, e->label);
    copy_name(h.compiler, sizeof h.compiler, e->compiler);
    copy_name(h.facts, sizeof h.facts, e->facts);
    out->size = sizeof h + e->source_size + e->code_size;
    out->data = malloc(out->size);
    if (!out->data)
        return false;
    memcpy(out->data + sizeof h, e->source, e->source_size);
    memcpy(out->data + sizeof h + e->source_size, e->code, e->code_size);
    digest(&h, out->data + sizeof h, out->size - sizeof h, h.digest);
    memcpy(out->data, &h, sizeof h);
    return true;
}

bool orr__entry_unpack(const orr__bytes *b, const orr__key *k, orr__entry *e, orr__key *found)
{
    header h;
    unsigned char d[32];
    if (b->size < sizeof h)
        return false;
    memcpy(&h, b->data, sizeof h);
    size_t rest = b->size - sizeof h;
    if (memcmp(h.magic, magic, sizeof magic) != 0 || h.abi != ORR__CACHE_ABI || h.header_size != sizeof h ||
        h.source_size > rest || h.code_size != rest - h.source_size || (k && memcmp(h.key, k->byte, 32) != 0))
        return false;
    digest(&h, b->data + sizeof h, rest, d);
    if (memcmp(d, h.digest, sizeof d) != 0)
        return false;
    memset(e, 0, sizeof *e);
    copy_name(e->label, sizeof e->label, h.label);
    copy_name(e->compiler, sizeof e->compiler, h.compiler);
    copy_name(e->facts, sizeof e->facts, h.facts);
    e->seconds = h.seconds;
    e->source = (const char *)b->data + sizeof h;
    e->source_size = (size_t)h.source_size;
    e->code = b->data + sizeof h + e->source_size;
    e->code_size = (size_t)h.code_size;
    if (found)
        memcpy(found->byte, h.key, sizeof found->byte);
    return true;
}
