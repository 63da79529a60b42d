// The analytic gradients of the free-form deformation's similarities and penalties against central
// differences in double precision, and the penalties against their integrals.
#include "compute/methods/ffd/basis_integrals.h"
#include "compute/methods/ffd/control_points.h"
#include "compute/methods/ffd/penalty_bending.h"
#include "compute/methods/ffd/penalty_elastic.h"
#include "compute/methods/ffd/penalty_jacobian.h"
#include "compute/methods/ffd/similarity.h"
#include "compute/methods/ffd/warp.h"
#include "compute/ops/bspline_field.h"
#include "tests/support/compute_support.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

using test::TestField;
using test::TestVolume;

/// Directions of change: pseudo-random, the same every time.
std::vector<float> direction(std::size_t count, std::uint64_t seed) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = normalPair(randomBits(seed, 3, i)).first;
    return values;
}

/// The derivative of f along `by`, by central differences of fourth order.
template <typename F>
double centralDifference(const F& f, double h) {
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

struct SimilarityCase {
    SimilarityKind kind;
    Backend backend;
    Size3 size;
    bool masks;
};

class SimilarityGradient : public testing::TestWithParam<SimilarityCase> {};

TEST_P(SimilarityGradient, IsTheDerivativeByTheWarpedImage) {
    const auto [kind, backend, size, masks] = GetParam();
    TestVolume fixed(size, test::waves), warped(size, [](double x, double y, double z) {
        return 0.8 * test::waves(x + 0.6, y - 0.3, z + 0.2) + 20 + 5 * std::sin(3 * x + y);
    });
    TestVolume weight(size, [&](double x, double y, double z) {
        return masks ? 0.5 + 0.5 * std::sin(0.7 * x + 0.2 * y - z) : 1;
    });
    Workspace space;
    const auto similarity = makeSimilarity({kind, 2}, size, space);
    ExecResources resources(2);
    ExecContext ctx = resources.context();
    ctx.backend = backend;
    space.acquire(*ctx.pool);
    similarity->begin({fixed.view(),
                       masks ? weight.view() : VolumeView<float>(),
                       warped.view(),
                       masks,
                       {1, 1, 1}},
                      ctx);
    // A step along the derivative itself counts every voxel's part with its sign.
    TestVolume derivative(size, [](double, double, double) { return 0; });
    const std::vector<float> base = warped.voxels;
    similarity->value({fixed.view(), warped.view(), weight.view()}, ctx);
    similarity->derivative({fixed.view(), warped.view(), weight.view()}, derivative.view(), ctx);
    double largest = 0, analytic = 0;
    for (const float v : derivative.voxels)
        largest = std::max(largest, std::abs(static_cast<double>(v)));
    ASSERT_GT(largest, 0);
    std::vector<double> along;
    for (const float v : derivative.voxels) {
        along.push_back(static_cast<double>(v) / largest);
        analytic += static_cast<double>(v) * along.back();
    }
    const auto value = [&](double h) {
        for (std::size_t i = 0; i < base.size(); ++i)
            warped.voxels[i] = static_cast<float>(static_cast<double>(base[i]) + h * along[i]);
        return similarity->value({fixed.view(), warped.view(), weight.view()}, ctx);
    };
    EXPECT_NEAR(centralDifference(value, 0.5) / analytic, 1, 1e-3);
}

std::vector<SimilarityCase> similarityCases() {
    std::vector<SimilarityCase> cases;
    for (const SimilarityKind kind :
         {SimilarityKind::Ssd, SimilarityKind::Nmi, SimilarityKind::Lncc})
        for (const Backend backend : {Backend::Cpu, Backend::CpuReference})
            for (const Size3 size : {Size3{24, 20, 18}, Size3{37, 11, 5}, Size3{21, 33, 1}})
                for (const bool masks : {false, true})
                    cases.push_back({kind, backend, size, masks});
    return cases;
}
INSTANTIATE_TEST_SUITE_P(Similarities, SimilarityGradient, testing::ValuesIn(similarityCases()));

TEST(SimilarityGradient, OfTheCorrelationByLostNoise) {
    const Size3 size{24, 20, 18};
    TestVolume fixed(size, test::waves), lost(size, [](double x, double y, double z) {
        return 30 + 20 * std::sin(0.3 * x + 0.5 * y - 0.2 * z);
    });
    TestVolume warped(size, [](double x, double y, double z) {
        return 0.8 * test::waves(x + 0.6, y - 0.3, z + 0.2) + 20 + 5 * std::sin(3 * x + y);
    });
    TestVolume weight(size, [](double x, double, double) { return x < 20 ? 1 : 0.4; }),
        derivative(size, test::waves);
    Workspace space;
    const auto similarity = makeSimilarity({SimilarityKind::Lncc, 2}, size, space);
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    space.acquire(*ctx.pool);
    similarity->begin({fixed.view(), weight.view(), warped.view(), false, {1, 1, 1}}, ctx);
    const ComparedImages images{fixed.view(), warped.view(), weight.view(), lost.view()};
    similarity->value(images, ctx);
    similarity->derivative(images, derivative.view(), ctx);
    const std::vector<float> base = lost.voxels, along(similarity->ofLost().data,
                                                       similarity->ofLost().data + size.voxels());
    const double largest =
        static_cast<double>(std::abs(*std::ranges::min_element(along))); // all are below 0 or 0
    double analytic = 0;
    for (const float v : along)
        analytic += static_cast<double>(v) * static_cast<double>(v) / largest;
    const auto value = [&](double h) {
        for (std::size_t i = 0; i < base.size(); ++i)
            lost.voxels[i] = base[i] + static_cast<float>(h / largest) * along[i];
        return similarity->value(images, ctx);
    };
    EXPECT_NEAR(centralDifference(value, 2) / analytic, 1, 2e-3);
}

/// Σ derivative(p) · (warped(p) − lost(p)) changes with the control points as warpForces says.
TEST(FfdForces, AreTheDerivativeByTheControlPointsOnTwoGrids) {
    const Size3 size{26, 22, 15}, other{31, 28, 20};
    const ControlGrid grid{size, {6, 5, 4}};
    TestVolume moving(other, test::waves), derivative(size, [](double x, double y, double z) {
        return std::cos(0.3 * x - 0.2 * y + 0.5 * z);
    });
    TestVolume ofLost(
        size, [&](double x, double y, double z) { return -std::cos(0.3 * x - 0.2 * y + 0.5 * z); });
    IndexMap map;
    const float matrix[3][3] = {
        {0.98f, 0.15f, 0.02f}, {-0.14f, 1.03f, 0.05f}, {0.01f, -0.04f, 1.2f}};
    std::copy(&matrix[0][0], &matrix[0][0] + 9, &map.matrix[0][0]);
    map.offset[0] = 2.3f, map.offset[1] = 3.7f, map.offset[2] = 0.9f;
    ExecResources resources(2);
    for (const Backend backend : {Backend::Cpu, Backend::CpuReference}) {
        ExecContext ctx = resources.context();
        ctx.backend = backend;
        TestField points(grid.points()), gradient(grid.points()), field(size);
        points.values = direction(points.values.size(), 5);
        const std::vector<float> along = direction(points.values.size(), 6), base = points.values;
        TestVolume warped(size, test::waves), weight(size, test::waves), lost(size, test::waves);
        const MovingImage from{moving.view(), {}, map, 90};
        const auto warp = [&](double h) {
            for (std::size_t i = 0; i < base.size(); ++i)
                points.values[i] = base[i] + static_cast<float>(h) * along[i];
            bsplineField({points.view(), grid}, field.view(), ctx);
            warpMoving(from, field.view(), {}, warped.view(), weight.view(), lost.view(), ctx);
            double sum = 0;
            for (std::size_t i = 0; i < warped.voxels.size(); ++i)
                sum += static_cast<double>(derivative.voxels[i]) *
                       static_cast<double>(warped.voxels[i] - lost.voxels[i]);
            return sum;
        };
        warp(0);
        warpForces(from, field.view(), {derivative.view(), ofLost.view()}, field.view(), ctx);
        bsplineGradient(field.view(), {gradient.view(), grid}, ctx);
        double analytic = 0;
        for (std::size_t i = 0; i < along.size(); ++i)
            analytic += static_cast<double>(along[i]) * static_cast<double>(gradient.values[i]);
        // The trilinear value has kinks between voxels: a small step crosses few.
        EXPECT_NEAR(centralDifference(warp, 2e-4) / analytic, 1, 5e-3) << name(backend);
    }
}

class QuadraticPenalty : public testing::TestWithParam<ControlGrid> {};

/// Derivative of the spline's components by orders of each axis, in double precision.
double derivativeAt(ControlPointsView<const float> points, int component, const int (&order)[3],
                    const int (&tile)[3], const double (&u)[3]) {
    double sum = 0;
    for (int n = 0; n < 4; ++n)
        for (int m = 0; m < 4; ++m)
            for (int l = 0; l < 4; ++l)
                sum += cubicBasis(order[0], l, u[0]) * cubicBasis(order[1], m, u[1]) *
                       cubicBasis(order[2], n, u[2]) *
                       static_cast<double>(points.values.componentView(component)(
                           tile[0] + l, tile[1] + m, tile[2] + n));
    return sum;
}

TEST_P(QuadraticPenalty, IsTheMeanOfSquaredDerivativesAndItsGradientFits) {
    const ControlGrid& grid = GetParam();
    const Vec3 unit{1, 1, 2.5};
    const Size3 n = grid.points();
    TestField points(n), gradient(n);
    points.values = direction(points.values.size(), 11);
    const GridIntegrals integrals(grid, unit);
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    const double length[3] = {grid.tile.x * unit.x, grid.tile.y * unit.y, grid.tile.z * unit.z};
    const double nodes[4] = {0.06943184420297371, 0.33000947820757187, 0.6699905217924281,
                             0.9305681557970263},
                 weights[4] = {0.17392742256872692, 0.32607257743127305, 0.32607257743127305,
                               0.17392742256872692};
    // Length from the first voxel's center to the last one's, in tiles; 1 for a single voxel.
    const auto tilesAlong = [&](int axis) {
        const int voxels = grid.image[axis];
        return voxels > 1 ? static_cast<double>(voxels - 1) / grid.tile[axis] : 1.0;
    };
    const auto firstAlong = [&](int axis) {
        return grid.image[axis] > 1 ? 0.5 * grid.margin[axis] / grid.tile[axis] : 0.0;
    };
    double bending = 0, elastic = 0;
    for (int tz = 0; tz < n.z - 3; ++tz)
        for (int ty = 0; ty < n.y - 3; ++ty)
            for (int tx = 0; tx < n.x - 3; ++tx)
                for (int q = 0; q < 64; ++q) {
                    const int at[3] = {q % 4, q / 4 % 4, q / 16}, tile[3] = {tx, ty, tz};
                    double u[3], weight = 1;
                    for (int i = 0; i < 3; ++i) {
                        const double begin = std::clamp(firstAlong(i) - tile[i], 0.0, 1.0),
                                     part = std::clamp(firstAlong(i) + tilesAlong(i) - tile[i], 0.0,
                                                       1.0) -
                                            begin;
                        u[i] = begin + part * nodes[at[i]];
                        weight *= part * weights[at[i]];
                    }
                    double first[3][3];
                    for (int c = 0; c < 3; ++c)
                        for (int i = 0; i < 3; ++i) {
                            int order[3] = {0, 0, 0};
                            ++order[i];
                            first[c][i] = unit[c] / length[i] *
                                          derivativeAt({points.view(), grid}, c, order, tile, u);
                            for (int j = 0; j < 3; ++j) {
                                int both[3] = {0, 0, 0};
                                ++both[i], ++both[j];
                                const double second =
                                    unit[c] / (length[i] * length[j]) *
                                    derivativeAt({points.view(), grid}, c, both, tile, u);
                                bending += weight * second * second;
                            }
                        }
                    double divergence = 0;
                    for (int i = 0; i < 3; ++i) {
                        divergence += first[i][i];
                        for (int j = 0; j < 3; ++j) {
                            const double strain = 0.5 * (first[i][j] + first[j][i]);
                            elastic += weight * strain * strain;
                        }
                    }
                    elastic += 0.5 * weight * divergence * divergence;
                }
    const double tiles = tilesAlong(0) * tilesAlong(1) * tilesAlong(2);
    const std::vector<float> base = points.values, along = direction(base.size(), 12);
    for (const auto& [terms, expected] :
         {std::pair{bendingTerms(), bending / tiles}, {elasticTerms(), elastic / tiles}}) {
        points.values = base;
        std::fill(gradient.values.begin(), gradient.values.end(), 0.0f);
        const double found = addQuadratic(terms, integrals, {points.view(), grid}, 0.7,
                                          {gradient.view(), grid}, ctx);
        EXPECT_NEAR(found / (0.7 * expected), 1, 1e-5);
        double analytic = 0;
        for (std::size_t i = 0; i < along.size(); ++i)
            analytic += static_cast<double>(along[i]) * static_cast<double>(gradient.values[i]);
        const auto value = [&](double h) {
            for (std::size_t i = 0; i < base.size(); ++i)
                points.values[i] = base[i] + static_cast<float>(h) * along[i];
            return addQuadratic(terms, integrals, {points.view(), grid}, 0.7, {}, ctx);
        };
        EXPECT_NEAR(centralDifference(value, 0.1) / analytic, 1, 1e-3);
    }
}
INSTANTIATE_TEST_SUITE_P(Grids, QuadraticPenalty,
                         testing::Values(ControlGrid{{21, 14, 9}, {5, 4, 2}},
                                         ControlGrid{{12, 12, 1}, {5, 4, 2}},
                                         ControlGrid{{3, 2, 2}, {5, 4, 2}},
                                         ControlGrid::centered({21, 14, 9}, {5, 4, 2}),
                                         ControlGrid::centered({11, 14, 1}, {5, 4, 2}, {2, 2, 2})));

TEST(FfdPenalties, TheJacobiansGradientFitsEvenWhereTheSplineFolds) {
    const ControlGrid grid{{23, 17, 9}, {5, 4, 2}};
    TestField points(grid.points()), gradient(grid.points());
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    const std::vector<float> along = direction(points.values.size(), 32);
    for (const float amplitude : {0.3f, 2.0f}) {
        std::vector<float> base = direction(points.values.size(), 31);
        for (float& v : base)
            v *= amplitude;
        const auto value = [&](double h) {
            for (std::size_t i = 0; i < base.size(); ++i)
                points.values[i] = base[i] + static_cast<float>(h) * along[i];
            return addJacobianPenalty({points.view(), grid}, 0.7, {}, ctx);
        };
        const double before = value(0);
        std::fill(gradient.values.begin(), gradient.values.end(), 0.0f);
        EXPECT_EQ(addJacobianPenalty({points.view(), grid}, 0.7, {gradient.view(), grid}, ctx),
                  before);
        double analytic = 0;
        for (std::size_t i = 0; i < along.size(); ++i)
            analytic += static_cast<double>(along[i]) * static_cast<double>(gradient.values[i]);
        EXPECT_NEAR(centralDifference(value, 1e-3) / analytic, 1, 1e-3);
    }
}

TEST(FfdPenalties, ScalingHasTheSquaredLogarithmOfItsDeterminant) {
    const ControlGrid grid{{20, 16, 12}, {5, 4, 3}};
    TestField points(grid.points());
    const Size3 n = grid.points();
    for (int k = 0; k < n.z; ++k)
        for (int j = 0; j < n.y; ++j)
            for (int i = 0; i < n.x; ++i) {
                const Vec3 at = grid.position(i, j, k);
                points.view().componentView(0)(i, j, k) = static_cast<float>(0.1 * at.x);
                points.view().componentView(2)(i, j, k) = static_cast<float>(-0.3 * at.z);
            }
    ExecResources resources(2);
    const double expected = std::log(1.1 * 0.7);
    EXPECT_NEAR(addJacobianPenalty({points.view(), grid}, 2, {}, resources.context()),
                2 * expected * expected, 1e-5);
}

TEST(FfdPenalties, AffineFieldsDontBendAndRotationsDontStrain) {
    const Size3 size{23, 19, 11};
    const ControlGrid grid = ControlGrid::centered(size, {5, 4, 3}); // points between voxels, too
    TestField affine(size), turning(size), points(grid.points()), again(size);
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const std::size_t i = affine.view().componentView(0).offset(x, y, z);
                const auto f = [](double v) { return static_cast<float>(v); };
                affine.view().u[i] = f(2 + 0.1 * x - 0.05 * y);
                affine.view().v[i] = f(-1 + 0.2 * z);
                affine.view().w[i] = f(0.03 * x + 0.07 * y - 0.1 * z);
                turning.view().u[i] = f(0.1 * y + 0.2 * z);
                turning.view().v[i] = f(-0.1 * x);
                turning.view().w[i] = f(-0.2 * x);
            }
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    const GridIntegrals integrals(grid, {1, 1, 1});
    const auto energy = [&](TestField& field, const std::vector<QuadraticTerm>& terms) {
        approximate(field.view(), {points.view(), grid});
        bsplineField({points.view(), grid}, again.view(), ctx);
        EXPECT_LT(test::largestDifference(field.values, again.values), 1e-5);
        return addQuadratic(terms, integrals, {points.view(), grid}, 1, {}, ctx);
    };
    EXPECT_LT(energy(affine, bendingTerms()), 1e-7);
    EXPECT_GT(energy(affine, elasticTerms()), 1e-3);
    EXPECT_LT(energy(turning, elasticTerms()), 1e-7);
}

} // namespace
} // namespace systole
