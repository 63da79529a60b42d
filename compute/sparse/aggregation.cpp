#include "compute/sparse/aggregation.h"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <utility>

namespace systole::sparse {
namespace {

constexpr std::int32_t none = -1;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

/// The strong couplings of each node to others, by node, with their squared norms.
struct Couplings {
    std::vector<std::int64_t> start = {0};
    std::vector<std::int32_t> node;
    std::vector<double> squaredNorm;
};

/// A row of squared norms of blocks, columns ascending.
using BlockRow = std::vector<std::pair<std::int32_t, double>>;

BlockRow blockRow(const CsrMatrix<double>& a, const NodeStarts& nodes,
                  const std::vector<std::int32_t>& nodeOf, std::int64_t node) {
    BlockRow row;
    for (std::int64_t unknown = nodes[at(node)]; unknown < nodes[at(node + 1)]; ++unknown)
        for (std::int64_t e = a.rowStart[at(unknown)]; e < a.rowStart[at(unknown + 1)]; ++e)
            row.emplace_back(nodeOf[at(a.columnOf[at(e)])], a.values[at(e)] * a.values[at(e)]);
    std::stable_sort(row.begin(), row.end(),
                     [](const auto& x, const auto& y) { return x.first < y.first; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < row.size(); ++i)
        if (kept > 0 && row[kept - 1].first == row[i].first)
            row[kept - 1].second += row[i].second;
        else
            row[kept++] = row[i];
    row.resize(kept);
    return row;
}

Couplings strongCouplings(const CsrMatrix<double>& a, const NodeStarts& nodes, double strength,
                          const ExecContext& ctx) {
    const auto count = static_cast<std::int64_t>(nodes.size()) - 1;
    std::vector<std::int32_t> nodeOf(at(a.rows));
    for (std::int64_t node = 0; node < count; ++node)
        std::fill(nodeOf.begin() + nodes[at(node)], nodeOf.begin() + nodes[at(node + 1)],
                  static_cast<std::int32_t>(node));
    std::vector<BlockRow> rows(at(count));
    std::vector<double> diagonal(at(count), 0); // norms, not squared
    constexpr int nodesPerChunk = 256;
    parallelFor(ctx, static_cast<int>(count), nodesPerChunk, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int node = begin; node < end; ++node) {
            rows[at(node)] = blockRow(a, nodes, nodeOf, node);
            for (const auto& [other, squared] : rows[at(node)])
                if (other == node)
                    diagonal[at(node)] = std::sqrt(squared);
        }
    });
    Couplings strong;
    for (std::int64_t node = 0; node < count; ++node) {
        for (const auto& [other, squared] : rows[at(node)])
            if (other != node &&
                squared > strength * strength * diagonal[at(node)] * diagonal[at(other)]) {
                strong.node.push_back(other);
                strong.squaredNorm.push_back(squared);
            }
        strong.start.push_back(static_cast<std::int64_t>(strong.node.size()));
        rows[at(node)] = {};
    }
    return strong;
}

} // namespace

std::vector<std::int32_t> aggregateNodes(const CsrMatrix<double>& a, const NodeStarts& nodes,
                                         double strength, const ExecContext& ctx) {
    const Couplings strong = strongCouplings(a, nodes, strength, ctx);
    const auto count = static_cast<std::int64_t>(nodes.size()) - 1;
    std::vector<std::int32_t> aggregateOf(at(count), none);
    std::int32_t aggregates = 0;
    const auto overNeighbors = [&](std::int64_t node, const auto& body) {
        for (std::int64_t i = strong.start[at(node)]; i < strong.start[at(node + 1)]; ++i)
            body(strong.node[at(i)], strong.squaredNorm[at(i)]);
    };
    // Whole neighborhoods that are free.
    for (std::int64_t node = 0; node < count; ++node) {
        bool isFree = aggregateOf[at(node)] == none;
        overNeighbors(node, [&](std::int32_t other, double) {
            isFree = isFree && aggregateOf[at(other)] == none;
        });
        if (!isFree)
            continue;
        aggregateOf[at(node)] = aggregates;
        overNeighbors(node,
                      [&](std::int32_t other, double) { aggregateOf[at(other)] = aggregates; });
        ++aggregates;
    }
    // The rest joins the aggregate of its strongest neighbor that is in one of them.
    std::vector<std::int32_t> joined = aggregateOf;
    for (std::int64_t node = 0; node < count; ++node)
        if (aggregateOf[at(node)] == none) {
            double strongest = 0;
            overNeighbors(node, [&](std::int32_t other, double squared) {
                if (aggregateOf[at(other)] != none && squared > strongest) {
                    strongest = squared;
                    joined[at(node)] = aggregateOf[at(other)];
                }
            });
        }
    // Nodes without such a neighbor form aggregates of their own.
    for (std::int64_t node = 0; node < count; ++node)
        if (joined[at(node)] == none) {
            joined[at(node)] = aggregates;
            overNeighbors(node, [&](std::int32_t other, double) {
                if (joined[at(other)] == none)
                    joined[at(other)] = aggregates;
            });
            ++aggregates;
        }
    return joined;
}

TentativeProlongator prolongatorOf(const std::vector<std::int32_t>& aggregateOf,
                                   const NodeStarts& nodes, const NearKernel& kernel,
                                   const ExecContext& ctx) {
    const std::int32_t aggregates =
        aggregateOf.empty() ? 0 : *std::max_element(aggregateOf.begin(), aggregateOf.end()) + 1;
    std::vector<std::vector<std::int64_t>> unknownsOf(at(aggregates));
    for (std::size_t node = 0; node < aggregateOf.size(); ++node)
        for (std::int64_t u = nodes[node]; u < nodes[node + 1]; ++u)
            unknownsOf[at(aggregateOf[node])].push_back(u);

    struct Part {
        Eigen::MatrixXd basis, coarse; ///< columns of the prolongator; the kernel in them
    };
    std::vector<Part> parts(at(aggregates));
    constexpr int perChunk = 64;
    parallelFor(ctx, aggregates, perChunk, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int aggregate = begin; aggregate < end; ++aggregate) {
            const auto& unknowns = unknownsOf[at(aggregate)];
            Eigen::MatrixXd own(static_cast<Eigen::Index>(unknowns.size()), kernel.count);
            for (std::size_t i = 0; i < unknowns.size(); ++i)
                for (int k = 0; k < kernel.count; ++k)
                    own(static_cast<Eigen::Index>(i), k) =
                        kernel.values[at(unknowns[i] * kernel.count + k)];
            Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(own);
            constexpr double dependent = 1e-8; // fraction of the largest column
            qr.setThreshold(dependent);
            const Eigen::Index rank = std::max<Eigen::Index>(qr.rank(), 1);
            Part& part = parts[at(aggregate)];
            part.basis = qr.householderQ() * Eigen::MatrixXd::Identity(own.rows(), rank);
            part.coarse = part.basis.transpose() * own;
        }
    });

    TentativeProlongator made;
    made.coarseNodes.assign(1, 0);
    made.coarseKernel.count = kernel.count;
    for (const Part& part : parts) {
        made.coarseNodes.push_back(made.coarseNodes.back() + part.basis.cols());
        for (Eigen::Index row = 0; row < part.coarse.rows(); ++row)
            for (int k = 0; k < kernel.count; ++k)
                made.coarseKernel.values.push_back(part.coarse(row, k));
    }
    CsrMatrix<double>& p = made.matrix;
    p.rows = nodes.back();
    p.columns = made.coarseNodes.back();
    std::vector<std::int64_t> placeOf(at(p.rows)); // place of each row in its aggregate
    for (const auto& unknowns : unknownsOf)
        for (std::size_t i = 0; i < unknowns.size(); ++i)
            placeOf[at(unknowns[i])] = static_cast<std::int64_t>(i);
    for (std::size_t node = 0; node < aggregateOf.size(); ++node) {
        const std::int64_t first = made.coarseNodes[at(aggregateOf[node])];
        const Eigen::MatrixXd& basis = parts[at(aggregateOf[node])].basis;
        for (std::int64_t u = nodes[node]; u < nodes[node + 1]; ++u) {
            for (Eigen::Index column = 0; column < basis.cols(); ++column) {
                p.columnOf.push_back(static_cast<std::int32_t>(first + column));
                p.values.push_back(basis(placeOf[at(u)], column));
            }
            p.rowStart.push_back(static_cast<std::int64_t>(p.values.size()));
        }
    }
    return made;
}

} // namespace systole::sparse
