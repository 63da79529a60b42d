// Helpers for tests of systole register: images of smooth blobs, sampled on any grid, and the
// transform between them.
#pragma once

#include "compute/core/affine_map.h"
#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "io/formats/writer.h"
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace systole::testing {

/// Gray value of a made-up organ at a point, LPS mm: blobs of different sizes around the origin.
inline double organAt(Vec3 p) {
    struct Blob {
        Vec3 center;
        double radius, gray;
    };
    static const Blob blobs[] = {{{0, 0, 0}, 22, 120},   {{12, 5, -4}, 8, 90},
                                 {{-10, -8, 9}, 7, -70}, {{4, -14, -10}, 6, 80},
                                 {{-6, 13, 6}, 5, 100},  {{15, -6, 12}, 5, 60},
                                 {{-14, 4, -12}, 6, 75}};
    // A texture that every block of voxels shows, in contrast to the large blob.
    double gray = 40 + 15 * std::sin(p.x / 3) * std::sin(p.y / 3.5 + 1) * std::sin(p.z / 4 + 2);
    for (const Blob& blob : blobs) {
        const Vec3 d = p - blob.center;
        gray += blob.gray * std::exp(-dot(d, d) / (blob.radius * blob.radius));
    }
    return gray;
}

/// Whether a point lies in the structure that has label 1, or in that of label 2.
inline int labelAt(Vec3 p) {
    const Vec3 d = p - Vec3{12, 5, -4};
    if (dot(d, d) < 49)
        return 2;
    return dot(p, p) < 400 ? 1 : 0;
}

template <typename Value>
std::vector<float> sampled(const Geometry& grid, const Value& valueAt) {
    std::vector<float> voxels;
    for (int z = 0; z < grid.size().z; ++z)
        for (int y = 0; y < grid.size().y; ++y)
            for (int x = 0; x < grid.size().x; ++x)
                voxels.push_back(static_cast<float>(valueAt(grid.indexToPhysical(
                    {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)}))));
    return voxels;
}

/// The image of the organ that was moved by `map`: what lies at p lies at map(p) in it.
inline void writeOrgan(const std::string& path, const Geometry& grid, const AffineMap& map = {}) {
    const AffineMap back = *map.inverse();
    const std::vector<float> voxels = sampled(grid, [&](Vec3 p) { return organAt(back(p)); });
    writeVolume(path, grid, {voxels.data(), grid.size()});
}
inline void writeOrganLabels(const std::string& path, const Geometry& grid,
                             const AffineMap& map = {}) {
    const AffineMap back = *map.inverse();
    const std::vector<float> voxels = sampled(grid, [&](Vec3 p) { return labelAt(back(p)); });
    writeLabels(path, grid, std::vector<std::uint8_t>(voxels.begin(), voxels.end()));
}

/// A grid of that many voxels whose center is a point.
inline Geometry gridAround(Vec3 center, Size3 size, Vec3 spacing,
                           const Matrix3& direction = identity3) {
    const Geometry atOrigin(size, spacing, {}, direction);
    return {size, spacing, center - atOrigin.center(), direction};
}

inline const Matrix3 sagittal{{{0, 0, 1}, {1, 0, 0}, {0, -1, 0}}};

inline nlohmann::json registration(const std::string& folder) {
    return nlohmann::json::parse(readText(folder + "/registration.json"));
}

/// Mean distance in mm between a field and a map of points over the points of the organ.
template <typename Map>
double errorOf(const MillimeterField& field, const Map& map) {
    double sum = 0, count = 0;
    const Geometry& grid = field.geometry;
    std::size_t i = 0;
    for (int z = 0; z < grid.size().z; ++z)
        for (int y = 0; y < grid.size().y; ++y)
            for (int x = 0; x < grid.size().x; ++x, ++i) {
                const Vec3 p = grid.indexToPhysical(
                    {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                if (dot(p, p) > 400)
                    continue;
                const float* d = field.vectors.data() + 3 * i;
                sum += length(p +
                              Vec3{static_cast<double>(d[0]), static_cast<double>(d[1]),
                                   static_cast<double>(d[2])} -
                              map(p));
                ++count;
            }
    return sum / count;
}

} // namespace systole::testing
