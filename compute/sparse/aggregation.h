// Coarse spaces of smoothed aggregation: nodes of a matrix into aggregates, and the tentative
// prolongator that keeps a near kernel.
#pragma once

#include "compute/core/exec.h"
#include "compute/sparse/multigrid.h"

#include <cstdint>
#include <vector>

namespace systole::sparse {

/// Nodes of a level: the unknowns from firstUnknown[n] to firstUnknown[n + 1] − 1 belong together.
using NodeStarts = std::vector<std::int64_t>;

/// The number of the aggregate of each node, from 0, none empty; in the order of the nodes, so that
/// the result depends on the matrix alone. `strength` as in MultigridOptions.
std::vector<std::int32_t> aggregateNodes(const CsrMatrix<double>& a, const NodeStarts& nodes,
                                         double strength, const ExecContext& ctx);

/// The near kernel restricted to each aggregate, by a rank-revealing QR decomposition: orthonormal
/// columns, no more than the aggregate has unknowns.
struct TentativeProlongator {
    CsrMatrix<double> matrix; ///< fine unknowns × coarse unknowns
    NodeStarts coarseNodes;   ///< a node per aggregate
    NearKernel coarseKernel;  ///< matrix · coarseKernel is the kernel, as far as its columns reach
};
TentativeProlongator prolongatorOf(const std::vector<std::int32_t>& aggregateOf,
                                   const NodeStarts& nodes, const NearKernel& kernel,
                                   const ExecContext& ctx);

} // namespace systole::sparse
