// Pictures of a registration: of every view, of the iteration that is wanted, and of the voxels
// that are shown.
#include "app/features/registration/painter.h"
#include "compute/core/error.h"
#include "tests/support/volume_of.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace systole {
namespace {

using namespace std::chrono_literals;

class RegistrationPictureTest : public ::testing::Test {
protected:
    std::shared_ptr<const Volume> ramp(const Geometry& geometry) {
        return std::make_shared<Volume>(
            test::volumeOf(geometry, pool_, [&](double x, double y, double z) {
                return geometry.indexToPhysical({x, y, z}).x;
            }));
    }
    /// Shifts by n / 10 mm along x.
    std::shared_ptr<const RegistrationIterate> shift(int n, const Geometry& grid) {
        return keptAffine(AffineMap{identity3, {0.1 * n, 0, 0}},
                          {{"affine", 0, n, 0, std::nullopt}, n, {}}, grid, pool_);
    }
    WantedPicture wanted(ComparisonView view, int n) {
        return {1, {fixed_, moving_}, {0, 16}, n > 0 ? iterates_[n] : nullptr, view, {}};
    }
    float at(ComparisonView view, int n, const ExecContext& ctx) {
        return drawPicture(wanted(view, n), {}, ctx)->view()(4, 5, 3);
    }

    ExecResources resources_{2};
    BufferPool pool_;
    const Geometry grid_{{12, 10, 8}, {1, 1, 1}};
    std::shared_ptr<const Volume> fixed_ = ramp(grid_), moving_ = ramp(grid_);
    std::shared_ptr<const RegistrationIterate> iterates_[11] = {
        nullptr,         shift(1, grid_), shift(2, grid_), shift(3, grid_),
        shift(4, grid_), shift(5, grid_), shift(6, grid_), shift(7, grid_),
        shift(8, grid_), shift(9, grid_), shift(10, grid_)};
};

TEST_F(RegistrationPictureTest, EveryViewShowsWhatItSays) {
    const ExecContext ctx = resources_.context();
    EXPECT_NEAR(at(ComparisonView::Warped, 10, ctx), 5, 1e-5);
    EXPECT_NEAR(at(ComparisonView::Warped, 0, ctx), 4, 1e-5) << "before the first iteration";
    EXPECT_NEAR(at(ComparisonView::Fixed, 10, ctx), 4, 1e-5);
    // Half the gray range is no difference; here it is one gray value.
    EXPECT_NEAR(at(ComparisonView::Difference, 10, ctx), 7.5, 1e-5);
    EXPECT_NEAR(at(ComparisonView::Jacobian, 10, ctx), 8, 1e-4);
    const auto board = drawPicture(wanted(ComparisonView::Checkerboard, 10), {}, ctx);
    int ofFixed = 0, ofWarped = 0;
    for (int x = 0; x < 10; ++x) {
        ofFixed += std::abs(board->view()(x, 5, 3) - static_cast<float>(x)) < 1e-4f;
        ofWarped += std::abs(board->view()(x, 5, 3) - static_cast<float>(x + 1)) < 1e-4f;
    }
    EXPECT_EQ(ofFixed + ofWarped, 10);
    EXPECT_GT(ofFixed, 2);
    EXPECT_GT(ofWarped, 2);
}

TEST_F(RegistrationPictureTest, GoesThroughSpace) {
    for (const Geometry& other : {grid_, Geometry({40, 40, 40}, {0.5, 0.5, 0.5}, {-2, -2, -2}),
                                  Geometry({30, 30, 30}, {1, 1, 1}, {20, 20, -3},
                                           Matrix3{{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}})}) {
        moving_ = ramp(other);
        EXPECT_NEAR(at(ComparisonView::Warped, 5, resources_.context()), 4.5, 1e-4);
    }
}

TEST_F(RegistrationPictureTest, SlicesAreThoseOfTheWhole) {
    const std::vector<VoxelBox> boxes{
        {0, 0, 3, {12, 10, 2}}, {0, 9, 0, {12, 1, 8}}, {0, 0, 0, {2, 10, 8}}};
    for (const ComparisonView view :
         {ComparisonView::Warped, ComparisonView::Difference, ComparisonView::Checkerboard,
          ComparisonView::Grid, ComparisonView::Jacobian, ComparisonView::LogJacobian}) {
        const ExecContext ctx = resources_.context();
        const auto whole = drawPicture(wanted(view, 7), {}, ctx);
        const auto slices = drawPicture(wanted(view, 7), boxes, ctx);
        for (const VoxelBox& box : boxes)
            for (int z = box.z; z < box.z + box.size.z; ++z)
                for (int y = box.y; y < box.y + box.size.y; ++y)
                    for (int x = box.x; x < box.x + box.size.x; ++x)
                        ASSERT_NEAR(slices->view()(x, y, z), whole->view()(x, y, z), 1e-3)
                            << x << ' ' << y << ' ' << z;
    }
}

TEST_F(RegistrationPictureTest, TheDeformedGridMovesWithTheTissue) {
    const Geometry wide({64, 64, 1}, {1, 1, 1});
    const auto plain = [&](float gray) {
        auto image = std::make_shared<Volume>(wide, pool_, "image");
        std::fill(image->voxels.span().begin(), image->voxels.span().end(), gray);
        return image;
    };
    iterates_[10] = shift(10, wide);
    // Column of the line between two planes of y, 4 voxels apart.
    const auto line = [&](int n, float gray) {
        fixed_ = moving_ = plain(gray);
        WantedPicture grid = wanted(ComparisonView::Grid, n);
        grid.scale = {0, 100};
        const auto picture = drawPicture(grid, {}, resources_.context());
        std::vector<int> columns;
        for (int x = 8; x < 24; ++x)
            if (std::abs(picture->view()(x, 10, 0) - gray) > 20)
                columns.push_back(x);
        return columns;
    };
    for (const float gray : {0.0f, 100.0f}) {
        EXPECT_EQ(line(0, gray), (std::vector<int>{8, 12, 16, 20}));
        EXPECT_EQ(line(10, gray), (std::vector<int>{11, 15, 19, 23}));
    }
}

TEST_F(RegistrationPictureTest, FiguresAreOfTheWholeImage) {
    const RegistrationFigures figures =
        figuresOf(wanted(ComparisonView::Jacobian, 10), resources_.context());
    EXPECT_NEAR(figures.smallestJacobian, 1, 1e-5);
    EXPECT_EQ(figures.foldedPercent, 0);
    EXPECT_NEAR(figures.longest, 1, 1e-5);
    EXPECT_GT(figures.correlation, 0.99);
    EXPECT_NEAR(figures.motion->field->view().u[0], 1, 1e-5);
    EXPECT_EQ(figuresOf(wanted(ComparisonView::Warped, 0), resources_.context()).motion, nullptr);
}

class PainterTest : public RegistrationPictureTest {
protected:
    /// The picture of an iteration, complete with its figures.
    std::shared_ptr<const RegistrationPicture> paint(const WantedPicture& wanted) {
        const auto end = std::chrono::steady_clock::now() + 200s;
        while (std::chrono::steady_clock::now() < end) {
            const auto found = painter_.find({.picture = wanted});
            if (found && found->number == wanted.number() && found->figures)
                return found;
            std::this_thread::sleep_for(1ms);
        }
        return nullptr;
    }
    RegistrationPainter painter_{{.threads = 2, .device = 0, .notify = [] {}}};
};

TEST_F(PainterTest, RewindingBringsEachIterationsOwnPicture) {
    for (const int n : {10, 3, 7, 0, 3}) {
        const auto picture = paint(wanted(ComparisonView::Warped, n));
        ASSERT_NE(picture, nullptr);
        const auto expected =
            drawPicture(wanted(ComparisonView::Warped, n), {}, resources_.context());
        for (std::size_t i = 0; i < grid_.voxels(); ++i)
            ASSERT_EQ(picture->volume->voxels.data()[i], expected->voxels.data()[i]);
        EXPECT_GT(picture->seconds, 0);
    }
}

TEST_F(PainterTest, SlicesComeFirstAndTheRestFollows) {
    WantedPicture slices = wanted(ComparisonView::Warped, 4);
    slices.boxes = {{0, 0, 3, {12, 10, 2}}};
    const auto picture = paint(slices);
    ASSERT_NE(picture, nullptr);
    EXPECT_TRUE(picture->boxes.empty()) << "complete";
    EXPECT_NEAR(picture->volume->view()(4, 5, 7), 4.4, 1e-5) << "beside the slices";
    slices.boxes = {{0, 0, 5, {12, 10, 2}}};
    EXPECT_EQ(painter_.find({.picture = slices}), picture) << "has those, too";
}

TEST_F(RegistrationPictureTest, WhyTheDeviceDoesNotDrawIsSaid) {
    if (!cudaIsBuilt)
        GTEST_SKIP() << "this build draws on no device";
    DeviceAccess absent, broken;
    absent.open = [](const CudaContext::Options&) -> std::shared_ptr<CudaContext> {
        throw ComputeError("no NVIDIA driver is loaded");
    };
    broken.open = [](const CudaContext::Options&) { return nullptr; };
    broken.work = [](const ExecContext&, const DeviceWork&) {
        throw std::runtime_error("the picture can't be drawn");
    };
    for (const auto& [access, sentence] :
         {std::pair(absent, "on the CPU instead: no NVIDIA driver is loaded"),
          std::pair(broken, "the picture can't be drawn")}) {
        RegistrationPainter painter({.threads = 1, .devices = access});
        const auto end = std::chrono::steady_clock::now() + 100s;
        do {
            painter.find({.picture = wanted(ComparisonView::Warped, 3), .backend = Backend::Cuda});
            std::this_thread::sleep_for(1ms);
        } while (painter.problem().empty() && std::chrono::steady_clock::now() < end);
        EXPECT_EQ(painter.problem(), sentence);
    }
}

} // namespace
} // namespace systole
