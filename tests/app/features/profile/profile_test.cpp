// The time profile: the values along a line in every frame.
#include "app/feature/panel.h"
#include "app/features/profile/profile_tool.h"
#include "app/pictures/remake.h"
#include "render/view_plane.h"
#include "tests/app/live/live_view_fixture.h"

#include <gmock/gmock.h>

#include <cmath>

namespace systole {
namespace {

TEST_F(LiveViewFixture, EachColumnOfATimeProfileIsTheFrameAlongTheLine) {
    if (makeView(400); IsSkipped())
        return;
    open("ball.nii.gz", 24, 3);
    ASSERT_TRUE(becomes([&] { return session_.shownFrame >= 0; }));
    auto& tool = tools_.get<ProfileTool>();
    EXPECT_EQ(tool.profile(), nullptr);
    const Geometry& grid = session_.opened->sequence.geometry;
    const Vec3 from = grid.center() - Vec3{9, 3, 0}, to = grid.center() + Vec3{9, 5, 0};
    tool.actions().front().act();
    ASSERT_EQ(tools_.pointerHolder(), &tool);
    tool.pointer({SlicePointer::Event::Press, from, 2});
    tool.pointer({SlicePointer::Event::Drag, to, 2});
    tick();
    EXPECT_EQ(tool.profile(), nullptr) << "while it is drawn";
    tool.pointer({SlicePointer::Event::Release});
    ASSERT_TRUE(becomes([&] { return tool.profile() && !tool.unfinished(); }));
    const TimeProfile& profile = *tool.profile();
    ASSERT_EQ(profile.frames(), 3);
    EXPECT_NEAR(profile.placeMillimeters(profile.places() - 1), length(to - from), 1e-9);
    BufferPool pool;
    for (int frame = 0; frame < 3; ++frame) {
        const std::shared_ptr<const Volume> volume =
            readFrame(session_.opened->sequence, frame, pool);
        ASSERT_EQ(profile.column(frame).size(), static_cast<std::size_t>(profile.places()));
        for (int place = 0; place < profile.places(); ++place) {
            const double part = static_cast<double>(place) / (profile.places() - 1);
            const std::optional<float> expected = valueAt(*volume, from + part * (to - from));
            ASSERT_TRUE(expected);
            EXPECT_EQ(profile.column(frame)[static_cast<std::size_t>(place)], *expected);
        }
    }
    EXPECT_NE(profile.column(0), profile.column(1)) << "the ball beats";
    tick();
    EXPECT_EQ(scene_->marks().size(), 2u);
    EXPECT_THAT(tool.panel()->text(session_),
                ::testing::HasSubstr("mm\tframe 0\tframe 1\tframe 2"));
    tool.actions().back().act();
    tick();
    EXPECT_EQ(tool.profile(), nullptr);
    EXPECT_TRUE(scene_->marks().empty());
}

TEST(TimeProfile, APixelIsTheWindowedValueAndWhatIsUnknownIsBlack) {
    ExecResources resources{1};
    const Geometry grid({5, 1, 1}, {2, 1, 1});
    Volume ramp(grid, resources.pool(), "ramp");
    for (int x = 0; x < 5; ++x)
        ramp.view()(x, 0, 0) = static_cast<float>(10 * x);
    TimeProfile profile({{{0, 0, 0}, {12, 0, 0}}}, 3, 2); // leaves the volume after 9 mm
    EXPECT_EQ(profile.missing(), 0);
    profile.sample(0, ramp);
    profile.leaveOut(1);
    EXPECT_EQ(profile.missing(), 2);
    ASSERT_EQ(profile.places(), 13);
    EXPECT_FLOAT_EQ(profile.column(0)[3], 15);
    EXPECT_TRUE(std::isnan(profile.column(0)[10]));
    const RgbaImage image = profile.picture({40, 20});
    ASSERT_TRUE(image.width == 3 && image.height == 13);
    EXPECT_EQ(image.at(0, 0)[0], 0);
    EXPECT_EQ(image.at(0, 4)[0], 128); // 20 of 40
    EXPECT_EQ(image.at(0, 8)[0], 255);
    EXPECT_EQ(image.at(0, 11)[0], 0);
    EXPECT_EQ(image.at(1, 4)[0], 0);
    EXPECT_EQ(image.at(2, 4)[0], 0);
}

} // namespace
} // namespace systole
