// A box of voxels in which three smooth functions are known at (q + 1)³ points: Chebyshev's along
// axes with more voxels than that, the voxels themselves along others, where nothing is lost.
#pragma once

#include "compute/core/voxel_box.h"

#include <array>
#include <cstddef>
#include <vector>

namespace systole {

class InterpolationBox {
public:
    InterpolationBox(const VoxelBox& voxels, Vec3 spacing, int degree);

    const VoxelBox& voxels() const { return voxels_; }
    int points() const {
        return static_cast<int>(axes_[0].nodes.size() * axes_[1].nodes.size() *
                                axes_[2].nodes.size());
    }
    bool exact() const; ///< the points are the voxels along every axis
    Vec3 center() const { return {axes_[0].center, axes_[1].center, axes_[2].center}; } ///< mm
    /// The largest of the box's half-widths along axes that are interpolated, mm; 0: none is.
    double largestHalf() const;
    /// The least (d₁ + d₂) / h of far_field_bound.h over the axes that are interpolated.
    double separation(Vec3 point) const;
    /// Halves, quarters or eighths, cut across the longest of the axes that are interpolated.
    std::vector<VoxelBox> parts() const;

    /// Begins with what the box around has here; null: zero.
    void begin(const InterpolationBox* outer);
    float* values(int component) { return values_[static_cast<std::size_t>(component)].data(); }
    /// Coordinates of the points from the center, mm, in the order of the values: x fastest.
    void positions(std::array<std::vector<float>, 3>& out) const;
    /// Sets out to the functions at all voxels, x fastest.
    void sampleVoxels(std::array<std::vector<float>, 3>& out) const;

private:
    struct Axis {
        double center = 0, half = 0;
        bool interpolated = false;
        std::vector<double> nodes, voxels; ///< mm
    };
    using Places = std::array<const std::vector<double>*, 3>;
    void sample(const Places& places, std::array<std::vector<float>, 3>& out) const;

    VoxelBox voxels_;
    std::array<Axis, 3> axes_;
    std::array<std::vector<float>, 3> values_;
};

} // namespace systole
