// How voxels come to OpenGL where CUDA can't write into it. On a machine where it can, these tests
// are skipped: render_gpu_test.cpp holds its other half.
#include "compute/cuda/interop.h"
#include "render/gl/gl_objects.h"
#include "tests/render/cuda_error_state.h"
#include "tests/render/render_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace systole {
namespace {

class SceneUpload : public SceneTest {
protected:
    void SetUp() override {
        SceneTest::SetUp();
        if (scene_ && scene_->usesInterop())
            GTEST_SKIP() << "CUDA writes into this OpenGL context";
    }
    /// Result of an estimation on a device that isn't reachable from here.
    std::shared_ptr<FrameResult> unreachable(const std::shared_ptr<const Volume>& frame) {
        auto result = uniformMotion(frame, {1, 2, 2}, resources_.pool());
        auto device = std::make_shared<DeviceResult>();
        device->fixed = frame;
        device->field = result->field;
        result->field = nullptr;
        result->device = device;
        return result;
    }
};

TEST_F(SceneUpload, TheProbeSaysWhyNotAndLeavesNoErrorBehind) {
    const GlTexture trial = makeScalarTexture({2, 2, 2}, false);
    const CudaInterop::Answer answer = CudaInterop::tryOn(trial.id());
    EXPECT_EQ(answer.interop, nullptr);
    EXPECT_FALSE(answer.reason.empty());
    EXPECT_EQ(answer.reason.find('\n'), std::string::npos);
    EXPECT_EQ(pendingCudaError(), "");
}

TEST_F(SceneUpload, HostUploadWorksAndIsLabeled) {
    show(ball(obliqueGeometry()));
    const RgbaImage empty = [&] {
        Scene none;
        none.initialize(egl_->hooks());
        none.resize(480, 400, 1);
        RgbaImage image = none.capture();
        none.release();
        return image;
    }();
    EXPECT_GT(changedPixels(empty, picture()), 1000);
    EXPECT_STREQ(scene_->uploadPath(), "host upload");
    EXPECT_FALSE(scene_->uploadReason().empty());
    EXPECT_EQ(scene_->times().fieldToGlBytes, 4.0 * 20 * 24 * 28);
    EXPECT_EQ(scene_->memory().upload.usedBytes, 4u * 20 * 24 * 28);
    scene_->release();
    EXPECT_EQ(scene_->memory().upload.usedBytes, 0u);
}

TEST_F(SceneUpload, APreparedFrameIsThereBeforeItIsDrawn) {
    const auto first = ball(obliqueGeometry()), second = ball(obliqueGeometry(), 25);
    show(second);
    const RgbaImage expected = picture();
    show(first);
    picture();
    const std::vector<float> voxels(second->voxels.span().begin(), second->voxels.span().end());
    const auto next = ball(obliqueGeometry());
    std::ranges::copy(voxels, next->voxels.span().begin());
    scene_->prepareFrame(next);
    scene_->prepareFrame(nullptr);
    std::ranges::fill(next->voxels.span(), 0.0f); // nobody reads them any more
    scene_->setFrame(next);
    EXPECT_EQ(changedPixels(expected, picture()), 0);
    EXPECT_EQ(scene_->times().fieldToGlBytes, 4.0 * 20 * 24 * 28) << "of the picture that shows it";
}

TEST_F(SceneUpload, HostUploadCanBeAskedFor) {
    Scene scene({.upload = UploadPath::Host});
    scene.initialize(egl_->hooks());
    EXPECT_EQ(scene.uploadReason(), "requested");
    scene.release();
}

TEST_F(SceneUpload, InteropThatCantBeHadIsAnError) {
    Scene scene({.upload = UploadPath::Interop});
    EXPECT_THROW(scene.initialize(egl_->hooks()), RenderError);
    EXPECT_FALSE(scene.initialized());
}

TEST_F(SceneUpload, AResultOutOfReachLeavesTheFrameAndSaysWhy) {
    scene_->resize(1200, 900, 1);
    const auto frame = ball(obliqueGeometry());
    show(frame);
    change([](DisplayOptions& display) {
        display.crosshair = false;
        setOption(display, "magnitude", true);
    });
    const RgbaImage before = picture();
    scene_->setResult(unreachable(frame));
    const RgbaImage after = picture();
    // The corner of each view, where its name stands, has a sentence more; nothing else changes.
    int changed = 0;
    for (const int x : {0, 601})
        for (const int y : {0, 451}) {
            const int here = changedPixels(before, after, {x, y, 400, 80});
            EXPECT_GT(here, 100) << x << " " << y;
            changed += here;
        }
    EXPECT_EQ(changedPixels(before, after), changed);
    const auto at = scene_->project(ViewKind::Axial, scene_->crosshair());
    const auto probe = scene_->probe(at->x, at->y);
    ASSERT_TRUE(probe);
    EXPECT_TRUE(probe->value);
    EXPECT_FALSE(probe->displacement);

    scene_->setResult(uniformMotion(frame, {1, 2, 2}, resources_.pool()));
    EXPECT_GT(changedPixels(before, picture(), {100, 100, 400, 250}), 500);
}

} // namespace
} // namespace systole
