// Pictures of a registration on their whole way to the framebuffer.
#pragma once

#include "app/features/registration/picture.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <vector>

namespace systole {

/// Rewinds through the iterations, again and again: as in the window, a thread makes the next
/// picture while the scene draws the last one, 1400×900, each drawn to its end. Slices, and with
/// the volume; with CUDA-OpenGL interop and with host upload. Prints and records pictures per
/// second, the time from one to the next and what the scene took; what is unavailable, with its
/// reason. `wanted`: images and scale; `onDevice`: whether a device makes the pictures, else the
/// CPU.
void benchShownPictures(const WantedPicture& wanted,
                        const std::vector<std::shared_ptr<const RegistrationIterate>>& iterates,
                        bool onDevice, const ExecContext& ctx, nlohmann::ordered_json& record);

} // namespace systole
