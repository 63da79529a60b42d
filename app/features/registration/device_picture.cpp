#include "app/features/registration/device_picture.h"

#include "compute/cuda/context.h"
#include "compute/cuda/staged_copy.h"
#include "compute/ops/bspline_field.h"

#include <algorithm>
#include <utility>

namespace systole {
namespace {

void displace(const WantedPicture& wanted, FieldView<float> field, const ExecContext& ctx) {
    if (!wanted.iterate)
        return ctx.cuda->zero(field.u, 3 * field.size.voxels() * sizeof(float),
                              CudaStream::Compute);
    const RegistrationIterate& iterate = *wanted.iterate;
    Buffer<float> points =
        ctx.cuda->devicePool().acquire<float>(iterate.values.size(), "control points of a picture");
    uploadStaged(iterate.values.data(), points.data(), iterate.values.size(), ctx);
    if constexpr (cudaIsBuilt)
        bsplineFieldOnDevice({FieldView<const float>(points.data(), iterate.size), iterate.grid},
                             field, ctx);
}

/// The voxels that are shown, to the host.
void toHost(const WantedPicture& wanted, const Comparison& comparison, RegistrationPicture& picture,
            const ExecContext& ctx) {
    auto volume = std::make_shared<Volume>(wanted.images.fixed->geometry, *ctx.pool,
                                           "picture of a registration");
    const std::vector<VoxelBox> all{VoxelBox::whole(volume->geometry.size())};
    for (const VoxelBox& box : wanted.boxes.empty() ? all : wanted.boxes) {
        Buffer<float> drawn =
            ctx.cuda->devicePool().acquire<float>(box.voxels(), "picture of a registration");
        if constexpr (cudaIsBuilt)
            drawComparisonOnDevice(wanted.view, comparison, box, drawn.data(), ctx);
        if (wanted.boxes.empty()) {
            downloadStaged(drawn.data(), volume->voxels.data(), box.voxels(), ctx);
            break;
        }
        Buffer<float> part = ctx.pool->acquire<float>(box.voxels(), "slices in a picture");
        downloadStaged(drawn.data(), part.data(), box.voxels(), ctx);
        copyIntoVolume(part.data(), box, volume->view());
    }
    picture.boxes = wanted.boxes;
    picture.volume = std::move(volume);
}

} // namespace

bool DevicePictures::canDraw(const WantedPicture& wanted) {
    if constexpr (!cudaIsBuilt)
        return false;
    if (wanted.view == ComparisonView::Fixed)
        return false; // it is on the host already
    if (wanted.iterate) {
        const Size3 tile = wanted.iterate->grid.tile;
        if (!wanted.iterate->isSpline ||
            std::max({tile.x, tile.y, tile.z}) > maxVoxelsOfTileOnDevice)
            return false;
    }
    return true;
}

/// The image on the device; uploaded unless it is there.
const Volume& DevicePictures::onDevice(const std::shared_ptr<const Volume>& host, int slot,
                                       const ExecContext& ctx) {
    Resident& resident = residents_[slot];
    if (resident.host == host)
        return resident.volume;
    resident = {};
    resident.volume = Volume(host->geometry, ctx.cuda->devicePool(), "image of a registration");
    uploadStaged(host->voxels.data(), resident.volume.voxels.data(), host->voxels.size(), ctx);
    resident.host = host;
    return resident.volume;
}

void DevicePictures::draw(const WantedPicture& wanted, bool keep, RegistrationPicture& picture,
                          const ExecContext& ctx) {
    const Geometry& grid = wanted.images.fixed->geometry;
    const VoxelBox all = VoxelBox::whole(grid.size());
    Comparison comparison = comparisonFor(wanted);
    comparison.fixed = onDevice(wanted.images.fixed, 0, ctx).view();
    comparison.moving = onDevice(wanted.images.moving, 1, ctx).view();
    Buffer<float> values =
        ctx.cuda->devicePool().acquire<float>(3 * all.voxels(), "motion in a picture");
    const FieldView<float> field(values.data(), all.size);
    displace(wanted, field, ctx);
    comparison.field = field;
    comparison.fieldBox = all;
    if (!keep)
        return toHost(wanted, comparison, picture, ctx);
    auto volume =
        std::make_shared<Volume>(grid, ctx.cuda->devicePool(), "picture of a registration");
    if constexpr (cudaIsBuilt)
        drawComparisonOnDevice(wanted.view, comparison, all, volume->voxels.data(), ctx);
    ctx.cuda->synchronize(CudaStream::Compute); // the time that it took is to be known
    picture.onDevice = std::move(volume);
}

} // namespace systole
