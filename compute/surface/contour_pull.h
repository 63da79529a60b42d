// Pulls the contour of a label with the pointer: pullContour() (contour_edit.h) on the signed
// distance of the label, back into labels.
//
// Labels are nested, as a chamber (1) in its wall (2): the contour of label n surrounds the voxels
// with labels 1 to n. What comes inside gets n. A voxel with n that comes outside gets the label
// that its nearest voxel outside had; the labels inside n stay, however far their border is pulled.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/core/voxel_box.h"
#include "compute/surface/contour_edit.h"

#include <cstdint>
#include <vector>

namespace systole {

class ContourPull {
public:
    /// How far from its start a contour can be pulled, mm.
    static constexpr double reachMillimeters = 30;
    /// How far beside a contour a pull may start, mm.
    static constexpr double grabMillimeters = 2;

    /// A pull that starts at the point `from` on the contour (LPS mm) and moves the contour
    /// smoothly within about two `width` (mm). `labels` lie on `geometry`; only their part around
    /// the point is kept. `axis`: index axis across the slice in which the contour is seen. Throws
    /// ComputeError if the label has no contour within grabMillimeters of `from`, and as
    /// pullContour().
    ContourPull(VolumeView<const std::uint8_t> labels, const Geometry& geometry, Vec3 from,
                int axis, double width, std::uint8_t label, const ExecContext& ctx);

    /// The labels as they were, in the box that a pull can change.
    const EditChange& before() const { return before_; }
    /// Sets that box to what a pull from the start to here makes of it; a point beyond the reach
    /// is moved within it, one outside the image onto its border. `labels` of the same size.
    void pullTo(VolumeView<std::uint8_t> labels, Vec3 to) const;

private:
    bool inside(std::uint8_t value) const { return value != 0 && value <= label_; }
    std::vector<std::uint8_t> pulled(VolumeView<const float> phi) const;

    Geometry grid_; ///< grid of the box that a pull can change
    Vec3 from_;
    double width_;
    std::uint8_t label_;
    EditChange before_;
    std::vector<float> phi_; ///< signed distance of the label in the box, mm
};

} // namespace systole
