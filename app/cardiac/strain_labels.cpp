#include "app/cardiac/strain_labels.h"

#include "app/grid_text.h"
#include "app/segmentation/tissue_labels.h"
#include "compute/cardiac/point_shell.h"
#include "compute/core/error.h"
#include "io/text.h"

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <vector>

namespace systole {

StrainLabels strainLabels(const Volume& map, const std::string& path,
                          const cardiac::LabelRoles& given) {
    std::vector<std::uint8_t> labels;
    labels.reserve(map.geometry.voxels());
    for (const float value : map.view().span()) {
        if (value > 255)
            throw fileError(path,
                            fmt::format("has a label of {}; those of a heart are expected to be "
                                        "at most 255",
                                        value));
        labels.push_back(static_cast<std::uint8_t>(value));
    }
    try {
        const cardiac::LabelRoles roles = cardiac::rolesOf(labels, map.geometry.size(), given);
        return {roles, std::make_shared<const cardiac::TissueMap>(
                           cardiac::tissueOf(labels, map.geometry, roles))};
    } catch (const ComputeError& error) {
        throw fileError(path, error.what());
    }
}

StrainLabels strainLabels(const Geometry& grid, const cardiac::GivenPoints& points) {
    return {{}, std::make_shared<const cardiac::TissueMap>(cardiac::shellOfPoints(grid, points))};
}

void requireGrid(const std::string& path, const Geometry& labels, const Geometry& expected) {
    if (labels.matches(expected, 1e-2))
        return;
    const auto [found, wanted] = textsOfGrids(labels, expected);
    throw fileError(path, fmt::format("the labels lie on another grid than the images: found {}; "
                                      "expected {}",
                                      found, wanted));
}

StrainLabels readStrainLabels(const std::string& path, const Geometry& grid,
                              const cardiac::LabelRoles& given, const ExecContext& ctx,
                              std::vector<int>* numbers) {
    const Volume map = readLabels(path, nullptr, ctx);
    requireGrid(path, map.geometry, grid);
    if (numbers) {
        const std::set<int> labels = labelsIn(map.view().span(), path);
        numbers->assign(labels.begin(), labels.end());
    }
    return strainLabels(map, path, given);
}

} // namespace systole
