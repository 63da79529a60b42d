// The laboratory's list of kernels.
#include "compute/core/error.h"
#include "compute/lab/kernels/kernels.h"
#include "compute/motion/methods.h"

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

TEST(LabKernels, AreTheFamiliesVariantsInTheirOrder) {
    std::size_t i = 0;
    for (const KernelFamily* family : kernelFamilies())
        for (int variant = 0; variant < family->count(); ++variant, ++i) {
            ASSERT_LT(i, labKernels().size());
            const LabKernel& kernel = labKernels()[i];
            EXPECT_EQ(kernel.name(), family->kernel(variant));
            EXPECT_EQ(kernel.index, variant);
            EXPECT_EQ(kernel.standardBlock, family->at(variant).standardThreads);
            EXPECT_EQ(kernel.tolerance, family->at(variant).tolerance);
        }
    EXPECT_EQ(i, labKernels().size());
}

TEST(KernelFamilies, FindTheirVariantsAndAnswerUnknownNamesWithThoseThatThereAre) {
    for (const KernelFamily* family : kernelFamilies()) {
        ASSERT_GT(family->count(), 0) << family->task;
        for (int variant = 0; variant < family->count(); ++variant) {
            EXPECT_EQ(family->named(family->at(variant).name), variant);
            EXPECT_EQ(family->names()[static_cast<std::size_t>(variant)],
                      variantOf(family->kernel(variant)));
        }
        try {
            family->named("no such way");
            FAIL() << family->task;
        } catch (const ComputeError& error) {
            EXPECT_THAT(error.what(), HasSubstr("'no such way'"));
            EXPECT_THAT(error.what(), HasSubstr(family->task));
            for (const std::string& name : family->names())
                EXPECT_THAT(error.what(), HasSubstr(name));
        }
    }
}

TEST(KernelFamilies, AreNamedOnceAndTheirDefaultsExist) {
    std::set<std::string> tasks;
    for (const KernelFamily* family : kernelFamilies()) {
        EXPECT_TRUE(tasks.insert(family->task).second) << family->task;
        const std::vector<std::string> names = family->names();
        EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size())
            << family->task;
        EXPECT_LT(family->standardVariant(), family->count());
        EXPECT_EQ(family->stage == nullptr, family->standard == nullptr) << family->task;
        EXPECT_EQ(family->stage == nullptr, family->help == nullptr) << family->task;
        for (const KernelVariant& variant : family->variants) {
            EXPECT_TRUE(variant.blocks.holds(variant.standardThreads)) << variant.name;
            EXPECT_GT(variant.tolerance, 0) << variant.name;
        }
    }
}

/// Two methods may have a stage of one name: each method's choices are named once.
TEST(KernelFamilies, StagesAreNamedOnceInAMethod) {
    for (const MotionMethod& method : motionMethods()) {
        std::set<std::string> ids;
        for (const ParamRow& row : method.parameters->rows())
            EXPECT_TRUE(ids.insert(row.id).second) << method.name << ", " << row.id;
    }
}

TEST(KernelFamilies, BlocksAreSteps) {
    EXPECT_EQ((BlockRange{64, 200, 64}.all()), (std::vector<int>{64, 128, 192}));
    EXPECT_TRUE((BlockRange{64, 200, 64}.holds(128)));
    EXPECT_FALSE((BlockRange{64, 200, 64}.holds(96)));
    EXPECT_FALSE((BlockRange{64, 200, 64}.holds(256)));
    EXPECT_EQ(BlockRange{}.all().size(), 32u);
    EXPECT_EQ(BlockRange{}.all().back(), 1024);
}

} // namespace
} // namespace systole::lab
