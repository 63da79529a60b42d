// The scale of a displacement field on the device, found beside the drawing: the twin of
// magnitudeQuantile().
#pragma once

#include "compute/cuda/interop.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace systole {

/// What sets the scale of arrows and colours.
struct MagnitudeQuantiles {
    static constexpr double typicalPart = 0.9, highestPart = 0.99;
    double typical = 0, highest = 0; ///< mm that these parts of the voxels stay below
};

/// Whose scale is asked for.
struct ScaleTag {
    std::size_t side = 0;         ///< 0: the left side's result, 1: the right side's
    std::uint64_t generation = 0; ///< FrameResult::generation
    bool operator==(const ScaleTag&) const = default;
};

class DeviceQuantiles {
public:
    explicit DeviceQuantiles(CudaInterop& interop); ///< which outlives this
    ~DeviceQuantiles();                             ///< waits for what was asked
    DeviceQuantiles(const DeviceQuantiles&) = delete;
    DeviceQuantiles& operator=(const DeviceQuantiles&) = delete;

    /// Enqueues and returns. The tag comes back with the answer. `image` null: no voxel is too
    /// dark.
    void ask(std::shared_ptr<const VectorField> field, std::shared_ptr<const Volume> image,
             float darkest, ScaleTag tag);
    bool pending() const; ///< asked and not yet taken
    struct Answer {
        ScaleTag tag;
        MagnitudeQuantiles quantiles;
    };
    /// The oldest answer that is there; never waits.
    std::optional<Answer> take();
    /// Until every answer is there.
    void wait() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
