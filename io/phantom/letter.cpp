#include "io/phantom/letter.h"

#include <algorithm>
#include <cmath>

namespace systole {

void drawLetter(LetterFrame frame, const Geometry& grid, VolumeView<float> voxels) {
    const Size3 size = grid.size();
    const Vec3 spacing = grid.spacing();
    const double voxel = std::min({spacing.x, spacing.y, spacing.z});
    const double radius =
        0.34 * std::min({size.x * spacing.x, size.y * spacing.y, size.z * spacing.z});
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                // mm from the middle; distances are negative inside.
                const Vec3 p{(x - 0.5 * (size.x - 1)) * spacing.x,
                             (y - 0.5 * (size.y - 1)) * spacing.y,
                             (z - 0.5 * (size.z - 1)) * spacing.z};
                const double r = length(p);
                double distance = r - radius;
                if (frame == LetterFrame::Letter) {
                    const double hollow = r - 0.5 * radius;
                    const double slit = std::max(std::abs(p.y) - 0.23 * radius, -p.x);
                    distance = std::max(distance, -std::min(hollow, slit));
                }
                voxels(x, y, z) = static_cast<float>(255 / (1 + std::exp(3 * distance / voxel)));
            }
}

} // namespace systole
