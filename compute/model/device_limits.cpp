#include "compute/model/device_limits.h"

#include "compute/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace systole::model {
namespace {

constexpr int kib = 1024;

/// Members in the order of DeviceLimits, as in the CUDA programming guide, "Technical
/// Specifications per Compute Capability" and "Throughput of Native Arithmetic Instructions";
/// figures missing there are from the architecture's white paper.
// clang-format off
constexpr DeviceLimits known[] = {
    // Fermi
    {20, 48,  8,  32 * kib, 32 * kib,  63,  64, 2,  48 * kib,  48 * kib, 128,   0, 2,  32,  4,  4,  64},
    {21, 48,  8,  32 * kib, 32 * kib,  63,  64, 2,  48 * kib,  48 * kib, 128,   0, 2,  48,  8,  8,  64},
    // Kepler
    {30, 64, 16,  64 * kib, 64 * kib,  63, 256, 4,  48 * kib,  48 * kib, 256,   0, 4, 192, 32, 16, 128},
    {35, 64, 16,  64 * kib, 64 * kib, 255, 256, 4,  48 * kib,  48 * kib, 256,   0, 4, 192, 32, 16, 128},
    {37, 64, 16, 128 * kib, 64 * kib, 255, 256, 4, 112 * kib,  48 * kib, 256,   0, 4, 192, 32, 16, 128},
    // Maxwell
    {50, 64, 32,  64 * kib, 64 * kib, 255, 256, 4,  64 * kib,  48 * kib, 256,   0, 4, 128, 32,  8, 128},
    {52, 64, 32,  64 * kib, 64 * kib, 255, 256, 4,  96 * kib,  48 * kib, 256,   0, 4, 128, 32,  8, 128},
    {53, 64, 32,  64 * kib, 32 * kib, 255, 256, 4,  64 * kib,  48 * kib, 256,   0, 4, 128, 32,  8, 128},
    // Pascal; only its P100 has two schedulers per multiprocessor instead of four.
    {60, 64, 32,  64 * kib, 64 * kib, 255, 256, 2,  64 * kib,  48 * kib, 256,   0, 2,  64, 16,  4, 128},
    {61, 64, 32,  64 * kib, 64 * kib, 255, 256, 4,  96 * kib,  48 * kib, 256,   0, 4, 128, 32,  8, 128},
    {62, 64, 32,  64 * kib, 32 * kib, 255, 256, 4,  64 * kib,  48 * kib, 256,   0, 4, 128, 32,  8, 128},
    // Volta, Turing
    {70, 64, 32,  64 * kib, 64 * kib, 255, 256, 4,  96 * kib,  96 * kib, 256,   0, 4,  64, 16,  4, 128},
    {75, 32, 16,  64 * kib, 64 * kib, 255, 256, 4,  64 * kib,  64 * kib, 256,   0, 4,  64, 16,  4,  64},
    // Ampere and Ada. From here on the system reserves 1 KB of shared memory per block. Chips of
    // graphics cards have more float lanes, fewer warps and less shared memory.
    {80, 64, 32,  64 * kib, 64 * kib, 255, 256, 4, 164 * kib, 163 * kib, 128, kib, 4,  64, 16,  4, 128},
    {86, 48, 16,  64 * kib, 64 * kib, 255, 256, 4, 100 * kib,  99 * kib, 128, kib, 4, 128, 16,  4, 128},
    {87, 48, 16,  64 * kib, 64 * kib, 255, 256, 4, 164 * kib, 163 * kib, 128, kib, 4, 128, 16,  4, 128},
    {89, 48, 24,  64 * kib, 64 * kib, 255, 256, 4, 100 * kib,  99 * kib, 128, kib, 4, 128, 16,  4, 128},
    // Hopper, Blackwell
    {90, 64, 32,  64 * kib, 64 * kib, 255, 256, 4, 228 * kib, 227 * kib, 128, kib, 4, 128, 16,  4, 128},
    {100, 64, 32, 64 * kib, 64 * kib, 255, 256, 4, 228 * kib, 227 * kib, 128, kib, 4, 128, 16,  4, 128},
    {103, 64, 32, 64 * kib, 64 * kib, 255, 256, 4, 228 * kib, 227 * kib, 128, kib, 4, 128, 16,  4, 128},
    {120, 48, 24, 64 * kib, 64 * kib, 255, 256, 4, 100 * kib,  99 * kib, 128, kib, 4, 128, 16,  4, 128},
};
// clang-format on
static_assert(std::ranges::is_sorted(known, {}, &DeviceLimits::computeCapability));

} // namespace

std::span<const DeviceLimits> allDeviceLimits() { return known; }

const DeviceLimits& deviceLimits(int computeCapability) {
    const auto* const next =
        std::ranges::upper_bound(known, computeCapability, {}, &DeviceLimits::computeCapability);
    if (next == std::begin(known))
        throw ComputeError(
            fmt::format("the limits of compute capability {}.{} are unknown; the oldest known is "
                        "{}.{}",
                        computeCapability / 10, computeCapability % 10,
                        known[0].computeCapability / 10, known[0].computeCapability % 10));
    return *std::prev(next);
}

} // namespace systole::model
