// Label maps on the grid of images that other programs have stored in another order: the same
// voxels with axes flipped or exchanged, or a part of them.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace systole {

/// Position of a label map's voxels on another grid: index there = turn · index + shift, all whole
/// numbers; each row and column of `turn` has one 1 or -1.
struct LabelPlacement {
    std::array<std::array<int, 3>, 3> turn{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    std::array<int, 3> shift{};
    bool operator==(const LabelPlacement&) const = default;
};

/// Empty unless every voxel of the labels lies on a voxel of `grid`, continued beyond its ends as
/// far as need be, to 0.05 voxels, and some do within it; grids that match to 0.01 mm are the same.
std::optional<LabelPlacement> placementOf(const Geometry& labels, const Geometry& grid);

/// Throws FileError that names the file and both grids, unless there is a placement. `what` lies
/// there, in the sentence.
LabelPlacement requirePlacement(const std::string& path, const Geometry& labels,
                                const Geometry& grid, const char* what = "the labels lie");

/// The labels on `grid`, 0 where the map has no voxel. Notes say what was done, and how many
/// labelled voxels lie beyond the grid and are left out. Throws as requirePlacement(), and
/// FileError if the map has labels, but none on the grid.
Volume labelsOnGrid(Volume map, const std::string& path, const Geometry& grid,
                    std::vector<std::string>& notes, const ExecContext& ctx,
                    const char* what = "the labels lie");

/// Makes labels of values that are whole numbers but for rounding, to 0.01. Throws FileError that
/// names the file unless all are from 0 to 65535; `hint` follows the sentence.
void roundToLabels(std::span<float> values, const std::string& file, const char* hint = "");

} // namespace systole
