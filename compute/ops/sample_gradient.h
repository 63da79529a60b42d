// The trilinear value at one position and its derivative: one formula for the plain loops and CUDA.
#pragma once

#include "compute/ops/sample.h"

namespace systole {

using MovingPosition = Position;

/// The eight values around a position, x fastest, and where it lies between them.
struct TrilinearCell {
    float value[8]{};
    float partX, partY, partZ;

    /// `read(offset)` gives a voxel's value.
    template <typename Read>
    constexpr TrilinearCell(const Read& read, Size3 size, MovingPosition p) {
        const TrilinearSample s(size, p);
        const std::size_t far = s.offset + s.alongZ;
        const std::size_t rows[4] = {s.offset, s.offset + s.alongY, far, far + s.alongY};
        for (int i = 0; i < 4; ++i) {
            value[2 * i] = read(rows[i]);
            value[2 * i + 1] = read(rows[i] + s.alongX);
        }
        partX = s.partX;
        partY = s.partY;
        partZ = s.partZ;
    }
    constexpr TrilinearCell(float x, float y, float z) : partX(x), partY(y), partZ(z) {}
};

/// Whether a position isn't clamped along its axis.
constexpr bool withinGrid(float position, int n) {
    return position >= 0 && position <= static_cast<float>(n - 1);
}

/// The derivative of the trilinear value at p along axis x, y or z of the moving grid; 0 beyond it.
struct TrilinearGradient {
    float x, y, z;

    /// Where p lies on a plane of voxels, as everywhere without motion, the value has a kink: the
    /// derivative across it is the mean of both sides', so that a mirrored image gets the mirrored
    /// one. On the grid's first and last plane there is one side.
    constexpr TrilinearGradient(const float* voxels, Size3 size, MovingPosition p)
        : TrilinearGradient(TrilinearCell([=](std::size_t i) { return voxels[i]; }, size, p),
                            voxels, size, p) {}
    /// Gradient from the cell that p lies in.
    constexpr TrilinearGradient(const TrilinearCell& cell, const float* voxels, Size3 size,
                                MovingPosition p)
        : TrilinearGradient(cell, size, p) {
        const auto across = [=](float dx, float dy, float dz) {
            return 0.5f * (TrilinearSample(size, p.x + dx, p.y + dy, p.z + dz).of(voxels) -
                           TrilinearSample(size, p.x - dx, p.y - dy, p.z - dz).of(voxels));
        };
        if (cell.partX == 0 && p.x > 0)
            x = across(1, 0, 0);
        if (cell.partY == 0 && p.y > 0)
            y = across(0, 1, 0);
        if (cell.partZ == 0 && p.z > 0)
            z = across(0, 0, 1);
    }
    /// The derivative within the cell, from above on its lower planes.
    constexpr TrilinearGradient(const TrilinearCell& cell, Size3 size, MovingPosition p) {
        const auto mix = [](float a, float b, float t) { return a + t * (b - a); };
        float along[4]{}, slope[4]{};
        for (int i = 0; i < 4; ++i) {
            slope[i] = cell.value[2 * i + 1] - cell.value[2 * i];
            along[i] = cell.value[2 * i] + cell.partX * slope[i];
        }
        x = withinGrid(p.x, size.x) ? mix(mix(slope[0], slope[1], cell.partY),
                                          mix(slope[2], slope[3], cell.partY), cell.partZ)
                                    : 0.0f;
        y = withinGrid(p.y, size.y) ? mix(along[1] - along[0], along[3] - along[2], cell.partZ)
                                    : 0.0f;
        z = withinGrid(p.z, size.z)
                ? mix(along[2], along[3], cell.partY) - mix(along[0], along[1], cell.partY)
                : 0.0f;
    }
};

} // namespace systole
