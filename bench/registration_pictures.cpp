#include "app/features/registration/device_picture.h"
#include "bench/benchmarks.h"
#include "bench/device_bench.h"
#include "bench/shown_pictures.h"
#include "bench/timing.h"
#include "compute/motion/methods.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace systole {
namespace {

constexpr int side = 256, tile = 5;
constexpr double budgetSeconds = 1; ///< time budget of the repeats of one figure
#ifdef SYSTOLE_VIEWER
constexpr int rewound = 8; ///< iterations that are shown one after the other
#endif

/// An iteration whose control points are up to two voxels long; each number's are others.
std::shared_ptr<const RegistrationIterate> waves(int number, const Geometry& grid,
                                                 BufferPool& pool) {
    const ControlGrid control{grid.size(), {tile, tile, tile}};
    auto iterate = std::make_shared<RegistrationIterate>();
    iterate->point.number = number;
    iterate->isSpline = true;
    iterate->grid = control;
    iterate->size = control.points();
    iterate->values = pool.acquire<float>(3 * iterate->size.voxels(), "control points");
    for (std::size_t i = 0; i < iterate->values.size(); ++i)
        iterate->values.data()[i] =
            2 * std::sin(0.1f * static_cast<float>(i) + static_cast<float>(number));
    return iterate;
}

std::vector<VoxelBox> middleSlices() {
    constexpr int middle = side / 2;
    return {{0, 0, middle, {side, side, 2}},
            {0, middle, 0, {side, 2, side}},
            {middle, 0, 0, {2, side, side}}};
}

void print(const std::string& what, double seconds, Json& record) {
    fmt::print("    {:<44} {:>9.2f} ms {:>8.0f} per second\n", what, 1e3 * seconds, 1 / seconds);
    record[what] = seconds;
}

} // namespace

void benchPictures(const BenchOptions&, const ExecContext& ctx, Json& record) {
    HostPair pair = shiftedTexture(side, ctx);
    const IntensityScale scale = pair.scale;
    const RegistrationPair images{std::make_shared<const Volume>(std::move(pair.fixed)),
                                  std::make_shared<const Volume>(std::move(pair.moving))};
    WantedPicture wanted;
    wanted.run = 1;
    wanted.images = images;
    wanted.scale = scale;
    wanted.iterate = waves(1, images.fixed->geometry, *ctx.pool);
    Json deviceRecord;
    const auto device = openBenchDevice("pictures", motionMethod("ffd"), deviceRecord);
    DevicePictures pictures;
    ExecContext onDevice = device ? contextOn(*device, ctx) : ctx;
    // The first run, which allocates memory and copies images to the device, doesn't count.
    const auto median = [&](const auto& draw) { return warmMedian(50, budgetSeconds, ctx, draw); };
    fmt::print("  pictures of a registration from its control points, {}³ voxels\n", side);
    for (const RegistrationView view : registrationViews) {
        if (view == RegistrationView::Fixed || view == RegistrationView::Flicker)
            continue;
        wanted.view = comparisonOf(view);
        for (const bool slices : {true, false}) {
            wanted.boxes = slices ? middleSlices() : std::vector<VoxelBox>{};
            const std::string what = std::string(name(view)) + (slices ? ", slices" : ", volume");
            print(what + ", CPU", median([&] { drawPicture(wanted, wanted.boxes, ctx); }), record);
            if (!device || !DevicePictures::canDraw(wanted))
                continue;
            const auto draw = [&](bool keep) {
                RegistrationPicture picture;
                pictures.draw(wanted, keep, picture, onDevice);
            };
            print(what + ", device to host", median([&] { draw(false); }), record);
            if (!slices)
                print(what + ", kept on the device", median([&] { draw(true); }), record);
        }
    }
#ifdef SYSTOLE_VIEWER
    std::vector<std::shared_ptr<const RegistrationIterate>> iterates;
    for (int number = 1; number <= rewound; ++number)
        iterates.push_back(waves(number, images.fixed->geometry, *ctx.pool));
    wanted.view = ComparisonView::Warped;
    benchShownPictures(wanted, iterates, device && pictures.canDraw(wanted), ctx, record);
#endif
    if (device)
        record["device"] = deviceRecord;
}

} // namespace systole
