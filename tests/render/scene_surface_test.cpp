// The surface in the picture: where it lies, its contours, its ghost, its colors.
#include "tests/render/render_support.h"
#include "tests/support/sphere_mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

namespace systole {
namespace {

constexpr double radius = 14;

class SceneSurfaces : public SceneTest {
protected:
    void SetUp() override {
        SceneTest::SetUp();
        if (!scene_)
            return;
        frame_ = volume(obliqueGeometry({32, 40, 28}), [](Vec3) { return 60.0f; });
        show(frame_);
        center_ = scene_->crosshair();
        change([](DisplayOptions& display) {
            display.layout = Layout::Single3D;
            display.crosshair = display.annotations = display.volume = false;
            setOption(display, "arrows", false);
        });
    }
    std::shared_ptr<SceneSurface> sphere(double ofRadius = radius) {
        auto surface = std::make_shared<SceneSurface>();
        surface->mesh = std::make_shared<TriangleMesh>(sphereMesh(center_, ofRadius));
        return surface;
    }
    /// How much a pixel near the projection of a position differs between two pictures: the most
    /// among its neighbors.
    int change3(const RgbaImage& a, const RgbaImage& b, ViewKind view, Vec3 position) {
        const auto point = scene_->project(view, position);
        EXPECT_TRUE(point.has_value());
        int most = 0;
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
                const int x = static_cast<int>(point->x) + dx, y = static_cast<int>(point->y) + dy;
                int difference = 0;
                for (int channel = 0; channel < 3; ++channel)
                    difference += std::abs(a.at(x, y)[channel] - b.at(x, y)[channel]);
                most = std::max(most, difference);
            }
        return most;
    }

    std::shared_ptr<Volume> frame_;
    Vec3 center_;
};

TEST_F(SceneSurfaces, TheSurfaceIsSeenWhereItLies) {
    scene_->setStandardView(StandardView::Superior); // x to the side, seen from above
    const RgbaImage without = picture();
    scene_->setSurface(sphere());
    const RgbaImage with = picture();
    EXPECT_GT(change3(without, with, ViewKind::Volume3D, center_), 100);
    EXPECT_GT(change3(without, with, ViewKind::Volume3D, center_ + Vec3{0.9 * radius, 0, 0}), 100);
    EXPECT_EQ(change3(without, with, ViewKind::Volume3D, center_ + Vec3{1.2 * radius, 0, 0}), 0);
    change([](DisplayOptions& display) { setOption(display, "surface", false); });
    EXPECT_EQ(changedPixels(without, picture()), 0);
}

TEST_F(SceneSurfaces, ItsContourRunsWhereTheSliceCutsIt) {
    change([](DisplayOptions& display) { display.layout = Layout::ThreeSlices; });
    scene_->resize(1200, 400, 1);
    const double off = 0.6 * radius; // distance of the slices from the center: circles of 0.8 radii
    scene_->setCrosshair(center_ + Vec3{off, off, off});
    const Vec3 at = scene_->crosshair();
    const RgbaImage without = picture();
    scene_->setSurface(sphere());
    const RgbaImage with = picture();
    struct Case {
        ViewKind view;
        int across, along;
    };
    for (const Case& c : {Case{ViewKind::Axial, 2, 0}, Case{ViewKind::Coronal, 1, 2},
                          Case{ViewKind::Sagittal, 0, 1}}) {
        const double height = at[c.across] - center_[c.across];
        const double circle = std::sqrt(radius * radius - height * height);
        for (const double part : {0.0, 0.5, 0.85, 1.15})
            for (const int sign : {-1, 1}) {
                Vec3 position = center_;
                position[c.across] = at[c.across];
                position[c.along] += sign * part * circle;
                EXPECT_EQ(change3(without, with, c.view, position), 0) << name(c.view) << part;
                position[c.along] = center_[c.along] + sign * circle;
                EXPECT_GT(change3(without, with, c.view, position), 60) << name(c.view);
            }
    }
    change([](DisplayOptions& display) { setOption(display, "contours", false); });
    EXPECT_EQ(changedPixels(without, picture()), 0);
}

TEST_F(SceneSurfaces, TheGhostIsSeenAroundIt) {
    scene_->setStandardView(StandardView::Superior);
    scene_->setSurface(sphere());
    const RgbaImage alone = picture();
    auto both = sphere();
    both->original = std::make_shared<TriangleMesh>(sphereMesh(center_, 1.3 * radius));
    scene_->setSurface(both);
    const RgbaImage ghost = picture();
    EXPECT_GT(change3(alone, ghost, ViewKind::Volume3D, center_ + Vec3{1.25 * radius, 0, 0}), 30);
    change([](DisplayOptions& display) { setOption(display, "ghost-opacity", 0); });
    EXPECT_EQ(changedPixels(alone, picture()), 0);
}

TEST_F(SceneSurfaces, ColorsFollowTheirValuesAndHaveALegend) {
    scene_->setStandardView(StandardView::Superior);
    auto surface = sphere();
    surface->distance.assign(surface->mesh->points.size(), 0);
    scene_->setSurface(surface);
    const RgbaImage plain = picture();
    change([](DisplayOptions& display) {
        setOption(display, "surface-color", std::string("distance"));
        setOption(display, "surface-maximum", 2);
    });
    const RgbaImage low = picture();
    auto far = std::make_shared<SceneSurface>(*surface);
    far->distance.assign(surface->mesh->points.size(), 2);
    scene_->setSurface(far);
    const RgbaImage high = picture();
    const auto middle = [&](const RgbaImage& image, int channel) {
        const auto point = scene_->project(ViewKind::Volume3D, center_);
        return static_cast<int>(
            image.at(static_cast<int>(point->x), static_cast<int>(point->y))[channel]);
    };
    // Cividis: dark blue to light yellow.
    EXPECT_GT(middle(low, 2), middle(low, 0) + 40);
    EXPECT_GT(middle(high, 0), middle(high, 2) + 40);
    const Region legend{scene_->size().width / 2 + 60, scene_->size().height / 2 + 60};
    EXPECT_GT(changedPixels(plain, low, legend), 200);

    // Unknown values have the plain color, and no legend.
    change([](DisplayOptions& display) {
        setOption(display, "surface-color", std::string("curvature"));
    });
    EXPECT_EQ(changedPixels(plain, picture()), 0);
}

TEST_F(SceneSurfaces, ItComesBackWithAnotherContext) {
    scene_->setSurface(sphere());
    const RgbaImage before = picture();
    scene_->release();
    egl_.reset();
    egl_ = std::make_unique<HeadlessEgl>();
    scene_->initialize(egl_->hooks());
    EXPECT_EQ(changedPixels(before, picture()), 0);
}

TEST_F(SceneSurfaces, ASurfaceThatDoesntFitItselfIsRefused) {
    auto surface = sphere();
    surface->curvature.assign(3, 0);
    EXPECT_THROW(scene_->setSurface(surface), RenderError);
    surface->curvature.clear();
    auto broken = std::make_shared<TriangleMesh>(*surface->mesh);
    broken->triangles.front()[1] = static_cast<std::uint32_t>(broken->points.size());
    surface->mesh = broken;
    EXPECT_THROW(scene_->setSurface(surface), RenderError);
    surface->mesh = std::make_shared<TriangleMesh>();
    scene_->setSurface(surface); // nothing to draw
    picture();
}

} // namespace
} // namespace systole
