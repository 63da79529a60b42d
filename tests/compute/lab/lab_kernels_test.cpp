// The laboratory's list of kernels.
#include "compute/core/error.h"
#include "compute/lab/kernels.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace systole::lab {
namespace {

using testing::HasSubstr;

TEST(LabKernels, AreNamedOnceAndTakeWholeWarpsTheirStandardAmongThem) {
    std::set<std::string> names;
    for (const LabKernel& kernel : labKernels()) {
        EXPECT_TRUE(names.insert(kernel.name()).second) << kernel.name();
        EXPECT_EQ(&labKernel(kernel.name()), &kernel);
        EXPECT_FALSE(kernel.summary.empty()) << kernel.name();
        EXPECT_TRUE(kernel.takes(kernel.standardBlock)) << kernel.name();
        EXPECT_TRUE(std::is_sorted(kernel.blockSizes.begin(), kernel.blockSizes.end()));
        for (const int threads : kernel.blockSizes)
            EXPECT_TRUE(threads >= 32 && threads <= 1024 && threads % 32 == 0) << kernel.name();
    }
    EXPECT_FALSE(labKernel("jacobi/direct").takes(48));
    EXPECT_FALSE(labKernel("jacobi/direct").takes(0));
}

TEST(LabKernels, OfATaskStandTogetherTheSimplestFirst) {
    const std::vector<std::string> tasks = labTasks();
    EXPECT_EQ(std::set<std::string>(tasks.begin(), tasks.end()).size(), tasks.size());
    std::size_t all = 0;
    for (const std::string& task : tasks) {
        const std::vector<const LabKernel*> variants = variantsOf(task);
        ASSERT_FALSE(variants.empty());
        all += variants.size();
        for (const LabKernel* kernel : variants)
            EXPECT_EQ(kernel->task, task);
    }
    EXPECT_EQ(all, labKernels().size());
    EXPECT_EQ(variantsOf("jacobi").front()->variant, "direct");
    EXPECT_TRUE(variantsOf("no such task").empty());
}

TEST(LabKernels, AnUnknownNameIsAnsweredWithThoseThatThereAre) {
    try {
        labKernel("jacobi");
        FAIL() << "a task alone is no kernel";
    } catch (const ComputeError& error) {
        EXPECT_THAT(error.what(), HasSubstr("'jacobi'"));
        EXPECT_THAT(error.what(), HasSubstr("jacobi/direct"));
    }
}

TEST(LabKernels, BlockSizesAreSteps) {
    EXPECT_EQ(everyBlockSize(64, 200, 64), (std::vector<int>{64, 128, 192}));
    EXPECT_EQ(everyBlockSize().size(), 32u);
    EXPECT_EQ(everyBlockSize().back(), 1024);
}

} // namespace
} // namespace systole::lab
