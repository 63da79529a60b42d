// The task of measuring a left ventricle while its motion is still being estimated: with each new
// field all frames so far are measured again, on the ventricle that was found with the first one.
#pragma once

#include "app/anatomy/label_history.h"
#include "app/features/cardiac/strain_run.h"
#include "app/task/backend.h"
#include "compute/cardiac/change_on_device.h"
#include "compute/cardiac/gap_on_device.h"
#include "compute/core/frame_result.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

struct LiveStrainTask {
    int frame = 0;               ///< the reference, that of the labels
    std::uint64_t ventricle = 0; ///< another number: labels or points have changed
    std::uint64_t motion = 0;    ///< another number: fields of earlier tasks don't count
    /// Labels of a segmentation on `grid`: chamber and wall; null: those of `file`, or, if that is
    /// empty, too, the shape of the points.
    std::shared_ptr<const LabelMap> labels;
    Geometry grid; ///< grid of the sequence, and of `labels`
    std::string file;
    cardiac::LabelRoles roles; ///< roles of the file's labels
    cardiac::GivenPoints points;
    /// Motion from the reference to other frames, not passed before; may be none.
    std::vector<std::shared_ptr<const FrameResult>> fresh;
    /// Motion from each frame to the next one and from the last to the first, once all of `fresh`
    /// has been passed; empty: not known, or passed before.
    std::vector<std::shared_ptr<const FrameResult>> steps{};
    bool closeCycle = false;
    /// Fields are measured on the CUDA device, where those of this motion and order, and its steps,
    /// all lie; else on the host, and they lie there. Standard errors are those of the host.
    bool onDevice = false;
    std::vector<double> seconds; ///< time of each frame of the sequence since the reference, or NaN
    cardiac::MeasureOptions options;
    std::optional<int> endDiastole{}; ///< a frame; until its motion is there: the reference
    bool standardErrors = false;      ///< see StrainTask::standardErrors
    double errorBound = 0;
};

/// See TaskRun.
class LiveStrainWork {
public:
    using Task = LiveStrainTask;
    using Outcome = StrainOutcome;

    /// Throws what ventricleOf(), measuresOf() and readStrainLabels() throw; FileError for a label
    /// map that isn't on the sequence's grid; and for a device that fails.
    void run(const LiveStrainTask& task, StrainOutcome& made, ExecContext& ctx);

private:
    struct Carried {
        cardiac::Displacements wall, cavity; ///< displacements on the host
        cardiac::TissueMotion onDevice{};    ///< motion on the device
        std::weak_ptr<const FrameResult> from{};
        std::shared_ptr<const cardiac::FrameChange> change{}; ///< changes by `fits_`; null: not yet
        std::vector<Carried> errors{}; ///< draws of its error, once they were asked for
    };
    cardiac::DrawnErrors drawnErrors(const cardiac::VentricleMotion& motion,
                                     const ExecContext& ctx);
    void follow(std::span<const std::shared_ptr<const FrameResult>> steps, const ExecContext& ctx);
    void close(const Beat& beat, cardiac::VentricleMotion& motion, cardiac::FrameChanges& changes,
               const ExecContext& ctx) const;
    void forgetMotion();
    void findVentricle(const LiveStrainTask& task, StrainOutcome& made, ExecContext& ctx);
    void measure(const LiveStrainTask& task, StrainOutcome& made, const ExecContext& ctx);
    void prepare(const LiveStrainTask& task, const ExecContext& ctx);
    void take(const std::shared_ptr<const FrameResult>& result, const ExecContext& ctx);
    void addTo(cardiac::VentricleMotion& motion, cardiac::FrameChanges& changes, Carried& carried,
               const ExecContext& ctx) const;

    std::optional<DevicePolicy> device_; ///< opened with the first task that is to run there
    bool onDevice_ = false;              ///< the last task was measured on the device
    /// Ventricle of the labels numbered `labels_`.
    std::shared_ptr<const cardiac::Ventricle> ventricle_;
    std::uint64_t labels_ = 0, motion_ = 0;
    std::vector<int> fileLabels_; ///< labels of the ventricle's label map, and their roles
    cardiac::LabelRoles roles_;
    std::unique_ptr<const cardiac::VentricleFits> fits_; ///< fits of the ventricle, by `options_`
    std::unique_ptr<const cardiac::FitsOnDevice> fitsThere_;
    std::unique_ptr<const cardiac::TissueOnDevice> tissueThere_;
    std::unique_ptr<const cardiac::VentricleMeter> meter_; ///< meter of the fits
    cardiac::MeasureOptions options_;
    Carried reference_;
    std::map<int, Carried> carried_; ///< motion by frame
    // --- known once the steps are known; on the device or the host, as `onDevice_` says
    std::optional<cardiac::CycleGap> gap_;
    std::optional<cardiac::TissueMotion> gapThere_;
    CycleResidual residual_;
};

using LiveStrainRun = TaskRun<LiveStrainWork>;

} // namespace systole
