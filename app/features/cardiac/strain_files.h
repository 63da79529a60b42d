// The files of `systole strain`: motion since a reference frame, and the labels of the heart there.
#pragma once

#include "app/anatomy/strain_labels.h"
#include "app/cli/field_options.h"
#include "app/features/cardiac/strain_run.h"
#include "compute/cardiac/label_roles.h"
#include "compute/core/exec.h"
#include "compute/core/motion_estimator.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// Motion from one frame to others.
struct StrainMotion {
    int reference = 0;
    std::vector<StrainField> fields; ///< fields in the order of their frames
    std::vector<std::string> files;
    std::shared_ptr<GivenFieldFiles> given; ///< files that `fields` read
    std::string around; ///< field once around the cycle, back to the reference; empty: none
    std::string note;   ///< note on the order of the files; empty: none
    std::string study;  ///< its images, by the record beside the fields or the options, or empty
    /// The estimation that the record beside the fields says; null: there is no record.
    const MotionMethod* method = nullptr;
    std::optional<ParamSet> methodParameters{};
};

/// A folder that `systole motion --lagrangian` or `--reference first` wrote, by its run.json; or
/// fields from the frame `reference` to those after it, in the order of inOrderOfFrames(), or as
/// given where the options name an image for each. `frameMilliseconds`
/// above 0 is the time from frame to frame; else times are those of run.json, or of the images that
/// `options` name, or unknown. The fields are read by `ctx`, which must outlive them, in the
/// convention that `options` find. Throws FileError.
StrainMotion motionOf(const std::vector<std::string>& paths, int reference,
                      double frameMilliseconds, const FieldOptions& options,
                      const ExecContext& ctx);

/// Gives the fields their drawErrors(), by the images of the options and the estimation that the
/// record says; of fields without a record, by clg's preset default. Returns which, for people and
/// records. `ctx` must outlive them. Throws UsageError without images, and for motion of a method
/// that doesn't estimate its errors.
std::string addErrorDraws(StrainMotion& motion, const FieldOptions& options,
                          const ExecContext& ctx);

/// The frames that the options name as images, for pictures: null for one that isn't among them, or
/// lies on another grid. `ctx` must outlive what is returned.
std::function<std::shared_ptr<const Volume>(int frame)>
imagesByFrame(const StrainMotion& motion, const FieldOptions& options, const ExecContext& ctx);

/// The label map FILE or FILE@FRAME on the grid of the fields, and what its labels are. Throws
/// FileError.
StrainLabels strainLabels(const std::string& path, const Geometry& grid,
                          const cardiac::LabelRoles& given, const ExecContext& ctx);

} // namespace systole
