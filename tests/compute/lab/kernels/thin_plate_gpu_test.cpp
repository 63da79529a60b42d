// The thin-plate transform on the device against its bound in double precision, on grids and
// splines of unusual sizes. LabKernelGpuTest goes through all block sizes.
#include "compute/core/block_sizes.h"
#include "compute/core/error.h"
#include "compute/lab/kernels/thin_plate.h"
#include "tests/compute/landmarks/thin_plate_support.h"
#include "tests/support/device_array.h"
#include "tests/support/gpu_support.h"

namespace systole::lab {
namespace {

class ThinPlateOnDevice : public test::OnDevice {
protected:
    test::TestField transformed(int variant, int threads, Size3 size,
                                const ThinPlateSpline& spline) {
        test::DeviceArray<float> out(*cuda, 3 * size.voxels());
        ExecContext ctx = context();
        const BlockSizes blocks({{lab::transformFamily.kernel(variant), threads}});
        ctx.blockSizes = &blocks;
        lab::transformGridOnDevice(variant, spline, {out.data(), size}, ctx);
        test::TestField field(size);
        field.values = out.download();
        return field;
    }
    /// Also within that of the processors' form: both keep the same bound.
    void expectWithinBound(const ThinPlateSpline& spline, Size3 size) {
        test::TestField onHost(size);
        lab::transformGrid(spline, onHost.view(), resources.context());
        ASSERT_LT(test::worstOfBound(spline, onHost), 1);
        for (int variant = 0; variant < lab::transformFamily.count(); ++variant)
            for (const int threads : {96, 1024}) {
                SCOPED_TRACE(lab::transformFamily.kernel(variant) + " " + std::to_string(threads));
                test::TestField found = transformed(variant, threads, size, spline);
                EXPECT_LT(test::worstOfBound(spline, found), 1);
                // Roundings cancel in practice: thousandths of a voxel would be a mistake.
                EXPECT_LT(test::largestDifference(found.values, onHost.values), 1e-3);
            }
    }
};

TEST_F(ThinPlateOnDevice, EveryVariantIsWithinTheBoundOfDoublePrecision) {
    const test::Landmarks marks = test::bentLandmarks(90, {37, 21, 9}, 6);
    const ThinPlateSpline spline = fitThinPlate(marks.from, marks.to, 0.1);
    for (const Size3 size : {Size3{37, 21, 9}, Size3{1, 5, 3}, Size3{1, 1, 1}})
        expectWithinBound(spline, size);
}

/// More than a tile of shared memory and than what constant memory takes at once.
TEST_F(ThinPlateOnDevice, ManyLandmarks) {
    const test::Landmarks marks = test::bentLandmarks(1100, {60, 60, 60}, 8);
    expectWithinBound(fitThinPlate(marks.from, marks.to, 1), {19, 11, 5});
}

class ThinPlateFitOnDevice : public test::OnDevice {
protected:
    void SetUp() override {
        OnDevice::SetUp();
        std::string reason;
        if (!IsSkipped() && !cuda->denseSolver(&reason))
            GTEST_SKIP() << reason;
    }
    static double largestWeightDifference(const ThinPlateSpline& a, const ThinPlateSpline& b) {
        double most = 0;
        for (std::size_t i = 0; i < a.weights.size(); ++i)
            most = std::max(most, length(a.weights[i] - b.weights[i]));
        return most;
    }
};

TEST_F(ThinPlateFitOnDevice, IsEigens) {
    for (const int count : {5, 60, 700}) {
        SCOPED_TRACE(count);
        const test::Landmarks marks = test::bentLandmarks(count, {60, 50, 40}, 8);
        std::vector<double> relaxation(marks.from.size());
        for (std::size_t i = 0; i < relaxation.size(); ++i)
            relaxation[i] = 0.1 + 0.01 * static_cast<double>(i % 7);
        const ThinPlateSpline onHost = fitThinPlate(marks.from, marks.to, relaxation,
                                                    ThinPlateSolve::Host, resources.context()),
                              onDevice = fitThinPlate(marks.from, marks.to, relaxation,
                                                      ThinPlateSolve::Device, context());
        EXPECT_LT(largestWeightDifference(onHost, onDevice), 1e-10);
        for (std::size_t i = 0; i < marks.from.size(); ++i) {
            EXPECT_LT(length(onHost.at(marks.from[i]) - onDevice.at(marks.from[i])), 1e-9);
            // The equations themselves: a residual is -kappa w.
            EXPECT_LT(length(marks.to[i] - onDevice.at(marks.from[i]) +
                             relaxation[i] * onDevice.weights[i]),
                      1e-8);
        }
        const ThinPlateSpline again =
            fitThinPlate(marks.from, marks.to, relaxation, ThinPlateSolve::Device, context());
        EXPECT_EQ(largestWeightDifference(again, onDevice), 0);
    }
}

TEST_F(ThinPlateFitOnDevice, RefusesTwoLandmarksAtOnePlace) {
    test::Landmarks marks = test::bentLandmarks(40, {60, 50, 40}, 8);
    marks.from[7] = marks.from[30];
    const std::vector<double> none(marks.from.size(), 0.0);
    EXPECT_THROW(fitThinPlate(marks.from, marks.to, none, ThinPlateSolve::Device, context()),
                 ComputeError);
    EXPECT_THROW(fitThinPlate(marks.from, marks.to, none, ThinPlateSolve::Device,
                              resources.context()), // not a context of a device
                 ComputeError);
}

TEST_F(ThinPlateFitOnDevice, TakesLandmarksOfAPlane) {
    test::Landmarks marks = test::bentLandmarks(400, {60, 50, 40}, 8);
    for (Vec3& p : marks.from)
        p.z = 0.5 * p.x;
    const std::vector<double> relaxation(marks.from.size(), 0.5);
    const ThinPlateSpline onHost = fitThinPlate(marks.from, marks.to, relaxation,
                                                ThinPlateSolve::Host, resources.context()),
                          onDevice = fitThinPlate(marks.from, marks.to, relaxation,
                                                  ThinPlateSolve::Automatic, context());
    EXPECT_LT(largestWeightDifference(onHost, onDevice), 1e-10);
}

TEST_F(ThinPlateOnDevice, AffineAlone) {
    ThinPlateSpline spline;
    spline.affine = {{{1, 0.5, 0, 0}, {0, 0, 1, -2}, {3, 0, 0, 0.25}}};
    for (int variant = 0; variant < lab::transformFamily.count(); ++variant) {
        test::TestField found = transformed(variant, 256, {4, 3, 2}, spline);
        EXPECT_EQ(found.view().u[23], 2.5f) << lab::transformFamily.kernel(variant);
        EXPECT_EQ(found.view().v[23], 0);
        EXPECT_EQ(found.view().w[23], 3.25f);
    }
}

} // namespace
} // namespace systole::lab
