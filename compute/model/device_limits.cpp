#include "compute/model/device_limits.h"

#include "compute/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace systole::model {
namespace {

constexpr int kib = 1024;

/// Common figures of a generation; members of the family change a few. CUDA programming guide,
/// "Technical Specifications per Compute Capability" and "Throughput of Native Arithmetic
/// Instructions"; figures missing there are from the architecture's white paper.
constexpr DeviceLimits fermi{.computeCapability = 20,
                             .warpSize = 32,
                             .maxThreadsPerBlock = 1024,
                             .maxWarps = 48,
                             .maxBlocks = 8,
                             .registers = 32 * kib,
                             .maxRegistersPerBlock = 32 * kib,
                             .maxRegistersPerThread = 63,
                             .registerUnit = 64,
                             .warpAllocationUnit = 2,
                             .sharedBytes = 48 * kib,
                             .maxSharedPerBlock = 48 * kib,
                             .sharedUnit = 128,
                             .reservedSharedBytes = 0,
                             .schedulers = 2,
                             .floatLanes = 32,
                             .specialLanes = 4,
                             .textureLanes = 4,
                             .onChipBytes = 64};

constexpr DeviceLimits kepler{.computeCapability = 30,
                              .warpSize = 32,
                              .maxThreadsPerBlock = 1024,
                              .maxWarps = 64,
                              .maxBlocks = 16,
                              .registers = 64 * kib,
                              .maxRegistersPerBlock = 64 * kib,
                              .maxRegistersPerThread = 63,
                              .registerUnit = 256,
                              .warpAllocationUnit = 4,
                              .sharedBytes = 48 * kib,
                              .maxSharedPerBlock = 48 * kib,
                              .sharedUnit = 256,
                              .reservedSharedBytes = 0,
                              .schedulers = 4,
                              .floatLanes = 192,
                              .specialLanes = 32,
                              .textureLanes = 16,
                              .onChipBytes = 128};

constexpr DeviceLimits with(DeviceLimits base, int capability, auto change) {
    base.computeCapability = capability;
    change(base);
    return base;
}
constexpr auto same = [](DeviceLimits&) {};

constexpr DeviceLimits maxwell = with(kepler, 50, [](DeviceLimits& d) {
    d.maxBlocks = 32;
    d.maxRegistersPerThread = 255;
    d.sharedBytes = 64 * kib;
    d.floatLanes = 128;
    d.textureLanes = 8;
});
constexpr DeviceLimits volta = with(maxwell, 70, [](DeviceLimits& d) {
    d.sharedBytes = 96 * kib;
    d.maxSharedPerBlock = 96 * kib;
    d.floatLanes = 64;
    d.specialLanes = 16;
    d.textureLanes = 4;
});
/// From here on the system reserves 1 KB of shared memory per block.
constexpr DeviceLimits ampere = with(volta, 80, [](DeviceLimits& d) {
    d.sharedBytes = 164 * kib;
    d.maxSharedPerBlock = 163 * kib;
    d.sharedUnit = 128;
    d.reservedSharedBytes = kib;
});
/// Chips of graphics cards: more float lanes, fewer warps, less shared memory.
constexpr DeviceLimits ampereGraphics = with(ampere, 86, [](DeviceLimits& d) {
    d.maxWarps = 48;
    d.maxBlocks = 16;
    d.sharedBytes = 100 * kib;
    d.maxSharedPerBlock = 99 * kib;
    d.floatLanes = 128;
});
constexpr DeviceLimits hopper = with(ampere, 90, [](DeviceLimits& d) {
    d.sharedBytes = 228 * kib;
    d.maxSharedPerBlock = 227 * kib;
    d.floatLanes = 128;
});

constexpr DeviceLimits known[] = {
    fermi,
    with(fermi, 21,
         [](DeviceLimits& d) {
             d.floatLanes = 48;
             d.specialLanes = 8;
             d.textureLanes = 8;
         }),
    kepler,
    with(kepler, 35, [](DeviceLimits& d) { d.maxRegistersPerThread = 255; }),
    with(kepler, 37,
         [](DeviceLimits& d) {
             d.maxRegistersPerThread = 255;
             d.registers = 128 * kib;
             d.sharedBytes = 112 * kib;
         }),
    maxwell,
    with(maxwell, 52, [](DeviceLimits& d) { d.sharedBytes = 96 * kib; }),
    with(maxwell, 53, [](DeviceLimits& d) { d.maxRegistersPerBlock = 32 * kib; }),
    // Only Pascal's P100 has two schedulers per multiprocessor instead of four.
    with(maxwell, 60,
         [](DeviceLimits& d) {
             d.warpAllocationUnit = 2;
             d.schedulers = 2;
             d.floatLanes = 64;
             d.specialLanes = 16;
             d.textureLanes = 4;
         }),
    with(maxwell, 61, [](DeviceLimits& d) { d.sharedBytes = 96 * kib; }),
    with(maxwell, 62, [](DeviceLimits& d) { d.maxRegistersPerBlock = 32 * kib; }),
    volta,
    with(volta, 75,
         [](DeviceLimits& d) {
             d.maxWarps = 32;
             d.maxBlocks = 16;
             d.sharedBytes = 64 * kib;
             d.maxSharedPerBlock = 64 * kib;
             d.onChipBytes = 64;
         }),
    ampere,
    ampereGraphics,
    with(ampereGraphics, 87,
         [](DeviceLimits& d) {
             d.sharedBytes = 164 * kib;
             d.maxSharedPerBlock = 163 * kib;
         }),
    with(ampereGraphics, 89, [](DeviceLimits& d) { d.maxBlocks = 24; }),
    hopper,
    with(hopper, 100, same),
    with(hopper, 103, same),
    with(ampereGraphics, 120, [](DeviceLimits& d) { d.maxBlocks = 24; }),
};
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
