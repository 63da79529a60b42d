#include "app/anatomy/strain_labels.h"

#include "app/anatomy/label_record.h"
#include "app/anatomy/tissue_labels.h"
#include "compute/cardiac/point_shell.h"
#include "compute/core/error.h"
#include "io/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <vector>

namespace systole {

StrainLabels strainLabels(const Volume& map, const std::string& path,
                          const cardiac::LabelRoles& given) {
    const auto values = map.view().span();
    const std::vector<std::uint16_t> labels(values.begin(), values.end());
    try {
        const cardiac::LabelRoles roles = cardiac::rolesOf(labels, map.geometry.size(), given);
        StrainLabels found{roles, std::make_shared<const cardiac::TissueMap>(
                                      cardiac::tissueOf(labels, map.geometry, roles))};
        if (constexpr int most = 255;
            std::max({roles.cavity, roles.wall, roles.rightVentricle}) > most)
            found.notes.push_back(
                fmt::format("{}: label {} is taken as the cavity, {} as the wall{}", path,
                            roles.cavity, roles.wall,
                            roles.rightVentricle > 0
                                ? fmt::format(", {} as the right ventricle", roles.rightVentricle)
                                : std::string()));
        return found;
    } catch (const ComputeError& error) {
        throw fileError(path, error.what());
    }
}

StrainLabels strainLabels(const Geometry& grid, const cardiac::GivenPoints& points) {
    return {{}, std::make_shared<const cardiac::TissueMap>(cardiac::shellOfPoints(grid, points))};
}

StrainPoints strainPoints(const cardiac::GivenPoints& own, const std::string& labelMap, int frame) {
    StrainPoints points{own};
    if (own.apex || own.mitral || own.insertion)
        return points;
    const auto record = readLabelRecord(labelMap);
    if (!record || !record->points)
        return points;
    const std::string path = labelRecordPath(labelMap);
    const std::string name = std::filesystem::path(path).filename().string();
    if (const int other = record->pointsFrame.value_or(frame); other != frame) {
        points.notes.push_back(fmt::format("the points in {} beside the labels are of frame {}, "
                                           "not of frame {}, and aren't used",
                                           name, other, frame));
        return points;
    }
    const auto& [apex, mitral, rightVentricle] = *record->points;
    points.given = {apex, mitral, rightVentricle};
    points.record = path;
    points.notes.push_back(fmt::format("apex, mitral ring and insertion of the right ventricle are "
                                       "those in {} beside the labels",
                                       name));
    return points;
}

std::string whyNoStrain(const std::vector<std::uint8_t>& labels, const Geometry& grid,
                        const cardiac::GivenPoints& points, ExecContext& ctx) {
    const std::span<const std::uint8_t> values(labels);
    try {
        const cardiac::LabelRoles roles = cardiac::rolesOf(values, grid.size(), {});
        ventricleOf(cardiac::tissueOf(values, grid, roles), points, ctx);
    } catch (const ComputeError& error) {
        return error.what();
    }
    return {};
}

StrainLabels readStrainLabels(const std::string& path, const Geometry& grid,
                              const cardiac::LabelRoles& given, const ExecContext& ctx,
                              std::vector<int>* numbers) {
    std::vector<std::string> notes;
    const Volume map = readLabels(path, &grid, notes, ctx);
    if (numbers) {
        const std::set<int> labels = labelsIn(map.view().span(), path);
        numbers->assign(labels.begin(), labels.end());
    }
    StrainLabels found = strainLabels(map, path, given);
    found.notes.insert(found.notes.begin(), notes.begin(), notes.end());
    return found;
}

} // namespace systole
