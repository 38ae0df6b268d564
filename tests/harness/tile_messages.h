/* The messages of operations on matrices in tiles over a p × q grid of ranks, counted tile by tile: a tile goes from its owner to each other
 * rank that reads it, once.
 * Must not know: how tiles are sent. */
#ifndef ORR_TESTS_TILE_MESSAGES_H
#define ORR_TESTS_TILE_MESSAGES_H

#include <stdint.h>

static inline int tile_owner(int i, int j, int p, int q)
{
    return i % p * q + j % q;
}

/* Of all ranks together, in a Cholesky factorisation of tiles × tiles tiles. At most 64 ranks. */
static inline int64_t tile_messages_of_cholesky(int tiles, int p, int q)
{
    int64_t n = 0;
    for (int k = 0; k < tiles; k++)
        for (int i = k; i < tiles; i++) {
            uint64_t readers = 0, own = UINT64_C(1) << tile_owner(i, k, p, q);
            for (int j = k + 1; j < i; j++) /* as the left operand of an update */
                readers |= UINT64_C(1) << tile_owner(i, j, p, q);
            for (int r = i + (i == k); r < tiles; r++) /* as the right one; a diagonal tile: by the panel below */
                readers |= UINT64_C(1) << tile_owner(r, i, p, q);
            for (readers &= ~own; readers; readers &= readers - 1)
                n++;
        }
    return n;
}

/* Of all ranks together, in a product of matrices that lie as the result does (SUMMA, R. van de Geijn and J. Watts, 1997): an element of
 * the left operand goes to the other ranks of its row of the grid, one of the right to those of its column. */
static inline int64_t tile_elements_of_product(int64_t m, int64_t n, int64_t k, int p, int q)
{
    return m * k * (q - 1) + k * n * (p - 1);
}

#endif
