#include "compute/cardiac/definitions.h"

#include "compute/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace systole::cardiac {

std::span<const StrainDefinition> strainDefinitions() {
    static constexpr StrainDefinition rows[] = {
        {"midwall",
         "Change of length of contours in mid-wall, and radial strain from both, as muscle keeps "
         "its volume; engineering.",
         "Voigt et al. 2015", true, Depth::MidWall, RadialBy::Volume, Tensor::Engineering},
        {"eacvi",
         "Change of length of endocardial contours, and of the wall's thickness; engineering.",
         "Voigt et al. 2015", true, Depth::Endocardium, RadialBy::Thickness, Tensor::Engineering},
        {"mirtk",
         "Change of length of contours in mid-wall, and of the wall's thickness; engineering.",
         "Bai et al. 2020", true, Depth::MidWall, RadialBy::Thickness, Tensor::Engineering},
        {"deepstrain", "Mean of the Green-Lagrange tensor over the wall's voxels.",
         "Morales et al. 2021", false, Depth::MidWall, RadialBy::Voxels, Tensor::GreenLagrange},
        {"voxels", "Mean of the engineering strain over the wall's voxels.", "Mansi et al. 2011",
         false, Depth::MidWall, RadialBy::Voxels, Tensor::Engineering},
    };
    return rows;
}

const StrainDefinition& strainDefinition(const std::string& name) {
    const auto rows = strainDefinitions();
    const auto found =
        std::ranges::find_if(rows, [&](const StrainDefinition& row) { return row.name == name; });
    if (found == rows.end())
        throw ComputeError(fmt::format("no definition of strain is called '{}'", name));
    return *found;
}

} // namespace systole::cardiac
