// Autotuning on a device, by the compute thread behind a window.
#include "app/estimation/pipeline.h"
#include "app/tuning/autotuner.h"
#include "compute/lab/microbench.h"
#include "compute/methods/clg/clg.h"
#include "tests/support/becomes.h"
#include "tests/support/gpu_support.h"
#include "tests/support/speckle_pair.h"
#include "tests/support/temporary_folder.h"

#include <memory>
#include <string>
#include <vector>

namespace systole {
namespace {

using test::becomes;

class AutotunerOnDevice : public test::OnDevice {
protected:
    std::string file() const { return folder / "autotune.json"; }
    std::shared_ptr<Autotuner> tuner() const {
        return std::make_shared<Autotuner>(
            Autotuner::Options{.file = file(),
                               .machineFor = [machine = lab::measureMachine(*cuda)](
                                                 const CudaDevice&) { return machine; }});
    }
    std::shared_ptr<const Volume> copyOf(const test::TestVolume& from) {
        auto volume = std::make_shared<Volume>(Geometry(from.size, {1, 1, 1}), resources.pool(),
                                               "test frame");
        std::copy(from.voxels.begin(), from.voxels.end(), volume->voxels.data());
        return volume;
    }

    testing::TemporaryFolder folder;
};

std::map<std::string, int> blocksOf(const FrameResult& result) {
    std::map<std::string, int> blocks;
    for (const ProfileSpan& span : result.profile.spans)
        if (span.block[0] > 0)
            blocks[span.kernel] = span.block[0] * span.block[1] * span.block[2];
    return blocks;
}

TEST_F(AutotunerOnDevice, TunesWhileIdleAndTheNextEstimationUsesWhatWasFound) {
    test::SpecklePair pair({40, 40, 40});
    const auto fixed = copyOf(pair.fixed), moving = copyOf(pair.moving);
    PipelineOptions options;
    options.threads = 2;
    options.deviceShare = 0.2;
    options.idleSeconds = 0.05;
    options.tuner = tuner();
    Pipeline pipeline(options);
    pipeline.open({0, 255});
    EstimationSettings settings;
    settings.backend = Backend::Cuda;
    settings.warmStart = false;
    settings.keepEstimating = true;
    settings.tuning = BlockTuning::Search;
    const ParamSet parameters(clgParameterTable(), "default");
    settings.make = [&](Backend backend) { return makeClg(parameters, backend); };
    pipeline.setSettings(settings);
    const auto estimate = [&] {
        const std::uint64_t before = pipeline.status().estimated;
        pipeline.request({fixed, moving, 0, 1}, true);
        EXPECT_TRUE(becomes([&] { return pipeline.status().estimated > before; }));
        return pipeline.newest();
    };
    const auto standard = estimate();
    ASSERT_NE(standard, nullptr);
    ASSERT_EQ(standard->backend, Backend::Cuda);

    // The report has a line per tunable kernel, and none of them is being tried any more.
    std::size_t tunable = 0;
    for (const auto& [kernel, threads] : blocksOf(*standard))
        for (const lab::LabKernel& known : lab::labKernels())
            tunable += known.name() == kernel && known.blockSizes.size() > 1;
    ASSERT_GE(tunable, 3u);
    const auto over = [&] {
        const std::vector<std::string> text = pipeline.status().tuning;
        return text.size() == tunable && text[0].find("trying") == std::string::npos;
    };
    ASSERT_TRUE(becomes(over));
    std::string why;
    const BlockSizes found = usableBlockSizes(
        readAutotuneFile(file(), why), tunedDevice(cuda->device()), fixed->geometry.voxels());
    EXPECT_EQ(why, "");
    for (const std::string& line : pipeline.status().tuning)
        EXPECT_NE(line.find(" tried)"), std::string::npos) << line;

    const auto tuned = estimate();
    ASSERT_NE(tuned, nullptr);
    EXPECT_EQ(tuned->backend, Backend::Cuda);
    const std::map<std::string, int> before = blocksOf(*standard), after = blocksOf(*tuned);
    for (const auto& [kernel, threads] : after)
        EXPECT_EQ(threads, found.threadsFor(kernel, before.at(kernel))) << kernel;
    double sum = 0;
    for (std::size_t i = 0; i < tuned->field->components.size(); ++i)
        sum += std::abs(static_cast<double>(tuned->field->components.data()[i]) -
                        static_cast<double>(standard->field->components.data()[i]));
    EXPECT_LT(sum / static_cast<double>(tuned->field->components.size()), 1e-5);
}

} // namespace
} // namespace systole
