#include "compute/cardiac/neighborhoods.h"

#include <numeric>
#include <unordered_map>

namespace systole::cardiac {
namespace {

constexpr int reach = LocalFit::reach;

struct HashOf {
    std::size_t operator()(const Neighborhood& of) const {
        std::uint64_t hash = 0;
        for (const std::uint32_t plane : of.planes) {
            hash = (hash ^ plane) * 0x9e3779b97f4a7c15u;
            hash ^= hash >> 32;
        }
        return hash;
    }
};

/// Rows of bits, one a voxel of the grid, with `reach` empty ones around the grid on all sides.
class Bits {
public:
    explicit Bits(const TissueVoxels& voxels)
        : rows_(static_cast<std::size_t>(voxels.grid.size().y) + 2 * reach)
        , words_((static_cast<std::size_t>(voxels.grid.size().x) + 2 * reach) / 32 + 2)
        , bits_(words_ * rows_ * (static_cast<std::size_t>(voxels.grid.size().z) + 2 * reach), 0) {
        for (const auto& [x, y, z] : voxels.index) {
            const auto column = static_cast<std::size_t>(x + reach);
            bits_[row(y + reach, z + reach) + column / 32] |= 1u << column % 32;
        }
    }

    Neighborhood around(const std::array<int, 3>& at) const {
        const auto column = static_cast<std::size_t>(at[0]); // column of the first bit
        Neighborhood found;
        for (int dz = 0; dz < stencilSide; ++dz) {
            std::uint32_t plane = 0;
            for (int dy = 0; dy < stencilSide; ++dy) {
                const std::uint32_t* const words =
                    bits_.data() + row(at[1] + dy, at[2] + dz) + column / 32;
                const std::uint64_t two = std::uint64_t{words[1]} << 32 | words[0];
                const auto five =
                    static_cast<std::uint32_t>(two >> column % 32) & ((1u << stencilSide) - 1);
                plane |= five << dy * stencilSide;
            }
            found.planes[static_cast<std::size_t>(dz)] = plane;
        }
        return found;
    }

private:
    std::size_t row(int y, int z) const {
        return words_ * (static_cast<std::size_t>(y) + rows_ * static_cast<std::size_t>(z));
    }
    std::size_t rows_, words_;
    std::vector<std::uint32_t> bits_;
};

} // namespace

Neighborhood Neighborhood::whole() {
    Neighborhood all;
    all.planes.fill((1u << stencilPlane) - 1);
    return all;
}

std::array<std::ptrdiff_t, stencilSize> stencilOf(Size3 size) {
    std::array<std::ptrdiff_t, stencilSize> offsets{};
    std::size_t number = 0;
    for (int z = -reach; z <= reach; ++z)
        for (int y = -reach; y <= reach; ++y)
            for (int x = -reach; x <= reach; ++x)
                offsets[number++] = x + std::ptrdiff_t{size.x} * (y + std::ptrdiff_t{size.y} * z);
    return offsets;
}

NeighborhoodKinds::NeighborhoodKinds(const TissueVoxels& voxels)
    : kinds{Neighborhood::whole()}, firstVoxel{0} {
    const Bits bits(voxels);
    std::unordered_map<Neighborhood, std::uint32_t, HashOf> known{{kinds.front(), 0}};
    ofVoxel.reserve(voxels.count());
    for (std::size_t i = 0; i < voxels.count(); ++i) {
        const Neighborhood around = bits.around(voxels.index[i]);
        if (around == kinds.front()) {
            ofVoxel.push_back(0);
            continue;
        }
        const auto [kind, isNew] =
            known.try_emplace(around, static_cast<std::uint32_t>(kinds.size()));
        if (isNew) {
            kinds.push_back(around);
            firstVoxel.push_back(i);
        }
        ofVoxel.push_back(kind->second);
    }
}

std::vector<std::size_t> NeighborhoodKinds::voxelsByKind() const {
    std::vector<std::size_t> next(kinds.size() + 1, 0), order(ofVoxel.size());
    for (const std::uint32_t kind : ofVoxel)
        ++next[kind + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (std::size_t i = 0; i < ofVoxel.size(); ++i)
        order[next[ofVoxel[i]]++] = i;
    return order;
}

} // namespace systole::cardiac
