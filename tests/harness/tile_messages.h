/* The messages of operations on matrices in tiles over a p × q grid of ranks, counted tile by tile: a tile goes from its owner to each other
 * rank that reads it, once.
 * Must not know: how tiles are sent. */
#ifndef ORR_TESTS_TILE_MESSAGES_H
#define ORR_TESTS_TILE_MESSAGES_H

#include <stdbool.h>
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

static inline int64_t tile_bits(uint64_t set)
{
    int64_t n = 0;
    for (; set; set &= set - 1)
        n++;
    return n;
}

/* Bytes of all ranks together in an LU factorisation of tiles × tiles tiles of b × b elements of 8 bytes; keeps: of both triangles. The owner
 * of a diagonal tile gathers the column below it. The panel's tiles go to the ranks that update with them, its three rows of row exchanges
 * to all that exchange rows; in each other column each row of the grid sends a tile of rows up, and the top sends its former rows and its
 * result down. At most 64 ranks. */
static inline int64_t tile_bytes_of_lu(int tiles, int64_t b, int p, int q, bool keeps)
{
    int64_t tile = 0, rows = 0;
    for (int k = 0; k < tiles; k++) {
        uint64_t diagonal = UINT64_C(1) << tile_owner(k, k, p, q), movers = 0, top_readers = 0;
        for (int j = keeps ? 0 : k + 1; j < tiles; j++) {
            uint64_t top = UINT64_C(1) << tile_owner(k, j, p, q), below = 0;
            for (int i = k + 1; i < tiles; i++)
                below |= UINT64_C(1) << tile_owner(i, j, p, q);
            if (j == k)
                continue;
            movers |= top | below;
            top_readers |= j > k ? top : 0;
            tile += tile_bits(below & ~top) *
                    (j > k ? 3 : 2); /* rows up, former rows down, right of the panel the result */
        }
        for (int i = k + 1; i < tiles; i++) {
            uint64_t readers = keeps ? UINT64_C(1) << tile_owner(i, k, p, q) : 0;
            tile += tile_owner(i, k, p, q) != tile_owner(k, k, p, q);
            for (int j = k + 1; j < tiles; j++)
                readers |= UINT64_C(1) << tile_owner(i, j, p, q);
            tile += tile_bits(readers & ~diagonal);
        }
        tile += tile_bits(top_readers & ~diagonal);
        rows += tile_bits(movers & ~diagonal);
    }
    return 8 * b * (b * tile + 3 * rows);
}

/* Of all ranks together, in a product of matrices that lie as the result does (SUMMA, R. van de Geijn and J. Watts, 1997): an element of
 * the left operand goes to the other ranks of its row of the grid, one of the right to those of its column. */
static inline int64_t tile_elements_of_product(int64_t m, int64_t n, int64_t k, int p, int q)
{
    return m * k * (q - 1) + k * n * (p - 1);
}

#endif
