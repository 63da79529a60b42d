// A frame on the host whose rows may be read some places beyond both ends, as vectors do.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/core/voxel.h"

#include <algorithm>

namespace systole::sest {

class PaddedFrame {
public:
    PaddedFrame() = default;
    PaddedFrame(Size3 size, BufferPool& pool)
        : size_(size)
        , stride_((size.x + 2 * padding + 15) / 16 * 16)
        , voxels_(pool.acquire<float>(static_cast<std::size_t>(stride_) *
                                          static_cast<std::size_t>(size.y) *
                                          static_cast<std::size_t>(size.z),
                                      "landmark frames")) {}

    Size3 size() const { return size_; }

    /// Copies a frame of this size; behind the ends its border is repeated.
    void assign(VolumeView<const float> frame, const ExecContext& ctx) {
        parallelFor(ctx, size_.z, 1, [&](int begin, int end) {
            for (int z = begin; z < end; ++z)
                for (int y = 0; y < size_.y; ++y) {
                    const float* const in = frame.row(y, z);
                    float* const row = voxels_.data() + offset(y, z);
                    std::fill(row, row + padding, in[0]);
                    std::copy_n(in, size_.x, row + padding);
                    std::fill(row + padding + size_.x, row + stride_, in[size_.x - 1]);
                }
        });
    }

    /// Voxel 0 of the row nearest to (y, z); `padding` places before it and after the last are
    /// readable.
    const float* row(int y, int z) const {
        return voxels_.data() + offset(clampedIndex(y, size_.y), clampedIndex(z, size_.z)) +
               padding;
    }

private:
    static constexpr int padding = 32;
    std::size_t offset(int y, int z) const {
        return static_cast<std::size_t>(stride_) *
               (static_cast<std::size_t>(y) +
                static_cast<std::size_t>(size_.y) * static_cast<std::size_t>(z));
    }

    Size3 size_;
    int stride_ = 0;
    Buffer<float> voxels_;
};

} // namespace systole::sest
