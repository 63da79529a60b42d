// Runs a motion estimator along a sequence: selects fixed and moving frame and the starting field.
// Used by `systole motion` and the live pipeline.
#pragma once

#include "compute/core/frame_result.h"
#include "compute/core/motion_estimator.h"
#include "compute/core/sequence.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace systole {

enum class ReferenceMode {
    Previous, ///< fixed t−1, moving t
    /// Fixed 0, moving t. A PairEstimator starts from the field of t−1, composed with the motion
    /// from there to t, which it estimates first, and estimates only the finest levels. So errors
    /// of the steps don't add up, and no step has farther to go than tissue moves between frames.
    First
};

/// The 1st and 99th percentile over at most `sampleFrames` frames spread over the sequence.
/// If they coincide, the largest value is used; a constant image gives [value, value + 1].
IntensityScale intensityScale(const Sequence& sequence, const ExecContext& ctx,
                              int sampleFrames = 5);

/// Settings that stay the same along a sequence.
struct SequenceSettings {
    ReferenceMode reference = ReferenceMode::Previous;
    IntensityScale scale{};
    /// Where volume is preserved, in the frames' size; null: everywhere.
    std::shared_ptr<const Volume> incompressibility{};
    /// Passes a CUDA estimator the frames on the host, as a SlabEstimator requires. The result is
    /// then only on the host.
    bool hostInput = false;
};

/// Additional input of an estimation on the device of ctx.cuda.
struct DevicePair {
    /// The frames on the device; null: uploaded by the driver.
    std::shared_ptr<const Volume> fixed{}, moving{};
    /// Field and warped frame are also copied to the host (stage "download").
    bool download = true;
};

class SequenceDriver {
public:
    SequenceDriver(std::unique_ptr<MotionEstimator> estimator, SequenceSettings settings);

    /// Estimates fixed → moving. In mode Previous the last pair's field starts the next pair
    /// (`warmStart`), in mode First the last frame's field does when `fixed` is the same frame.
    /// The two volumes must share one geometry. Returns field, warped frame, residual and
    /// profile.
    ///
    /// If ctx.backend is Cuda, everything stays on the device of ctx.cuda: the result has `device`,
    /// and `field` and `warped` only if `onDevice` requests them. Frames missing in `onDevice` are
    /// uploaded, once for consecutive pairs. Returns when the device is done.
    FrameResult estimate(std::shared_ptr<const Volume> fixed, int fixedFrame,
                         std::shared_ptr<const Volume> moving, int movingFrame,
                         const ExecContext& ctx, const DevicePair& onDevice = {});

    /// The field that the next estimation starts from if it follows, in the memory of results.
    struct Start {
        std::shared_ptr<const VectorField> field{}; ///< null: it starts from zero
        int fixedFrame = -1;
        int chainStart = -1; ///< FrameResult::startFrame of the last result
    };
    const Start& start() const { return start_; }
    void startFrom(Start start) { start_ = std::move(start); }
    /// Discards the starting field, for example after a jump in time.
    void reset() { start_.field.reset(); }
    const MotionReport& lastReport() const { return report_; }

private:
    /// A host volume and its copy on the device.
    struct Uploaded {
        std::shared_ptr<const Volume> host, device;
    };

    MotionInput inputOf(const Volume& fixed, const Volume& moving) const;
    bool follows(const Geometry& geometry, int fixedFrame, bool onDevice) const;
    std::shared_ptr<VectorField> startingField(const Geometry& geometry, int fixedFrame,
                                               const ExecContext& ctx, bool onDevice);
    void runOnHost(FrameResult& result, const ExecContext& ctx);
    void runOnDevice(FrameResult& result, const DevicePair& onDevice, const ExecContext& ctx);
    std::shared_ptr<const Volume> uploaded(const std::shared_ptr<const Volume>& host,
                                           const ExecContext& ctx);
    void keepUploads(const FrameResult& result);

    std::unique_ptr<MotionEstimator> estimator_;
    SequenceSettings settings_;
    std::vector<Uploaded> uploads_;
    Start start_;
    MotionReport report_;
};

} // namespace systole
