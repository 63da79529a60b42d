// The models against arithmetic that the comments show, and against what no kernel can beat.
#include "compute/model/prediction.h"
#include "tests/compute/model/model_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole::model {
namespace {

using test::roundMachine;
using test::step;

/// 1000 blocks of 128 threads, some of every instruction.
KernelWork everything() {
    KernelWork work;
    work.resources = {128, 32, 10000, 0};
    work.cost.add = 10;
    work.cost.multiply = 5;
    work.cost.fusedMultiplyAdd = 20;
    work.cost.divide = work.cost.squareRoot = work.cost.exponential = work.cost.logarithm = 1;
    work.cost.integer = 12;
    work.cost.globalLoads = 6;
    work.cost.globalStores = 2;
    work.cost.textureFetches = 1;
    work.cost.constantLoads = 3;
    work.cost.sharedAccesses = 10;
    work.cost.bankConflicts = 2;
    work.cost.localAccesses = 1;
    work.cost.barriers = 2;
    work.blocks = 1000;
    work.bytes = 4e6;
    return work;
}

TEST(WuModel, MemoryCyclesByEquations1To3And16) {
    const Prediction p = wuModel(roundMachine(), everything());
    EXPECT_EQ(step(p, "Mem_cycles_global"), 3600);  // 1: 400 · (6 + 2 + 1)
    EXPECT_EQ(step(p, "Mem_cycles_shared"), 600);   // 2: 10 · 2 · 30
    EXPECT_EQ(step(p, "Mem_cycles_local"), 960);    // 3: 30 · 32 · 1
    EXPECT_EQ(step(p, "Mem_cycles_constant"), 120); // 40 · 3
    EXPECT_EQ(step(p, "Mem_cycles"), 5280);         // 16
    // 4.1: 10·4 + 5·4 + 20·4 + 40 + 30 + 20 + 25 + 12·5
    EXPECT_EQ(step(p, "Comp_cycles"), 315);
}

TEST(WuModel, WarpParallelismByEquations4To11) {
    const GpuMachine machine = roundMachine();
    const KernelWork work = everything();
    const Occupancy o = occupancy(machine.limits(), work.resources);
    EXPECT_EQ(o.byWarps, 16);     // 8: 64 · 32 / 128
    EXPECT_EQ(o.byRegisters, 16); // 9: 65536 / (128 · 32)
    // 11: 10000 and 1024 of the system's, in units of 128: 87 · 128 = 11136; 10: 233472 / 11136
    EXPECT_EQ(o.bySharedMemory, 20);
    const Prediction p = wuModel(machine, work);
    EXPECT_EQ(step(p, "Blocks_active"), 16); // 7: the least, with Max_B = 32
    EXPECT_EQ(step(p, "Warps_active"), 64);  // 6: 16 · 128 / 32
    EXPECT_EQ(step(p, "RWP_C"), 4);          // 4: min(128 / 32, 4)
    EXPECT_EQ(step(p, "RWP_M"), 64);         // 5: min(400 / 4, 64)

    KernelWork oneWarp = work;
    oneWarp.resources.threadsPerBlock = 32;
    EXPECT_EQ(step(wuModel(machine, oneWarp), "RWP_C"), 1); // 4: fewer warps than schedulers
    GpuMachine slow = machine;
    slow.departureDelay = 20;
    EXPECT_EQ(step(wuModel(slow, work), "RWP_M"), 20); // 5: 400 / 20
}

TEST(WuModel, TimeByEquations12To23) {
    const GpuMachine machine = roundMachine();
    KernelWork work = everything();
    const Prediction p = wuModel(machine, work);
    EXPECT_EQ(step(p, "Sync_block"), 504);         // 12: 4 · (64 − 1) · 2
    EXPECT_EQ(step(p, "Sync_cycles"), 126);        // 13: 504 · 32 / 128
    EXPECT_EQ(step(p, "CPW_C"), 78.75);            // 14: 315 / 4
    EXPECT_EQ(step(p, "CPW_M"), 82.5);             // 15: 5280 / 64
    EXPECT_EQ(step(p, "Exec_cycles_warp"), 208.5); // 17: 82.5 + 126
    EXPECT_EQ(p.boundBy, "memory latency");
    EXPECT_EQ(step(p, "N_blocks"), 100);         // 19: 1000 / 10
    EXPECT_EQ(step(p, "N_warps"), 400);          // 18: 100 · 4
    EXPECT_EQ(step(p, "Exec_cycles_SM"), 83400); // 20: 400 · 208.5
    EXPECT_DOUBLE_EQ(p.seconds, 83.4e-6);        // 21

    work.blocks = 1001; // 19: rounded up
    EXPECT_EQ(step(wuModel(machine, work), "N_blocks"), 101);
    work.blocks = 1000;

    // 22, 23: 24 MB, half up at 24 GB/s and half down at 12 GB/s: 0.5 ms + 1 ms.
    work.transferBytes = 24e6;
    EXPECT_DOUBLE_EQ(step(wuModel(machine, work), "T_c"), 1.5e-3);
    EXPECT_DOUBLE_EQ(wuModel(machine, work).seconds, 83.4e-6 + 1.5e-3);
    EXPECT_EQ(wuModel(machine, work).boundBy, "transfer");
    work.pinned = false; // transfers at 6 and 3 GB/s
    EXPECT_DOUBLE_EQ(step(wuModel(machine, work), "T_c"), 6e-3);

    // 17 the other way round: 100 divisions more, (315 + 4000) / 4 = 1078.75.
    work = everything();
    work.cost.divide += 100;
    EXPECT_EQ(step(wuModel(machine, work), "Exec_cycles_warp"), 1078.75 + 126);
    EXPECT_EQ(wuModel(machine, work).boundBy, "computation");
}

TEST(WuModel, MoreActiveWarpsAreNeverSlowerWhereMemoryBinds) {
    const GpuMachine machine = roundMachine();
    KernelWork work;
    work.resources.threadsPerBlock = 128;
    work.cost.globalLoads = 10;
    work.blocks = 1000;
    double before = 0;
    // Shared memory that is asked for but not used lowers the occupancy and nothing else.
    for (int shared = 0; shared <= 227 * 1024; shared += 1024) {
        work.resources.sharedBytesPerBlock = shared;
        const double seconds = wuModel(machine, work).seconds;
        EXPECT_GE(seconds, before);
        before = seconds;
    }
    EXPECT_GT(before, 0);
}

/// 4 loads among 40 instructions of a quarter cycle: Comp_cycles 10, Mem_cycles 1600.
KernelWork fortyInstructions(int threads, long blocks, double barriers = 0) {
    KernelWork work;
    work.resources.threadsPerBlock = threads;
    work.cost.globalLoads = 4;
    work.cost.barriers = barriers;
    work.cost.fusedMultiplyAdd = 36 - barriers;
    work.blocks = blocks;
    return work;
}

TEST(HongKimModel, MemoryBound) {
    // N = 64 warps, Rep = 1600 / (16 · 10). A warp asks for 1e9 · 128 / 400 = 0.32 GB/s, so
    // MWP_peak_BW = 64 / (0.32 · 10) = 20; CWP = min(1610 / 10, 64).
    const Prediction p = hongKimModel(roundMachine(), fortyInstructions(128, 1600));
    EXPECT_EQ(step(p, "Comp_cycles"), 10);
    EXPECT_EQ(step(p, "Mem_cycles"), 1600);
    EXPECT_EQ(step(p, "N"), 64);
    EXPECT_EQ(step(p, "Rep"), 10);
    EXPECT_DOUBLE_EQ(step(p, "MWP"), 20);
    EXPECT_EQ(step(p, "CWP"), 64);
    // (1600 · 64 / 20 + 10 / 4 · 19) · 10 = (5120 + 47.5) · 10
    EXPECT_DOUBLE_EQ(p.seconds, 51675e-9);
    EXPECT_EQ(p.boundBy, "memory bandwidth");
}

TEST(HongKimModel, TooFewWarps) {
    // 50 blocks of 2 warps: 5 to a multiprocessor, N = 10 = MWP = CWP, Rep = 1.
    const Prediction p = hongKimModel(roundMachine(), fortyInstructions(64, 50));
    EXPECT_EQ(step(p, "N"), 10);
    EXPECT_DOUBLE_EQ(p.seconds, 1632.5e-9); // 1600 + 10 + 10 / 4 · 9
    EXPECT_EQ(p.boundBy, "too few warps");
    // Two barriers: 4 · (10 − 1) · 2 · 5 · 1 = 360 more.
    EXPECT_DOUBLE_EQ(hongKimModel(roundMachine(), fortyInstructions(64, 50, 2)).seconds, 1992.5e-9);
}

TEST(HongKimModel, ComputationBound) {
    // 6000 instructions: Comp_cycles 1500, CWP = 3100 / 1500 < MWP = 20.
    KernelWork work = fortyInstructions(128, 1600);
    work.cost.fusedMultiplyAdd = 5996;
    const Prediction p = hongKimModel(roundMachine(), work);
    EXPECT_DOUBLE_EQ(step(p, "CWP"), 3100.0 / 1500);
    EXPECT_DOUBLE_EQ(p.seconds, 964e-6); // (400 + 1500 · 64) · 10
    EXPECT_EQ(p.boundBy, "computation");
}

TEST(HongKimModel, MoreComputationThanMemoryFallsBackAsPublished) {
    // 8000 instructions: Comp_cycles 2000 > Mem_cycles 1600, for which the published condition
    // takes the memory-bound form: (1600 · 64 / 20 + 2000 / 4 · 19) · 10.
    KernelWork work = fortyInstructions(128, 1600);
    work.cost.fusedMultiplyAdd = 7996;
    EXPECT_DOUBLE_EQ(hongKimModel(roundMachine(), work).seconds, 146200e-9);
}

/// 4 bytes in and 4 out of each thread, with 8 loads to get them.
KernelWork stencil(long blocks) {
    KernelWork work;
    work.resources = {128, 32, 0, 0};
    work.cost.globalLoads = 8;
    work.cost.globalStores = 1;
    work.cost.fusedMultiplyAdd = 31;
    work.blocks = blocks;
    work.bytes = static_cast<double>(blocks) * 128 * 8;
    return work;
}

/// Limits add up as squares.
double together(double a, double b, double c, double d) {
    return std::sqrt(a * a + b * b + c * c + d * d);
}

TEST(LatencyThroughputModel, LimitsAddUpWaveByWave) {
    // 8 of the 36 bytes requested are new: 2/9 of the loads go all the way, 400 · 2/9 + 40 · 7/9 =
    // 120 cycles each; chain 8 · 120 / 4 + 31 · 4 / 2 = 302. Issue 40 / 4 = 10 per warp, 640 for 64
    // warps; L1 9 · 128 / 128 = 9, 576; bytes of a wave 160 · 1024 / 64 = 2560 cycles.
    const Prediction p = latencyThroughputModel(roundMachine(), stencil(11 * 160));
    EXPECT_NEAR(step(p, "chain of a warp"), 302, 1e-9);
    EXPECT_EQ(step(p, "issue"), 640);
    EXPECT_EQ(step(p, "L1 and shared"), 576);
    EXPECT_DOUBLE_EQ(step(p, "memory bandwidth"), 2560);
    const double wave = together(302, 640, 576, 2560); // 2717.8
    EXPECT_NEAR(step(p, "cycles of a wave"), wave, 1e-9);
    EXPECT_NEAR(p.seconds, 11e-9 * wave + 2e-6, 1e-15);
    EXPECT_EQ(p.boundBy, "memory bandwidth");
}

TEST(LatencyThroughputModel, TheLastWaveIsCountedAsItIsFilled) {
    // 165 blocks: one wave, then 5 blocks, one to a multiprocessor, whose 4 warps take 40 cycles of
    // issue and 36 of L1, their bytes 5 · 1024 / 64 = 80: their own latency is all that counts.
    const Prediction p = latencyThroughputModel(roundMachine(), stencil(165));
    const double last = together(302, 40, 36, 80); // 317.0
    EXPECT_NEAR(step(p, "cycles of the last wave"), last, 1e-9);
    EXPECT_NEAR(p.seconds, (together(302, 640, 576, 2560) + last) * 1e-9 + 2e-6, 1e-15);
}

TEST(LatencyThroughputModel, WhatFitsTheL2IsFoundThere) {
    GpuMachine machine = roundMachine();
    machine.l2Bytes = 1'000'000'000;
    // 512 bytes a cycle: 320 cycles a wave, so that issue binds; a far load costs 200, so that the
    // mean one costs (200 · 2 + 40 · 7) / 9.
    const Prediction p = latencyThroughputModel(machine, stencil(1600));
    EXPECT_DOUBLE_EQ(step(p, "L2 bandwidth"), 320);
    const double chain = 8 * (200 * 2 + 40 * 7) / 9.0 / 4 + 62;
    EXPECT_NEAR(step(p, "chain of a warp"), chain, 1e-9);
    EXPECT_NEAR(p.seconds, 10e-9 * together(chain, 640, 576, 320) + 2e-6, 1e-15);
    EXPECT_EQ(p.boundBy, "instruction issue");
}

TEST(LatencyThroughputModel, EveryUnitCanBind) {
    const GpuMachine machine = roundMachine();
    KernelWork work = stencil(1600);
    // Texture fetches: 32 / 4 = 8 cycles each, 64 warps · 10 · 8 = 5120.
    work.cost.textureFetches = 10;
    EXPECT_EQ(step(latencyThroughputModel(machine, work), "L1 and shared"), 5120);
    EXPECT_EQ(latencyThroughputModel(machine, work).boundBy, "L1 and shared throughput");
    // Square roots: 32 / 16 = 2 cycles each on the special lanes, and a product: 20 · 2 = 40
    // against (40 + 20 · 2) / 4 = 20 and (31 + 20) / 4: 64 · 40. Divisions: 9 plain instructions
    // each, (40 + 20 · 10) / 4 = 60 against 40 again: 64 · 60.
    work = stencil(1600);
    work.cost.squareRoot = 20;
    EXPECT_EQ(step(latencyThroughputModel(machine, work), "issue"), 2560);
    work.cost.squareRoot = 0;
    work.cost.divide = 20;
    EXPECT_EQ(step(latencyThroughputModel(machine, work), "issue"), 3840);
    // One warp a multiprocessor hides nothing.
    work = stencil(10);
    work.resources.threadsPerBlock = 32;
    work.bytes = 10 * 32 * 8;
    EXPECT_EQ(latencyThroughputModel(machine, work).boundBy, "launch");
    GpuMachine noOverhead = machine;
    noOverhead.launchOverhead = 0;
    EXPECT_EQ(latencyThroughputModel(noOverhead, work).boundBy, "latency");
}

TEST(LatencyThroughputModel, BarriersShowWhatOtherBlocksDoNotHide) {
    // Three barriers wait 30 cycles each for shared memory: the chain is 302 + 90 = 392, and each
    // of its four phases 98, less than a trip to memory. 3 · 98 among 16 blocks.
    KernelWork work = stencil(1600);
    work.cost.barriers = 3;
    const Prediction p = latencyThroughputModel(roundMachine(), work);
    EXPECT_NEAR(step(p, "chain of a warp"), 392, 1e-9);
    EXPECT_NEAR(step(p, "barriers"), 3 * 98.0 / 16, 1e-9);
    EXPECT_NEAR(step(p, "cycles of a wave"), together(392, 688, 576, 2560) + 3 * 98.0 / 16, 1e-9);
    // One block a multiprocessor hides nothing; nor does a long chain wait for more than 400.
    work.resources.sharedBytesPerBlock = 200'000;
    work.cost.fusedMultiplyAdd = 1000; // chain 240 + 2000 + 90
    EXPECT_NEAR(step(latencyThroughputModel(roundMachine(), work), "barriers"), 3 * 400, 1e-9);
}

TEST(LatencyThroughputModel, BeatsNeitherBandwidthNorArithmetic) {
    const GpuMachine machine = roundMachine();
    for (int threads = 32; threads <= 1024; threads += 32)
        for (const double fused : {1.0, 30.0, 1000.0})
            for (const long blocks : {1L, 37L, 5000L}) {
                KernelWork work = stencil(blocks);
                work.resources.threadsPerBlock = threads;
                work.cost.fusedMultiplyAdd = fused;
                work.bytes = static_cast<double>(blocks) * threads * 8 + 200'000;
                const double flops = 2 * fused * static_cast<double>(blocks) * threads;
                const double seconds = latencyThroughputModel(machine, work).seconds;
                EXPECT_GE(seconds, work.bytes / machine.memoryBandwidth);
                EXPECT_GE(seconds, flops / machine.peakFlops());
            }
}

TEST(Predictions, SayWhyThereIsNone) {
    const GpuMachine machine = roundMachine();
    for (const PerformanceModel& model : performanceModels()) {
        KernelWork work = everything();
        work.resources.sharedBytesPerBlock = 300'000;
        EXPECT_EQ(model.predict(machine, work).seconds, 0) << model.id;
        EXPECT_EQ(model.predict(machine, work).boundBy, "can't be launched: shared memory");
        work = everything();
        work.cost = {};
        EXPECT_EQ(model.predict(machine, work).seconds, 0) << model.id;
        EXPECT_EQ(model.predict(machine, work).boundBy, "no cost declared");
        work = everything();
        work.blocks = 0;
        EXPECT_EQ(model.predict(machine, work).seconds, 0) << model.id;
        EXPECT_GT(model.predict(machine, everything()).seconds, 0) << model.id;
    }
    ASSERT_EQ(performanceModels().size(), 3U);
    EXPECT_STREQ(performanceModels()[0].id, "wu");
    EXPECT_STREQ(performanceModels()[1].id, "hong-kim");
    EXPECT_STREQ(performanceModels()[2].id, "systole");
}

TEST(Predictions, TheChosenBlockIsTheNearestToTheStandardOfThoseThatAreAlike) {
    using Blocks = std::vector<BlockPrediction>;
    EXPECT_EQ(chosenBlock(Blocks{}, 256), -1);
    EXPECT_EQ(chosenBlock(Blocks{{128, 0}, {256, 0}}, 256), -1);
    EXPECT_EQ(chosenBlock(Blocks{{64, 1.0}, {128, 1.02}, {256, 1.03}}, 256), 0);
    EXPECT_EQ(chosenBlock(Blocks{{64, 1.0}, {128, 1.009}, {256, 1.02}}, 256), 1);
    EXPECT_EQ(chosenBlock(Blocks{{256, 0}, {512, 1.009}, {1024, 1.0}}, 256), 1);
    EXPECT_EQ(chosenBlock(Blocks{{224, 1.005}, {288, 1.0}}, 256), 1) << "as near, and less";
    EXPECT_EQ(chosenBlock(Blocks{{64, 1.0}, {224, 1.005}, {288, 1.001}}, 256), 1) << "the first";
}

TEST(Predictions, ALaunchIsTheWorkThatItWrites) {
    ProfileSpan launch;
    const int grid[3] = {100000, 300, 200}, block[3] = {32, 8, 2};
    std::copy_n(grid, 3, launch.grid);
    std::copy_n(block, 3, launch.block);
    launch.registers = 40;
    launch.sharedBytes = 2048;
    launch.localBytes = 16;
    launch.bytes = 1e9;
    launch.cost.globalLoads = 7;
    const KernelWork work = workOf(launch);
    EXPECT_EQ(work.blocks, 6'000'000'000L); // more than an int holds
    EXPECT_EQ(work.resources.threadsPerBlock, 512);
    EXPECT_EQ(work.resources.registersPerThread, 40);
    EXPECT_EQ(work.resources.sharedBytesPerBlock, 2048);
    EXPECT_EQ(work.resources.localBytesPerThread, 16);
    EXPECT_EQ(work.bytes, 1e9);
    EXPECT_EQ(work.transferBytes, 0);
    EXPECT_EQ(work.cost.globalLoads, 7);
}

TEST(Predictions, AreFiniteForOddWork) {
    const GpuMachine machine = roundMachine();
    KernelWork work;
    work.resources.threadsPerBlock = 1;
    work.cost.globalStores = 1; // no arithmetic, no load, no bytes declared
    work.blocks = 1;
    for (const PerformanceModel& model : performanceModels()) {
        EXPECT_TRUE(std::isfinite(model.predict(machine, work).seconds)) << model.id;
        EXPECT_GT(model.predict(machine, work).seconds, 0) << model.id;
    }
}

} // namespace
} // namespace systole::model
