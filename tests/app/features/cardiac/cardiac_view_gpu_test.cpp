// The Cardiac tool in a live view that estimates on a device: by what the live view passes on,
// which the host doesn't hold where pictures are drawn from the device.
#include "app/features/cardiac/cardiac_tool.h"
#include "compute/cuda/context.h"
#include "tests/app/live/live_view_fixture.h"

namespace systole {
namespace {

constexpr int frames = 5;

class CardiacViewOnDevice : public LiveViewFixture {
protected:
    void SetUp() override {
        if (const CudaStatus status = cudaStatus(); !status.usable())
            GTEST_SKIP() << status.reason;
        makeView(400);
        if (!IsSkipped())
            open("ball.nii.gz", 40, frames);
    }
    StrainOutcome measured(Backend backend) {
        session_.playback.pause();
        session_.motion.setBackend(backend);
        CardiacTool& tool = tools_.get<CardiacTool>();
        tool.from = HeartLabels::None; // earlier measurements are dropped
        for (int i = 0; i < 3; ++i)
            tick();
        EXPECT_FALSE(tool.outcome());
        tool.from = HeartLabels::Points;
        tool.points = {{{40, 40, 18}, 0}, {{40, 40, 60}, 0}, {{54, 40, 45}, 0}};
        EXPECT_TRUE(becomes([&] {
            return !tool.failure.empty() ||
                   (!tool.unfinished() && tool.outcome() &&
                    tool.outcome()->motion.frame.size() == std::size_t{frames});
        }));
        EXPECT_EQ(tool.failure, "");
        for (int i = 0; i < 20; ++i)
            tick();
        EXPECT_FALSE(tool.unfinished()) << "nothing is measured a second time";
        return tool.outcome() ? *tool.outcome() : StrainOutcome{};
    }
};

TEST_F(CardiacViewOnDevice, MeasuresWhatTheViewEstimatesThere) {
    const StrainOutcome there = measured(Backend::Cuda);
    EXPECT_TRUE(there.motion.wall.empty()) << "it was measured on the device";
    if (scene_->interopDevice()) {
        EXPECT_FALSE(session_.result && session_.result->field) << "no field was copied";
    }
    const StrainOutcome here = measured(Backend::Cpu);
    EXPECT_FALSE(here.motion.wall.empty());
    ASSERT_EQ(there.measures.frames.size(), here.measures.frames.size());
    for (std::size_t t = 0; t < here.measures.frames.size(); ++t)
        for (int k = 0; k < 3; ++k)
            EXPECT_NEAR(there.measures.frames[t].strain[k], here.measures.frames[t].strain[k], 1e-3)
                << t;
}

} // namespace
} // namespace systole
