#include "compute/cardiac/tissue_fits.h"

#include "compute/core/volume.h"

namespace systole::cardiac {
namespace {

constexpr int chunk = 128; ///< voxels

/// Calls at(number, offset) for the voxels around one, x fastest.
template <typename At>
void overStencil(const At& at) {
    constexpr int reach = LocalFit::reach;
    std::uint8_t number = 0;
    for (int z = -reach; z <= reach; ++z)
        for (int y = -reach; y <= reach; ++y)
            for (int x = -reach; x <= reach; ++x)
                at(number++, std::array<int, 3>{x, y, z});
}

/// What a part of the voxels has, before it is known where it begins.
struct Part {
    std::vector<std::uint8_t> neighbors;
    std::vector<std::array<float, 4>> weights;

    /// `place(offset)` of the neighbors: -1 where there is none. Returns how many there are.
    template <typename Place>
    std::uint32_t add(const FitWeights& fit, const Place& place) {
        std::size_t k = 0; // the fit has them in the same order
        overStencil([&](std::uint8_t number, const std::array<int, 3>& offset) {
            if (place(offset) < 0)
                return;
            const auto& [value, x, y, z] = fit.weight[k++];
            neighbors.push_back(number);
            weights.push_back(
                {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z), 0});
        });
        return static_cast<std::uint32_t>(k);
    }
};

} // namespace

std::array<std::ptrdiff_t, TissueFits::side * TissueFits::side * TissueFits::side>
TissueFits::stencil(Size3 size) {
    std::array<std::ptrdiff_t, side * side * side> offsets{};
    overStencil([&](std::uint8_t number, const std::array<int, 3>& d) {
        offsets[number] = d[0] + std::ptrdiff_t{size.x} * (d[1] + std::ptrdiff_t{size.y} * d[2]);
    });
    return offsets;
}

TissueFits::TissueFits(const TissueVoxels& voxels, int order, const ExecContext& ctx)
    : voxels_(voxels), stencil_(stencil(voxels.grid.size())), ranges_(voxels.count()) {
    const LocalFit fit(voxels, order);
    const auto count = static_cast<int>(voxels.count());
    std::vector<Part> parts(static_cast<std::size_t>((count + chunk - 1) / chunk));
    parallelFor(ctx, count, chunk, [&](int begin, int end) {
        Part& part = parts[static_cast<std::size_t>(begin / chunk)];
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
            if (!fit.isWhole(voxels.index[i])) {
                const auto [x, y, z] = voxels.index[i];
                ranges_[i].count =
                    part.add(fit.at(voxels.indexPoint(i)), [&](const std::array<int, 3>& d) {
                        return voxels.place(x + d[0], y + d[1], z + d[2]);
                    });
            }
    });
    ctx.throwIfCancelled();
    Part whole;
    whole.add(fit.whole(), [](const std::array<int, 3>&) { return 0; });
    parts.insert(parts.begin(), std::move(whole));
    for (const Part& part : parts) {
        neighbors_.insert(neighbors_.end(), part.neighbors.begin(), part.neighbors.end());
        weights_.insert(weights_.end(), part.weights.begin(), part.weights.end());
    }
    const auto wholeCount = static_cast<std::uint32_t>(stencil_.size());
    std::uint32_t next = wholeCount;
    for (Range& range : ranges_) {
        if (range.count == 0)
            range = {0, wholeCount};
        else {
            range.first = next;
            next += range.count;
        }
    }
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
