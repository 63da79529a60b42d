// The angle between two lines: measured, moved, undone, kept in a picture's record, set by its
// option.
#include "app/feature/tool_options.h"
#include "app/features/angle/angle_tool.h"
#include "app/live/history.h"
#include "app/live/picture_json.h"
#include "tests/app/live/live_view_fixture.h"

#include <cmath>
#include <numbers>

namespace systole {

std::vector<ToolOptionGroup> angleOptions();

namespace {

TEST(DegreesBetween, TwoLinesIgnoreTheirDirections) {
    for (const double degrees : {0.0, 1e-6, 12.5, 45.0, 89.999, 90.0}) {
        const double radians = degrees * std::numbers::pi / 180;
        const Vec3 a{3, 0, 0}, b{2 * std::cos(radians), 0, 2 * std::sin(radians)};
        EXPECT_NEAR(degreesBetween(a, b), degrees, 1e-9 * (1 + degrees));
        EXPECT_NEAR(degreesBetween(a, -1.0 * b), degrees, 1e-9 * (1 + degrees));
    }
    EXPECT_TRUE(std::isnan(degreesBetween({1, 0, 0}, {0, 0, 0})));
}

class AngleTest : public LiveViewFixture {
protected:
    void drag(Vec3 from, Vec3 to) {
        tools_.pointerHolder()->pointer({SlicePointer::Event::Press, from, 2});
        tools_.pointerHolder()->pointer({SlicePointer::Event::Drag, to, 2});
        tools_.pointerHolder()->pointer({SlicePointer::Event::Release});
        tick();
    }
};

TEST_F(AngleTest, TwoDragsMeasureAndOneOfAnEndMovesALine) {
    if (makeView(400); IsSkipped())
        return;
    open("ball.nii.gz", 24, 2);
    ASSERT_TRUE(becomes([&] { return session_.shownFrame >= 0; }));
    auto& angle = tools_.get<AngleTool>();
    const Vec3 at = session_.opened->sequence.geometry.center();
    angle.actions().front().act();
    const UserState none = userState(session_, tools_, *scene_);
    drag(at, at + Vec3{10, 0, 0});
    EXPECT_FALSE(angle.degrees()) << "one line has no angle";
    EXPECT_EQ(scene_->marks().size(), 1u);
    drag(at + Vec3{0, 6, 0}, at + Vec3{10, 16, 0});
    ASSERT_EQ(scene_->marks().size(), 2u);
    EXPECT_EQ(scene_->marks()[1].text, "45.0°");
    const UserState measured = userState(session_, tools_, *scene_);
    EXPECT_EQ(changeBetween(none, measured).text, "angle");
    drag(at + Vec3{10, 16, 0}, at + Vec3{0, 16, 0});
    EXPECT_EQ(scene_->marks()[1].text, "90.0°");
    restore(session_, tools_, measured);
    tick();
    const PictureRecord record = recordOf(session_, tools_, *scene_);
    EXPECT_EQ(record.tools.at("angle"), "angle 45.0°");
    EXPECT_EQ(pictureFromJson(toJson(record), "p.png").marks, scene_->marks());
    restore(session_, tools_, none);
    tick();
    EXPECT_TRUE(scene_->marks().empty());
}

TEST_F(AngleTest, AThirdDragBeginsAnewAndAClickDrawsNothing) {
    if (makeView(400); IsSkipped())
        return;
    open("ball.nii.gz", 24, 2);
    ASSERT_TRUE(becomes([&] { return session_.shownFrame >= 0; }));
    auto& angle = tools_.get<AngleTool>();
    const Vec3 at = session_.opened->sequence.geometry.center();
    angle.actions().front().act();
    drag(at, at + Vec3{10, 0, 0});
    drag(at + Vec3{0, 6, 0}, at + Vec3{10, 16, 0});
    drag(at + Vec3{-8, -8, 0}, at + Vec3{-8, -8, 0});
    EXPECT_EQ(angle.lines().size(), 2u) << "a click keeps what is measured";
    drag(at + Vec3{-8, -8, 0}, at + Vec3{0, -8, 0});
    EXPECT_EQ(angle.lines().size(), 1u);
    angle.actions().back().act();
    EXPECT_TRUE(angle.lines().empty());
}

TEST_F(AngleTest, ItsOptionSetsAndSaysTheSameLines) {
    if (makeView(400); IsSkipped())
        return;
    open("ball.nii.gz", 24, 2);
    auto& angle = tools_.get<AngleTool>();
    const auto groups = angleOptions();
    const ToolOption& option = groups.front().options.front();
    EXPECT_FALSE(option.get(angle));
    const OptionValues values{"0.1", "0", "0", "1", "0", "0", "0", "0", "0", "0", "-2.5", "1e-3"};
    option.set(angle, values);
    ASSERT_TRUE(option.get(angle));
    option.set(angle, *option.get(angle));
    EXPECT_EQ(angle.lines(), (AngleTool::Lines{{Vec3{0.1, 0, 0}, Vec3{1, 0, 0}},
                                               {Vec3{0, 0, 0}, Vec3{0, -2.5, 1e-3}}}));
}

} // namespace
} // namespace systole
