// Contents of OpenGL's objects that CUDA writes, compared with those that the host uploads.
#include "compute/cardiac/axis_strain_math.h"
#include "compute/cuda/interop.h"
#include "compute/ops/carried_map.h"
#include "compute/surface/isosurface_device.h"
#include "render/device_motion.h"
#include "render/gl/offscreen.h"
#include "render/texture_ring.h"
#include "tests/render/cuda_error_state.h"
#include "tests/render/render_gpu_support.h"
#include "tests/support/box_ventricle.h"
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
        TextureRing ring(half);
        const auto written = showFrom(ring, device);
        EXPECT_TRUE(written.byInterop && written.uploaded.written);
        EXPECT_EQ(written.uploaded.bytes, 0u);
        const auto uploaded = showFromHost(ring, *host);
        EXPECT_EQ(uploaded.uploaded.bytes,
                  host->voxels.size() * (half ? sizeof(std::uint16_t) : sizeof(float)));
        EXPECT_FALSE(uploaded.byInterop);
        const auto expected = contents(uploaded.texture, odd_.size());
        EXPECT_EQ(expected[4711], host->voxels.data()[4711]);
        EXPECT_EQ(contents(written.texture, odd_.size()), expected) << (half ? "half" : "float");
    }
    EXPECT_EQ(pendingCudaError(), "");
}

TEST_F(RenderGpu, FramesInTurnMoveNothingOverTheBus) {
    TextureRing ring;
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
    TextureRing ring;
    const auto host = numbers(odd_);
    for (int round = 0; round < 20; ++round) {
        unsigned texture = 0;
        {
            const auto device = deviceCopy(*host, *cuda_);
            texture = showFrom(ring, device).texture;
        }
        // The pool may hand out the same block next.
        auto other = deviceCopy(*ball(odd_), *cuda_);
        EXPECT_EQ(contents(texture, odd_.size())[4711], host->voxels.data()[4711]);
    }
}

TEST_F(RenderGpu, TheMapOfMagnitudesIsThatOfTheHost) {
    const auto result = turning(numbers(odd_));
    const auto field = deviceCopy(*result->field, *cuda_);
    TextureRing ring;
    TextureSource source;
    source.key = field;
    source.interop = interop_.get();
    source.device = [&] { return magnitudeToTexture(field); };
    const auto shown = ring.show(source, odd_.size(), upload_);
    interop_->flush();
    const std::vector<float> map = contents(shown.texture, odd_.size());
    const FieldView<const float> view = result->field->view();
    for (std::size_t i = 0; i < map.size(); ++i) {
        const double expected =
            length(odd_.voxelVectorToPhysical({view.u[i], view.v[i], view.w[i]}));
        ASSERT_NEAR(static_cast<double>(map[i]), expected, 1e-6 * (1 + expected)) << i;
    }
}

TEST_F(RenderGpu, StrainOfTheHeartIsThatOfTheHost) {
    const auto result = turning(numbers(odd_));
    const auto field = deviceCopy(*result->field, *cuda_);
    const auto diastole = std::make_shared<VectorField>(odd_, resources_.pool(), "a part of it");
    std::ranges::transform(result->field->components.span(), diastole->components.span().begin(),
                           [](float part) { return -0.6f * part; });
    const auto diastoleOnDevice = deviceCopy(*diastole, *cuda_);
    const cardiac::HeartAxesMap axes = cardiac::heartAxesMap(*boxVentricle(odd_));
    const Size3 size = odd_.size();
    const std::size_t n = size.voxels();
    const auto onDevice = axesOnDevice(axes, *interop_);
    for (const auto tensor : {cardiac::Tensor::Engineering, cardiac::Tensor::GreenLagrange}) {
        const auto strainOf = [&](const VectorField& motion) {
            std::vector<float> strain(4 * n);
            cardiac::axisStrain({.motion = motion.view(),
                                 .longitudinal = axes.longitudinal(),
                                 .radial = axes.radial(),
                                 .scale = cardiac::axisScale(odd_),
                                 .tensor = tensor,
                                 .jacobian = {strain.data(), size},
                                 .strain = {strain.data() + n, size}},
                                resources_.context());
            return strain;
        };
        const std::vector<float> strain = strainOf(*result->field), then = strainOf(*diastole);
        for (const bool since : {false, true})
            for (int direction = 0; direction < 3; ++direction) {
                const auto from = static_cast<std::ptrdiff_t>((1 + direction) * n);
                std::vector<float> along(strain.begin() + from,
                                         strain.begin() + from + static_cast<std::ptrdiff_t>(n)),
                    expected(n);
                for (std::size_t i = 0; i < n && since; ++i)
                    along[i] = cardiac::strainSince(then[static_cast<std::size_t>(from) + i],
                                                    along[i], tensor);
                carryMap(result->field->view(), {along.data(), size}, VoxelBox::whole(size),
                         {expected.data(), size}, resources_.context());
                TextureRing ring;
                TextureSource source;
                source.key = field;
                source.interop = interop_.get();
                source.device = [&] {
                    return strainToTexture(field, onDevice,
                                           {direction, tensor, since ? diastoleOnDevice : nullptr});
                };
                const auto shown = ring.show(source, odd_.size(), upload_);
                interop_->flush();
                const std::vector<float> map = contents(shown.texture, size);
                for (std::size_t i = 0; i < n; ++i)
                    ASSERT_NEAR(map[i], expected[i], 1e-3f) << since << direction << ' ' << i;
            }
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

} // namespace
} // namespace systole
