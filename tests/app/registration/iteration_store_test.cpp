// Which iterations of a registration are kept within a memory limit.
#include "app/registration/iteration_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace systole {
namespace {

constexpr Size3 size{4, 4, 4};
constexpr std::size_t bytesOfOne = 3 * 64 * sizeof(float);

class IterationStoreTest : public ::testing::Test {
protected:
    std::shared_ptr<const RegistrationIterate> iterate(int number, double energy, int level = 0) {
        std::vector<float> values(3 * size.voxels(), static_cast<float>(number));
        IterationState state{level, number, energy, FieldView<const float>(values.data(), size)};
        return kept(state, number, pool);
    }
    BufferPool pool;
};

TEST_F(IterationStoreTest, KeepsAllThatFit) {
    IterationStore store(10 * bytesOfOne);
    for (int number = 1; number <= 10; ++number)
        store.add(iterate(number, 100 - number));
    EXPECT_EQ(store.numbers().size(), 10u);
    EXPECT_EQ(store.bytes(), 10 * bytesOfOne);
    EXPECT_EQ(store.find(4)->number, 4);
    EXPECT_EQ(store.find(4)->view().u[5], 4);
    EXPECT_EQ(store.find(0), nullptr);
    EXPECT_EQ(store.find(99)->number, 10);
    store.clear();
    EXPECT_TRUE(store.numbers().empty());
    EXPECT_EQ(store.best(), nullptr);
    EXPECT_EQ(store.bytes(), 0u);
}

TEST_F(IterationStoreTest, ThinsOutEvenlyAndNeverLosesTheFirstTheNewestAndTheBest) {
    constexpr std::size_t most = 12;
    IterationStore store(most * bytesOfOne);
    for (int number = 1; number <= 200; ++number) {
        store.add(iterate(number, std::abs(number - 37.0))); // the best is the 37th
        EXPECT_LE(store.bytes(), most * bytesOfOne);
    }
    const std::vector<int> numbers = store.numbers();
    EXPECT_EQ(numbers.size(), most);
    EXPECT_EQ(numbers.front(), 1);
    EXPECT_EQ(numbers.back(), 200);
    EXPECT_EQ(store.best()->number, 37);
    EXPECT_TRUE(std::ranges::find(numbers, 37) != numbers.end());
    int widest = 0;
    for (std::size_t i = 1; i < numbers.size(); ++i)
        widest = std::max(widest, numbers[i] - numbers[i - 1]);
    EXPECT_LE(widest, 3 * 200 / static_cast<int>(most));
    // In place of one that was given up stands the one before it.
    EXPECT_EQ(store.find(numbers[3] + 1)->number,
              numbers[4] == numbers[3] + 1 ? numbers[4] : numbers[3]);
}

TEST_F(IterationStoreTest, TheBestIsThatOfTheFinestLevel) {
    IterationStore store(100 * bytesOfOne);
    store.add(iterate(1, 1.0, 2)); // a coarse level has an energy of its own
    store.add(iterate(2, 0.5, 2));
    EXPECT_EQ(store.best()->number, 2);
    store.add(iterate(3, 9.0, 0));
    store.add(iterate(4, 7.0, 0));
    store.add(iterate(5, 8.0, 0));
    EXPECT_EQ(store.best()->number, 4);
}

TEST_F(IterationStoreTest, BendingIsTheMeanOfSquaredSecondDifferences) {
    const Size3 grid{6, 5, 4};
    std::vector<float> values(3 * grid.voxels());
    const FieldView<float> field(values.data(), grid);
    const auto fill = [&](auto value) {
        for (int z = 0; z < grid.z; ++z)
            for (int y = 0; y < grid.y; ++y)
                for (int x = 0; x < grid.x; ++x)
                    for (int c = 0; c < 3; ++c)
                        field.componentView(c)(x, y, z) = value(c, x, y, z);
    };
    fill([](int c, int x, int y, int z) { return static_cast<float>(c + 2 * x - y + 3 * z); });
    EXPECT_EQ(bendingOf(field), 0); // an affine field
    fill([](int c, int x, int y, int) {
        return c == 0 ? static_cast<float>(x * x) : c == 1 ? static_cast<float>(3 * y * y) : 0.0f;
    });
    const double along = 4.0 * (4 * 5 * 4) + 36.0 * (6 * 3 * 4); // 2² and 6², inside
    EXPECT_NEAR(bendingOf(field), along / 120, 1e-9);
}

TEST_F(IterationStoreTest, AFieldOfACoarseLevelBecomesDenseInVoxelsOfTheImage) {
    ExecResources resources(1);
    const ExecContext ctx = resources.context();
    const Geometry image({16, 9, 8}, {1, 1, 2});
    const Size3 coarse{8, 5, 8}; // halved, halved, as it is
    std::vector<float> values(3 * coarse.voxels());
    const FieldView<float> field(values.data(), coarse);
    std::fill_n(field.u, coarse.voxels(), 1.5f);
    std::fill_n(field.v, coarse.voxels(), -1.0f);
    std::fill_n(field.w, coarse.voxels(), 0.5f);
    const auto dense =
        denseField(*kept({1, 1, 0.0, FieldView<const float>(field)}, 1, pool), image, ctx);
    EXPECT_EQ(dense->geometry.size(), image.size());
    EXPECT_FLOAT_EQ(dense->view().u[100], 3.0f);
    EXPECT_FLOAT_EQ(dense->view().v[100], -2.0f);
    EXPECT_FLOAT_EQ(dense->view().w[100], 0.5f);
}

TEST_F(IterationStoreTest, ControlPointsAreKeptInPlaceOfTheFieldAndBecomeIt) {
    ExecResources resources(1);
    const ExecContext ctx = resources.context();
    const Geometry image({20, 18, 16}, {1, 1, 1});
    const ControlGrid grid{image.size(), {5, 5, 4}};
    const Size3 points = grid.points();
    std::vector<float> values(3 * points.voxels());
    const FieldView<float> control(values.data(), points);
    for (int k = 0; k < points.z; ++k)
        for (int j = 0; j < points.y; ++j)
            for (int i = 0; i < points.x; ++i) {
                const Vec3 at = grid.position(i, j, k); // B-splines repeat an affine field
                control.componentView(0)(i, j, k) = static_cast<float>(0.1 * at.x - 0.2 * at.z);
                control.componentView(1)(i, j, k) = 2.0f;
                control.componentView(2)(i, j, k) = static_cast<float>(0.3 * at.y);
            }
    std::vector<float> unused(3 * image.voxels());
    IterationState state{0, 1, 0.0, FieldView<const float>(unused.data(), image.size())};
    state.controlPoints = {FieldView<const float>(control), grid};
    const auto iterate = kept(state, 1, pool);
    EXPECT_TRUE(iterate->isSpline);
    EXPECT_EQ(iterate->bytes(), values.size() * sizeof(float));
    const auto dense = denseField(*iterate, image, ctx);
    EXPECT_NEAR(dense->view().componentView(0)(7, 5, 11), 0.1 * 7 - 0.2 * 11, 1e-5);
    EXPECT_NEAR(dense->view().componentView(1)(7, 5, 11), 2, 1e-5);
    EXPECT_NEAR(dense->view().componentView(2)(7, 5, 11), 1.5, 1e-5);
    // Those of a level of half the voxels describe the same field in twice as many.
    const Geometry twice({40, 36, 32}, {0.5, 0.5, 0.5});
    EXPECT_NEAR(denseField(*iterate, twice, ctx)->view().componentView(2)(14, 10, 22), 3, 1e-4);
}

} // namespace
} // namespace systole
