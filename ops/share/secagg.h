/* Secure aggregation: code shared by clients and server, and the cryptography.
 * Must not know: one side's state. */
#ifndef ORR_OPS_SHARE_SECAGG_H
#define ORR_OPS_SHARE_SECAGG_H

#include "ops/pack/bytes.h"
#include "ops/share/share.h"

/* -- keys (crypto.c) --------------------------------------------------------------------------------------- */

enum {
    ORR__KEY = 32,                       /* limit of a format: bytes of an X25519 key, a seed, a mask's key       */
    ORR__SIGN = 64,                      /* limit of a format: of an Ed25519 signature, and of its secret key     */
    ORR__NONCE = 24,                     /* limit of a format: of XChaCha20                                       */
    ORR__TAG = 16,                       /* limit of a format: of Poly1305                                        */
    ORR__RUN = 16,                       /* of the name of a run                               */
    ORR__WORDS = 5,                      /* elements that share a secret of 32 bytes           */
    ORR__PLAIN = 8 + 2 * 8 * ORR__WORDS, /* from, to, shares of key and seed   */
    ORR__SEALED = ORR__NONCE + ORR__PLAIN + ORR__TAG
};

void orr__key_public(const unsigned char *secret, unsigned char *public_key);
/* BLAKE2b of data that two clients share: the X25519 secret, the run, a label, two numbers. false: `other` is no valid
 * key. */
bool orr__key_agree(const unsigned char *secret, const unsigned char *other, const unsigned char *run, char label,
                    uint32_t a, uint32_t b, unsigned char *key);
/* BLAKE2b of a secret, the run, a label, a number. */
void orr__key_derive(const unsigned char *secret, const unsigned char *run, char label, uint32_t a, unsigned char *key);
/* BLAKE2b of any bytes. */
void orr__digest(const void *data, size_t size, unsigned char *out, size_t out_size);
/* Writes nonce, ciphertext and tag of ORR__PLAIN bytes. The caller has put the nonce into `sealed`. */
void orr__seal(const unsigned char *key, const unsigned char *run, const unsigned char *plain, unsigned char *sealed);
bool orr__unseal(const unsigned char *key, const unsigned char *run, const unsigned char *sealed, unsigned char *plain);
void orr__sign(const unsigned char *secret, const void *data, size_t size, unsigned char *signature);
bool orr__signed(const unsigned char *public_key, const void *data, size_t size, const unsigned char *signature);
/* The seeds of masks. */
enum { ORR__LABEL_SHARES = 's', ORR__LABEL_MASK = 'm', ORR__LABEL_SELF = 'b', ORR__LABEL_COMMIT = 'c' };
/* The mask between two clients, with the sign for client `self`. */
bool orr__pair_mask(const unsigned char *secret, const unsigned char *other_public, const unsigned char *run,
                    uint32_t self, uint32_t other, orr__mask *mask);

/* -- messages (secagg.c) ---------------------------------------------------------------------------------- */

/* A message: 64 bytes of header ("ORRA", version, kind, from, to, run, bytes of the body), then the body. */
enum { ORR__HEADER = 64 }; /* limit of a format */
#define ORR__SERVER UINT32_MAX
typedef enum {
    ORR__KEYS = 1,   /* cpk, spk, [signature]                                                   → server */
    ORR__KEY_LIST,   /* count, (index, cpk, spk, [signature])…                                  → client */
    ORR__SHARES,     /* commitment, count, (to, sealed)…                                        → server */
    ORR__SHARE_LIST, /* count, (from, sealed)…                                                  → client */
    ORR__MASKED,     /* words                                                                   → server */
    ORR__SURVIVORS,  /* count, index…                                                           → client */
    ORR__CONFIRMED,  /* signature                                                               → server */
    ORR__UNMASK,     /* count, index…, [count, (index, signature)…]                             → client */
    ORR__UNMASKED    /* count, (index, words of its seed or key)…                               → server */
} orr__message;

/* The run: a checked copy of the config. */
typedef struct {
    orr_secagg_config c;
    unsigned char *identities; /* n · 32 bytes, or NULL */
    unsigned char run[ORR__RUN];
    size_t width; /* bytes of an element */
} orr__run_config;

orr_status orr__run_open(orr__site at, const orr_secagg_config *config, orr__run_config *r);
void orr__run_close(orr__run_config *r);
/* A message with a zeroed body of this size, and a cursor to the body. */
orr_status orr__message_new(orr__site at, const orr__run_config *r, orr__message kind, uint32_t from, uint32_t to,
                            size_t body, orr_bytes *out, orr__cursor *c);
/* Checks the header of a message and returns a cursor to its body; from: its sender. */
orr_status orr__message_open(orr__site at, const orr__run_config *r, orr__message kind, uint32_t to,
                             const orr_bytes *in, uint32_t *from, orr__cursor *c);
/* The next index of an ascending list below n; *last is −1 before the first. false: not such a list. */
bool orr__next_index(orr__cursor *c, const orr__run_config *r, int64_t *last);
/* The text that an Ed25519 key signs, for a client's public keys and for a list of clients. The caller frees it. */
unsigned char *orr__signed_keys(const orr__run_config *r, uint32_t index, const unsigned char *keys, size_t *size);
unsigned char *orr__signed_list(const orr__run_config *r, const unsigned char *list, size_t bytes, size_t *size);
/* 32 bytes as elements of the field, and back; false: the elements do not encode 32 bytes. */
void orr__secret_words(const unsigned char *secret, uint64_t *words);
bool orr__words_secret(const uint64_t *words, unsigned char *secret);
/* acc ±= masks, on all workers. */
orr_status orr__mask_all(orr__site at, const orr__run_config *r, void *acc, const orr__mask *mask, int64_t masks);

#endif
