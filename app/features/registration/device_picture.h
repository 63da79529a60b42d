// Pictures of a registration by a CUDA device: of an iteration only its control points cross the
// bus.
#pragma once

#include "app/features/registration/picture.h"

#include <memory>

namespace systole {

/// Not thread-safe. Of one device: it keeps the images there.
class DevicePictures {
public:
    /// True if a device can draw it: the iteration has control points that its kernels take.
    static bool canDraw(const WantedPicture& wanted);

    /// Sets the picture's `onDevice`, all voxels, if `keep`; else its `volume` and `boxes`. The
    /// context has the device. Throws ComputeError, OutOfMemory.
    void draw(const WantedPicture& wanted, bool keep, RegistrationPicture& picture,
              const ExecContext& ctx);

private:
    const Volume& onDevice(const std::shared_ptr<const Volume>& host, int slot,
                           const ExecContext& ctx);

    struct Resident {
        std::shared_ptr<const Volume> host; ///< the image on the host of which this is a copy
        Volume volume;
    };
    Resident residents_[2]; ///< fixed and moving image
};

} // namespace systole
