// Which labels of a map are cavity, wall and right ventricle.
#pragma once

#include "compute/cardiac/tissue.h"

#include <cstdint>
#include <span>

namespace systole::cardiac {

/// Values of a label map; 0: to be found, and for the right ventricle also none.
struct LabelRoles {
    int cavity = 0, wall = 0, rightVentricle = 0;
    bool operator==(const LabelRoles&) const = default;
};

/// Fills in what isn't given: cavity and wall are the pair of labels of which the first has the
/// largest part of its surface covered by the second; more than half, unless both are given. The
/// right ventricle is what touches the wall most of the others, if anything does. Throws
/// ComputeError with the labels that occur, if there is no such pair or a given one doesn't occur,
/// and for more than 255 labels.
LabelRoles rolesOf(std::span<const std::uint16_t> labels, Size3 size, const LabelRoles& given);
LabelRoles rolesOf(std::span<const std::uint8_t> labels, Size3 size, const LabelRoles& given);

TissueMap tissueOf(std::span<const std::uint16_t> labels, const Geometry& grid,
                   const LabelRoles& roles);
TissueMap tissueOf(std::span<const std::uint8_t> labels, const Geometry& grid,
                   const LabelRoles& roles);

} // namespace systole::cardiac
