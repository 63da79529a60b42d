// Products against Eigen's and against dense float64 sums.
#include "compute/core/error.h"
#include "compute/sparse/generate.h"
#include "compute/sparse/product.h"

#include <Eigen/SparseCore>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace systole::sparse {
namespace {

using Reference = Eigen::SparseMatrix<double, Eigen::RowMajor>;

template <typename Value>
CsrMatrix<Value> fromDense(const Eigen::MatrixXd& dense) {
    CsrMatrix<Value> m{dense.rows(), dense.cols(), {0}, {}, {}};
    for (Eigen::Index row = 0; row < dense.rows(); ++row) {
        for (Eigen::Index column = 0; column < dense.cols(); ++column)
            if (dense(row, column) != 0) {
                m.columnOf.push_back(static_cast<std::int32_t>(column));
                m.values.push_back(static_cast<Value>(dense(row, column)));
            }
        m.rowStart.push_back(static_cast<std::int64_t>(m.columnOf.size()));
    }
    return m;
}

template <typename Value>
Reference toEigen(const CsrMatrix<Value>& m) {
    std::vector<Eigen::Triplet<double>> entries;
    for (std::int64_t row = 0; row < m.rows; ++row)
        for (auto e = std::size_t(m.rowStart[std::size_t(row)]);
             e < std::size_t(m.rowStart[std::size_t(row) + 1]); ++e)
            entries.emplace_back(int(row), m.columnOf[e], double(m.values[e]));
    Reference r(m.rows, m.columns);
    r.setFromTriplets(entries.begin(), entries.end());
    return r;
}

Eigen::MatrixXd random(int rows, int columns, double filled, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    Eigen::MatrixXd m = Eigen::MatrixXd::Zero(rows, columns);
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column)
            if (unit(engine) < filled)
                m(row, column) = unit(engine) + 0.5;
    return m;
}

/// The pattern is that of Eigen's product of positive matrices of the same patterns.
template <typename Value>
void expectProduct(const Eigen::MatrixXd& left, const Eigen::MatrixXd& right) {
    ExecResources resources(3);
    ExecContext ctx = resources.context();
    const auto a = fromDense<Value>(left);
    const auto b = fromDense<Value>(right);
    const auto c = multiply(a, b, ctx);
    ASSERT_EQ(c.rows, left.rows());
    ASSERT_EQ(c.columns, right.cols());
    ASSERT_EQ(c.rowStart.size(), std::size_t(c.rows) + 1);
    ASSERT_EQ(c.columnOf.size(), std::size_t(c.entries()));
    ASSERT_EQ(c.values.size(), c.columnOf.size());
    const Reference pattern = toEigen(a).cwiseAbs() * toEigen(b).cwiseAbs();
    const Reference product = toEigen(a) * toEigen(b);
    ASSERT_EQ(c.entries(), pattern.nonZeros());
    const double rounding = sizeof(Value) == 4 ? 1e-6 : 1e-14;
    for (std::int64_t row = 0; row < c.rows; ++row) {
        auto e = std::size_t(c.rowStart[std::size_t(row)]);
        for (Reference::InnerIterator it(pattern, row); it; ++it, ++e) {
            ASSERT_EQ(c.columnOf[e], it.col());
            EXPECT_NEAR(double(c.values[e]), product.coeff(row, it.col()), rounding * it.value());
        }
        ASSERT_EQ(e, std::size_t(c.rowStart[std::size_t(row) + 1]));
    }
}

template <typename Value>
class SparseProduct : public testing::Test {};
using Values = testing::Types<float, double>;
TYPED_TEST_SUITE(SparseProduct, Values);

TYPED_TEST(SparseProduct, Random) {
    for (const double filled : {0.002, 0.02, 0.3, 1.0})
        expectProduct<TypeParam>(random(150, 170, filled, 1), random(170, 140, filled, 2));
}

TYPED_TEST(SparseProduct, VeryWideRowsAreHashed) {
    expectProduct<TypeParam>(random(300, 40, 0.1, 3), random(40, 5000, 0.002, 4));
}

TYPED_TEST(SparseProduct, Empty) {
    expectProduct<TypeParam>(Eigen::MatrixXd(0, 0), Eigen::MatrixXd(0, 0));
    expectProduct<TypeParam>(Eigen::MatrixXd(0, 5), random(5, 3, 0.5, 5));
    expectProduct<TypeParam>(Eigen::MatrixXd(4, 0), Eigen::MatrixXd(0, 3));
    expectProduct<TypeParam>(Eigen::MatrixXd::Zero(4, 6), random(6, 3, 0.5, 6));
}

TYPED_TEST(SparseProduct, EmptyRowsAndOneDenseRow) {
    Eigen::MatrixXd a = random(200, 200, 0.02, 7);
    for (int row = 0; row < 200; row += 3)
        a.row(row).setZero();
    a.row(101).setConstant(0.25);
    expectProduct<TypeParam>(a, a);
    expectProduct<TypeParam>(a.transpose(), a);
}

TYPED_TEST(SparseProduct, PermutedRowsPermuteTheProduct) {
    const Eigen::MatrixXd a = random(90, 60, 0.1, 8);
    const Eigen::MatrixXd b = random(60, 70, 0.1, 9);
    std::vector<int> order(90);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(10));
    Eigen::MatrixXd permuted(90, 60);
    for (int row = 0; row < 90; ++row)
        permuted.row(row) = a.row(order[std::size_t(row)]);
    ExecResources resources(2);
    ExecContext ctx = resources.context();
    const auto c = multiply(fromDense<TypeParam>(a), fromDense<TypeParam>(b), ctx);
    const auto d = multiply(fromDense<TypeParam>(permuted), fromDense<TypeParam>(b), ctx);
    const Eigen::MatrixXd cDense = toEigen(c);
    const Eigen::MatrixXd dDense = toEigen(d);
    for (int row = 0; row < 90; ++row)
        EXPECT_EQ(dDense.row(row), cDense.row(order[std::size_t(row)]));
}

TYPED_TEST(SparseProduct, CancelledEntriesStay) {
    ExecResources resources(1);
    ExecContext ctx = resources.context();
    Eigen::MatrixXd a(1, 2), b(2, 2);
    a << 1, 1;
    b << 2, 0, -2, 3;
    const auto c = multiply(fromDense<TypeParam>(a), fromDense<TypeParam>(b), ctx);
    EXPECT_EQ(c.columnOf, (std::vector<std::int32_t>{0, 1}));
    EXPECT_EQ(c.values, (std::vector<TypeParam>{0, 3}));
}

TYPED_TEST(SparseProduct, SameBitsForAnyNumberOfThreadsAndFromAPlan) {
    const auto a = fromDense<TypeParam>(random(700, 300, 0.05, 11));
    const auto b = fromDense<TypeParam>(random(300, 400, 0.05, 12));
    ExecResources one(1), four(4);
    ExecContext ctx1 = one.context(), ctx4 = four.context();
    const auto c = multiply(a, b, ctx1);
    EXPECT_EQ(multiply(a, b, ctx4).values, c.values);
    const ProductPlan plan = planProduct(a, b, ctx4);
    auto scaled = a;
    for (TypeParam& value : scaled.values)
        value *= 2;
    const auto d = multiply(scaled, b, plan, ctx4);
    EXPECT_EQ(d.columnOf, c.columnOf);
    for (std::size_t e = 0; e < c.values.size(); ++e)
        ASSERT_EQ(d.values[e], 2 * c.values[e]);
}

TYPED_TEST(SparseProduct, TripleProductIsEigens) {
    ExecResources one(1), three(3);
    ExecContext ctx1 = one.context(), ctx3 = three.context();
    const auto a = fromDense<TypeParam>(random(210, 190, 0.05, 21));
    const auto p = fromDense<TypeParam>(random(190, 60, 0.03, 22));
    const auto r = fromDense<TypeParam>(random(400, 210, 0.02, 23));
    const auto c = multiply(r, a, p, ctx3);
    const Reference expected = Reference(toEigen(r) * toEigen(a)) * toEigen(p);
    ASSERT_EQ(c.rows, 400);
    ASSERT_EQ(c.columns, 60);
    ASSERT_EQ(c.entries(), expected.nonZeros()); // all factors are positive
    const Eigen::MatrixXd difference = Eigen::MatrixXd(toEigen(c)) - Eigen::MatrixXd(expected);
    const double rounding = sizeof(TypeParam) == 4 ? 1e-6 : 1e-14;
    EXPECT_LE(difference.cwiseAbs().maxCoeff(), rounding * Eigen::MatrixXd(expected).maxCoeff());
    EXPECT_EQ(multiply(r, a, p, ctx1).values, c.values);
    EXPECT_EQ(multiply(r, multiply(a, p, ctx3), ctx3).columnOf, c.columnOf);
    EXPECT_THROW(multiply(r, p, a, ctx1), ComputeError);
}

TYPED_TEST(SparseProduct, TransposeIsEigens) {
    const Eigen::MatrixXd dense = random(40, 70, 0.1, 13);
    const auto t = transpose(fromDense<TypeParam>(dense));
    const auto expected = fromDense<TypeParam>(dense.transpose());
    EXPECT_EQ(t.rows, 70);
    EXPECT_EQ(t.columns, 40);
    EXPECT_EQ(t.rowStart, expected.rowStart);
    EXPECT_EQ(t.columnOf, expected.columnOf);
    EXPECT_EQ(t.values, expected.values);
}

TYPED_TEST(SparseProduct, RefusesSizesThatDontFit) {
    ExecResources resources(1);
    ExecContext ctx = resources.context();
    const auto a = fromDense<TypeParam>(random(3, 4, 0.5, 14));
    EXPECT_THROW(multiply(a, a, ctx), ComputeError);
    const auto b = fromDense<TypeParam>(random(4, 4, 0.5, 15));
    const ProductPlan plan = planProduct(b, b, ctx);
    EXPECT_THROW(multiply(a, b, plan, ctx), ComputeError);
}

TYPED_TEST(SparseProduct, CanBeCancelled) {
    ExecResources resources(2);
    ExecContext ctx = resources.context();
    ctx.cancel.cancel();
    const auto b = fromDense<TypeParam>(random(40, 40, 0.5, 16));
    EXPECT_THROW(multiply(b, b, ctx), Cancelled);
}

TEST(GeneratedMatrix, ScaleFreeRowsFollowTheirPowerLaw) {
    const CsrMatrix<double> graph = scaleFree(40000, 2, 1000, 2, 0.6, 7);
    ASSERT_EQ(graph.rowStart.size(), 40001U);
    int longer = 0;
    std::int64_t near = 0;
    for (std::int64_t row = 0; row < graph.rows; ++row) {
        const auto at = static_cast<std::size_t>(row);
        const std::int64_t length = graph.rowStart[at + 1] - graph.rowStart[at];
        ASSERT_GE(length, 1);
        ASSERT_LE(length, 1000);
        longer += length > 20 ? 1 : 0;
        for (auto e = static_cast<std::size_t>(graph.rowStart[at]);
             e < static_cast<std::size_t>(graph.rowStart[at + 1]); ++e) {
            ASSERT_LT(graph.columnOf[e], graph.columns);
            near += std::abs(graph.columnOf[e] - row) <= 100 ? 1 : 0;
        }
    }
    // A tenth of the rows but for doubles, which are merged, mostly near ones.
    EXPECT_NEAR(longer / 40000.0, 0.1, 0.02);
    EXPECT_NEAR(static_cast<double>(near) / static_cast<double>(graph.columnOf.size()), 0.55, 0.1);
    EXPECT_EQ(scaleFree(40000, 2, 1000, 2, 0.6, 7).columnOf, graph.columnOf);
}

TEST(GeneratedMatrix, OneRowIsDense) {
    const CsrMatrix<double> matrix = withDenseRow(1000, 3, 800, 1);
    std::int64_t most = 0, rows = 0;
    for (std::size_t row = 0; row < 1000; ++row) {
        const std::int64_t length = matrix.rowStart[row + 1] - matrix.rowStart[row];
        most = std::max(most, length);
        rows += length > 3 ? 1 : 0;
    }
    EXPECT_EQ(rows, 1);
    EXPECT_GT(most, 500) << "but for doubles";
}

} // namespace
} // namespace systole::sparse
