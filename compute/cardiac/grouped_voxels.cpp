#include "compute/cardiac/grouped_voxels.h"

#include <algorithm>

namespace systole::cardiac {

GroupedVoxels GroupedVoxels::of(std::span<const int> group, int groups) {
    GroupedVoxels made;
    for (int g = 0; g < groups; ++g) {
        auto begin = static_cast<std::int32_t>(made.voxel.size());
        for (std::size_t i = 0; i < group.size(); ++i)
            if (group[i] == g)
                made.voxel.push_back(static_cast<std::int32_t>(i));
        const auto end = static_cast<std::int32_t>(made.voxel.size());
        for (; begin < end; begin += chunkSize)
            made.chunks.push_back({begin, std::min(begin + chunkSize, end), g});
    }
    return made;
}

} // namespace systole::cardiac
