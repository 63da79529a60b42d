// The model's count of active blocks against the CUDA runtime's, for every kernel that is launched.
#include "compute/core/error.h"
#include "compute/core/motion_estimator.h"
#include "compute/lab/bench.h"
#include "compute/methods/clg/clg.h"
#include "compute/model/occupancy.h"
#include "tests/support/compute_support.h"
#include "tests/support/gpu_support.h"
#include "tests/support/speckle_pair.h"

#include <set>

namespace systole {
namespace {

using Changes = std::vector<std::pair<std::string, std::string>>;

class OccupancyGpuTest : public test::OnDevice {
protected:
    /// Counts what was compared. A kernel that leaves a share of the shared memory to L1 may have
    /// fewer blocks than the chip's limits, which the model knows, allow.
    void compare(const ProfileSpan& span, const std::string& where, bool leavesToL1 = false) {
        const int threads = span.block[0] * span.block[1] * span.block[2];
        if (threads == 0 || span.registers == 0)
            return; // a copy, or work of the CPU
        const model::KernelResources resources{threads, span.registers, span.sharedBytes,
                                               span.localBytes};
        const model::Occupancy ours =
            model::occupancy(model::deviceLimits(cuda->device().computeCapability), resources);
        EXPECT_PRED2([=](int model,
                         int runtime) { return leavesToL1 ? model >= runtime : model == runtime; },
                     ours.activeBlocks, span.activeBlocks)
            << span.kernel << " " << where << ": " << threads << " threads, " << span.registers
            << " registers, " << span.sharedBytes << " shared";
        EXPECT_GT(span.activeBlocks, 0) << span.kernel << " " << where;
        compared.insert(span.kernel);
        ++comparisons;
    }
    std::set<std::string> compared;
    int comparisons = 0;
};

TEST_F(OccupancyGpuTest, OfEveryLabKernelBlockAndPadding) {
    lab::LabBench bench(*cuda);
    constexpr lab::LabTiming once{1, 1, 0};
    for (const lab::LabKernel& kernel : lab::labKernels()) {
        const int side = kernel.variant == "resident" ? 24 : 40;
        const bool leavesToL1 =
            std::set<std::string>{"nlm/global", "nlm/texture", "nlm/constant"}.contains(
                kernel.name());
        for (const int threads : kernel.blockSizes)
            for (const ProfileSpan& span : bench.measure(kernel, side, threads, 0, once).launches)
                compare(span, "in " + kernel.name(), leavesToL1);
        int fitting = 0;
        for (const int padding : {1, 1000, 1024, 5000, 20000, 49152, 65536, 100000, 150000, 200000})
            try {
                for (const ProfileSpan& span :
                     bench.measure(kernel, side, kernel.standardBlock, padding, once).launches)
                    compare(span, "padding " + std::to_string(padding), leavesToL1);
                ++fitting;
            } catch (const ComputeError&) {
                EXPECT_GE(padding, 10000) << kernel.name(); // more than a block of it can have
            }
        EXPECT_GT(fitting, 2) << kernel.name();
    }
    for (const lab::LabKernel& kernel : lab::labKernels())
        EXPECT_TRUE(compared.contains(kernel.name())) << kernel.name();
    RecordProperty("comparisons", comparisons);
}

TEST_F(OccupancyGpuTest, OfEveryKernelOfWholeEstimations) {
    std::vector<std::pair<std::string, Changes>> runs{
        {"default", {}},
        {"default", {{"half-grid", "off"}}},
        {"default", {{"beta", "0.5"}}},
        {"default", {{"beta", "0.5"}, {"solver", "jacobi"}}},
        {"default", {{"solver", "multigrid"}}},
        {"default", {{"solver", "multigrid"}, {"beta", "0.5"}}},
        {"default", {{"solver", "jacobi"}}},
        {"default", {{"tensor-storage", "half"}}},
        {"default", {{"compositional", "off"}}},
        {"paper", {}},
        {"paper", {{"beta", "0.5"}}},
        {"paper", {{"tensor-storage", "half"}}},
    };
    for (const KernelFamily* family : clgFamilies)
        for (const std::string& variant : family->names())
            for (const char* preset : {"default", "paper"})
                runs.push_back(
                    {preset,
                     {{std::string("variant-") + family->stage, variant}, {"solver", "jacobi"}}});
    test::SpecklePair pair({48, 40, 36});
    MotionInput input;
    input.fixed = pair.fixed.view();
    input.moving = pair.moving.view();
    input.spacing = {1, 1, 1};
    input.scale = {0, 230};
    for (const auto& [preset, changes] : runs) {
        ParamSet set(clgParameterTable(), preset);
        std::string where = preset;
        for (const auto& [id, value] : changes) {
            set.setText(id, value);
            where += " " + id + "=" + value;
        }
        KernelProfile profile;
        ExecContext ctx = context();
        ctx.profile = &profile;
        ctx.profileKernels = true;
        profile.beginFrame(0);
        test::TestField field(pair.size);
        makeClg(set, Backend::Cuda)->estimate(input, field.view(), ctx);
        const int before = comparisons;
        for (const ProfileSpan& span : profile.endFrame().spans)
            compare(span, where);
        EXPECT_GT(comparisons, before + 8) << where;
    }
    for (const char* kernel :
         {"jacobi/fused", "red-black/spread", "red-black/colors beta", "red-black/in-place beta",
          "multigrid/residual", "smooth/fused", "warp/texture", "energy"})
        EXPECT_TRUE(compared.contains(kernel)) << kernel;
    RecordProperty("comparisons", comparisons);
}

} // namespace
} // namespace systole
