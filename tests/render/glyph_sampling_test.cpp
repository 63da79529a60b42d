#include "render/glyph_sampling.h"
#include "tests/render/render_support.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

class GlyphSampling : public testing::Test {
protected:
    GlyphSampling() : image_(std::make_shared<Volume>(obliqueGeometry(), resources_.pool(), "i")) {
        for (float& v : image_->voxels.span())
            v = 50;
    }
    const VectorField& uniform(Vec3 millimeters) {
        result_ = uniformMotion(image_, millimeters, resources_.pool());
        return *result_->field;
    }
    static std::vector<Glyph> sampleVolume(const VectorField& field, const GlyphRules& rules) {
        return sampleGlyphs(field, volumeLattice(field.geometry, rules.spacing), rules);
    }
    static std::vector<Glyph> sampleSlice(const VectorField& field, ViewKind slice, Vec3 position,
                                          const GlyphRules& rules) {
        return sampleGlyphs(field, sliceLattice(field.geometry, slice, position, rules.spacing),
                            rules);
    }
    ExecResources resources_{1};
    std::shared_ptr<Volume> image_;
    std::shared_ptr<FrameResult> result_;
};

TEST_F(GlyphSampling, ArrowsCarryPositionsAndVectorsInLpsMillimeters) {
    const Vec3 motion{1, -2, 2};
    const auto glyphs = sampleVolume(uniform(motion), {.spacing = 6});
    ASSERT_GT(glyphs.size(), 50u);
    const Geometry& geometry = image_->geometry;
    for (const Glyph& glyph : glyphs) {
        EXPECT_NEAR(glyph.magnitude, 3, 1e-4f);
        EXPECT_NEAR(glyph.length, 3, 1e-4f);
        EXPECT_NEAR(glyph.dx, 1.0 / 3, 1e-4);
        EXPECT_NEAR(glyph.dy, -2.0 / 3, 1e-4);
        EXPECT_NEAR(glyph.dz, 2.0 / 3, 1e-4);
        const Vec3 index = geometry.physicalToIndex({glyph.x, glyph.y, glyph.z});
        for (int axis = 0; axis < 3; ++axis) {
            EXPECT_NEAR(index[axis], std::round(index[axis]), 1e-3);
            EXPECT_GE(index[axis], -1e-3);
            EXPECT_LE(index[axis], geometry.size()[axis] - 1 + 1e-3);
        }
    }
}

TEST_F(GlyphSampling, SpacingSetsTheNumberOfArrows) {
    const VectorField& field = uniform({0, 0, 1});
    // Strides of 3, 4 and 2 voxels of 2.0, 1.5 and 2.5 mm over 20 x 24 x 28.
    EXPECT_EQ(sampleVolume(field, {.spacing = 6}).size(), 7u * 6u * 14u);
    EXPECT_EQ(sampleVolume(field, {.spacing = 0.1}).size(), image_->geometry.voxels());
    EXPECT_EQ(sampleVolume(field, {.spacing = 1e9}).size(), 1u);
}

TEST_F(GlyphSampling, ASliceHasNoMorePlacesThanTwoAVoxelEachWay) {
    const Geometry& grid = image_->geometry;
    const auto places = [&](double spacing) {
        return sliceLattice(grid, ViewKind::Coronal, grid.center(), spacing).places();
    };
    EXPECT_EQ(places(1e-3), places(0.75)); // half of 1.5 mm
    EXPECT_GT(places(0.75), places(0.8));
}

TEST_F(GlyphSampling, InASliceVectorsAreProjectedAndLieInThePlane) {
    const VectorField& field = uniform({3, 4, 12});
    const Vec3 at = image_->geometry.center() + Vec3{0, 0, 3};
    const auto glyphs = sampleSlice(field, ViewKind::Axial, at, {.spacing = 5});
    ASSERT_GT(glyphs.size(), 20u);
    for (const Glyph& glyph : glyphs) {
        EXPECT_NEAR(glyph.z, at.z, 1e-4);
        EXPECT_NEAR(glyph.magnitude, 13, 1e-3f); // color: the whole vector
        EXPECT_NEAR(glyph.length, 5, 1e-3f);     // drawn: what lies in the plane
        EXPECT_NEAR(glyph.dx, 0.6, 1e-4);
        EXPECT_NEAR(glyph.dy, 0.8, 1e-4);
        EXPECT_EQ(glyph.dz, 0);
    }
}

TEST_F(GlyphSampling, AcrossItsPlaneMotionHasNoArrow) {
    const VectorField& field = uniform({0, 0, 5});
    const Vec3 at = image_->geometry.center();
    const GlyphRules rules{.spacing = 5, .smallestMagnitude = 0.5};
    EXPECT_TRUE(sampleSlice(field, ViewKind::Axial, at, rules).empty());
    EXPECT_FALSE(sampleSlice(field, ViewKind::Coronal, at, rules).empty());
}

TEST_F(GlyphSampling, SmallMotionAndDarkPlacesHaveNoArrows) {
    const VectorField& field = uniform({0, 1, 0});
    EXPECT_TRUE(sampleVolume(field, {.spacing = 6, .smallestMagnitude = 1.01}).empty());
    for (float& v : image_->voxels.span().first(image_->voxels.size() / 2))
        v = 1;
    const auto all = sampleVolume(field, {.spacing = 6});
    const auto bright = sampleVolume(field, {.spacing = 6, .image = image_.get(), .darkest = 10});
    EXPECT_NEAR(static_cast<double>(bright.size()), static_cast<double>(all.size()) / 2,
                0.1 * static_cast<double>(all.size()));
    EXPECT_TRUE(sampleVolume(uniform({0, 0, 0}), {.spacing = 6}).empty());
}

TEST_F(GlyphSampling, NothingOutsideTheVolume) {
    const VectorField& field = uniform({1, 0, 0});
    Vec3 above = image_->geometry.center();
    above.z += 1000;
    EXPECT_TRUE(sampleSlice(field, ViewKind::Axial, above, {.spacing = 5}).empty());
}

} // namespace
} // namespace systole
