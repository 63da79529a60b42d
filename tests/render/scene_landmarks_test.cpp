// Landmarks in the picture: where they lie, in slices and in 3D, and what hides them.
#include "tests/render/render_support.h"

#include <gtest/gtest.h>

#include <memory>

namespace systole {
namespace {

class SceneLandmarks : public SceneTest {
protected:
    void SetUp() override {
        SceneTest::SetUp();
        if (!scene_)
            return;
        show(volume(obliqueGeometry({32, 40, 28}), [](Vec3) { return 60.0f; }));
        center_ = scene_->crosshair();
        scene_->resize(1200, 400, 1);
        change([](DisplayOptions& display) {
            display.layout = Layout::ThreeSlices;
            display.crosshair = display.annotations = false;
            setOption(display, "arrows", false);
            setOption(display, "landmark-radius", 2.0);
        });
    }
    /// Points that move by (6, 0, 0) mm, in two frames.
    std::shared_ptr<SceneTracks> tracksAt(std::vector<Vec3> places, double certainty = 0.9) {
        auto tracks = std::make_shared<SceneTracks>();
        for (const Vec3 place : places)
            tracks->tracks.push_back(
                {SceneTrackPoint{place - Vec3{6, 0, 0}, 1}, SceneTrackPoint{place, certainty}});
        return tracks;
    }
    int changeAt(const RgbaImage& a, const RgbaImage& b, ViewKind view, Vec3 position) {
        const auto point = scene_->project(view, position);
        EXPECT_TRUE(point.has_value());
        if (!point)
            return -1;
        const int x = static_cast<int>(point->x), y = static_cast<int>(point->y);
        int difference = 0;
        for (int channel = 0; channel < 3; ++channel)
            difference += std::abs(a.at(x, y)[channel] - b.at(x, y)[channel]);
        return difference;
    }

    Vec3 center_;
};

TEST_F(SceneLandmarks, APointIsSeenWhereItLiesWithItsTail) {
    const RgbaImage without = picture();
    scene_->setTracks(tracksAt({center_}), 1);
    const RgbaImage with = picture();
    for (const ViewKind view : {ViewKind::Axial, ViewKind::Coronal, ViewKind::Sagittal})
        EXPECT_GT(changeAt(without, with, view, center_), 60);
    for (const ViewKind view : {ViewKind::Axial, ViewKind::Coronal}) {
        EXPECT_GT(changeAt(without, with, view, center_ - Vec3{2.6, 0, 0}), 60) << "the tail";
        EXPECT_EQ(changeAt(without, with, view, center_ + Vec3{2.6, 0, 0}), 0);
        EXPECT_EQ(changeAt(without, with, view, center_ - Vec3{8, 0, 0}), 0);
    }
    scene_->setTracks(nullptr, 0);
    EXPECT_EQ(changedPixels(without, picture()), 0);
}

TEST_F(SceneLandmarks, SlicesShowOnlyWhatIsNear) {
    const RgbaImage without = picture();
    change([](DisplayOptions& display) { setOption(display, "landmark-slab", 5.0); });
    scene_->setTracks(tracksAt({center_ + Vec3{0, 0, 8}}), 1);
    const RgbaImage with = picture();
    EXPECT_EQ(changeAt(without, with, ViewKind::Axial, center_), 0) << "8 mm above the slice";
    EXPECT_GT(changeAt(without, with, ViewKind::Coronal, center_ + Vec3{0, 0, 8}), 60);
}

TEST_F(SceneLandmarks, TheVolumeShowsPointsInsideIt) {
    change([](DisplayOptions& display) { display.layout = Layout::Single3D; });
    scene_->setStandardView(StandardView::Superior);
    scene_->setTracks(tracksAt({center_}), 0); // shows the volume as with landmarks
    change([](DisplayOptions& display) { setOption(display, "landmark-radius", 4.0); });
    const RgbaImage before = picture();
    scene_->setTracks(tracksAt({center_ + Vec3{12, 0, 0}}), 1);
    const RgbaImage after = picture();
    EXPECT_GT(changeAt(before, after, ViewKind::Volume3D, center_ - Vec3{6, 0, 0}), 20) << "left";
    EXPECT_GT(changeAt(before, after, ViewKind::Volume3D, center_ + Vec3{12, 0, 0}), 20);
}

TEST_F(SceneLandmarks, SwitchColorsAndLostPointsChangeThePicture) {
    const RgbaImage without = picture();
    auto tracks = tracksAt({center_}, 0.2);
    scene_->setTracks(tracks, 1);
    const RgbaImage displacement = picture();
    change([](DisplayOptions& display) { setOption(display, "landmark-color", "certainty"); });
    EXPECT_GT(changedPixels(displacement, picture()), 10);
    auto lost = std::make_shared<SceneTracks>(*tracks);
    lost->tracks[0][1].reset();
    change([](DisplayOptions& display) { setOption(display, "landmark-color", "plain"); });
    scene_->setTracks(lost, 1);
    EXPECT_EQ(changedPixels(without, picture()), 0) << "hidden by default";
    change([](DisplayOptions& display) { setOption(display, "lost-landmarks", true); });
    EXPECT_GT(changeAt(without, picture(), ViewKind::Axial, center_ - Vec3{6, 0, 0}), 60);
    change([](DisplayOptions& display) { setOption(display, "landmarks", false); });
    EXPECT_EQ(changedPixels(without, picture()), 0);
}

TEST_F(SceneLandmarks, PicturesAreTheSameTwice) {
    scene_->setTracks(tracksAt({center_, center_ + Vec3{4, 3, 1}}), 1);
    const RgbaImage once = picture();
    scene_->setTracks(nullptr, 0);
    picture();
    scene_->setTracks(tracksAt({center_, center_ + Vec3{4, 3, 1}}), 1);
    const RgbaImage again = picture();
    EXPECT_EQ(once.pixels, again.pixels);
}

} // namespace
} // namespace systole
