// Relations that hold between the figures of any GPU, whatever they are.
#include "compute/core/error.h"
#include "compute/lab/microbench.h"
#include "tests/support/gpu_support.h"

#include <cmath>
#include <string>
#include <vector>

namespace systole {
namespace {

using model::GpuMachine;
using model::OperationLatencies;

class MicrobenchmarksOnDevice : public test::OnDevice {};

TEST_F(MicrobenchmarksOnDevice, FiguresFitTogether) {
    std::vector<std::string> told;
    double last = -1;
    const GpuMachine m = lab::measureMachine(*cuda, [&](const std::string& what, double part) {
        EXPECT_GE(part, last);
        last = part;
        told.push_back(what);
    });
    EXPECT_EQ(last, 1);
    EXPECT_GE(told.size(), 4u);
    EXPECT_TRUE(m.measured);
    EXPECT_EQ(m.name, cuda->device().name);
    EXPECT_EQ(m.multiprocessors, cuda->device().multiprocessors);
    EXPECT_EQ(m.computeCapability, cuda->device().computeCapability);
    EXPECT_GT(m.l2Bytes, 0u);

    const OperationLatencies& op = m.latency;
    for (const double figure : {m.clockHertz,     m.memoryBandwidth,
                                m.globalLatency,  m.l2Latency,
                                m.l1Latency,      m.sharedLatency,
                                m.departureDelay, m.l2Bandwidth,
                                m.uploadPinned,   m.downloadPinned,
                                m.uploadPageable, m.downloadPageable,
                                m.launchOverhead, op.add,
                                op.multiply,      op.fusedMultiplyAdd,
                                op.divide,        op.squareRoot,
                                op.exponential,   op.logarithm,
                                op.integer}) {
        EXPECT_TRUE(std::isfinite(figure));
        EXPECT_GT(figure, 0);
    }
    EXPECT_LE(m.sharedLatency, m.l2Latency);
    EXPECT_LE(m.l1Latency, m.l2Latency);
    EXPECT_LT(m.l2Latency, m.globalLatency);
    EXPECT_LT(m.departureDelay, m.globalLatency);
    // No pipeline gives a dependent result in one cycle: such a chain was folded.
    for (const double cycles : {op.add, op.multiply, op.fusedMultiplyAdd, op.integer})
        EXPECT_GE(cycles, 2);
    for (const double cycles : {op.divide, op.squareRoot, op.exponential, op.logarithm})
        EXPECT_GE(cycles, op.fusedMultiplyAdd);
    EXPECT_GT(m.l2Bandwidth, m.memoryBandwidth);
    EXPECT_GE(m.uploadPinned, 0.8 * m.uploadPageable);
    EXPECT_GE(m.downloadPinned, 0.8 * m.downloadPageable);
    EXPECT_LT(m.uploadPinned, m.memoryBandwidth);
    EXPECT_LT(m.launchOverhead, 1e-3);
    EXPECT_EQ(m.sources.count("globalLatency"), 1u);
}

TEST_F(MicrobenchmarksOnDevice, CyclesAreTheSameTheSecondTime) {
    const GpuMachine a = lab::measureMachine(*cuda), b = lab::measureMachine(*cuda);
    const auto near = [](double x, double y) { EXPECT_NEAR(x, y, 0.25 * x); };
    near(a.globalLatency, b.globalLatency);
    near(a.l2Latency, b.l2Latency);
    near(a.l1Latency, b.l1Latency);
    near(a.sharedLatency, b.sharedLatency);
    near(a.departureDelay, b.departureDelay);
    near(a.latency.add, b.latency.add);
    near(a.latency.multiply, b.latency.multiply);
    near(a.latency.fusedMultiplyAdd, b.latency.fusedMultiplyAdd);
    near(a.latency.divide, b.latency.divide);
    near(a.latency.squareRoot, b.latency.squareRoot);
    near(a.latency.exponential, b.latency.exponential);
    near(a.latency.logarithm, b.latency.logarithm);
    near(a.latency.integer, b.latency.integer);
}

TEST_F(MicrobenchmarksOnDevice, CanBeGivenUp) {
    EXPECT_THROW(lab::measureMachine(*cuda,
                                     [](const std::string&, double part) {
                                         if (part > 0.3)
                                             throw Cancelled();
                                     }),
                 Cancelled);
    EXPECT_EQ(cuda->devicePool().usage().usedBytes, 0u);
}

} // namespace
} // namespace systole
