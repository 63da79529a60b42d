// Inputs from which strain along the heart's axes is computed.
#pragma once

#include "compute/cardiac/ventricle.h"
#include "compute/core/frame_result.h"

#include <memory>

namespace systole {

struct SceneStrain {
    std::shared_ptr<const cardiac::Ventricle> ventricle;
    /// Motion from the ventricle's frame into the frame that is shown; null: there is none.
    std::shared_ptr<const FrameResult> motion;
    /// Motion from the ventricle's frame into end diastole, from which strain counts; null: the
    /// ventricle's frame is end diastole.
    std::shared_ptr<const FrameResult> diastole{};
    /// The motion into the frame shown isn't there yet: there is nothing to show, which isn't rest.
    bool awaitsMotion = false;
    bool operator==(const SceneStrain&) const = default;
};

} // namespace systole
