// What CUDA writes into OpenGL's objects, held to what the host uploads.
#include "compute/cuda/interop.h"
#include "compute/surface/isosurface_device.h"
#include "render/device_motion.h"
#include "render/gl/offscreen.h"
#include "render/texture_ring.h"
#include "tests/render/cuda_error_state.h"
#include "tests/render/render_support.h"
#include "tests/support/device_support.h"
#include "tests/support/sphere_mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vtk_glew.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

namespace systole {
namespace {

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
        const TextureRing::Shown shown = ring.show(source);
        interop_->flush();
        return shown;
    }
    static TextureRing::Shown showFromHost(TextureRing& ring, const Volume& host) {
        TextureSource source;
        source.key = std::make_shared<int>();
        source.host = [&] { return host.view(); };
        return ring.show(source);
    }
    static std::vector<float> contents(unsigned texture, Size3 size) {
        std::vector<float> voxels(size.voxels());
        glPixelStorei(GL_PACK_ALIGNMENT, 4);
        glGetTextureImage(texture, 0, GL_RED, GL_FLOAT,
                          static_cast<GLsizei>(voxels.size() * sizeof(float)), voxels.data());
        return voxels;
    }

    std::unique_ptr<CudaInterop> interop_;
    std::unique_ptr<CudaContext> cuda_;
    Geometry odd_ = obliqueGeometry({33, 21, 17});
};

TEST_F(RenderGpu, AContextOfAnotherThreadIsNoneAndLeavesNoErrorBehind) {
    CudaInterop::Answer answer;
    std::string pending;
    std::thread([&] {
        answer = CudaInterop::tryOn(1);
        pending = pendingCudaError();
    }).join();
    EXPECT_EQ(answer.interop, nullptr);
    EXPECT_THAT(answer.reason, testing::HasSubstr("no CUDA device draws this OpenGL context"));
    EXPECT_EQ(pending, "");
}

TEST_F(RenderGpu, ATextureHoldsTheFrameAsTheHostWouldHaveUploadedIt) {
    const auto host = numbers(odd_);
    const auto device = deviceCopy(*host, *cuda_);
    for (const bool half : {false, true}) {
        TextureRing ring(odd_.size(), half);
        const auto written = showFrom(ring, device);
        EXPECT_TRUE(written.byInterop && written.uploaded.written);
        EXPECT_EQ(written.uploaded.bytes, 0u);
        const auto uploaded = showFromHost(ring, *host);
        EXPECT_EQ(uploaded.uploaded.bytes, host->voxels.size() * sizeof(float));
        EXPECT_FALSE(uploaded.byInterop);
        const auto expected = contents(uploaded.texture, odd_.size());
        EXPECT_EQ(expected[4711], host->voxels.data()[4711]);
        EXPECT_EQ(contents(written.texture, odd_.size()), expected) << (half ? "half" : "float");
    }
    EXPECT_EQ(pendingCudaError(), "");
}

TEST_F(RenderGpu, FramesInTurnMoveNothingOverTheBus) {
    TextureRing ring(odd_.size(), false);
    std::vector<std::shared_ptr<const Volume>> frames;
    for (int frame = 0; frame < 7; ++frame) {
        auto host = numbers(odd_);
        host->voxels.data()[100] = static_cast<float>(-frame);
        frames.push_back(deviceCopy(*host, *cuda_));
    }
    const TransferCounters before = interop_->cuda().transfers();
    for (int pass = 0; pass < 3; ++pass)
        for (int frame = 0; frame < 7; ++frame) {
            const auto shown = showFrom(ring, frames[static_cast<std::size_t>(frame)]);
            EXPECT_EQ(shown.uploaded.bytes, 0u);
            EXPECT_EQ(contents(shown.texture, odd_.size())[100], static_cast<float>(-frame));
        }
    EXPECT_FALSE(showFrom(ring, frames.back()).uploaded.written) << "it was there";
    EXPECT_EQ(interop_->cuda().transfers().toDeviceBytes, before.toDeviceBytes);
    EXPECT_EQ(interop_->cuda().transfers().toHostBytes, before.toHostBytes);
    EXPECT_GT(interop_->lastSeconds(), 0);
}

TEST_F(RenderGpu, TheSourceMayGoAsSoonAsItIsShown) {
    TextureRing ring(odd_.size(), false);
    const auto host = numbers(odd_);
    for (int round = 0; round < 20; ++round) {
        unsigned texture = 0;
        {
            const auto device = deviceCopy(*host, *cuda_);
            texture = showFrom(ring, device).texture;
        }
        // What the pool hands out next may be the same block.
        auto other = deviceCopy(*ball(odd_), *cuda_);
        EXPECT_EQ(contents(texture, odd_.size())[4711], host->voxels.data()[4711]);
    }
}

TEST_F(RenderGpu, TheMapOfMagnitudesIsThatOfTheHost) {
    const auto result = turning(numbers(odd_));
    const auto field = deviceCopy(*result->field, *cuda_);
    TextureRing ring(odd_.size(), false);
    TextureSource source;
    source.key = field;
    source.interop = interop_.get();
    source.device = [&] { return magnitudeToTexture(field); };
    const auto shown = ring.show(source);
    interop_->flush();
    const std::vector<float> map = contents(shown.texture, odd_.size());
    const FieldView<const float> view = result->field->view();
    for (std::size_t i = 0; i < map.size(); ++i) {
        const double expected =
            length(odd_.voxelVectorToPhysical({view.u[i], view.v[i], view.w[i]}));
        ASSERT_NEAR(static_cast<double>(map[i]), expected, 1e-6 * (1 + expected)) << i;
    }
}

TEST_F(RenderGpu, ArrowsAreThoseOfTheHost) {
    auto frame = numbers(odd_);
    const auto result = turning(frame);
    const auto device = deviceCopy(*result, *cuda_);
    const Vec3 off = odd_.center() + Vec3{2.2, -3.1, 4.3};
    for (const double spacing : {0.5, 4.0, 9.0})
        for (const bool image : {false, true}) {
            GlyphRules rules;
            rules.spacing = spacing;
            rules.smallestMagnitude = 0.7;
            rules.darkest = 900;
            std::vector<GlyphLattice> lattices{volumeLattice(odd_, spacing)};
            for (const ViewKind kind : {ViewKind::Axial, ViewKind::Coronal, ViewKind::Sagittal})
                lattices.push_back(sliceLattice(odd_, kind, off, spacing));
            for (const GlyphLattice& lattice : lattices) {
                rules.image = image ? frame.get() : nullptr;
                const std::vector<Glyph> expected = sampleGlyphs(*result->field, lattice, rules);
                ASSERT_GT(expected.size(), 3u);

                const std::size_t places =
                    std::visit([](const auto& l) { return l.places(); }, lattice);
                const GlBuffer buffer = makeBuffer(places * sizeof(Glyph), nullptr);
                {
                    const auto object = interop_->buffer(buffer.id());
                    interop_->write(object, glyphsToBuffer(device->device->field,
                                                           image ? device->device->fixed : nullptr,
                                                           lattice, rules));
                    interop_->flush();
                }
                std::vector<Glyph> found(places);
                glGetNamedBufferSubData(
                    buffer.id(), 0, static_cast<GLsizeiptr>(places * sizeof(Glyph)), found.data());
                std::erase_if(found, [](const Glyph& glyph) { return glyph.length == 0; });
                ASSERT_EQ(found.size(), expected.size());
                for (std::size_t i = 0; i < found.size(); ++i) {
                    const Glyph &a = found[i], &b = expected[i];
                    ASSERT_NEAR(a.x, b.x, 1e-4f);
                    ASSERT_NEAR(a.y, b.y, 1e-4f);
                    ASSERT_NEAR(a.z, b.z, 1e-4f);
                    ASSERT_NEAR(a.magnitude, b.magnitude, 1e-5f);
                    ASSERT_NEAR(a.length, b.length, 1e-5f);
                    ASSERT_NEAR(a.dx, b.dx, 1e-5f);
                    ASSERT_NEAR(a.dy, b.dy, 1e-5f);
                    ASSERT_NEAR(a.dz, b.dz, 1e-5f);
                }
            }
        }
}

TEST_F(RenderGpu, TheProbeReadsFromTheDevice) {
    const auto frame = ball(odd_);
    const auto result = turning(frame);
    scene_->setSequence(sequenceOn(odd_), 0, 100);
    scene_->setFrame(nullptr, deviceCopy(*frame, *cuda_));
    scene_->setResult(deviceCopy(*result, *cuda_));
    (void)picture(); // the layout is arranged
    const Vec3 position = odd_.center() + Vec3{3, -2, 1};
    scene_->setCrosshair(position);
    const auto at = scene_->project(ViewKind::Coronal, position);
    ASSERT_TRUE(at);
    const auto probe = scene_->probe(at->x, at->y);
    ASSERT_TRUE(probe && probe->value && probe->displacement);
    EXPECT_NEAR(*probe->value, *valueAt(*frame, probe->position), 1e-3f);
    EXPECT_NEAR(length(*probe->displacement - *displacementAt(*result->field, probe->position)), 0,
                1e-6);
}

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
    // In another context it comes from where it can be had.
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
