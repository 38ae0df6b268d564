/* Secret sharing and secure aggregation: fixed point in rings and a prime field, additive and Shamir shares of whole
 * tensors, sums of many parties' vectors that show nothing but the sum.
 * Must not know: how a party is reached, how a value is computed.
 *
 * docs/private.md lists each protection and its adversary. All functions evaluate their operands and compute at once,
 * on all workers, since a secret must not wait in a graph. Error messages name places, never values. Keys, seeds and
 * the random parts of shares are kept in memory that is wiped after use and left out of core dumps; tensors that are
 * returned are wiped when their last use ends; what the caller makes of them, and the tensors that the caller gives, are not.
 * Functions that need random numbers or keys are ORR_EDEVICE in a library that was built without libsodium. */
#ifndef ORRERY_SHARE_H
#define ORRERY_SHARE_H

#include <orrery/bytes.h>
#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -- fixed point ----------------------------------------------------------------------------------------- */

/** Where shares are added: integers modulo this number. */
typedef enum orr_modulus {
    ORR_MOD_2_32, /**< 2³², elements are u32                          */
    ORR_MOD_2_64, /**< 2⁶⁴, elements are u64                          */
    ORR_MOD_P61   /**< the prime p = 2⁶¹ − 1, elements are u64 below p */
} orr_modulus;

/** Most fraction bits of an orr_fixed. */
#define ORR_FIXED_MOST 60

/** How real numbers become integers modulo M: x is round(x · 2^fraction), to nearest, ties to even; a negative integer v
 * is M + v. Sums of up to `addends` encoded numbers are exact, because each of them is at most
 * ⌊(⌈M/2⌉ − 1) / addends⌋ in magnitude: what is larger overflows, and is refused when it is encoded. */
typedef struct orr_fixed {
    orr_modulus modulus;
    int fraction;    /**< 0 … ORR_FIXED_MOST                     */
    int64_t addends; /**< ≥ 1: how many encoded numbers may meet in one sum */
} orr_fixed;

/** The largest magnitude that orr_fixed_encode takes, ⌊(⌈M/2⌉ − 1) / addends⌋ / 2^fraction; −1 for what is no format. */
ORR_API double orr_fixed_limit(orr_fixed format);

/** Integers modulo M for x.
 * @param x  f16 bf16 f32 f64, or an integer dtype (then it is multiplied by 2^fraction as it is), any shape
 * @return   u32 or u64 of x's shape, owned by the current scope; poison on ORR_EINVAL (no such format), ORR_EDTYPE (bool),
 *           ORR_EINDEX (an element is NaN, infinite or above orr_fixed_limit: the message has its place and the limit).
 * effects:  evaluates x. Safe from any thread. */
ORR_API orr_tensor *orr_fixed_encode_at(const char *file, int line, orr_tensor *x, orr_fixed format);
#define orr_fixed_encode(...) orr_fixed_encode_at(ORR_HERE, __VA_ARGS__)
/** v / 2^fraction, rounded to f64 and from there to `dtype`, where v is the element as a signed integer, −M/2 ≤ v < M/2.
 * @param t      u32 for ORR_MOD_2_32, else u64    @param dtype  a float dtype, or ORR_I64 (v itself, fraction and all)
 * @return       of t's shape, owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE, ORR_EINDEX (above the modulus).
 * effects:      evaluates t. Safe from any thread. */
ORR_API orr_tensor *orr_fixed_decode_at(const char *file, int line, orr_tensor *t, orr_fixed format, orr_dtype dtype);
#define orr_fixed_decode(...) orr_fixed_decode_at(ORR_HERE, __VA_ARGS__)

/* -- additive sharing ------------------------------------------------------------------------------------ */

/** n tensors, each alone (and any n − 1 of them) uniform and independent of `secret`, whose sum modulo M is `secret`.
 * It hides the secret only if some party keeps its share to itself; nothing shows a share that was changed.
 * @param secret  u32 for ORR_MOD_2_32, else u64, any shape    @param n  ≥ 2
 * @return   (n, …) of secret's dtype, owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE, ORR_ESHAPE (rank 8
 *           already), ORR_EINDEX (an element above the modulus), ORR_EDEVICE (built without libsodium).
 * effects:  evaluates `secret`. Safe from any thread.      cost: ChaCha20 of n − 1 times the elements. */
ORR_API orr_tensor *orr_additive_split_at(const char *file, int line, orr_tensor *secret, int n, orr_modulus modulus);
#define orr_additive_split(...) orr_additive_split_at(ORR_HERE, __VA_ARGS__)
/** Σ shares[i] modulo M: all n shares of a secret give it back, and sums of shares the sum of the secrets.
 * @param shares  (n, …), n ≥ 1
 * @return   (…), owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE, ORR_ESHAPE (rank 0, no share), ORR_EINDEX.
 * effects:  evaluates `shares`. Safe from any thread.      cost: one pass over the shares. */
ORR_API orr_tensor *orr_additive_join_at(const char *file, int line, orr_tensor *shares, orr_modulus modulus);
#define orr_additive_join(...) orr_additive_join_at(ORR_HERE, __VA_ARGS__)

/* -- Shamir's sharing over 2^61 - 1 ---------------------------------------------------------------------- */

/** n shares, of which any `threshold` give the secret and fewer are independent of it, as long as no more than
 * threshold − 1 shares come together. Share i is f(i + 1) for a polynomial f of degree threshold − 1 with f(0) = secret and
 * uniform other coefficients, one for each element. Shares of sums are sums of shares (modulo p).
 * @param secret  u64 below p, any shape    @param threshold  1 … n    @param n  1 … 65535
 * @return   u64 (n, …), owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE, ORR_ESHAPE (rank 8 already),
 *           ORR_EINDEX (an element above the modulus), ORR_EDEVICE (built without libsodium).
 * effects:  evaluates `secret`. Safe from any thread.      cost: n · threshold products an element.
 * source:   A. Shamir, "How to share a secret", 1979. */
ORR_API orr_tensor *orr_shamir_split_at(const char *file, int line, orr_tensor *secret, int threshold, int n);
#define orr_shamir_split(...) orr_shamir_split_at(ORR_HERE, __VA_ARGS__)
/** The secret, from k ≥ threshold shares: f(0) by Lagrange's formula from the first `threshold` of them. With k = threshold a
 * changed share gives another secret and no error; each share beyond is checked.
 * @param shares  u64 (k, …)    @param points  where each share was taken: i + 1 for share i of orr_shamir_split
 * @return   u64 (…), owned by the current scope; poison on ORR_EINVAL (fewer than threshold shares, a point twice, 0 or
 *           above p), ORR_EDTYPE, ORR_ESHAPE, ORR_EINDEX (a share above p), ORR_EFORMAT (shares that lie on no polynomial
 *           of degree threshold − 1: some are wrong; orr_shamir_correct may find which).
 * effects:  evaluates `shares`. Safe from any thread.      cost: threshold + (k − threshold)·threshold products an element. */
ORR_API orr_tensor *orr_shamir_join_at(const char *file, int line, orr_tensor *shares, const int64_t *points,
                                       int threshold);
#define orr_shamir_join(...) orr_shamir_join_at(ORR_HERE, __VA_ARGS__)
/** Like orr_shamir_join, but up to ⌊(k − threshold)/2⌋ wrong shares of each element are found and left out.
 * @param wrong  NULL, or k counts: in how many elements that party's share was wrong
 * @return   as orr_shamir_join; ORR_EFORMAT where more shares of an element are wrong than can be corrected (the message
 *           has its place). From k − threshold + 1 − ⌊(k − threshold)/2⌋ wrong shares of an element on, another secret may
 *           be nearer than the right one: no decoder can tell.
 * cost:     as orr_shamir_join where nothing is wrong; k³ for an element with a pattern of errors that was not met before.
 * source:   L. Welch, E. Berlekamp, "Error correction for algebraic block codes", US patent 4633470, 1986. */
ORR_API orr_tensor *orr_shamir_correct_at(const char *file, int line, orr_tensor *shares, const int64_t *points,
                                          int threshold, int64_t *wrong);
#define orr_shamir_correct(...) orr_shamir_correct_at(ORR_HERE, __VA_ARGS__)

/* -- secure aggregation ---------------------------------------------------------------------------------- */

/** Secure aggregation hides each client's vector from the server only while fewer than `threshold` parties work
 * together, and only if the server is who hands the clients' public keys on unchanged, or the clients sign them
 * (orr_secagg_identity). n clients hold vectors; the server learns their sum over the clients that stay, and nothing else of
 * them. Clients may drop out after any round, as long as `threshold` stay.
 *
 * Source: Bonawitz et al., "Practical secure aggregation for privacy-preserving machine learning", CCS 2017. Each pair of
 * clients agrees on a key by X25519, each client draws one of its own; ChaCha20 makes masks of them, which are added to the
 * encoded vector and cancel in the sum. Keys and seeds are Shamir-shared among the clients, so that the masks of who drops out can
 * be taken off.
 *
 * Parties exchange byte strings, over a transport that the caller gives, or within one process. One object is one party in one
 * run; its functions are called in the order of the rounds:
 *
 *     round  client                                  server
 *     0      orr_secagg_advertise →                  orr_secagg_receive each, orr_secagg_close
 *     1      orr_secagg_share_keys ← orr_secagg_send; its answer → orr_secagg_receive, orr_secagg_close
 *     2      orr_secagg_mask ← orr_secagg_send; →    orr_secagg_receive, orr_secagg_close
 *     3      orr_secagg_confirm ← orr_secagg_send; → orr_secagg_receive, orr_secagg_close    (only with identities)
 *     4      orr_secagg_unmask ← orr_secagg_send; →  orr_secagg_receive, orr_secagg_result
 *
 * A message is bytes from a stranger: its header, length, round, run and sender are checked, and what does not fit is ORR_EFORMAT
 * or ORR_ESTATE and changes nothing. Messages are not encrypted on the way to the server beyond what the protocol does: the
 * transport must authenticate its ends (TLS does). Threads may use different objects at once, and no object at once. */
typedef struct orr_secagg_config {
    int clients;               /**< n, 2 … 65535                                                             */
    int threshold;             /**< t, n/2 < t ≤ n; above 2n/3 where the server may be dishonest            */
    int64_t length;            /**< elements of a vector, ≥ 1                                                */
    orr_fixed encoding;        /**< ORR_MOD_2_32 or ORR_MOD_2_64; addends ≥ n                                */
    unsigned char session[32]; /**< the same at all parties, another one in every run                        */
    /** n Ed25519 public keys of 32 bytes, one behind the other, by which clients know each other; NULL: they do not, and a
     * server that puts itself between two clients is not noticed. Read during the call that makes an object. */
    const unsigned char *identities;
} orr_secagg_config;

/** A client's, or the server's, side of one run. */
typedef struct orr_secagg_client orr_secagg_client;
typedef struct orr_secagg_server orr_secagg_server;

/** An Ed25519 key pair for orr_secagg_config.identities: public_key becomes 32 bytes, secret_key 64, which the caller wipes.
 * Errors: ORR_EINVAL (NULL), ORR_EDEVICE (built without libsodium). */
ORR_API orr_status orr_secagg_identity_at(const char *file, int line, unsigned char *public_key,
                                          unsigned char *secret_key);
#define orr_secagg_identity(...) orr_secagg_identity_at(ORR_HERE, __VA_ARGS__)

/** Client number `index`, 0 ≤ index < n.
 * @param secret_key  64 bytes from orr_secagg_identity where the config has identities, else NULL; copied
 * @return   to free with orr_secagg_client_free; NULL on ORR_EINVAL (which field, and why), ORR_ENOMEM, ORR_EDEVICE. */
ORR_API orr_secagg_client *orr_secagg_client_new_at(const char *file, int line, const orr_secagg_config *config,
                                                    int index, const unsigned char *secret_key);
#define orr_secagg_client_new(...) orr_secagg_client_new_at(ORR_HERE, __VA_ARGS__)
/** Wipes and frees all that the client knows. NULL is fine. After orr_shutdown too. */
ORR_API void orr_secagg_client_free(orr_secagg_client *c);

/** Round 0: the client's fresh public keys, for the server. Errors: ORR_EINVAL, ORR_ESTATE (a second time), ORR_ENOMEM. */
ORR_API orr_status orr_secagg_advertise_at(const char *file, int line, orr_secagg_client *c, orr_bytes *out);
#define orr_secagg_advertise(...) orr_secagg_advertise_at(ORR_HERE, __VA_ARGS__)
/** Round 1: takes the list of public keys; *out has shares of this client's secrets, encrypted for each of the others.
 * Errors: ORR_EFORMAT (no such list; fewer than t clients, a client or a key twice, this client's own keys changed, a signature
 * that does not fit), ORR_ESTATE, ORR_EINVAL, ORR_ENOMEM. */
ORR_API orr_status orr_secagg_share_keys_at(const char *file, int line, orr_secagg_client *c, const orr_bytes *in,
                                            orr_bytes *out);
#define orr_secagg_share_keys(...) orr_secagg_share_keys_at(ORR_HERE, __VA_ARGS__)
/** Round 2: takes the others' encrypted shares; *out is x, encoded and masked. The encoded vector is never in memory but in blocks of
 * some kilobytes, which are masked or wiped.
 * @param x  `length` elements of any shape, a dtype that orr_fixed_encode takes
 * Errors: ORR_EFORMAT, ORR_ESTATE, ORR_EINVAL, ORR_ENOMEM; ORR_ESHAPE, ORR_EDTYPE, ORR_EINDEX (overflow) of x, after which the call may be
 * made again with another x. effects: evaluates x. cost: ChaCha20 of n vectors. */
ORR_API orr_status orr_secagg_mask_at(const char *file, int line, orr_secagg_client *c, const orr_bytes *in,
                                      orr_tensor *x, orr_bytes *out);
#define orr_secagg_mask(...) orr_secagg_mask_at(ORR_HERE, __VA_ARGS__)
/** Round 3, with identities: takes the list of clients whose vectors have come; *out is a signature of it. A client signs one list.
 * Errors: ORR_EFORMAT (fewer than t, or a client that was not in round 1), ORR_ESTATE, ORR_EINVAL, ORR_ENOMEM. */
ORR_API orr_status orr_secagg_confirm_at(const char *file, int line, orr_secagg_client *c, const orr_bytes *in,
                                         orr_bytes *out);
#define orr_secagg_confirm(...) orr_secagg_confirm_at(ORR_HERE, __VA_ARGS__)
/** Round 4: takes the list of clients whose vectors have come (and t signatures of it, with identities); *out has, of each of them, a
 * share of its own mask, and of each that dropped out since round 1, a share of its key: never both, and this client
 * answers once. A share that was not meant for this client, or cannot be decrypted, is left out. Errors: ORR_EFORMAT (as in round 3; another list
 * than the one signed; fewer than t sound signatures), ORR_ESTATE, ORR_EINVAL, ORR_ENOMEM. */
ORR_API orr_status orr_secagg_unmask_at(const char *file, int line, orr_secagg_client *c, const orr_bytes *in,
                                        orr_bytes *out);
#define orr_secagg_unmask(...) orr_secagg_unmask_at(ORR_HERE, __VA_ARGS__)

/** The server of a run. NULL on ORR_EINVAL, ORR_ENOMEM, ORR_EDEVICE. Free with orr_secagg_server_free. */
ORR_API orr_secagg_server *orr_secagg_server_new_at(const char *file, int line, const orr_secagg_config *config);
#define orr_secagg_server_new(...) orr_secagg_server_new_at(ORR_HERE, __VA_ARGS__)
/** Wipes and frees all that the server knows. NULL is fine. After orr_shutdown too. */
ORR_API void orr_secagg_server_free(orr_secagg_server *s);
/** n messages of the round under way. Masked vectors are added to the sum at once, several together in one pass, and not kept.
 * The first message that does not fit ends the call: ORR_EFORMAT (no message of this run, wrong length, a client twice or unknown),
 * ORR_ESTATE (of another round; from a client that has dropped out); *taken (unless NULL) is how many before it were taken.
 * Errors else: ORR_EINVAL, ORR_ENOMEM. cost: one pass over the vectors. */
ORR_API orr_status orr_secagg_receive_at(const char *file, int line, orr_secagg_server *s, const orr_bytes *in, int n,
                                         int *taken);
#define orr_secagg_receive(...) orr_secagg_receive_at(ORR_HERE, __VA_ARGS__)
/** Ends the round: who has not answered has dropped out. ORR_ESTATE where fewer than t have answered (more may come: the round
 * goes on), or there is no round to end. */
ORR_API orr_status orr_secagg_close_at(const char *file, int line, orr_secagg_server *s);
#define orr_secagg_close(...) orr_secagg_close_at(ORR_HERE, __VA_ARGS__)
/** The message for client `index`, one that takes part in the round that has begun. Errors: ORR_EINVAL (no client of this round), ORR_ESTATE,
 * ORR_ENOMEM. */
ORR_API orr_status orr_secagg_send_at(const char *file, int line, orr_secagg_server *s, int index, orr_bytes *out);
#define orr_secagg_send(...) orr_secagg_send_at(ORR_HERE, __VA_ARGS__)
/** Whether client `index` has answered in the rounds that are over. False for what is no client. */
ORR_API bool orr_secagg_alive(const orr_secagg_server *s, int index);
/** Σ x over the clients whose vectors came: their masks are recovered from t answers of round 4 and taken off. Wrong shares are
 * corrected where the answers are enough, and a key or seed that was recovered is checked against what its client
 * published, so that the sum is right or there is none.
 * @param dtype  a float dtype, or ORR_I64: the sum of the encoded integers
 * @return   (length), owned by the current scope; poison on ORR_ESTATE (not in round 4, fewer than t answers), ORR_EFORMAT (shares that
 *           cannot be corrected: which client's), ORR_EDTYPE, ORR_EINVAL, ORR_ENOMEM. A second time: ORR_ESTATE.
 * cost:     ChaCha20 of as many vectors as clients stay, and of one for each pair of who stays and who dropped out in round 2. */
ORR_API orr_tensor *orr_secagg_result_at(const char *file, int line, orr_secagg_server *s, orr_dtype dtype);
#define orr_secagg_result(...) orr_secagg_result_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
