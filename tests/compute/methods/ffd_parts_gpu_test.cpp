// The kernels of the free-form deformation by themselves against the host: quantiles, similarities,
// penalties, each with its derivative, and the same bits again.
#include "compute/methods/ffd/penalty_jacobian.h"
#include "compute/methods/ffd/vector_products.h"
#include "compute/ops/reduce.h"
#include "tests/compute/methods/ffd_device_parts.h"
#include "tests/support/compute_support.h"
#include "tests/support/gpu_support.h"
#include "tests/support/normal_noise.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

using test::TestField;
using test::TestVolume;

float largest(const std::vector<float>& values) {
    float most = 0;
    for (const float v : values)
        most = std::max(most, std::abs(v));
    return most;
}

class FfdParts : public test::OnDevice {};

TEST_F(FfdParts, QuantilesAreTheHostsValues) {
    std::vector<std::vector<float>> cases{{7},
                                          {-1, 5},
                                          test::normalNoise(1000, 1, 3),
                                          test::normalNoise(70'000, 2, 1),
                                          test::normalNoise(2'300'001, 3, 50)};
    for (float& v : cases[3]) // few values, many times
        v = std::max(0.0f, std::round(v));
    cases.push_back(std::vector<float>(5000, -2.5f));
    for (const std::vector<float>& values : cases) {
        const auto found = test::quantilesOnDevice(values, 0.002, 0.998, *cuda);
        const std::vector<float> expected =
            quantiles({values.data(), {static_cast<int>(values.size()), 1, 1}}, {0.002, 0.998});
        EXPECT_EQ(found.low, expected[0]) << values.size();
        EXPECT_EQ(found.high, expected[1]) << values.size();
        EXPECT_EQ(found.least, *std::min_element(values.begin(), values.end()));
        EXPECT_EQ(found.most, *std::max_element(values.begin(), values.end()));
    }
}

TEST_F(FfdParts, ProductsOfVectorsAreTheHostsAndSumsThoseOfDoubles) {
    const Vec3 metric{1, 2.25, 0.5};
    for (const std::size_t points : {std::size_t{1}, std::size_t{777}, std::size_t{150'001}}) {
        std::vector<std::vector<float>> vectors;
        std::vector<double> factors;
        for (std::uint64_t i = 0; i < 11; ++i) {
            vectors.push_back(test::normalNoise(3 * points, 10 + i, 2));
            factors.push_back(i % 3 == 0 ? -0.7 : 0.4 + static_cast<double>(i));
        }
        const auto found = test::vectorsOnDevice(vectors, metric, factors, *cuda);
        std::vector<double> sum(3 * points), size(3 * points);
        for (std::size_t i = 0; i < vectors.size(); ++i) {
            double plain = 0, weighed = 0, magnitude = 0;
            for (std::size_t k = 0; k < 3 * points; ++k) {
                const double factor = metric[static_cast<int>(k / points)];
                const auto v = static_cast<double>(vectors[i][k]);
                const double product = static_cast<double>(vectors[0][k]) * v;
                plain += product;
                weighed += factor * product;
                magnitude += std::abs(factor * product) + std::abs(product);
                sum[k] += factors[i] * (i % 2 == 1 ? factor : 1) * v;
                size[k] += std::abs(factors[i] * factor * v) + std::abs(factors[i] * v);
            }
            EXPECT_NEAR(found.products[2 * i], plain, 1e-13 * magnitude) << points << ' ' << i;
            EXPECT_NEAR(found.products[2 * i + 1], weighed, 1e-13 * magnitude);
            const Size3 row{static_cast<int>(points), 1, 1};
            const FieldView<const float> a(vectors[0].data(), row), b(vectors[i].data(), row);
            EXPECT_EQ(found.products[2 * i], strands::product(a, b, {1, 1, 1}));
            EXPECT_EQ(found.products[2 * i + 1], strands::product(a, b, metric));
        }
        for (std::size_t k = 0; k < 3 * points; ++k)
            ASSERT_NEAR(static_cast<double>(found.sum[k]), sum[k], 1e-6 * size[k]) << k;
        EXPECT_EQ(test::vectorsOnDevice(vectors, metric, factors, *cuda).products, found.products);
    }
}

struct SimilarityCase {
    SimilarityKind kind;
    double window;
    Size3 size;
    bool masks, evenBackground;
};

class SimilarityOnDevice : public test::OnDevice,
                           public testing::WithParamInterface<SimilarityCase> {};

TEST_P(SimilarityOnDevice, HasTheBitsOfTheHostsValueAndDerivative) {
    const auto [kind, window, size, masks, even] = GetParam();
    const auto background = [even = even](double y, double value) {
        return even && y > 6 ? 12.0 : value;
    };
    TestVolume fixed(
        size, [&](double x, double y, double z) { return background(y, test::waves(x, y, z)); });
    TestVolume warped(size, [&](double x, double y, double z) {
        return background(y, 0.8 * test::waves(x + 0.6, y - 0.3, z + 0.2) + 20 +
                                 5 * std::sin(3 * x + y));
    });
    TestVolume weight(size, [masks = masks](double x, double y, double z) {
        return masks ? std::clamp(0.5 + 0.7 * std::sin(0.7 * x + 0.2 * y - z), 0.0, 1.0) : 1;
    });
    TestVolume derivative(size, [](double, double, double) { return 0; });
    Similarity::Level level;
    level.fixed = fixed.view();
    level.moving = warped.view();
    level.movingMasked = masks;
    level.unit = {1, 0.9, 0.5};
    if (masks)
        level.fixedMask = weight.view();
    TestVolume lost(size, [](double x, double y, double) { return 40 + 20 * std::sin(x - y); });
    ComparedImages images{fixed.view(), warped.view(), weight.view()};
    if (kind == SimilarityKind::Lncc)
        images.lost = lost.view();
    Workspace space;
    const auto host = makeSimilarity({kind, window}, size, space);
    const ExecContext ctx = resources.context();
    space.acquire(*ctx.pool);
    host->begin(level, ctx);
    const double value = host->value(images, ctx);
    host->derivative(images, derivative.view(), ctx);
    const auto found = test::similarityOnDevice({kind, window}, level, images, *cuda);
    EXPECT_EQ(found.value, value);
    EXPECT_EQ(found.weights, totalWeight(weight.view(), ctx));
    EXPECT_EQ(found.derivative, derivative.voxels);
    if (const VolumeView<const float> ofLost = host->ofLost(); !ofLost.empty()) {
        EXPECT_EQ(found.ofLost, std::vector<float>(ofLost.data, ofLost.data + size.voxels()));
    }
    const auto again = test::similarityOnDevice({kind, window}, level, images, *cuda);
    EXPECT_EQ(found.value, again.value);
    EXPECT_EQ(found.derivative, again.derivative);
}

std::vector<SimilarityCase> similarityCases() {
    std::vector<SimilarityCase> cases;
    for (const SimilarityKind kind :
         {SimilarityKind::Ssd, SimilarityKind::Nmi, SimilarityKind::Lncc})
        for (const Size3 size :
             {Size3{24, 20, 18}, Size3{37, 11, 5}, Size3{135, 33, 1}, Size3{70, 61, 53}})
            for (const bool masks : {false, true})
                cases.push_back({kind, 2, size, masks, false});
    cases.push_back({SimilarityKind::Nmi, 2, {64, 64, 50}, false, true});
    // Windows of each radius that kernels are built for.
    for (const double window : {1.0, 4.0, 6.5, 10.0})
        cases.push_back({SimilarityKind::Lncc, window, {140, 41, 30}, false, false});
    return cases;
}
INSTANTIATE_TEST_SUITE_P(Cases, SimilarityOnDevice, testing::ValuesIn(similarityCases()));

struct PenaltyCase {
    double bending, elasticity, jacobian;
    Size3 image;
    bool started;
};

class PenaltyOnDevice : public test::OnDevice, public testing::WithParamInterface<PenaltyCase> {
protected:
    test::PenaltyFound onDevice(const std::vector<float>& gradient) {
        return GetParam().jacobian > 0
                   ? test::jacobianOnDevice(GetParam().jacobian, grid, points, more, gradient,
                                            *cuda)
                   : test::quadraticOnDevice(PenaltyWeights(weights), grid, unit, points, more,
                                             gradient, *cuda);
    }
    void SetUp() override {
        OnDevice::SetUp();
        weights.bending = GetParam().bending;
        weights.elasticity = GetParam().elasticity;
        weights.jacobian = GetParam().jacobian;
    }

    ControlGrid grid{GetParam().image, {5, 4, 2}};
    Vec3 unit{1, 1, 2.5};
    FfdParameters weights;
    std::vector<float> points = test::normalNoise(3 * grid.points().voxels(), 11, 0.5f),
                       more = GetParam().started ? test::normalNoise(points.size(), 12, 0.2f)
                                                 : std::vector<float>();
};

TEST_P(PenaltyOnDevice, AddsTheHostsGradient) {
    TestField at(grid.points()), gradient(grid.points());
    for (std::size_t i = 0; i < points.size(); ++i)
        at.values[i] = points[i] + (more.empty() ? 0.0f : more[i]);
    const ExecContext ctx = resources.context();
    const Penalties penalties(PenaltyWeights(weights), grid, unit);
    const auto addTo = [&](TestField& sums) {
        return penalties.add({at.view(), grid}, {sums.view(), grid}, ctx);
    };
    const double expected = addTo(gradient);
    const float most = largest(gradient.values);
    const std::vector<float> before = test::normalNoise(points.size(), 13, 0.1f * most);
    gradient.values = before;
    addTo(gradient);
    const test::PenaltyFound found = onDevice(before);
    EXPECT_EQ(found.alone, expected);
    EXPECT_EQ(found.withGradient, expected);
    EXPECT_EQ(found.gradient, gradient.values);
    const test::PenaltyFound again = onDevice(before);
    EXPECT_EQ(found.withGradient, again.withGradient);
    EXPECT_EQ(found.gradient, again.gradient);
}

INSTANTIATE_TEST_SUITE_P(Cases, PenaltyOnDevice,
                         testing::Values(PenaltyCase{0.7, 0, 0, {21, 14, 9}, false},
                                         PenaltyCase{0.7, 0, 0, {170, 40, 75}, true},
                                         PenaltyCase{0, 0.3, 0, {21, 14, 9}, true},
                                         PenaltyCase{0, 0.3, 0, {170, 40, 75}, false},
                                         PenaltyCase{0.7, 0.3, 0, {171, 33, 60}, true},
                                         PenaltyCase{0.7, 0.3, 0, {3, 2, 2}, false},
                                         PenaltyCase{0, 0, 0.5, {3, 2, 2}, false},
                                         PenaltyCase{0, 0, 0.5, {21, 14, 9}, true},
                                         PenaltyCase{0, 0, 0.5, {120, 61, 75}, false}));

} // namespace
} // namespace systole
