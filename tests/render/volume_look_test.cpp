#include "render/display_options.h"
#include "render/scene/quality.h"
#include "render/volume_presets.h"
#include "render/window_presets.h"
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

TEST(VolumePresets, AnEchoIsMostlyOfOneValue) {
    ExecResources resources(1);
    Volume frame(Geometry({10, 10, 10}, {1, 1, 1}), resources.pool(), "frame");
    for (std::size_t i = 0; i < 1000; ++i)
        frame.voxels.data()[i] = static_cast<float>(i % 97);
    EXPECT_EQ(lookOf(frame), "mr");
    for (std::size_t i = 0; i < 700; ++i) // voxels outside the sector
        frame.voxels.data()[i] = 0;
    EXPECT_EQ(lookOf(frame), "echo");
}

TEST(Modality, IsWhatTheFileSaysElseCtByItsValuesElseUnknown) {
    EXPECT_EQ(modalityOf("US", -1000, 400), "echo");
    EXPECT_EQ(modalityOf("CT", 0, 255), "ct");
    EXPECT_EQ(modalityOf("MR", -1000, 400), "mr");
    EXPECT_EQ(modalityOf("", -1000, 400), "ct"); // air around the patient
    EXPECT_EQ(modalityOf("", -2000, 900), "ct"); // padding
    EXPECT_EQ(modalityOf("", -890, 60), "ct");   // lung and muscle
    EXPECT_EQ(modalityOf("", 0, 255), "");
    EXPECT_EQ(modalityOf("", -100, 300), "");     // tissue without air may be anything
    EXPECT_EQ(modalityOf("", -32768, 32767), ""); // no scanner's air
    EXPECT_EQ(modalityOf("", -1000, -900), "");   // nothing but air
    EXPECT_EQ(modalityOf("PT", -1000, 400), "");  // the file knows better
}

TEST(WindowPresets, SuitTheirModality) {
    EXPECT_EQ(windowPresets().front().id, "auto");
    for (const char* modality : {"ct", "mr", "echo", ""}) {
        int suitable = 0;
        for (const WindowPreset& preset : windowPresets())
            suitable += suits(preset, modality);
        EXPECT_GE(suitable, 4) << modality;
    }
    EXPECT_TRUE(suits(windowPreset("lung"), "ct"));
    EXPECT_FALSE(suits(windowPreset("lung"), "mr"));
    EXPECT_FALSE(suits(windowPreset("lung"), ""));
    EXPECT_FALSE(suits(windowPreset("bright"), "ct"));
    EXPECT_THROW(windowPreset("brain"), RenderError);
}

TEST(WindowPresets, AreInHounsfieldUnitsOrInPartsOfTheRange) {
    EXPECT_EQ(windowOf(windowPreset("soft-tissue"), 0, 1), (WindowLevel{400, 40}));
    EXPECT_EQ(windowOf(windowPreset("auto"), 100, 300), (WindowLevel{200, 200}));
    EXPECT_EQ(windowOf(windowPreset("dark"), 100, 300), (WindowLevel{100, 150}));
}

/// A paint whose time is a fixed part plus one per ray.
double paintSeconds(double pixelsPerRay, double full, double fixed) {
    return fixed + full / (pixelsPerRay * pixelsPerRay);
}

TEST(Quality, SettlesBelowTheLimitAndStaysThere) {
    for (const double full : {0.2, 0.8, 2.0, 6.0}) {
        QualityControl quality;
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

TEST(Quality, IsFullAtRestAndOnADeviceThatIsFastEnough) {
    QualityControl quality;
    quality.setInteractive(true);
    quality.painted(3);
    EXPECT_GT(quality.pixelsPerRay(), 1);
    quality.setInteractive(false);
    EXPECT_EQ(quality.pixelsPerRay(), 1);
    quality.setInteractive(true);
    quality.setPace(QualityControl::onDevice);
    quality.painted(0.006);
    EXPECT_EQ(quality.pixelsPerRay(), 1);
    quality.painted(0.03);
    EXPECT_GT(quality.pixelsPerRay(), 1);
}

} // namespace
} // namespace systole
