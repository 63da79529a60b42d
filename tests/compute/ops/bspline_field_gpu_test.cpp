// The B-spline field and its transposed operator on the device: every variant with tiles 3 to 7,
// unequal ones and odd sizes against the definition. LabKernelGpuTest goes through all block sizes.
#include "compute/core/block_sizes.h"
#include "compute/core/error.h"
#include "compute/lab/kernels/bspline.h"
#include "tests/compute/ops/bspline_field_support.h"
#include "tests/support/device_array.h"
#include "tests/support/gpu_support.h"
#include "tests/support/normal_noise.h"

namespace systole {
namespace {

using test::DeviceArray;
using test::splineGrids;
using test::TestControlPoints;

class BsplineOnDevice : public test::OnDevice {
protected:
    std::vector<float> field(int variant, const TestControlPoints& points, int threads = 0) {
        const ControlGrid& grid = points.grid;
        DeviceArray<float> from(*cuda, points.values), to(*cuda, 3 * grid.image.voxels());
        ExecContext ctx = context();
        const std::string kernel = lab::bsplineFamily.kernel(variant);
        const BlockSizes blocks = threads > 0 ? BlockSizes({{kernel, threads}}) : BlockSizes();
        ctx.blockSizes = &blocks;
        lab::bsplineFieldOnDevice(variant, {{from.data(), grid.points()}, grid},
                                  {to.data(), grid.image}, ctx);
        return to.download();
    }
    std::vector<float> sums(const ControlGrid& grid, const std::vector<float>& perVoxel) {
        DeviceArray<float> from(*cuda, perVoxel), to(*cuda, 3 * grid.points().voxels());
        bsplineGradientOnDevice({from.data(), grid.image}, {{to.data(), grid.points()}, grid},
                                context());
        return to.download();
    }
};

double errorAllowed(int variant, double exact) {
    return variant == lab::bsplineFamily.named("texture-filter") ? 0.2 : exact;
}

TEST_F(BsplineOnDevice, EveryVariantEqualsTheDefinitionInDoublePrecision) {
    for (const ControlGrid& grid : splineGrids) {
        const TestControlPoints points = test::randomControlPoints(grid, 10, 4);
        const std::vector<double> expected = test::splineInDouble(grid, points.values, false);
        for (int variant = 0; variant < lab::bsplineFamily.count(); ++variant)
            EXPECT_LE(test::largestDifference(field(variant, points), expected),
                      errorAllowed(variant, 8e-6))
                << lab::bsplineFamily.kernel(variant) << " " << test::splineName(grid);
    }
}

TEST_F(BsplineOnDevice, TilesThatBeginBesideTheImageEqualTheDefinition) {
    std::vector<ControlGrid> grids = test::splineGridsOfAllMargins();
    grids.push_back(ControlGrid::centered(test::largeSplineGrid.image, test::largeSplineGrid.tile));
    for (const ControlGrid& grid : grids) {
        const TestControlPoints points = test::randomControlPoints(grid, 10, 4);
        DeviceArray<float> from(*cuda, points.values), to(*cuda, 3 * grid.image.voxels());
        bsplineFieldOnDevice({{from.data(), grid.points()}, grid}, {to.data(), grid.image},
                             context());
        EXPECT_LE(test::largestDifference(to.download(),
                                          test::splineInDouble(grid, points.values, false)),
                  8e-6)
            << test::splineName(grid);
    }
}

TEST_F(BsplineOnDevice, LargeFieldsAndSumsEqualTheDefinition) {
    const ControlGrid& grid = test::largeSplineGrid;
    const TestControlPoints points = test::randomControlPoints(grid, 10, 4);
    EXPECT_LE(test::largestDifference(field(lab::bsplineFamily.named("columns"), points),
                                      test::splineInDouble(grid, points.values, false)),
              8e-6);
    const std::vector<float> perVoxel = test::normalNoise(3 * grid.image.voxels(), 5);
    const std::vector<float> found = sums(grid, perVoxel);
    EXPECT_LE(test::largestDifference(found, test::splineInDouble(grid, perVoxel, true)), 3e-5);
    EXPECT_EQ(sums(grid, perVoxel), found);
}

TEST_F(BsplineOnDevice, GridsWhosePointsAreAskedForAheadAreExact) {
    const ControlGrid grid{{140, 131, 120}, {1, 1, 1}}; // 28 MB of control points
    const TestControlPoints points = test::randomControlPoints(grid, 10, 4);
    const std::vector<float> expected = field(lab::bsplineFamily.named("global"), points),
                             found = field(lab::bsplineFamily.named("columns"), points);
    double largest = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
        largest = std::max(largest, static_cast<double>(std::abs(found[i] - expected[i])));
    EXPECT_LE(largest, 1.6e-5);
}

TEST_F(BsplineOnDevice, RowsThatBeginAnywhereHaveTheSameBits) {
    const ControlGrid grid{{38, 19, 11}, {4, 3, 5}};
    const TestControlPoints points = test::randomControlPoints(grid, 10, 4);
    const std::size_t n = grid.image.voxels();
    DeviceArray<float> from(*cuda, points.values), to(*cuda, 3 * n + 1);
    bsplineFieldOnDevice({{from.data(), grid.points()}, grid}, {to.data() + 1, grid.image},
                         context());
    const std::vector<float> all = to.download();
    EXPECT_EQ(std::vector<float>(all.begin() + 1, all.end()),
              field(lab::bsplineFamily.named("columns"), points));
}

TEST_F(BsplineOnDevice, LinearInterpolationsHaveTheErrorOfTheThesis) {
    const ControlGrid grid{{64, 60, 52}, {5, 5, 5}};
    const TestControlPoints points = test::randomControlPoints(grid, 10, 4);
    const std::vector<double> expected = test::splineInDouble(grid, points.values, false);
    const std::vector<float> found =
        field(lab::bsplineFamily.named("thread-per-tile-lerp"), points);
    double sum = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
        sum += std::abs(static_cast<double>(found[i]) - expected[i]);
    EXPECT_LE(sum / static_cast<double>(found.size()), 2.8e-6);
}

TEST_F(BsplineOnDevice, WeightsSumToOne) {
    for (const ControlGrid& grid : splineGrids) {
        const TestControlPoints points(grid, [](Vec3) { return Vec3{1, -1, 1}; });
        for (int variant = 0; variant < lab::bsplineFamily.count(); ++variant)
            for (const float value : field(variant, points))
                ASSERT_NEAR(std::abs(value), 1, 1e-6)
                    << lab::bsplineFamily.kernel(variant) << " " << test::splineName(grid);
    }
}

TEST_F(BsplineOnDevice, AffineMapsAreReproduced) {
    const auto affine = [](Vec3 p) {
        return Vec3{0.02 * p.x - 0.01 * p.y + 1, 0.03 * p.y + 0.005 * p.z, 2 - 0.04 * p.z};
    };
    for (const ControlGrid& grid : splineGrids) {
        const TestControlPoints points(grid, affine);
        const VolumeView<const float> image(nullptr, grid.image);
        for (int variant = 0; variant < lab::bsplineFamily.count(); ++variant) {
            const std::vector<float> found = field(variant, points);
            for (int z = 0; z < grid.image.z; ++z)
                for (int y = 0; y < grid.image.y; ++y)
                    for (int x = 0; x < grid.image.x; ++x)
                        for (int c = 0; c < 3; ++c)
                            ASSERT_NEAR(static_cast<double>(
                                            found[static_cast<std::size_t>(c) * image.voxels() +
                                                  image.offset(x, y, z)]),
                                        affine({double(x), double(y), double(z)})[c],
                                        errorAllowed(variant, 3e-6))
                                << lab::bsplineFamily.kernel(variant) << " "
                                << test::splineName(grid);
        }
    }
}

TEST_F(BsplineOnDevice, BlocksOfEverySizeGiveTheSame) {
    const ControlGrid& grid = splineGrids[2];
    const TestControlPoints points = test::randomControlPoints(grid, 10, 4);
    for (int variant = 0; variant < lab::bsplineFamily.count(); ++variant) {
        const std::vector<float> expected = field(variant, points);
        for (const int threads : {32, 96, 256})
            EXPECT_EQ(field(variant, points, threads), expected)
                << lab::bsplineFamily.kernel(variant) << " " << threads;
    }
}

TEST_F(BsplineOnDevice, TheGradientEqualsTheDefinitionAndHasTheSameBitsInEveryRun) {
    for (const ControlGrid& grid : test::splineGridsOfAllMargins()) {
        const std::vector<float> perVoxel = test::normalNoise(3 * grid.image.voxels(), 5);
        const std::vector<double> expected = test::splineInDouble(grid, perVoxel, true);
        double scale = 1;
        for (const double v : expected)
            scale = std::max(scale, std::abs(v));
        const std::vector<float> found = sums(grid, perVoxel);
        EXPECT_LE(test::largestDifference(found, expected), 3e-6 * scale) << test::splineName(grid);
        EXPECT_EQ(sums(grid, perVoxel), found);
    }
}

TEST_F(BsplineOnDevice, RefusesTilesThatItsTablesCantHoldAndSplitComponents) {
    const ControlGrid large{{130, 5, 5}, {65, 5, 5}};
    EXPECT_THROW(field(lab::bsplineFamily.named("columns"), TestControlPoints(large)),
                 ComputeError);
    const ControlGrid grid{{9, 9, 9}, {5, 5, 5}};
    DeviceArray<float> from(*cuda, TestControlPoints(grid).values), to(*cuda, 3 * 729);
    FieldView<const float> split(from.data(), grid.points());
    std::swap(split.v, split.w);
    EXPECT_THROW(lab::bsplineFieldOnDevice(lab::bsplineFamily.named("texture-1d"), {split, grid},
                                           {to.data(), grid.image}, context()),
                 ComputeError);
}

} // namespace
} // namespace systole
