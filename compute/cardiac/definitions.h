// Definitions of the strain of a segment: programs differ, so that every definition is a row with a
// name.
#pragma once

#include "compute/cardiac/shell.h"

#include <span>
#include <string>

namespace systole::cardiac {

enum class Tensor { Engineering, GreenLagrange };

enum class RadialBy {
    Voxels,    ///< the mean over the wall's voxels
    Thickness, ///< the thickness of the wall
    Volume,    ///< 1 / ((1 + ε_l)(1 + ε_c)) − 1, as muscle keeps its volume
};

struct StrainDefinition {
    const char* name;
    const char* meaning; ///< one sentence
    const char* paper;
    /// Longitudinal and circumferential by the length of contours at `depth`; else all three are
    /// means over the wall's voxels.
    bool byContours;
    Depth depth;
    RadialBy radial;
    Tensor tensor;
};

/// The first is the default.
std::span<const StrainDefinition> strainDefinitions();
/// Throws ComputeError for an unknown name.
const StrainDefinition& strainDefinition(const std::string& name);

} // namespace systole::cardiac
