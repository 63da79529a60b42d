#include "compute/cardiac/tissue_fits.h"

#include "compute/core/volume.h"

#include <map>

namespace systole::cardiac {
namespace {

constexpr int chunk = 128; ///< voxels, and fits

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

/// Which of the voxels around one are there: a plane each, the bits x fastest.
using Neighborhood = std::array<std::uint32_t, TissueFits::side>;
constexpr int planeBits = TissueFits::side * TissueFits::side;

Neighborhood allNeighbors() {
    Neighborhood whole;
    whole.fill((1u << planeBits) - 1);
    return whole;
}

Neighborhood neighborhoodOf(const TissueVoxels& voxels, const std::array<int, 3>& at) {
    Neighborhood there{};
    overStencil([&](std::uint8_t number, const std::array<int, 3>& d) {
        if (voxels.place(at[0] + d[0], at[1] + d[1], at[2] + d[2]) >= 0)
            there[number / planeBits] |= 1u << number % planeBits;
    });
    return there;
}

/// What a part of the fits has, before it is known where it begins.
struct Part {
    std::vector<std::uint8_t> neighbors;
    std::vector<std::array<float, 4>> weights;
    std::vector<std::uint32_t> counts; ///< of each fit

    void add(const FitWeights& fit, const Neighborhood& there) {
        std::size_t k = 0; // the fit has them in the same order
        overStencil([&](std::uint8_t number, const std::array<int, 3>&) {
            if ((there[number / planeBits] >> number % planeBits & 1u) == 0)
                return;
            const auto& [value, x, y, z] = fit.weight[k++];
            neighbors.push_back(number);
            weights.push_back(
                {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z), 0});
        });
        counts.push_back(static_cast<std::uint32_t>(k));
    }
};

/// The different neighborhoods in the order of their first voxels, behind that of all neighbors.
struct Kinds {
    explicit Kinds(const std::vector<Neighborhood>& around) {
        std::map<Neighborhood, std::uint32_t> known{{allNeighbors(), 0}};
        for (std::size_t i = 0; i < around.size(); ++i) {
            const auto [kind, isNew] =
                known.try_emplace(around[i], static_cast<std::uint32_t>(known.size()));
            if (isNew)
                firstVoxel.push_back(i);
            ofVoxel.push_back(kind->second);
        }
    }
    std::vector<std::uint32_t> ofVoxel;
    std::vector<std::size_t> firstVoxel; ///< of the kinds from 1 on
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
    // A fit depends on which neighbors are there: most voxels share theirs with others.
    std::vector<Neighborhood> around(voxels.count());
    parallelFor(ctx, static_cast<int>(around.size()), chunk, [&](int begin, int end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
            around[i] = neighborhoodOf(voxels, voxels.index[i]);
    });
    const Kinds kinds(around);
    const LocalFit fit(voxels, order);
    const auto count = static_cast<int>(kinds.firstVoxel.size());
    std::vector<Part> parts(static_cast<std::size_t>((count + chunk - 1) / chunk) + 1);
    parts.front().add(fit.whole(), allNeighbors());
    parallelFor(ctx, count, chunk, [&](int begin, int end) {
        Part& part = parts[static_cast<std::size_t>(begin / chunk) + 1];
        for (int k = begin; k < end; ++k) {
            const std::size_t voxel = kinds.firstVoxel[static_cast<std::size_t>(k)];
            part.add(fit.at(voxels.indexPoint(voxel)), around[voxel]);
        }
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
        ranges_[i] = ofKind[kinds.ofVoxel[i]];
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
