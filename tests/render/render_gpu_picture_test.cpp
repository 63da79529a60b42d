// Pictures of what lies on the device, held to those of host upload.
#include "compute/cuda/interop.h"
#include "compute/surface/isosurface_device.h"
#include "render/device_motion.h"
#include "render/gl/offscreen.h"
#include "render/texture_ring.h"
#include "tests/render/cuda_error_state.h"
#include "tests/render/render_gpu_support.h"
#include "tests/support/device_support.h"
#include "tests/support/sphere_mesh.h"

#include <gtest/gtest.h>
#include <vtk_glew.h>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

/// A picture with everything that voxels and vectors make.
class RenderGpuPicture : public RenderGpu {
protected:
    void SetUp() override {
        RenderGpu::SetUp();
        if (!interop_)
            return;
        frame_ = ball(odd_);
        result_ = turning(frame_);
    }
    void dress(Scene& scene) {
        scene.resize(900, 700, 1);
        scene.setSequence(sequenceOn(odd_), 0, 100);
        DisplayOptions display = scene.display();
        setOption(display, "magnitude", true);
        display.slicesIn3D = true;
        scene.setDisplay(display);
    }
    static int greatestDifference(const RgbaImage& a, const RgbaImage& b) {
        int greatest = 0;
        for (std::size_t i = 0; i < a.pixels.size(); ++i)
            greatest = std::max(greatest, std::abs(a.pixels[i] - b.pixels[i]));
        return greatest;
    }
    std::shared_ptr<const Volume> frame_;
    std::shared_ptr<const FrameResult> result_;
};

TEST_F(RenderGpuPicture, IsThatOfHostUpload) {
    dress(*scene_);
    scene_->setFrame(frame_, deviceCopy(*frame_, *cuda_));
    scene_->setResult(deviceCopy(*result_, *cuda_));
    const RgbaImage interop = picture();
    EXPECT_STREQ(scene_->uploadPath(), "cuda-interop");
    EXPECT_EQ(scene_->uploadReason(), "");
    EXPECT_EQ(scene_->times().fieldToGlBytes, 0);

    Scene other({.upload = UploadPath::Host});
    other.initialize(egl_->hooks());
    EXPECT_FALSE(other.usesInterop());
    dress(other);
    other.setFrame(frame_);
    const RgbaImage still = other.capture();
    other.setResult(result_);
    const RgbaImage host = other.capture();
    EXPECT_STREQ(other.uploadPath(), "host upload");
    EXPECT_GT(other.times().fieldToGlBytes, 0);
    EXPECT_EQ(other.colorMaximum(), scene_->colorMaximum());
    other.release();

    EXPECT_GT(changedPixels(still, host), 3000) << "motion is there to be compared";
    EXPECT_LE(greatestDifference(interop, host), 2);
}

TEST_F(RenderGpuPicture, OfASurfaceOnTheDeviceIsThatOfItsCopyOnTheHost) {
    const auto copied = [&](const auto& values, auto& to) {
        using Number = std::remove_cvref_t<decltype(values[0][0])>;
        to = cuda_->devicePool().acquire<Number>(3 * values.size(), "mesh");
        cuda_->upload(values.data(), to.data(), to.size() * sizeof(Number), CudaStream::Compute);
    };
    const auto sphere = [&](double radius, bool onDevice) {
        auto surface = std::make_shared<SceneSurface>();
        surface->mesh = std::make_shared<TriangleMesh>(sphereMesh(odd_.center(), radius));
        if (!onDevice)
            return surface;
        auto mesh = std::make_shared<DeviceMesh>();
        copied(surface->mesh->points, mesh->points);
        copied(surface->mesh->normals, mesh->normals);
        copied(surface->mesh->triangles, mesh->triangles);
        mesh->ready = cuda_->record(CudaStream::Compute);
        cuda_->synchronize(CudaStream::Compute); // the host's memory may go
        surface->meshOnDevice = mesh;
        return surface;
    };
    dress(*scene_);
    scene_->setFrame(frame_, deviceCopy(*frame_, *cuda_));
    const RgbaImage without = picture();
    // Smaller and larger, so that buffers are used again, and grow.
    for (const double radius : {7.0, 5.0, 11.0}) {
        scene_->setSurface(sphere(radius, true));
        const RgbaImage interop = picture();
        EXPECT_EQ(scene_->times().fieldToGlBytes, 0);
        scene_->setSurface(sphere(radius, false));
        const RgbaImage host = picture();
        EXPECT_GT(scene_->times().fieldToGlBytes, 0);
        EXPECT_GT(changedPixels(without, interop), 1000) << radius;
        EXPECT_LE(greatestDifference(interop, host), 1) << radius;
    }
    // Another context gets the surface from wherever it is available.
    scene_->setSurface(sphere(9, true));
    const RgbaImage before = picture();
    interop_.reset();
    scene_->release();
    egl_ = nullptr;
    egl_ = std::make_unique<HeadlessEgl>();
    scene_->initialize(egl_->hooks());
    EXPECT_LE(greatestDifference(before, picture()), 1);
}

TEST_F(RenderGpuPicture, ComesBackInAnotherContext) {
    dress(*scene_);
    scene_->setFrame(frame_, deviceCopy(*frame_, *cuda_));
    scene_->setResult(deviceCopy(*result_, *cuda_));
    const RgbaImage before = picture();
    interop_.reset();
    scene_->release();
    EXPECT_FALSE(scene_->usesInterop());
    egl_ = nullptr;
    egl_ = std::make_unique<HeadlessEgl>();
    scene_->initialize(egl_->hooks());
    ASSERT_TRUE(scene_->usesInterop()) << scene_->uploadReason();
    EXPECT_LE(greatestDifference(before, picture()), 2);
    EXPECT_STREQ(scene_->uploadPath(), "cuda-interop");
}

TEST_F(RenderGpuPicture, OfADeviceResultUnderHostUploadHasNoMotionAndSaysWhy) {
    Scene other({.upload = UploadPath::Host});
    other.initialize(egl_->hooks());
    dress(other);
    other.setFrame(frame_);
    const RgbaImage still = other.capture();
    other.setResult(deviceCopy(*result_, *cuda_));
    const int changed = changedPixels(still, other.capture());
    EXPECT_GT(changed, 300) << "a sentence in every view";
    EXPECT_LT(changed, 20000) << "and nothing else";
    other.release();
}

TEST_F(RenderGpuPicture, IsDrawnOncePerResultWhateverItsMotion) {
    dress(*scene_);
    scene_->setFrame(frame_, deviceCopy(*frame_, *cuda_));
    const double scale = scene_->colorMaximum();
    for (const double millimeters : {3.0, 0.1, 30.0}) {
        scene_->setResult(
            deviceCopy(*uniformMotion(frame_, {millimeters, 0, 0}, resources_.pool()), *cuda_));
        EXPECT_TRUE(scene_->needsRender());
        (void)picture();
        EXPECT_FALSE(scene_->needsRender());
        EXPECT_EQ(scene_->colorMaximum(), scale);
    }
}

TEST_F(RenderGpuPicture, PlaysWithoutBytesOverTheBus) {
    dress(*scene_);
    for (int frame = 0; frame < 6; ++frame) {
        const auto host = ball(odd_, 10 + frame);
        scene_->setFrame(host, deviceCopy(*host, *cuda_));
        scene_->setResult(deviceCopy(*turning(host), *cuda_));
        (void)picture();
        EXPECT_EQ(scene_->times().fieldToGlBytes, 0) << frame;
        EXPECT_STREQ(scene_->uploadPath(), "cuda-interop") << frame;
        EXPECT_FALSE(scene_->needsRender());
    }
}

} // namespace
} // namespace systole
