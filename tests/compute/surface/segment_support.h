// Phantoms to be segmented, their seeds, and their overlap with the truth.
#pragma once

#include "compute/core/error.h"
#include "compute/surface/segment.h"
#include "io/phantom/phantom.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole::test {

enum PhantomLabel { phantomWall = 1, phantomBlood = 2 };

inline PhantomOptions echo() {
    PhantomOptions options;
    options.size = {64, 64, 64};
    return options;
}

inline PhantomOptions hardEcho() {
    PhantomOptions options = echo();
    options.multiplicativeNoise = 0.3;
    options.dropout = 0.9;
    options.sectorDegrees = 70;
    options.biasAmplitude = 0.3;
    return options;
}

inline PhantomOptions ct() {
    PhantomOptions options = echo();
    options.look = PhantomLook::Ct;
    return options;
}

/// 16 slices of 8 mm, voxels of 2 mm.
inline PhantomOptions slices() {
    PhantomOptions options = ct();
    options.size.z = 16;
    options.planesPerSlice = 4;
    options.biasAmplitude = 0.3;
    return options;
}

// Heights at end diastole, LPS mm: apex of the cavity -31, base 41.
inline SegmentSeeds click(const Phantom& phantom, int frame, Vec3 at = {0, 0, 9}) {
    SegmentSeeds seeds;
    seeds.click = phantom.forward(at, phantom.contraction(frame));
    return seeds;
}

inline SegmentSeeds threePoints(const Phantom& phantom, int frame) {
    const double c = phantom.contraction(frame);
    SegmentSeeds seeds;
    seeds.points = VentriclePoints{phantom.forward({0, 0, -31}, c), phantom.forward({0, 0, 41}, c),
                                   phantom.forward({29, 0, 29}, c)};
    return seeds;
}

/// The heart of a fetus: all lengths times `small`.
inline SegmentSeeds shrunk(SegmentSeeds seeds, double small) {
    if (seeds.click)
        seeds.click = small * *seeds.click;
    if (seeds.points)
        seeds.points = VentriclePoints{small * seeds.points->apex, small * seeds.points->mitral,
                                       small * seeds.points->rightVentricle};
    return seeds;
}

inline double dice(const std::vector<std::uint8_t>& a, int labelA,
                   const std::vector<std::uint8_t>& b, int labelB) {
    double both = 0, sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        both += a[i] == labelA && b[i] == labelB ? 1 : 0;
        sum += (a[i] == labelA ? 1 : 0) + (b[i] == labelB ? 1 : 0);
    }
    return 2 * both / sum;
}

/// Images of phantoms.
class SegmentPhantoms : public ::testing::Test {
protected:
    ExecResources resources{2};
    ExecContext ctx = resources.context();

    Volume imageOf(const Phantom& phantom, int frame) {
        Volume image(phantom.geometry(), *ctx.pool, "image");
        phantom.image(frame, image.view(), ctx);
        return image;
    }

    Volume shrunkImageOf(const Phantom& phantom, double small) {
        const Volume image = imageOf(phantom, 0);
        const Geometry& grid = image.geometry;
        Volume fetal(
            Geometry(grid.size(), small * grid.spacing(), small * grid.origin(), grid.direction()),
            *ctx.pool, "fetal image");
        std::ranges::copy(image.voxels.span(), fetal.voxels.data());
        return fetal;
    }

    void expectError(const Volume& image, const SegmentSeeds& seeds, const std::string& words,
                     const SegmentOptions& options = {}) {
        try {
            segmentFrame(image, seeds, options, nullptr, ctx);
            ADD_FAILURE() << "no error about " << words;
        } catch (const ComputeError& error) {
            EXPECT_THAT(error.what(), ::testing::HasSubstr(words));
        }
    }
};

} // namespace systole::test
