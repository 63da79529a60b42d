// The ruler in the views: measured, moved, undone, kept in a picture's record, removed.
#include "app/features/ruler/ruler_tool.h"
#include "app/live/history.h"
#include "app/live/picture_json.h"
#include "tests/app/live/live_view_fixture.h"

namespace systole {
namespace {

TEST_F(LiveViewFixture, ADragOfTheRulerMeasuresAndOneOfAnEndMovesIt) {
    if (makeView(400); IsSkipped())
        return;
    open("ball.nii.gz", 24, 2);
    ASSERT_TRUE(becomes([&] { return session_.shownFrame >= 0; }));
    auto& ruler = tools_.get<RulerTool>();
    const Vec3 at = session_.opened->sequence.geometry.center();
    const auto drag = [&](Vec3 from, Vec3 to) {
        tools_.pointerHolder()->pointer({SlicePointer::Event::Press, from, 2});
        tools_.pointerHolder()->pointer({SlicePointer::Event::Drag, to, 2});
        tools_.pointerHolder()->pointer({SlicePointer::Event::Release});
        tick();
    };
    ruler.actions().front().act();
    const UserState none = userState(session_, tools_, *scene_);
    drag(at, at + Vec3{6, 8, 0});
    ASSERT_EQ(scene_->marks().size(), 1u);
    EXPECT_EQ(scene_->marks()[0].text, "10.0 mm");
    const UserState measured = userState(session_, tools_, *scene_);
    EXPECT_EQ(changeBetween(none, measured).text, "distance");
    drag(at + Vec3{6, 9, 0}, at + Vec3{0, 15, 0});
    EXPECT_EQ(scene_->marks()[0].text, "15.0 mm");
    restore(session_, tools_, measured);
    tick();
    const PictureRecord record = recordOf(session_, tools_, *scene_);
    EXPECT_EQ(record.tools.at("ruler"), "distance 10.0 mm");
    EXPECT_EQ(pictureFromJson(toJson(record), "p.png").marks, scene_->marks());
    ruler.actions().back().act();
    tick();
    EXPECT_TRUE(scene_->marks().empty());
}

} // namespace
} // namespace systole
