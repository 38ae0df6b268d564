/* The functions of Paillier's encryption in a build without GMP: each reports that.
 * Must not know: GMP. */
#include "config.h"
#ifndef HAVE_GMP
#include <orrery/paillier.h>
#include "ops/record.h"
#include "runtime/base/status.h"

static orr_status no(const char *file, int line, const char *op)
{
    return orr__fail(ORR__SITE(file, line, op), ORR_EDEVICE,
                     "this library was built without GMP (Debian, Ubuntu: libgmp-dev)");
}

#define NOTHING(type, name, ...)                                                                                       \
    type *orr_##name##_at(const char *file, int line, __VA_ARGS__)                                                     \
    {                                                                                                                  \
        return (void)no(file, line, #name), NULL;                                                                      \
    }
#define FAILS(name, ...)                                                                                               \
    orr_status orr_##name##_at(const char *file, int line, __VA_ARGS__)                                                \
    {                                                                                                                  \
        return no(file, line, #name);                                                                                  \
    }
#pragma GCC diagnostic ignored "-Wunused-parameter"

NOTHING(orr_paillier, paillier_generate, int bits)
NOTHING(orr_paillier, paillier_public, const orr_paillier *key)
NOTHING(orr_paillier, paillier_load, const orr_bytes *in)
FAILS(paillier_id, const orr_paillier *key, unsigned char id[ORR_PAILLIER_ID])
FAILS(paillier_save, const orr_paillier *key, bool with_private, orr_bytes *out)
FAILS(paillier_prepare, orr_paillier *key, int64_t count)
NOTHING(orr_encrypted, paillier_encrypt, orr_paillier *key, orr_tensor *x, orr_packing packing)
NOTHING(orr_encrypted, paillier_add, const orr_encrypted *a, const orr_encrypted *b)
NOTHING(orr_encrypted, paillier_add_plain, const orr_encrypted *a, orr_tensor *x)
NOTHING(orr_encrypted, paillier_mul_plain, const orr_encrypted *a, orr_tensor *w, int fraction)
NOTHING(orr_encrypted, paillier_sum, const orr_encrypted *a, int axis)
NOTHING(orr_encrypted, paillier_dot, const orr_encrypted *a, orr_tensor *w, int axis, int fraction)
NOTHING(orr_encrypted, paillier_rerandomize, orr_paillier *key, const orr_encrypted *a)
FAILS(encrypted_save, const orr_encrypted *e, orr_bytes *out)
NOTHING(orr_encrypted, encrypted_load, const orr_paillier *key, const orr_bytes *in)

orr_tensor *orr_paillier_decrypt_at(const char *file, int line, const orr_paillier *key, const orr_encrypted *e,
                                    orr_dtype dtype)
{
    (void)no(file, line, "paillier_decrypt");
    return orr__handle_new(NULL);
}

void orr_paillier_free(orr_paillier *key) {}

int orr_paillier_bits(const orr_paillier *key)
{
    return 0;
}

bool orr_paillier_has_private(const orr_paillier *key)
{
    return false;
}

void orr_encrypted_free(orr_encrypted *e) {}

orr_shape orr_encrypted_shape(const orr_encrypted *e)
{
    return (orr_shape){ .rank = -1 };
}

int orr_encrypted_slots(const orr_encrypted *e)
{
    return 0;
}

#endif
