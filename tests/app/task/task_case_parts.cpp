#include "tests/app/task/task_case_parts.h"

#include "compute/core/points.h"
#include "compute/motion/gray_range.h"
#include "compute/surface/segment.h"
#include "tests/support/volume_of.h"

#include <cmath>

namespace systole::test {
namespace {

constexpr int side = 32;

} // namespace

ExecResources& resources() {
    static ExecResources made{2};
    return made;
}

std::shared_ptr<const Volume> taskFrame(int shift) {
    const Geometry grid({side, side, side}, {2, 2, 2});
    return std::make_shared<const Volume>(
        volumeOf(grid, resources().pool(), [&](int i, int y, int z) {
            const double x = i - shift, middle = 0.5 * (side - 1);
            const double away = std::hypot(x - middle, y - middle, z - middle);
            return 100 + 80 / (1 + std::exp(2 * (away - 8))) +
                   6 * std::sin(0.9 * x) * std::cos(0.8 * y + 0.5 * z) + 4 * std::sin(1.7 * z + x);
        }));
}

std::vector<Vec3> taskPoints() {
    std::vector<Vec3> points;
    for (int i = 0; i < 8; ++i)
        points.push_back(taskFrame(0)->geometry.indexToPhysical(
            {10.0 + (i % 2) * 11, 10.0 + (i / 2 % 2) * 11, 10.0 + (i / 4) * 11}));
    return points;
}

Vec3 taskSeed() {
    constexpr double middle = 0.5 * (side - 1);
    return taskFrame(0)->geometry.indexToPhysical({middle, middle, middle});
}

std::vector<std::uint8_t> taskWall() {
    const std::shared_ptr<const Volume> image = taskFrame(0);
    std::vector<std::uint8_t> labels(image->geometry.voxels(), 0);
    for (int z = 6; z < 26; ++z)
        for (int y = 6; y < 26; ++y)
            for (int x = 8; x < 14; ++x)
                labels[image->view().offset(x, y, z)] = wallLabel;
    return labels;
}

Geometry taskHeartGrid() { return {{28, 28, 24}, {3, 3, 3}, {-40.5, -40.5, -62}}; }

std::vector<std::uint8_t> taskHeart() {
    const Geometry grid = taskHeartGrid();
    std::vector<std::uint8_t> labels;
    for (int z = 0; z < grid.size().z; ++z)
        for (int y = 0; y < grid.size().y; ++y)
            for (int x = 0; x < grid.size().x; ++x) {
                const Vec3 p = centerOfVoxel(grid, x, y, z);
                const double r = std::hypot(p.x, p.y);
                const bool inside = p.z < 0 && std::hypot(r / 30, p.z / 56) < 1;
                labels.push_back(!inside                            ? 0
                                 : std::hypot(r / 18, p.z / 44) < 1 ? chamberLabel
                                                                    : wallLabel);
            }
    return labels;
}

MillimeterField taskBeat() {
    const Geometry grid = taskHeartGrid();
    MillimeterField field{grid, resources().pool().acquire<float>(3 * grid.voxels(), "beat")};
    float* at = field.vectors.data();
    for (int z = 0; z < grid.size().z; ++z)
        for (int y = 0; y < grid.size().y; ++y)
            for (int x = 0; x < grid.size().x; ++x) {
                const Vec3 p = centerOfVoxel(grid, x, y, z);
                for (const double u : {-0.1 * p.x, -0.12 * p.y, -0.15 * p.z})
                    *at++ = static_cast<float>(u);
            }
    return field;
}

IntensityScale scale() {
    GrayRange range(taskFrames);
    for (int t = 0; t < taskFrames; ++t)
        range.add(frame(t)->view());
    return range.scale();
}

void add(TaskResult& result, std::span<const float> values) {
    for (const float value : values)
        result.numbers.push_back(static_cast<double>(value));
}

void add(TaskResult& result, Vec3 p) {
    result.numbers.insert(result.numbers.end(), {p.x, p.y, p.z});
}

} // namespace systole::test
