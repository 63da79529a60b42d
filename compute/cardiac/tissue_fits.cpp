#include "compute/cardiac/tissue_fits.h"

#include "compute/core/volume.h"

namespace systole::cardiac {
namespace {

constexpr int chunk = 128; ///< fits

/// Part of the fits, whose beginning in the whole isn't known yet.
struct Part {
    std::vector<std::uint8_t> neighbors;
    std::vector<std::array<float, 4>> weights;
    std::vector<std::uint32_t> counts; ///< number of weights of each fit

    void add(const FitWeights& fit, const Neighborhood& there) {
        std::size_t k = 0; // the fit has them in the same order
        for (int number = 0; number < stencilSize; ++number) {
            if (!there.has(number))
                continue;
            const auto& [value, x, y, z] = fit.weight[k++];
            neighbors.push_back(static_cast<std::uint8_t>(number));
            weights.push_back(
                {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z), 0});
        }
        counts.push_back(static_cast<std::uint32_t>(k));
    }
};

} // namespace

TissueFits::TissueFits(const TissueVoxels& voxels, int order, const ExecContext& ctx)
    : voxels_(voxels), stencil_(stencilOf(voxels.grid.size())), ranges_(voxels.count()) {
    // A fit depends on which neighbors are there: most voxels share theirs with others.
    const NeighborhoodKinds all(voxels);
    const LocalFit fit(voxels, order);
    const auto count = static_cast<int>(all.kinds.size());
    std::vector<Part> parts(static_cast<std::size_t>((count + chunk - 1) / chunk));
    parallelFor(ctx, count, chunk, [&](int begin, int end) {
        Part& part = parts[static_cast<std::size_t>(begin / chunk)];
        for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k)
            part.add(k == 0 ? fit.whole() : fit.at(voxels.indexPoint(all.firstVoxel[k])),
                     all.kinds[k]);
    });
    ctx.throwIfCancelled();
    std::vector<Range> ofKind;
    for (const Part& part : parts) {
        for (const std::uint32_t size : part.counts)
            ofKind.push_back(
                {ofKind.empty() ? 0 : ofKind.back().first + ofKind.back().count, size});
        neighbors_.insert(neighbors_.end(), part.neighbors.begin(), part.neighbors.end());
        weights_.insert(weights_.end(), part.weights.begin(), part.weights.end());
    }
    for (std::size_t i = 0; i < ranges_.size(); ++i)
        ranges_[i] = ofKind[all.ofVoxel[i]];
}

Matrix3 TissueFits::deformation(std::size_t voxel,
                                std::span<const std::array<float, 3>> displacements) const {
    const auto [x, y, z] = voxels_.index[voxel];
    const std::int32_t* const here =
        voxels_.placeOf.data() +
        VolumeView<const std::int32_t>(voxels_.placeOf.data(), voxels_.grid.size()).offset(x, y, z);
    const std::array<float, 3>& own = displacements[voxel];
    const Range range = ranges_[voxel];
    float sum[3][4] = {}; // a vector each
    for (std::size_t k = range.first; k < range.first + range.count; ++k) {
        const auto place = static_cast<std::size_t>(here[stencil_[neighbors_[k]]]);
        const std::array<float, 3>& u = displacements[place];
        const std::array<float, 4>& w = weights_[k];
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 4; ++j)
                sum[i][j] += (u[i] - own[i]) * w[j];
    }
    Matrix3 f = identity3;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            f[i][j] += static_cast<double>(sum[i][j]);
    return f;
}

} // namespace systole::cardiac
