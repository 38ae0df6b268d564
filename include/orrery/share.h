/* Secret sharing and secure aggregation: fixed point in rings and a prime field, additive and Shamir shares of whole tensors,
 * sums of many parties' vectors that reveal only the sum.
 * Must not know: transports, how a value is computed.
 *
 * docs/private.md lists each protection and its adversary. All functions evaluate their operands and compute at once, on
 * all workers, since a secret must not wait in a graph. Error messages name places, never values. Keys, seeds and the
 * random parts of shares are in memory that is wiped after use and left out of core dumps. Returned tensors are wiped
 * after their last use; operands, and tensors that the caller computes from results, are not. Functions that need random
 * numbers or keys return ORR_EDEVICE in a library built without libsodium. */
#ifndef ORRERY_SHARE_H
#define ORRERY_SHARE_H

#include <orrery/bytes.h>
#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -- fixed point ----------------------------------------------------------------------------------------- */

/** The ring of shares: integers modulo this number. */
typedef enum orr_modulus {
    ORR_MOD_2_32, /**< 2³², elements are u32                          */
    ORR_MOD_2_64, /**< 2⁶⁴, elements are u64                          */
    ORR_MOD_P61   /**< the prime p = 2⁶¹ − 1, elements are u64 below p */
} orr_modulus;

/** Most fraction bits of an orr_fixed. */
#define ORR_FIXED_MOST 60

/** The encoding of real numbers as integers modulo M: x becomes round(x · 2^fraction), to nearest, ties to even; a
 * negative integer v becomes M + v. Sums of up to `addends` encoded numbers are exact, because each of them is at
 * most ⌊(⌈M/2⌉ − 1) / addends⌋ in magnitude. Encoding refuses larger numbers. */
typedef struct orr_fixed {
    orr_modulus modulus;
    int fraction;    /**< 0 … ORR_FIXED_MOST                     */
    int64_t addends; /**< ≥ 1: most encoded numbers in one sum */
} orr_fixed;

/** The largest magnitude that orr_fixed_encode takes, ⌊(⌈M/2⌉ − 1) / addends⌋ / 2^fraction; −1 for an invalid format. */
ORR_API double orr_fixed_limit(orr_fixed format);

/** Integers modulo M for x.
 * @param x  f16 bf16 f32 f64, or an integer dtype (then it is multiplied by 2^fraction exactly), any shape
 * @return   u32 or u64 of x's shape, owned by the current scope; poison on ORR_EINVAL (invalid format), ORR_EDTYPE (bool),
 *           ORR_EINDEX (an element is NaN, infinite or above orr_fixed_limit: the message has its place and the limit).
 * effects:  evaluates x. Safe from any thread. */
ORR_API orr_tensor *orr_fixed_encode_at(const char *file, int line, orr_tensor *x, orr_fixed format);
#define orr_fixed_encode(...) orr_fixed_encode_at(ORR_HERE, __VA_ARGS__)
/** v / 2^fraction, rounded to f64 and from there to `dtype`, where v is the element as a signed integer, −M/2 ≤ v < M/2.
 * @param t      u32 for ORR_MOD_2_32, else u64    @param dtype  a float dtype, or ORR_I64 (v, with its fraction)
 * @return       of t's shape, owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE, ORR_EINDEX (above the modulus).
 * effects:      evaluates t. Safe from any thread. */
ORR_API orr_tensor *orr_fixed_decode_at(const char *file, int line, orr_tensor *t, orr_fixed format, orr_dtype dtype);
#define orr_fixed_decode(...) orr_fixed_decode_at(ORR_HERE, __VA_ARGS__)

/* -- additive sharing ------------------------------------------------------------------------------------ */

/** n tensors whose sum modulo M is `secret`; any n − 1 of them are uniform and independent of `secret`. The secret is
 * hidden only if some party keeps its share to itself; a changed share is not detected.
 * @param secret  u32 for ORR_MOD_2_32, else u64, any shape    @param n  ≥ 2
 * @return   (n, …) of secret's dtype, owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE, ORR_ESHAPE (rank 8
 *           already), ORR_EINDEX (an element above the modulus), ORR_EDEVICE (built without libsodium).
 * effects:  evaluates `secret`. Safe from any thread.      cost: ChaCha20 of n − 1 times the elements. */
ORR_API orr_tensor *orr_additive_split_at(const char *file, int line, orr_tensor *secret, int n, orr_modulus modulus);
#define orr_additive_split(...) orr_additive_split_at(ORR_HERE, __VA_ARGS__)
/** Σ shares[i] modulo M: the secret from all its n shares, or the sum of secrets from the sums of their shares.
 * @param shares  (n, …), n ≥ 1
 * @return   (…), owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE, ORR_ESHAPE (rank 0, no share), ORR_EINDEX.
 * effects:  evaluates `shares`. Safe from any thread.      cost: one pass over the shares. */
ORR_API orr_tensor *orr_additive_join_at(const char *file, int line, orr_tensor *shares, orr_modulus modulus);
#define orr_additive_join(...) orr_additive_join_at(ORR_HERE, __VA_ARGS__)

/* -- Shamir's sharing over 2^61 - 1 ---------------------------------------------------------------------- */

/** n shares of a secret. Any `threshold` of them determine the secret; fewer are independent of it, so it is hidden while
 * no more than threshold − 1 shares come together. Share i is f(i + 1) for a polynomial f of degree threshold − 1 with
 * f(0) = secret and other coefficients uniform. There is one f for each element. Shares of sums are sums of shares (modulo p).
 * @param secret  u64 below p, any shape    @param threshold  1 … n    @param n  1 … 65535
 * @return   u64 (n, …), owned by the current scope; poison on ORR_EINVAL, ORR_EDTYPE, ORR_ESHAPE (rank 8 already),
 *           ORR_EINDEX (an element above the modulus), ORR_EDEVICE (built without libsodium).
 * effects:  evaluates `secret`. Safe from any thread.      cost: n · threshold products an element.
 * source:   A. Shamir, "How to share a secret", 1979. */
ORR_API orr_tensor *orr_shamir_split_at(const char *file, int line, orr_tensor *secret, int threshold, int n);
#define orr_shamir_split(...) orr_shamir_split_at(ORR_HERE, __VA_ARGS__)
/** The secret, from k ≥ threshold shares: f(0) by Lagrange's formula from the first `threshold` of them. With k = threshold a
 * changed share gives a wrong secret and no error; each further share is checked.
 * @param shares  u64 (k, …)
 * @param points  [orr_tensor_shape(shares).dim[0]] the point of each share: i + 1 for share i of orr_shamir_split
 * @return   u64 (…), owned by the current scope; poison on ORR_EINVAL (fewer than threshold shares, a point twice, 0 or above
 *           p), ORR_EDTYPE, ORR_ESHAPE, ORR_EINDEX (a share above p), ORR_EFORMAT (the shares are on no polynomial of degree
 *           threshold − 1: some are wrong; orr_shamir_correct may find them).
 * effects:  evaluates `shares`. Safe from any thread.      cost: threshold + (k − threshold)·threshold products an element. */
ORR_API orr_tensor *orr_shamir_join_at(const char *file, int line, orr_tensor *shares, const int64_t *points,
                                       int threshold);
#define orr_shamir_join(...) orr_shamir_join_at(ORR_HERE, __VA_ARGS__)
/** Like orr_shamir_join, but up to ⌊(k − threshold)/2⌋ wrong shares of each element are found and left out.
 * @param points  [orr_tensor_shape(shares).dim[0]] as for orr_shamir_join
 * @param wrong  [orr_tensor_shape(shares).dim[0]] NULL, or k counts: the number of elements in which that party's share was wrong
 * @return   as orr_shamir_join; ORR_EFORMAT if more shares of an element are wrong than can be corrected (the message has
 *           its place). From k − threshold + 1 − ⌊(k − threshold)/2⌋ wrong shares of an element on, another secret may be
 *           nearer than the right one; no decoder can detect that.
 * cost:     as orr_shamir_join without errors; k³ for an element with a new pattern of errors.
 * source:   L. Welch, E. Berlekamp, "Error correction for algebraic block codes", US patent 4633470, 1986. */
ORR_API orr_tensor *orr_shamir_correct_at(const char *file, int line, orr_tensor *shares, const int64_t *points,
                                          int threshold, int64_t *wrong);
#define orr_shamir_correct(...) orr_shamir_correct_at(ORR_HERE, __VA_ARGS__)

/* -- secure aggregation ---------------------------------------------------------------------------------- */

/** The configuration of a run of secure aggregation. n clients hold vectors; the server learns their sum over the remaining
 * clients, and nothing else. Clients may drop out after any round, as long as `threshold` remain. A client's vector is hidden from
 * the server only while fewer than `threshold` parties work together, and only if the server forwards the clients' public keys
 * unchanged or the clients sign them (orr_secagg_identity).
 *
 * Source: Bonawitz et al., "Practical secure aggregation for privacy-preserving machine learning", CCS 2017. Each pair of clients
 * agrees on a key by X25519, and each client draws a key of its own. ChaCha20 expands the keys to masks, which are added to the
 * encoded vector and cancel in the sum. Keys and seeds are Shamir-shared among the clients, so that the masks of dropped clients
 * can be removed.
 *
 * Parties exchange byte strings, over a transport of the caller's, or within one process. One object is one party in one run; its
 * functions are called in the order of the rounds:
 *
 *     round  client                                  server
 *     0      orr_secagg_advertise →                  orr_secagg_receive each, orr_secagg_close
 *     1      orr_secagg_share_keys ← orr_secagg_send; its answer → orr_secagg_receive, orr_secagg_close
 *     2      orr_secagg_mask ← orr_secagg_send; →    orr_secagg_receive, orr_secagg_close
 *     3      orr_secagg_confirm ← orr_secagg_send; → orr_secagg_receive, orr_secagg_close    (only with identities)
 *     4      orr_secagg_unmask ← orr_secagg_send; →  orr_secagg_receive, orr_secagg_result
 *
 * Messages are not trusted: header, length, round, run and sender are checked, and a wrong message is ORR_EFORMAT or ORR_ESTATE
 * and changes nothing. Messages to the server have no encryption except that of the protocol: the transport must authenticate
 * its ends (TLS does). Threads may use different objects at once, but not the same one. */
typedef struct orr_secagg_config {
    int clients;               /**< n, 2 … 65535                                                             */
    int threshold;             /**< t, n/2 < t ≤ n; above 2n/3 if the server may be dishonest               */
    int64_t length;            /**< elements of a vector, ≥ 1                                                */
    orr_fixed encoding;        /**< ORR_MOD_2_32 or ORR_MOD_2_64; addends ≥ n                                */
    unsigned char session[32]; /**< the same for all parties, new in every run                               */
    /** n contiguous Ed25519 public keys of 32 bytes, by which clients authenticate each other; NULL: no authentication,
     * and a server that impersonates clients to each other is not detected. Read during the call that makes an object. */
    const unsigned char *identities;
} orr_secagg_config;

/** A client's, or the server's, side of one run. */
typedef struct orr_secagg_client orr_secagg_client;
typedef struct orr_secagg_server orr_secagg_server;

/** An Ed25519 key pair for orr_secagg_config.identities.
 * @param public_key  [32] bytes    @param secret_key  [64] bytes, which the caller wipes
 * Errors: ORR_EINVAL (NULL), ORR_EDEVICE (built without libsodium). */
ORR_API orr_status orr_secagg_identity_at(const char *file, int line, unsigned char *public_key,
                                          unsigned char *secret_key);
#define orr_secagg_identity(...) orr_secagg_identity_at(ORR_HERE, __VA_ARGS__)

/** Client number `index`, 0 ≤ index < n.
 * @param secret_key  [64] bytes from orr_secagg_identity if the config has identities, else NULL; copied
 * @return   to free with orr_secagg_client_free; NULL on ORR_EINVAL (the message has the field and the reason),
 *           ORR_ENOMEM, ORR_EDEVICE. */
ORR_API orr_secagg_client *orr_secagg_client_new_at(const char *file, int line, const orr_secagg_config *config,
                                                    int index, const unsigned char *secret_key);
#define orr_secagg_client_new(...) orr_secagg_client_new_at(ORR_HERE, __VA_ARGS__)
/** Wipes and frees a client. NULL is fine. May be called after orr_shutdown. */
ORR_API void orr_secagg_client_free(orr_secagg_client *c);

/** Round 0: the client's fresh public keys, for the server. Errors: ORR_EINVAL, ORR_ESTATE (a second time), ORR_ENOMEM. */
ORR_API orr_status orr_secagg_advertise_at(const char *file, int line, orr_secagg_client *c, orr_bytes *out);
#define orr_secagg_advertise(...) orr_secagg_advertise_at(ORR_HERE, __VA_ARGS__)
/** Round 1: reads the list of public keys; *out has shares of this client's secrets, encrypted for each other client.
 * Errors: ORR_EFORMAT (no such list; fewer than t clients, a client or a key twice, this client's own keys changed, a wrong
 * signature), ORR_ESTATE, ORR_EINVAL, ORR_ENOMEM. */
ORR_API orr_status orr_secagg_share_keys_at(const char *file, int line, orr_secagg_client *c, const orr_bytes *in,
                                            orr_bytes *out);
#define orr_secagg_share_keys(...) orr_secagg_share_keys_at(ORR_HERE, __VA_ARGS__)
/** Round 2: reads the others' encrypted shares; *out is x, encoded and masked. The encoded vector is in memory only in blocks of some
 * kilobytes, which are masked or wiped.
 * @param x  `length` elements of any shape, a dtype that orr_fixed_encode takes
 * Errors: ORR_EFORMAT, ORR_ESTATE, ORR_EINVAL, ORR_ENOMEM; ORR_ESHAPE, ORR_EDTYPE, ORR_EINDEX (overflow) for x, after which the call
 * may be repeated with another x. effects: evaluates x. cost: ChaCha20 of n vectors. */
ORR_API orr_status orr_secagg_mask_at(const char *file, int line, orr_secagg_client *c, const orr_bytes *in,
                                      orr_tensor *x, orr_bytes *out);
#define orr_secagg_mask(...) orr_secagg_mask_at(ORR_HERE, __VA_ARGS__)
/** Round 3, with identities: reads the list of clients whose vectors arrived; *out is a signature of it. A client signs one list
 * only.
 * Errors: ORR_EFORMAT (fewer than t, or a client that was not in round 1), ORR_ESTATE, ORR_EINVAL, ORR_ENOMEM. */
ORR_API orr_status orr_secagg_confirm_at(const char *file, int line, orr_secagg_client *c, const orr_bytes *in,
                                         orr_bytes *out);
#define orr_secagg_confirm(...) orr_secagg_confirm_at(ORR_HERE, __VA_ARGS__)
/** Round 4: reads the list of clients whose vectors arrived (and t signatures of it, with identities). *out has a share of the own mask
 * of each of these clients, and a share of the key of each client that dropped out since round 1: never both, and this client answers
 * once. A share for another client, or one that cannot be decrypted, is left out. Errors: ORR_EFORMAT (as in round 3; another list than
 * the one signed; fewer than t sound signatures), ORR_ESTATE, ORR_EINVAL, ORR_ENOMEM. */
ORR_API orr_status orr_secagg_unmask_at(const char *file, int line, orr_secagg_client *c, const orr_bytes *in,
                                        orr_bytes *out);
#define orr_secagg_unmask(...) orr_secagg_unmask_at(ORR_HERE, __VA_ARGS__)

/** The server of a run. NULL on ORR_EINVAL, ORR_ENOMEM, ORR_EDEVICE. Free with orr_secagg_server_free. */
ORR_API orr_secagg_server *orr_secagg_server_new_at(const char *file, int line, const orr_secagg_config *config);
#define orr_secagg_server_new(...) orr_secagg_server_new_at(ORR_HERE, __VA_ARGS__)
/** Wipes and frees a server. NULL is fine. May be called after orr_shutdown. */
ORR_API void orr_secagg_server_free(orr_secagg_server *s);
/** Receives n messages of the current round. Masked vectors are added to the sum at once, several in one pass, and not kept.
 * The first wrong message ends the call: ORR_EFORMAT (no message of this run, wrong length, a client twice or unknown),
 * ORR_ESTATE (of another round; from a client that has dropped out); *taken (unless NULL) is the number of messages accepted
 * before it. Other errors: ORR_EINVAL, ORR_ENOMEM. cost: one pass over the vectors. */
ORR_API orr_status orr_secagg_receive_at(const char *file, int line, orr_secagg_server *s, const orr_bytes *in, int n,
                                         int *taken);
#define orr_secagg_receive(...) orr_secagg_receive_at(ORR_HERE, __VA_ARGS__)
/** Ends the round: clients that have not answered have dropped out. ORR_ESTATE if fewer than t have answered (more may
 * follow: the round continues), or if there is no round to end. */
ORR_API orr_status orr_secagg_close_at(const char *file, int line, orr_secagg_server *s);
#define orr_secagg_close(...) orr_secagg_close_at(ORR_HERE, __VA_ARGS__)
/** The message for client `index`, which must take part in the current round. Errors: ORR_EINVAL (no client of this round), ORR_ESTATE,
 * ORR_ENOMEM. */
ORR_API orr_status orr_secagg_send_at(const char *file, int line, orr_secagg_server *s, int index, orr_bytes *out);
#define orr_secagg_send(...) orr_secagg_send_at(ORR_HERE, __VA_ARGS__)
/** Returns whether client `index` has answered in all past rounds; false for any other number. */
ORR_API bool orr_secagg_alive(const orr_secagg_server *s, int index);
/** Σ x over the clients whose vectors arrived. Their masks are recovered from t answers of round 4 and removed. Wrong shares are
 * corrected if there are enough answers, and each recovered key or seed is checked against its client's public key or commitment, so
 * that the sum is right or an error is returned.
 * @param dtype  a float dtype, or ORR_I64: the sum of the encoded integers
 * @return   (length), owned by the current scope; poison on ORR_ESTATE (not in round 4, fewer than t answers), ORR_EFORMAT (shares that
 *           cannot be corrected; the message names the client), ORR_EDTYPE, ORR_EINVAL, ORR_ENOMEM. A second time: ORR_ESTATE.
 * cost:     ChaCha20 of one vector for each remaining client, and of one for each pair of a remaining client and one that dropped
 *           out in round 2. */
ORR_API orr_tensor *orr_secagg_result_at(const char *file, int line, orr_secagg_server *s, orr_dtype dtype);
#define orr_secagg_result(...) orr_secagg_result_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
