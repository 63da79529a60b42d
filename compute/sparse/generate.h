// Sparse matrices of several kinds, made from a few numbers: for benchmarks and tests. The same
// bits for the same arguments.
#pragma once

#include "compute/sparse/csr_matrix.h"

#include <cstdint>

namespace systole::sparse {

/// Laplacian of a grid of side² points, each coupled with its neighbors along the axes (5 entries
/// a row) or with all around it (9).
CsrMatrix<double> stencil2d(int side, bool corners);
/// Laplacian of a grid of side³ points: 7 or 27 entries per row.
CsrMatrix<double> stencil3d(int side, bool corners);
/// Three unknowns at each of side³ points, coupled with those of all around: 81 entries a row, as
/// the stiffness of a wall of voxels.
CsrMatrix<double> elementBlocks(int side);
/// A graph of 2^scale nodes by recursive halving with probabilities 0.57, 0.19, 0.19, 0.05
/// (Chakrabarti, Zhan and Faloutsos 2004), `perRow` edges for each node, doubles merged.
CsrMatrix<double> rmat(int scale, int perRow, std::uint64_t seed);
/// All entries at most `half` off the diagonal.
CsrMatrix<double> banded(int rows, int half, std::uint64_t seed);
/// 8 · tileRows rows in tiles of 8 × 8 places: those at most `half` tiles off the diagonal have
/// `filled` entries each, at random places.
CsrMatrix<double> tiledBand(int tileRows, int half, int filled, std::uint64_t seed);
/// `perRow` columns in each row, at random, doubles merged.
CsrMatrix<double> randomRows(int rows, int columns, int perRow, std::uint64_t seed);
/// A graph whose nodes have from `least` to `most` edges: the share of those with more than x is
/// (least / x)^(exponent − 1). The share `near` of a node's edges goes to nodes at most 100 away,
/// the others anywhere; doubles merged.
CsrMatrix<double> scaleFree(int rows, int least, int most, double exponent, double near,
                            std::uint64_t seed);
/// A square matrix of randomRows() whose middle row has `dense` columns.
CsrMatrix<double> withDenseRow(int rows, int perRow, int dense, std::uint64_t seed);

} // namespace systole::sparse
