// Pictures of a registration by a CUDA device: of an iteration only its control points cross the
// bus.
#pragma once

#include "app/registration/picture.h"
#include "compute/cuda/context.h"

#include <memory>

namespace systole {

/// Not thread-safe. Without a usable device it draws nothing.
class DevicePictures {
public:
    /// `device`: index in cudaStatus().devices; opened when first needed.
    explicit DevicePictures(int device) : device_(device) {}

    /// Whether the device can draw it: there is one, and the iteration has control points that its
    /// kernels take.
    bool canDraw(const WantedPicture& wanted);

    /// Sets the picture's `onDevice`, all voxels, if `keep`; else its `volume` and `boxes`. Throws
    /// ComputeError, OutOfMemory.
    void draw(const WantedPicture& wanted, bool keep, RegistrationPicture& picture,
              const ExecContext& ctx);

private:
    const Volume& onDevice(const std::shared_ptr<const Volume>& host, int slot,
                           const ExecContext& ctx);
    void displace(const WantedPicture& wanted, FieldView<float> field, const ExecContext& ctx);
    void toHost(const WantedPicture& wanted, const Comparison& comparison,
                RegistrationPicture& picture, const ExecContext& ctx);

    struct Resident {
        std::shared_ptr<const Volume> host; ///< that it is a copy of
        Volume volume;
    };
    int device_;
    bool tried_ = false;
    std::shared_ptr<CudaContext> cuda_;
    Resident residents_[2]; ///< fixed and moving image
};

} // namespace systole
