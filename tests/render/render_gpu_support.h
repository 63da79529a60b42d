// Helpers for tests of CUDA's writing into OpenGL.
#pragma once

#include "compute/cuda/interop.h"
#include "render/gl/gl_objects.h"
#include "render/texture_ring.h"
#include "tests/render/render_support.h"
#include "tests/support/device_support.h"

#include <gtest/gtest.h>
#include <vtk_glew.h>

#include <memory>
#include <vector>

namespace systole {

/// A scene and an interop of its own in one context. Skips, visibly, where there is no interop.
class RenderGpu : public SceneTest {
protected:
    void SetUp() override {
        SceneTest::SetUp();
        if (!scene_)
            return;
        if (!scene_->usesInterop())
            GTEST_SKIP() << scene_->uploadReason();
        const GlTexture trial = makeScalarTexture({2, 2, 2}, false);
        CudaInterop::Answer answer = CudaInterop::tryOn(trial.id());
        ASSERT_TRUE(answer.interop) << answer.reason;
        interop_ = std::move(answer.interop);
        cuda_ = std::make_unique<CudaContext>(CudaContext::Options{.device = interop_->device()});
    }
    void TearDown() override {
        interop_.reset();
        upload_.release();
        SceneTest::TearDown();
    }

    /// Different in every voxel and along every axis; whole numbers below 2048.
    std::shared_ptr<Volume> numbers(const Geometry& geometry) {
        auto result = std::make_shared<Volume>(geometry, resources_.pool(), "numbers");
        for (std::size_t i = 0; i < result->voxels.size(); ++i)
            result->voxels.data()[i] = static_cast<float>(i * 7919 % 2048);
        return result;
    }
    /// Turning about the middle and growing towards the border, so that all vectors differ.
    std::shared_ptr<FrameResult> turning(const std::shared_ptr<const Volume>& frame) {
        auto result = uniformMotion(frame, {0, 0, 0}, resources_.pool());
        auto field = std::make_shared<VectorField>(frame->geometry, resources_.pool(), "turning");
        const Geometry& grid = frame->geometry;
        const FieldView<float> view = field->view();
        for (int z = 0; z < view.size.z; ++z)
            for (int y = 0; y < view.size.y; ++y)
                for (int x = 0; x < view.size.x; ++x) {
                    const Vec3 r =
                        grid.indexToPhysical({static_cast<double>(x), static_cast<double>(y),
                                              static_cast<double>(z)}) -
                        grid.center();
                    const Vec3 voxels = grid.physicalVectorToVoxel(
                        {0.11 * r.y + 0.02 * r.z, -0.09 * r.x, 0.05 * r.z + 0.3});
                    for (int axis = 0; axis < 3; ++axis)
                        view.componentView(axis)(x, y, z) = static_cast<float>(voxels[axis]);
                }
        result->field = field;
        return result;
    }
    TextureRing::Shown showFrom(TextureRing& ring, const std::shared_ptr<const Volume>& device) {
        TextureSource source;
        source.key = device;
        source.interop = interop_.get();
        source.device = [&] { return copyToTexture(device); };
        const TextureRing::Shown shown = ring.show(source, device->geometry.size(), upload_);
        interop_->flush();
        return shown;
    }
    TextureRing::Shown showFromHost(TextureRing& ring, const Volume& host) {
        TextureSource source;
        source.key = std::make_shared<int>();
        source.host = [&] { return host.view(); };
        return ring.show(source, host.geometry.size(), upload_);
    }
    static std::vector<float> contents(unsigned texture, Size3 size) {
        std::vector<float> voxels(size.voxels());
        glPixelStorei(GL_PACK_ALIGNMENT, 4);
        glGetTextureImage(texture, 0, GL_RED, GL_FLOAT,
                          static_cast<GLsizei>(voxels.size() * sizeof(float)), voxels.data());
        return voxels;
    }

    VoxelUpload upload_{0};
    std::unique_ptr<CudaInterop> interop_;
    std::unique_ptr<CudaContext> cuda_;
    Geometry odd_ = obliqueGeometry({33, 21, 17});
};

} // namespace systole
