/* For tests of the cache's directory: stores entries and searches for them.
 * Must not know: what is tested. */
#include "config.h"

#include "tests/harness/jit_entries.h"

orr__key key_of(unsigned n)
{
    orr__key k;
    for (int i = 0; i < 32; i++)
        k.byte[i] = (unsigned char)(n >> (i % 4 * 8) ^ (unsigned)i);
    return k;
}

orr__entry entry_of(const char *code, size_t size)
{
    orr__entry e = { .label = "add+mul", .compiler = "cc 1.0", .seconds = 0.25, .source = "int x;", .source_size = 6 };
    e.code = (const unsigned char *)code;
    e.code_size = size;
    return e;
}

bool cache_use(orr__cache *c, const char *name)
{
    jh_settings(jh_place(name));
    orr__say_again();
    orr__cache_open(c);
    return c->dir >= 0;
}

bool cache_has(orr__cache *c, unsigned n)
{
    orr__bytes b;
    orr__entry e;
    orr__key k = key_of(n);
    bool ok = orr__cache_get(c, &k, &b, &e);
    if (ok)
        free(b.data);
    return ok;
}

bool cache_put(orr__cache *c, unsigned n, const char *code, size_t size)
{
    orr__key k = key_of(n);
    orr__entry e = entry_of(code, size);
    return orr__cache_put(c, &k, &e);
}

const char *file_of(unsigned n)
{
    static char name[80];
    orr__key k = key_of(n);
    orr__key_hex(&k, name);
    strcat(name, ".krn");
    return name;
}
