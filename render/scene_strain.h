// What strain along the heart's axes is made from.
#pragma once

#include "compute/cardiac/ventricle.h"
#include "compute/core/frame_result.h"

#include <memory>

namespace systole {

struct SceneStrain {
    std::shared_ptr<const cardiac::Ventricle> ventricle;
    /// Since the ventricle's frame, into the frame that is shown; null: there is none.
    std::shared_ptr<const FrameResult> motion;
    /// The same into end diastole, from which strain counts; null: that is the ventricle's frame.
    std::shared_ptr<const FrameResult> diastole{};
    /// The motion into the frame shown isn't there yet: there is nothing to show, which isn't rest.
    bool awaitsMotion = false;
    bool operator==(const SceneStrain&) const = default;
};

} // namespace systole
