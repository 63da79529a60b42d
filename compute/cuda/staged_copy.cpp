#include "compute/cuda/staged_copy.h"

#include <algorithm>
#include <array>
#include <bit>

namespace systole {
namespace {

constexpr std::size_t pieceFloats = std::size_t{2} << 20;

/// Two pinned pieces used alternately; a piece is free when the copy that used it is done.
class Pieces {
public:
    Pieces(CudaContext& cuda, std::size_t count) : cuda_(cuda) {
        // Powers of two, which are found in the pool again: pinning memory makes all streams wait.
        for (Buffer<float>& piece : pieces_)
            piece = cuda.pinnedPool().acquire<float>(std::bit_ceil(std::min(count, pieceFloats)),
                                                     "staging");
    }
    ~Pieces() {
        for (const auto& event : used_)
            if (event)
                event->wait();
    }
    Pieces(const Pieces&) = delete;
    Pieces& operator=(const Pieces&) = delete;

    /// Waits for the last copy that used the piece.
    float* free(std::size_t index) {
        if (used_[index % 2])
            used_[index % 2]->wait();
        return pieces_[index % 2].data();
    }
    void mark(std::size_t index) { used_[index % 2] = cuda_.record(CudaStream::Compute); }

private:
    CudaContext& cuda_;
    std::array<Buffer<float>, 2> pieces_;
    std::array<std::shared_ptr<const CudaEvent>, 2> used_;
};

void copyInParallel(const float* from, float* to, std::size_t count, const ExecContext& ctx) {
    constexpr std::size_t chunk = std::size_t{1} << 17;
    parallelFor(ctx, static_cast<int>((count + chunk - 1) / chunk), 1, [&](int begin, int end) {
        const std::size_t first = chunk * static_cast<std::size_t>(begin);
        const std::size_t last = std::min(count, chunk * static_cast<std::size_t>(end));
        std::copy(from + first, from + last, to + first);
    });
}

} // namespace

void uploadStaged(const float* host, float* device, std::size_t count, const ExecContext& ctx) {
    Pieces pieces(*ctx.cuda, count);
    for (std::size_t done = 0, index = 0; done < count; done += pieceFloats, ++index) {
        ctx.throwIfCancelled();
        const std::size_t part = std::min(pieceFloats, count - done);
        float* const piece = pieces.free(index);
        copyInParallel(host + done, piece, part, ctx);
        ctx.cuda->upload(piece, device + done, part * sizeof(float), CudaStream::Compute);
        pieces.mark(index);
    }
}

void downloadStaged(const float* device, float* host, std::size_t count, const ExecContext& ctx) {
    Pieces pieces(*ctx.cuda, count);
    const auto fetch = [&](std::size_t index) {
        const std::size_t first = index * pieceFloats;
        if (first >= count)
            return;
        ctx.cuda->download(device + first, pieces.free(index),
                           std::min(pieceFloats, count - first) * sizeof(float),
                           CudaStream::Compute);
        pieces.mark(index);
    };
    fetch(0);
    for (std::size_t done = 0, index = 0; done < count; done += pieceFloats, ++index) {
        fetch(index + 1);
        const float* const piece = pieces.free(index);
        copyInParallel(piece, host + done, std::min(pieceFloats, count - done), ctx);
    }
}

} // namespace systole
