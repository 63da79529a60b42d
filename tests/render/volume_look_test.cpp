#include "render/display_options.h"
#include "render/scene/quality.h"
#include "render/volume_presets.h"
#include "tests/render/render_support.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

TEST(VolumePresets, EveryPresetOfTheListHasAnAscendingTransfer) {
    for (const VolumePreset& preset : volumePresets()) {
        if (preset.id == "auto")
            continue;
        const VolumeTransfer transfer = volumeTransfer(preset.id, -100, 900, 150);
        EXPECT_LT(transfer.lowest(), transfer.highest());
        EXPECT_EQ(transfer.opacities.front().opacity, 0) << preset.id << ": air must be clear";
        for (std::size_t i = 1; i < transfer.opacities.size(); ++i) {
            EXPECT_GT(transfer.opacities[i].value, transfer.opacities[i - 1].value);
            EXPECT_GE(transfer.opacities[i].opacity, 0);
            EXPECT_LE(transfer.opacities[i].opacity, 1);
        }
        EXPECT_GT(transfer.unitMillimeters, 0);
    }
    EXPECT_THROW(volumeTransfer("pet", 0, 1, 100), RenderError);
}

TEST(VolumePresets, AConstantImageHasATransferToo) {
    const VolumeTransfer transfer = volumeTransfer("mr", 7, 7, 0);
    EXPECT_LT(transfer.lowest(), transfer.highest());
}

TEST(VolumePresets, TheModalityDecidesAndElseTheGrayValues) {
    EXPECT_EQ(presetOfModality("US"), "echo");
    EXPECT_EQ(presetOfModality("CT"), "ct");
    EXPECT_EQ(presetOfModality("MR"), "mr");
    EXPECT_EQ(presetOfModality(""), "");
    ExecResources resources(1);
    Volume frame(Geometry({10, 10, 10}, {1, 1, 1}), resources.pool(), "frame");
    for (std::size_t i = 0; i < 1000; ++i)
        frame.voxels.data()[i] = static_cast<float>(i % 97);
    EXPECT_EQ(automaticPreset(frame, 0, 96), "mr");
    EXPECT_EQ(automaticPreset(frame, -900, 400), "ct");
    for (std::size_t i = 0; i < 700; ++i) // outside the sector
        frame.voxels.data()[i] = 0;
    EXPECT_EQ(automaticPreset(frame, 0, 96), "echo");
}

/// A paint whose time is a fixed part plus one per ray.
double paintSeconds(double pixelsPerRay, double full, double fixed) {
    return fixed + full / (pixelsPerRay * pixelsPerRay);
}

TEST(Quality, SettlesBelowTheLimitAndStaysThere) {
    for (const double full : {0.2, 0.8, 2.0, 6.0}) {
        QualityControl quality;
        quality.setAdaptive(true);
        quality.setInteractive(true);
        double seconds = 0;
        for (int paint = 0; paint < 60; ++paint) {
            seconds = paintSeconds(quality.pixelsPerRay(), full, 0.02);
            if (paint >= 4) {
                EXPECT_LT(seconds, 0.1) << full << " s at full quality, paint " << paint;
            }
            quality.painted(seconds);
        }
        EXPECT_GT(seconds, 0.04) << "coarser than needed";
    }
}

TEST(Quality, IsFullAtRestAndOnAGpu) {
    QualityControl quality;
    quality.setAdaptive(true);
    quality.setInteractive(true);
    quality.painted(3);
    EXPECT_GT(quality.pixelsPerRay(), 1);
    quality.setInteractive(false);
    EXPECT_EQ(quality.pixelsPerRay(), 1);
    quality.setInteractive(true);
    quality.setAdaptive(false);
    EXPECT_EQ(quality.pixelsPerRay(), 1);
}

} // namespace
} // namespace systole
