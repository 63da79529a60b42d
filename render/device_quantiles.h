// The scale of a displacement field on the device, computed concurrently with drawing: the device
// version of magnitudeQuantile().
#pragma once

#include "compute/cuda/interop.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace systole {

/// The values that set the scale of arrows and colors.
struct MagnitudeQuantiles {
    static constexpr double typicalPart = 0.9, highestPart = 0.99;
    double typical = 0, highest = 0; ///< mm; these fractions of the voxels stay below
};

/// Identifies the result whose scale is requested.
struct ScaleTag {
    std::size_t side = 0;         ///< 0: the left side's result, 1: the right side's
    std::uint64_t generation = 0; ///< FrameResult::generation
    bool operator==(const ScaleTag&) const = default;
};

class DeviceQuantiles {
public:
    explicit DeviceQuantiles(CudaInterop& interop); ///< interop must outlive this object
    ~DeviceQuantiles();                             ///< waits for pending requests
    DeviceQuantiles(const DeviceQuantiles&) = delete;
    DeviceQuantiles& operator=(const DeviceQuantiles&) = delete;

    /// Enqueues a request and returns. The answer carries the tag. `image` null: no voxel is too
    /// dark.
    void ask(std::shared_ptr<const VectorField> field, std::shared_ptr<const Volume> image,
             float darkest, ScaleTag tag);
    bool pending() const; ///< requested and not yet taken
    struct Answer {
        ScaleTag tag;
        MagnitudeQuantiles quantiles;
    };
    /// Returns the oldest available answer; never waits.
    std::optional<Answer> take();
    /// Waits until every answer is available.
    void wait() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
