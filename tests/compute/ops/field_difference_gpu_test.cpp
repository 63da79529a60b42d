// |a − b| on the device against the form for processors.
#include "compute/core/error.h"
#include "compute/ops/field_difference.h"
#include "tests/support/compute_support.h"
#include "tests/support/gpu_support.h"

#include <vector>

namespace systole {
namespace {

class FieldDifferenceOnDevice : public test::OnDevice {
protected:
    VectorField noise(const Geometry& geometry, std::uint64_t seed) {
        VectorField field(geometry, resources.pool(), "field");
        for (std::size_t i = 0; i < field.components.size(); ++i)
            field.components.data()[i] =
                static_cast<float>(normalPair(randomBits(seed, 3, i)).first);
        return field;
    }
    VectorField uploaded(const VectorField& host) {
        VectorField field(host.geometry, cuda->devicePool(), "field");
        cuda->upload(host.components.data(), field.components.data(),
                     host.components.size() * sizeof(float), CudaStream::Compute);
        return field;
    }
    static Geometry grid(Size3 size) {
        const double c = std::cos(0.4), s = std::sin(0.4);
        return {
            size, {2.0, 1.5, 2.5}, {12, -40, 70}, Matrix3{{{-c, 0, -s}, {-s, 0, c}, {0, 1, 0}}}};
    }
    /// Figures and map of the device beside those of the processor.
    void expectTheSame(const VectorField& a, const VectorField& b) {
        Volume map(a.geometry, resources.pool(), "map");
        const FieldDifference expected = fieldDifference(a, b, map.view(), resources.context());
        Volume onDevice(a.geometry, cuda->devicePool(), "map");
        const FieldDifference found =
            fieldDifferenceOnDevice(uploaded(a), uploaded(b), onDevice.view(), *cuda);
        std::vector<float> brought(a.geometry.voxels());
        cuda->download(onDevice.voxels.data(), brought.data(), brought.size() * sizeof(float),
                       CudaStream::Compute);
        cuda->synchronize(CudaStream::Compute);
        const std::vector<float> plain(map.voxels.data(), map.voxels.data() + brought.size());
        EXPECT_LT(test::largestDifference(brought, plain), 1e-5);
        EXPECT_NEAR(found.mean, expected.mean, 1e-6 * expected.mean);
        EXPECT_NEAR(found.meanVoxels, expected.meanVoxels, 1e-6 * expected.meanVoxels);
        EXPECT_NEAR(found.maximum, expected.maximum, 1e-6 * expected.maximum);
        EXPECT_NEAR(found.maximumVoxels, expected.maximumVoxels, 1e-6 * expected.maximumVoxels);
        EXPECT_EQ(found.maximumIndex, expected.maximumIndex);
        EXPECT_NEAR(length(found.maximumAt - expected.maximumAt), 0, 1e-9);
        EXPECT_GE(found.quantile99, expected.quantile99 * (1 - 1e-5));
        EXPECT_LE(found.quantile99, expected.quantile99 + expected.maximum / 4000);
    }
};

TEST_F(FieldDifferenceOnDevice, EqualsTheFormForProcessors) {
    for (const Size3 size : {Size3{33, 18, 7}, Size3{131, 9, 6}, Size3{1, 9, 20}, Size3{40, 31, 1},
                             Size3{1, 1, 1}, Size3{96, 80, 70}}) {
        SCOPED_TRACE(std::to_string(size.x) + "×" + std::to_string(size.y));
        const VectorField a = noise(grid(size), 1), b = noise(grid(size), 2);
        expectTheSame(a, b);
        expectTheSame(a, a);
    }
}

TEST_F(FieldDifferenceOnDevice, FieldsOfTwoGridsAreRefused) {
    const VectorField a = uploaded(noise(grid({4, 4, 4}), 1));
    const VectorField b = uploaded(noise(Geometry({4, 4, 4}, {1, 1, 1}), 1));
    Volume map(a.geometry, cuda->devicePool(), "map");
    EXPECT_THROW(fieldDifferenceOnDevice(a, b, map.view(), *cuda), ComputeError);
}

} // namespace
} // namespace systole
