// Grids, fields and headless scenes that the tests of render/ share.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/frame_result.h"
#include "compute/core/sequence.h"
#include "render/base/error.h"
#include "render/gl/headless_egl.h"
#include "render/overlays/rows.h"
#include "render/scene/scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

namespace systole {

/// Oblique and permuted: the first index runs mostly to the right, the second mostly upwards, the
/// third mostly backwards; all turned by `degrees` about the patient's long axis.
inline Geometry obliqueGeometry(Size3 size = {20, 24, 28}, double degrees = 25) {
    const double c = std::cos(degrees * std::acos(-1.0) / 180);
    const double s = std::sin(degrees * std::acos(-1.0) / 180);
    const Matrix3 direction{{{-c, 0, -s}, {-s, 0, c}, {0, 1, 0}}};
    return Geometry(size, {2.0, 1.5, 2.5}, {12, -40, 70}, direction);
}

inline Sequence sequenceOn(const Geometry& geometry, int frames = 2) {
    Sequence sequence;
    sequence.geometry = geometry;
    sequence.frames = frames;
    sequence.name = "test";
    sequence.modality = "MR";
    sequence.voxelType = "float32";
    return sequence;
}

/// A field of one vector (LPS mm) everywhere, on a frame of its geometry.
inline std::shared_ptr<FrameResult> uniformMotion(const std::shared_ptr<const Volume>& fixed,
                                                  Vec3 millimeters, BufferPool& pool) {
    auto field = std::make_shared<VectorField>(fixed->geometry, pool, "field");
    const Vec3 voxels = fixed->geometry.physicalVectorToVoxel(millimeters);
    const FieldView<float> view = field->view();
    for (int axis = 0; axis < 3; ++axis)
        for (float& v : view.componentView(axis).span())
            v = static_cast<float>(voxels[axis]);
    auto result = std::make_shared<FrameResult>();
    result->field = field;
    result->fixed = fixed;
    result->fixedFrame = 0;
    result->movingFrame = 1;
    return result;
}

/// Pixels of a region that differ visibly between two pictures of one size.
struct Region {
    int x = 0, y = 0, width = 1 << 20, height = 1 << 20;
};
inline int changedPixels(const RgbaImage& a, const RgbaImage& b, Region region = {}) {
    int changed = 0;
    for (int y = region.y; y < std::min(a.height, region.y + region.height); ++y)
        for (int x = region.x; x < std::min(a.width, region.x + region.width); ++x) {
            int difference = 0;
            for (int channel = 0; channel < 3; ++channel)
                difference += std::abs(a.at(x, y)[channel] - b.at(x, y)[channel]);
            changed += difference > 24;
        }
    return changed;
}

/// A scene with a headless context. Skips its test, visibly, where there is no EGL.
class SceneTest : public testing::Test {
protected:
    void SetUp() override {
        try {
            egl_ = std::make_unique<HeadlessEgl>();
        } catch (const RenderError& error) {
            GTEST_SKIP() << error.what();
        }
        scene_ = std::make_unique<Scene>(options_);
        scene_->initialize(egl_->hooks());
        scene_->resize(480, 400, 1);
    }
    void TearDown() override {
        if (scene_)
            scene_->release();
        scene_.reset();
        egl_.reset();
    }

    std::shared_ptr<Volume> volume(const Geometry& geometry,
                                   const std::function<float(Vec3 lps)>& value) {
        auto result = std::make_shared<Volume>(geometry, resources_.pool(), "test volume");
        const VolumeView<float> view = result->view();
        for (int z = 0; z < view.size.z; ++z)
            for (int y = 0; y < view.size.y; ++y)
                for (int x = 0; x < view.size.x; ++x)
                    view(x, y, z) = value(geometry.indexToPhysical(
                        {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)}));
        return result;
    }
    /// Bright in the middle, dark at the border, 0 to 100.
    std::shared_ptr<Volume> ball(const Geometry& geometry, double radius = 15) {
        const Vec3 center = geometry.center();
        return volume(geometry, [=](Vec3 p) {
            const double r = length(p - center) / radius;
            return static_cast<float>(100 * std::exp(-0.5 * r * r));
        });
    }
    void show(const std::shared_ptr<const Volume>& frame) {
        scene_->setSequence(sequenceOn(frame->geometry), 0, 100);
        scene_->setFrame(frame);
    }
    void change(const std::function<void(DisplayOptions&)>& how) {
        DisplayOptions display = scene_->display();
        how(display);
        scene_->setDisplay(display);
    }
    RgbaImage picture() { return scene_->capture(); }

    SceneOptions options_; ///< set by the constructors of derived fixtures
    ExecResources resources_{1};
    std::unique_ptr<HeadlessEgl> egl_;
    std::unique_ptr<Scene> scene_;
};

} // namespace systole
