#include "app/features/landmarks/wall_source.h"

#include "app/anatomy/tissue_labels.h"
#include "compute/surface/segment.h"

#include <algorithm>
#include <optional>

namespace systole {

WallVoxels voxelsOf(const WallSource& source, const ExecContext& ctx) {
    if (!source.labels) {
        const auto label = source.label > 0 ? std::optional(source.label) : std::nullopt;
        const TissueLabels tissue =
            readTissueLabels(source.file, label, source.grid, source.labelName, ctx);
        return {tissue.voxels(), tissue.label};
    }
    const int label = source.label > 0 ? source.label : wallLabel;
    std::vector<std::uint8_t> inWall(source.labels->size());
    std::ranges::transform(*source.labels, inWall.begin(),
                           [label](int value) { return value == label ? 1 : 0; });
    return {std::move(inWall), label};
}

} // namespace systole
