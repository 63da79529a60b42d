// Colors of the views of a registration whose values aren't gray values.
#pragma once

#include "app/features/registration/picture.h"
#include "render/color_bar.h"

#include <memory>

namespace systole {

/// Null for views of gray values. `scale`: the one that pictures are made with.
std::shared_ptr<const ValueColors> valueColorsOf(RegistrationView view, IntensityScale scale);

} // namespace systole
