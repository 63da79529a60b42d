// Registration of organs that slide along their surroundings, such as lungs along the ribs: what
// lies in the masks and what lies outside of them are registered each as if the other weren't
// there, and put together, so that neither smoothness nor gray values join them.
#pragma once

#include "compute/motion/registration.h"

namespace systole {

/// The motion of the masks' inside where the fixed mask is above a half, elsewhere that of their
/// outside. Between eight voxels of one side it is the field of one registration, and folds as
/// little as the method's; between voxels of both it jumps, and may tear and overlap. Both masks
/// must be there. Reports, iterations and the affine map are those of the inside; times are of
/// both; no control points. Throws as registerImages() does.
RegistrationResult registerSliding(const RegistrationImages& images, const RegistrationStart& start,
                                   const RegistrationPlan& plan, const ExecContext& ctx);

} // namespace systole
