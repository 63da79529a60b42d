#include "compute/measures/local_gain.h"

#include "compute/core/median.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole {
namespace {

constexpr std::size_t fewestCubes = 16;

struct Cube {
    double fixed = 0, moved = 0, voxels = 0;
};

} // namespace

double localGainSpread(VolumeView<const float> fixed, VolumeView<const float> moved,
                       VolumeView<const float> counted) {
    const Size3 size = fixed.size;
    const auto cubesAlong = [](int n) { return (n + localGainSide - 1) / localGainSide; };
    const int nx = cubesAlong(size.x), ny = cubesAlong(size.y), nz = cubesAlong(size.z);
    std::vector<Cube> cubes(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) *
                            static_cast<std::size_t>(nz));
    Cube low{INFINITY, INFINITY}, high{-INFINITY, -INFINITY};
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const std::size_t i = fixed.offset(x, y, z);
                if (!counted.empty() && counted.data[i] < 0.5f)
                    continue;
                const auto a = static_cast<double>(fixed.data[i]),
                           b = static_cast<double>(moved.data[i]);
                Cube& cube = cubes[static_cast<std::size_t>(
                    x / localGainSide + nx * (y / localGainSide + ny * (z / localGainSide)))];
                cube.fixed += a;
                cube.moved += b;
                ++cube.voxels;
                low.fixed = std::min(low.fixed, a);
                low.moved = std::min(low.moved, b);
                high.fixed = std::max(high.fixed, a);
                high.moved = std::max(high.moved, b);
            }
    std::vector<double> gains;
    for (const Cube& cube : cubes) {
        const double a = cube.fixed / cube.voxels - low.fixed,
                     b = cube.moved / cube.voxels - low.moved;
        if (a > 0.1 * (high.fixed - low.fixed) && b > 0.1 * (high.moved - low.moved))
            gains.push_back(std::log(a / b));
    }
    if (gains.size() < fewestCubes)
        return 0;
    const double middle = median(gains);
    for (double& gain : gains)
        gain = std::abs(gain - middle);
    return median(gains);
}

} // namespace systole
