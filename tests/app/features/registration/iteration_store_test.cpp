// Iterations of a registration that are kept within a memory limit, and their fields.
#include "app/features/registration/displacement.h"
#include "app/features/registration/iteration_store.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/resample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {
namespace {

constexpr Size3 size{4, 4, 4};
constexpr std::size_t bytesOfOne = 3 * 64 * sizeof(float);

class IterationStoreTest : public ::testing::Test {
protected:
    std::shared_ptr<const RegistrationIterate> iterate(int number, double energy, int level = 0,
                                                       const std::string& part = "ffd") {
        std::vector<float> values(3 * size.voxels(), static_cast<float>(number));
        return keptField(FieldView<const float>(values.data(), size),
                         {{part, level, number, energy, std::nullopt}, number, {}}, pool);
    }
    /// The iterate of a method that reports `state` after an affine registration that found `map`.
    std::shared_ptr<const RegistrationIterate> ofMethod(const IterationState& state,
                                                        const Geometry& fixed,
                                                        const AffineMap* map = nullptr,
                                                        bool affineFollows = false) {
        const RegistrationIteration iteration{"method", state.level, 1, 0, std::nullopt};
        return kept({iteration, map, &state, affineFollows}, {iteration, 1, {}}, fixed, pool);
    }
    BufferPool pool;
};

TEST_F(IterationStoreTest, KeepsAllThatFit) {
    IterationStore store(10 * bytesOfOne);
    for (int number = 1; number <= 10; ++number)
        store.add(iterate(number, 100 - number));
    EXPECT_EQ(store.numbers().size(), 10u);
    EXPECT_EQ(store.bytes(), 10 * bytesOfOne);
    EXPECT_EQ(store.find(4)->number(), 4);
    EXPECT_EQ(store.find(4)->view().u[5], 4);
    EXPECT_EQ(store.find(0), nullptr);
    EXPECT_EQ(store.find(99)->number(), 10);
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
    EXPECT_EQ(store.best()->number(), 37);
    EXPECT_TRUE(std::ranges::find(numbers, 37) != numbers.end());
    int widest = 0;
    for (std::size_t i = 1; i < numbers.size(); ++i)
        widest = std::max(widest, numbers[i] - numbers[i - 1]);
    EXPECT_LE(widest, 3 * 200 / static_cast<int>(most));
    // An iterate that was dropped is replaced by the one before it.
    EXPECT_EQ(store.find(numbers[3] + 1)->number(),
              numbers[4] == numbers[3] + 1 ? numbers[4] : numbers[3]);
}

TEST_F(IterationStoreTest, TheBestIsThatOfTheFinestLevel) {
    IterationStore store(100 * bytesOfOne);
    store.add(iterate(1, 1.0, 2)); // a coarse level has an energy of its own
    store.add(iterate(2, 0.5, 2));
    EXPECT_EQ(store.best()->number(), 2);
    store.add(iterate(3, 9.0, 0));
    store.add(iterate(4, 7.0, 0));
    store.add(iterate(5, 8.0, 0));
    EXPECT_EQ(store.best()->number(), 4);
}

TEST_F(IterationStoreTest, ALaterPartIsBetterThanTheOneThatItStartsFrom) {
    IterationStore store(100 * bytesOfOne);
    store.add(iterate(1, 0.01, 0, "affine"));
    store.add(iterate(2, -0.5, 2, "ffd")); // its coarsest level
    EXPECT_EQ(store.best()->number(), 2);
    store.add(iterate(3, -0.4, 2, "ffd"));
    EXPECT_EQ(store.best()->number(), 2);
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
    const IterationState state{1, 1, 0.0, FieldView<const float>(field)};
    const auto dense = denseField(ofMethod(state, image).get(), image, ctx);
    EXPECT_EQ(dense->geometry.size(), image.size());
    EXPECT_FLOAT_EQ(dense->view().u[100], 3.0f);
    EXPECT_FLOAT_EQ(dense->view().v[100], -2.0f);
    EXPECT_FLOAT_EQ(dense->view().w[100], 0.5f);
}

TEST_F(IterationStoreTest, AFieldOfACoarseLevelStaysWhereItIs) {
    ExecResources resources(1);
    const ExecContext ctx = resources.context();
    const Geometry image({32, 24, 40}, {1, 1, 1});
    const auto motion = [](int x, int y, int z) {
        return static_cast<float>(0.1 * x - 0.05 * y + 0.02 * z);
    };
    std::vector<float> full(3 * image.voxels());
    const FieldView<float> fine(full.data(), image.size());
    overVoxels(image.size(), ctx, [&](int x, int y, int z) {
        for (int axis = 0; axis < 3; ++axis)
            fine.componentView(axis)(x, y, z) = motion(x, y, z);
    });
    for (const int factor : {2, 4, 8}) {
        const Size3 coarse{32 / factor, 24 / factor, 40 / factor};
        std::vector<float> values(3 * coarse.voxels());
        const FieldView<float> level(values.data(), coarse);
        downsampleField(fine, {factor, factor, factor}, level, ctx);
        const IterationState state{1, 1, 0.0, FieldView<const float>(level)};
        const auto dense = denseField(ofMethod(state, image).get(), image, ctx);
        for (const int at : {8, 11, 14})
            EXPECT_NEAR(dense->view().componentView(1)(at, 12, 2 * at), motion(at, 12, 2 * at),
                        1e-4)
                << factor;
    }
}

TEST_F(IterationStoreTest, ControlPointsAreKeptInPlaceOfTheFieldAndBecomeIt) {
    ExecResources resources(1);
    const ExecContext ctx = resources.context();
    const Geometry image({20, 18, 16}, {1, 1, 1});
    const ControlGrid grid = ControlGrid::centered(image.size(), {5, 5, 4});
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
    const auto iterate = ofMethod(state, image);
    EXPECT_TRUE(iterate->isSpline);
    EXPECT_EQ(iterate->bytes(), values.size() * sizeof(float));
    const auto dense = denseField(iterate.get(), image, ctx);
    EXPECT_NEAR(dense->view().componentView(0)(7, 5, 11), 0.1 * 7 - 0.2 * 11, 1e-5);
    EXPECT_NEAR(dense->view().componentView(1)(7, 5, 11), 2, 1e-5);
    EXPECT_NEAR(dense->view().componentView(2)(7, 5, 11), 1.5, 1e-5);
    // Control points of a level of half the voxels describe the same field in twice as many.
    const Geometry twice({40, 36, 32}, {0.5, 0.5, 0.5});
    const auto finer = denseField(ofMethod(state, twice).get(), twice, ctx);
    const double y = 0.5 * (10 - 0.5); // a coarse voxel lies between two
    EXPECT_NEAR(finer->view().componentView(2)(14, 10, 22), 2 * 0.3 * y, 1e-4);
}

TEST_F(IterationStoreTest, TheAffineMapOfAChainIsPartOfEveryIteration) {
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    const Geometry image({70, 18, 16}, {1.5, 1, 2}, {4, -3, 7});
    const AffineMap map{{{{1.02, 0.1, 0}, {-0.1, 0.98, 0.03}, {0, 0, 1.01}}}, {3, -2, 1}};
    // Displacement of a point of the image under the map, after a shift in voxels.
    const auto expected = [&](Vec3 at, Vec3 shift) {
        return image.physicalToIndex(map(image.indexToPhysical(at + shift))) - at;
    };
    const auto matches = [&](const RegistrationIterate& iterate, Vec3 shift, Vec3 after) {
        const auto dense = denseField(&iterate, image, ctx);
        for (const Vec3 at : {Vec3{0, 0, 0}, Vec3{69, 17, 15}, Vec3{33, 5, 9}})
            for (int axis = 0; axis < 3; ++axis)
                EXPECT_NEAR(
                    static_cast<double>(dense->view().componentView(axis)(
                        static_cast<int>(at.x), static_cast<int>(at.y), static_cast<int>(at.z))),
                    (expected(at, shift) + after)[axis], 2e-5);
    };
    const RegistrationIteration affine{"affine", 0, 1, 0, std::nullopt};
    matches(*kept({affine, &map, nullptr, false}, {affine, 1, {}}, image, pool), {0, 0, 0},
            {0, 0, 0});

    const ControlGrid grid{image.size(), {5, 5, 4}};
    std::vector<float> values(3 * grid.points().voxels(), 0.5f), unused(3 * image.voxels());
    IterationState spline{0, 1, 0.0, FieldView<const float>(unused.data(), image.size())};
    spline.controlPoints = {FieldView<const float>(values.data(), grid.points()), grid};
    matches(*ofMethod(spline, image, &map), {0, 0, 0}, {0.5, 0.5, 0.5}); // added to the map

    std::vector<float> shifts(3 * image.voxels(), 0.5f);
    const IterationState field{0, 1, 0.0, FieldView<const float>(shifts.data(), image.size())};
    // The shift precedes the map.
    matches(*ofMethod(field, image, &map, true), {0.5, 0.5, 0.5}, {0, 0, 0});
}

TEST_F(IterationStoreTest, APartOfTheDisplacementIsThatOfTheWhole) {
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    const Geometry image({23, 18, 16}, {1.5, 1, 2}, {4, -3, 7});
    const AffineMap map{{{{1.02, 0.1, 0}, {-0.1, 0.98, 0.03}, {0, 0, 1.01}}}, {3, -2, 1}};
    const ControlGrid grid{image.size(), {5, 4, 3}};
    std::vector<float> points(3 * grid.points().voxels()), field(3 * Size3{12, 9, 16}.voxels());
    for (std::vector<float>* values : {&points, &field})
        for (std::size_t i = 0; i < values->size(); ++i)
            (*values)[i] = static_cast<float>(i * 37 % 101) / 50;
    IterationState spline{0, 1, 0.0, FieldView<const float>(field.data(), {12, 9, 16})};
    const auto ofField = ofMethod(spline, image, &map, true);
    spline.controlPoints = {FieldView<const float>(points.data(), grid.points()), grid};
    const auto ofSpline = ofMethod(spline, image, &map);
    EXPECT_TRUE(ofSpline->isSpline);
    EXPECT_FALSE(ofField->isSpline);
    for (const auto& iterate : {ofField, ofSpline}) {
        const auto whole = denseField(iterate.get(), image, ctx);
        for (const VoxelBox& box : {VoxelBox{0, 0, 7, {23, 18, 2}}, VoxelBox{22, 0, 0, {1, 18, 16}},
                                    VoxelBox{3, 9, 5, {17, 2, 11}}}) {
            std::vector<float> values(3 * box.voxels());
            const FieldView<float> part(values.data(), box.size);
            displacementIn(iterate.get(), image, box, part, ctx);
            for (int axis = 0; axis < 3; ++axis)
                for (int z = 0; z < box.size.z; ++z)
                    for (int y = 0; y < box.size.y; ++y)
                        for (int x = 0; x < box.size.x; ++x)
                            ASSERT_NEAR(
                                part.componentView(axis)(x, y, z),
                                whole->view().componentView(axis)(box.x + x, box.y + y, box.z + z),
                                1e-5);
        }
    }
}

} // namespace
} // namespace systole
