// A named figure that a method or a stage reports of a frame.
#pragma once

#include <string>
#include <vector>

namespace systole {

struct Figure {
    std::string name; ///< "warps", "folded voxels"
    double value = 0;
    std::string unit; ///< "voxel", "%"; empty for a count
};

/// The figure of that name; null where there is none.
inline const Figure* findFigure(const std::vector<Figure>& figures, const std::string& name) {
    for (const Figure& figure : figures)
        if (figure.name == name)
            return &figure;
    return nullptr;
}

} // namespace systole
