// Occupancy against hand computation, a paper's own table, and NVIDIA's header for hosts.
#include "compute/core/error.h"
#include "compute/model/occupancy.h"

#include <gtest/gtest.h>

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define SYSTOLE_HAVE_OCCUPANCY_HEADER 1
#endif

namespace systole::model {
namespace {

Occupancy of(int capability, int threads, int registers, int shared) {
    return occupancy(deviceLimits(capability), {threads, registers, shared, 0});
}

TEST(DeviceLimits, AreThoseOfTheNewestThatIsNotNewer) {
    EXPECT_EQ(deviceLimits(90).computeCapability, 90);
    EXPECT_EQ(deviceLimits(88).computeCapability, 87);
    EXPECT_EQ(deviceLimits(999).computeCapability, allDeviceLimits().back().computeCapability);
    EXPECT_THROW(deviceLimits(13), ComputeError);
}

// 9.0: 64 warps, 32 blocks, 64 K registers in four files of 16384, 228 KB shared, 1 KB of each
// block's taken by the system.
TEST(Occupancy, ByWarps) {
    // 256 threads are 8 warps: 64 / 8 = 8 blocks. 32 registers: 1024 a warp, 16 warps a file, 64
    // in all: 8 blocks as well.
    const Occupancy o = of(90, 256, 32, 0);
    EXPECT_EQ(o.byWarps, 8);
    EXPECT_EQ(o.byRegisters, 8);
    EXPECT_EQ(o.activeBlocks, 8);
    EXPECT_EQ(o.activeWarps, 64);
    EXPECT_EQ(o.fraction, 1.0);
    EXPECT_EQ(o.limit, LimitingResource::Warps);
}

TEST(Occupancy, ByRegistersOfEachScheduler) {
    // 90 registers: 2880 a warp, in units of 256: 3072. A file holds 16384 / 3072 = 5 warps, the
    // four of them 20, where 65536 / 3072 would say 21. Blocks of 7 warps: 20 / 7 = 2, not 3.
    const Occupancy o = of(90, 224, 90, 0);
    EXPECT_EQ(o.byRegisters, 2);
    EXPECT_EQ(o.activeBlocks, 2);
    EXPECT_EQ(o.limit, LimitingResource::Registers);
    // 1024 threads of 65: 2080 → 2304 a warp; 32 warps need 73728 of 65536: can't be launched.
    EXPECT_EQ(of(90, 1024, 65, 0).activeBlocks, 0);
    // and of 64: 2048 · 32 = 65536: just fits.
    EXPECT_EQ(of(90, 1024, 64, 0).activeBlocks, 1);
}

TEST(Occupancy, BySharedMemory) {
    // 48000 + 1024 = 49024, in units of 128: 49024. 233472 / 49024 = 4.76.
    const Occupancy o = of(90, 128, 32, 48000);
    EXPECT_EQ(o.bySharedMemory, 4);
    EXPECT_EQ(o.activeBlocks, 4);
    EXPECT_EQ(o.limit, LimitingResource::SharedMemory);
    EXPECT_EQ(of(90, 128, 32, 227 * 1024).activeBlocks, 1);
    EXPECT_EQ(of(90, 128, 32, 227 * 1024 + 1).activeBlocks, 0);
    // 7.0 reserves nothing and counts in 256: 48000 → 48128; 98304 / 48128 = 2.04.
    EXPECT_EQ(of(70, 128, 32, 48000).bySharedMemory, 2);
}

TEST(Occupancy, ByBlockSlots) {
    // 32 threads: 64 blocks by warps, 64 by 32 registers, but 32 slots.
    const Occupancy o = of(90, 32, 32, 0);
    EXPECT_EQ(o.byWarps, 64);
    EXPECT_EQ(o.activeBlocks, 32);
    EXPECT_EQ(o.fraction, 0.5);
    EXPECT_EQ(o.limit, LimitingResource::Blocks);
}

TEST(Occupancy, WhatNoBlockMayAskFor) {
    EXPECT_EQ(of(90, 0, 32, 0).activeBlocks, 0);
    EXPECT_EQ(of(90, 1056, 32, 0).activeBlocks, 0);
    EXPECT_EQ(of(90, 32, 256, 0).activeBlocks, 0);
    EXPECT_EQ(of(20, 32, 64, 0).activeBlocks, 0); // Fermi's instructions name 63 registers
}

TEST(Occupancy, PartOfAWarpTakesAWhole) {
    // 33 threads are two warps: 64 / 2.
    EXPECT_EQ(of(90, 33, 16, 0).byWarps, 32);
}

// Fermi, by eq. 1–6 of the paper on unbiased registration: registers of a warp in units of 64,
// warps in pairs, 32768 registers, 48 warps, 8 blocks.
TEST(Occupancy, Fermi) {
    // 192 threads of 21: 672 → 704 a warp; a pair's share 16384 / 704 = 23, so 46 warps; 46 / 6
    // = 7.
    EXPECT_EQ(of(20, 192, 21, 0).byRegisters, 7);
    // Warps limit the blocks to 48 / 6 = 8.
    EXPECT_EQ(of(20, 192, 21, 0).byWarps, 8);
}

// The table of resources of the unbiased registration's flow field kernel on a GTX 480 (its
// Table 1): three rows of threads, registers, shared bytes and blocks per multiprocessor.
struct PaperRow {
    int width, height;               ///< points that a block computes
    int blockWidth, blockHeight;     ///< its threads
    int arrays;                      ///< factor of WH in the table
    int registers, shared, blocksMp; ///< as printed
    int planeBytes(int w, int h) const { return (w + 4) * (h + 4) * 4; } ///< WH
};
constexpr PaperRow recomputeInRegisters{8, 12, 32, 16, 15, 63, 8640, 1};
constexpr PaperRow recomputeInLocal{8, 10, 32, 10, 15, 35, 4364, 2};
constexpr PaperRow reuse{28, 12, 32, 16, 32, 24, 49152, 1};

int blocksOf(const PaperRow& row) {
    return of(20, row.blockWidth * row.blockHeight, row.registers, row.shared).activeBlocks;
}

TEST(OccupancyOfThePaper, BlocksFollowFromThePrintedResources) {
    // 512 threads are 16 warps. 63 · 32 = 2016 → 2048 registers a warp: 16384 / 2048 = 8 in each
    // half, 16 warps: one block. Warps would allow 3, 8640 → 8704 bytes of shared memory 5.
    EXPECT_EQ(blocksOf(recomputeInRegisters), recomputeInRegisters.blocksMp);
    // 320 threads are 10 warps. 35 · 32 = 1120 → 1152: 14 in each half, 28 / 10 = 2. Warps would
    // allow 4, 4364 → 4480 bytes 10, were there slots for more than 8.
    EXPECT_EQ(blocksOf(recomputeInLocal), recomputeInLocal.blocksMp);
    // 24 · 32 = 768: 21 in each half, 42 / 16 = 2; but 49152 bytes are all there is: one.
    EXPECT_EQ(blocksOf(reuse), reuse.blocksMp);
}

TEST(OccupancyOfThePaper, SharedBytesDoNotFollowFromThePrintedTiles) {
    // 15 · (12 · 16 · 4) = 11520, printed 8640 = 15 · (12 · 12 · 4): a tile of 8 × 8.
    const auto bytes = [](const PaperRow& row, int w, int h) {
        return row.arrays * row.planeBytes(w, h);
    };
    EXPECT_EQ(bytes(recomputeInRegisters, 8, 12), 11520);
    EXPECT_EQ(bytes(recomputeInRegisters, 8, 8), recomputeInRegisters.shared);
    // 15 · (12 · 14 · 4) = 10080, printed 4364, which no tile has: 4364 / 60 = 72.7.
    EXPECT_EQ(bytes(recomputeInLocal, 8, 10), 10080);
    EXPECT_NE(recomputeInLocal.shared % (recomputeInLocal.arrays * 4), 0);
    // 32 · (32 · 16 · 4) = 65536 is more than a Fermi has; printed 49152 = 24 · (32 · 16 · 4).
    EXPECT_EQ(bytes(reuse, 28, 12), 65536);
    EXPECT_EQ(of(20, 512, reuse.registers, bytes(reuse, 28, 12)).activeBlocks, 0);
    EXPECT_EQ(24 * reuse.planeBytes(28, 12), reuse.shared);
}

TEST(OccupancyOfThePaper, OneReadingFitsAllRows) {
    // A thread for every point of the padded tile, as the third row has it (32 × 16 for 28 × 12).
    // Then the tiles are 28 × 12, 28 × 6 and 28 × 12, with 15, 15 and 24 planes of WH bytes:
    // 30720, 19200 and 49152 bytes, and the blocks come out as printed.
    EXPECT_EQ(of(20, 512, 63, 15 * 32 * 16 * 4).activeBlocks, 1);
    EXPECT_EQ(of(20, 320, 35, 15 * 32 * 10 * 4).activeBlocks, 2);
    EXPECT_EQ(of(20, 512, 24, 24 * 32 * 16 * 4).activeBlocks, 1);
}

TEST(Waves, AreCountedAndTheLastIsFilledInPart) {
    // 1000 blocks in 3 · 132 = 396 slots: 2.525 waves, 208 blocks in the last.
    const Waves w = waves(1000, 3, 132);
    EXPECT_DOUBLE_EQ(w.count, 1000.0 / 396);
    EXPECT_EQ(w.whole, 3);
    EXPECT_DOUBLE_EQ(w.lastFilled, 208.0 / 396);
    EXPECT_DOUBLE_EQ(w.efficiency, 1000.0 / 396 / 3);
    EXPECT_EQ(waves(396, 3, 132).whole, 1);
    EXPECT_EQ(waves(396, 3, 132).lastFilled, 1.0);
    EXPECT_EQ(waves(397, 3, 132).whole, 2);
    EXPECT_EQ(waves(0, 3, 132).whole, 0);
    EXPECT_EQ(waves(10, 0, 132).whole, 0);
}

#ifdef SYSTOLE_HAVE_OCCUPANCY_HEADER
cudaOccDeviceProp propertiesOf(const DeviceLimits& limits) {
    cudaOccDeviceProp p;
    p.computeMajor = limits.computeCapability / 10;
    p.computeMinor = limits.computeCapability % 10;
    p.maxThreadsPerBlock = limits.maxThreadsPerBlock;
    p.maxThreadsPerMultiprocessor = limits.maxWarps * limits.warpSize;
    p.regsPerBlock = limits.maxRegistersPerBlock;
    p.regsPerMultiprocessor = limits.registers;
    p.warpSize = limits.warpSize;
    p.sharedMemPerBlock = 48 * 1024;
    p.sharedMemPerMultiprocessor = static_cast<size_t>(limits.sharedBytes);
    p.numSms = 1;
    p.sharedMemPerBlockOptin = static_cast<size_t>(limits.maxSharedPerBlock);
    p.reservedSharedMemPerBlock = static_cast<size_t>(limits.reservedSharedBytes);
    return p;
}

/// −1: the header doesn't know the chip.
int blocksByHeader(const cudaOccDeviceProp& properties, int threads, int registers, int shared) {
    cudaOccFuncAttributes kernel;
    kernel.maxThreadsPerBlock = properties.maxThreadsPerBlock;
    kernel.numRegs = registers;
    kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    kernel.maxDynamicSharedSizeBytes = static_cast<size_t>(shared);
    const cudaOccDeviceState state;
    cudaOccResult result;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &kernel, &state, threads,
                                                static_cast<size_t>(shared)) != CUDA_OCC_SUCCESS)
        return -1;
    return result.activeBlocksPerMultiprocessor;
}
#endif

TEST(Occupancy, IsThatOfTheVendorsHeader) {
#ifdef SYSTOLE_HAVE_OCCUPANCY_HEADER
    int chips = 0;
    for (const DeviceLimits& limits : allDeviceLimits()) {
        const cudaOccDeviceProp properties = propertiesOf(limits);
        if (blocksByHeader(properties, 32, 16, 0) < 0)
            continue;
        ++chips;
        long differences = 0;
        const auto compare = [&](int threads, int registers, int shared) {
            const KernelResources kernel{threads, registers, shared, 0};
            const int ours = occupancy(limits, kernel).activeBlocks;
            const int theirs = blocksByHeader(properties, threads, registers, shared);
            if (ours != theirs && ++differences == 1)
                ADD_FAILURE() << limits.computeCapability << ": " << threads << " threads, "
                              << registers << " registers, " << shared << " bytes: " << ours
                              << ", by the header " << theirs;
        };
        for (int threads = 32; threads <= 1024; threads += 32)
            for (int registers = 1; registers <= limits.maxRegistersPerThread; ++registers)
                for (const int shared : {0, 1, 1000, 8192, 20000, 48 * 1024})
                    compare(threads, registers, shared);
        for (int threads = 1; threads <= 1056; ++threads)
            compare(threads, 40, 4000);
        for (int shared = 0; shared <= limits.maxSharedPerBlock + 1024; shared += 61)
            for (const int threads : {32, 128, 512})
                compare(threads, 32, shared);
        EXPECT_EQ(differences, 0) << limits.computeCapability;
    }
    // CUDA 11.8 knows Maxwell to Hopper at least.
    EXPECT_GE(chips, 12);
#else
    GTEST_SKIP() << "SKIPPED: built without CUDA, whose cuda_occupancy.h this compares with";
#endif
}

} // namespace
} // namespace systole::model
