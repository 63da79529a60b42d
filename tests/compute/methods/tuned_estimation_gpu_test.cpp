// Whole estimations with kernels in blocks of other sizes: the same field but for the last bits of
// sums, and the same bits where nothing else was asked for.
#include "compute/core/block_sizes.h"
#include "compute/core/motion_estimator.h"
#include "compute/lab/kernels/kernels.h"
#include "compute/methods/clg/clg.h"
#include "tests/support/compute_support.h"
#include "tests/support/gpu_support.h"
#include "tests/support/speckle_pair.h"

#include <algorithm>
#include <string>
#include <vector>

namespace systole {
namespace {

/// The valid block size nearest to `threads` of each of the laboratory's kernels.
BlockSizes blocksNear(int threads) {
    BlockSizes sizes;
    for (const lab::LabKernel& kernel : lab::labKernels()) {
        const auto nearest =
            std::min_element(kernel.blockSizes.begin(), kernel.blockSizes.end(), [&](int a, int b) {
                return std::abs(a - threads) < std::abs(b - threads);
            });
        sizes.set(kernel.name(), *nearest);
    }
    return sizes;
}

class EstimationsInOtherBlocks : public test::OnDevice {
protected:
    /// The field that the estimator finds from zero; stores the block of each kernel in `blocks`.
    std::vector<float> field(MotionEstimator& estimator, test::SpecklePair& pair,
                             const BlockSizes* sizes,
                             std::map<std::string, int>* blocks = nullptr) {
        test::TestField result(pair.size);
        MotionInput input;
        input.fixed = pair.fixed.view();
        input.moving = pair.moving.view();
        input.scale = {0, 230};
        ExecContext ctx = context();
        KernelProfile profile;
        ctx.profile = &profile;
        ctx.blockSizes = sizes;
        profile.beginFrame(0);
        estimator.estimate(input, result.view(), ctx);
        for (const ProfileSpan& span : profile.endFrame().spans)
            if (blocks && span.block[0] > 0)
                (*blocks)[span.kernel] = span.block[0] * span.block[1] * span.block[2];
        return {result.values.begin(), result.values.end()};
    }
};

double meanDifference(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    return sum / static_cast<double>(a.size());
}

TEST_F(EstimationsInOtherBlocks, GiveTheSameField) {
    test::SpecklePair pair({45, 38, 33});
    for (const char* solver : {"jacobi", "red-black"}) {
        ParamSet parameters(clgParameterTable(), "default");
        parameters.setText("solver", solver);
        const auto estimator = makeClg(parameters, Backend::Cuda);
        std::map<std::string, int> standard;
        const std::vector<float> expected = field(*estimator, pair, nullptr, &standard);
        for (const int threads : {64, 512}) {
            SCOPED_TRACE(std::string(solver) + " in blocks of " + std::to_string(threads));
            const BlockSizes sizes = blocksNear(threads);
            // Three runs: launches, their capture into a graph, and its replay.
            for (int repeat = 0; repeat < 3; ++repeat) {
                std::map<std::string, int> blocks;
                const std::vector<float> got = field(*estimator, pair, &sizes, &blocks);
                EXPECT_LT(meanDifference(got, expected), 1e-5);
                EXPECT_LT(test::largestDifference(got, expected), 1e-3);
                int known = 0;
                for (const auto& [kernel, block] : blocks)
                    if (const auto wanted = sizes.all().find(kernel); wanted != sizes.all().end()) {
                        EXPECT_EQ(block, wanted->second) << kernel;
                        ++known;
                    }
                EXPECT_GE(known, 3);
            }
        }
        // The estimator has the same bits when it is back to its own blocks.
        std::map<std::string, int> again;
        EXPECT_EQ(field(*estimator, pair, nullptr, &again), expected);
        EXPECT_EQ(again, standard);
        const BlockSizes none;
        EXPECT_EQ(field(*estimator, pair, &none), expected);
        EXPECT_EQ(field(*makeClg(parameters, Backend::Cuda), pair, nullptr), expected)
            << "another run";
    }
}

} // namespace
} // namespace systole
