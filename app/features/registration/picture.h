// Pictures of a registration: each kind is a volume on the fixed image's grid, which the scene
// draws as a frame, or as a map of values over the fixed image.
#pragma once

#include "app/features/registration/registration_run.h"
#include "compute/core/frame_result.h"
#include "compute/core/motion_estimator.h"
#include "compute/core/voxel_box.h"
#include "compute/ops/image_comparison.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace systole {

/// The views of ComparisonView, and Flicker: fixed and warped image in turn.
enum class RegistrationView {
    Fixed,
    Warped,
    Difference,
    Checkerboard,
    Flicker,
    Grid,
    Jacobian,
    LogJacobian
};
inline constexpr RegistrationView registrationViews[] = {
    RegistrationView::Fixed,        RegistrationView::Warped,     RegistrationView::Difference,
    RegistrationView::Checkerboard, RegistrationView::Flicker,    RegistrationView::Grid,
    RegistrationView::Jacobian,     RegistrationView::LogJacobian};
const char* name(RegistrationView view);        ///< "fixed", "warped", ...
const char* description(RegistrationView view); ///< half a line: what it shows
/// The ComparisonView that a view draws: Flicker draws Warped.
ComparisonView comparisonOf(RegistrationView view);

/// Description of a picture to be made.
struct WantedPicture {
    std::uint64_t run = 0;
    RegistrationPair images;
    IntensityScale scale;
    std::shared_ptr<const RegistrationIterate> iterate; ///< null: before the first one
    ComparisonView view = ComparisonView::Warped;
    /// The parts of the grid that the views show; empty: all of it.
    std::vector<VoxelBox> boxes;

    int number() const { return iterate ? iterate->number() : 0; }
    /// True if the pictures differ only in their boxes.
    bool sameVoxels(const WantedPicture& other) const {
        return run == other.run && images.fixed == other.images.fixed &&
               images.moving == other.images.moving && iterate == other.iterate &&
               view == other.view;
    }
    bool operator==(const WantedPicture& other) const {
        return sameVoxels(other) && boxes == other.boxes;
    }
};

/// Figures of an iteration over the whole image.
struct RegistrationFigures {
    double correlation = 0; ///< fixed and warped gray values; 0 if one is constant
    double smallestJacobian = 1, foldedPercent = 0;
    double longest = 0; ///< 99th percentile of |displacement|, mm
    /// Motion for arrows and map; null before the first iteration.
    std::shared_ptr<const FrameResult> motion;
};

/// A finished picture.
struct RegistrationPicture {
    int number = 0;                             ///< iteration, from 1; 0: before the first one
    std::shared_ptr<const Volume> volume;       ///< picture on the host; null: on the device only
    std::shared_ptr<const Volume> onDevice;     ///< may be null
    std::vector<VoxelBox> boxes;                ///< the voxels that it has; empty: all
    double seconds = 0;                         ///< time of making the picture, without the figures
    Backend backend = Backend::Cpu;             ///< backend that made it
    std::optional<RegistrationFigures> figures; ///< they follow the picture
};

/// Input of a picture, but for the displacement; images and field on the host.
Comparison comparisonFor(const WantedPicture& wanted);
/// Puts the voxels of a box, x fastest, into the volume.
void copyIntoVolume(const float* voxels, const VoxelBox& box, VolumeView<float> volume);

/// The picture's voxels in these boxes, empty: in all, by the CPU; the others are undefined.
std::shared_ptr<const Volume> drawPicture(const WantedPicture& wanted,
                                          const std::vector<VoxelBox>& boxes,
                                          const ExecContext& ctx);
RegistrationFigures figuresOf(const WantedPicture& wanted, const ExecContext& ctx);

} // namespace systole
