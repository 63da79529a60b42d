#include "compute/cardiac/axis_strain_cuda.cuh"
#include "compute/cardiac/axis_strain_math.h"
#include "compute/cuda/interop.cuh"
#include "compute/ops/carried_map.h"
#include "render/device_motion.h"

#include <utility>

namespace systole {
namespace {

__global__ void writeMagnitude(FieldView<const float> field, sampling::Matrix<float> toPhysical,
                               cudaSurfaceObject_t surface) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    const int z = static_cast<int>(blockIdx.z * blockDim.z + threadIdx.z);
    if (x >= field.size.x || y >= field.size.y || z >= field.size.z)
        return;
    const std::size_t voxel = field.componentView(0).offset(x, y, z);
    const float mm =
        sampling::magnitude(toPhysical, field.u[voxel], field.v[voxel], field.w[voxel]);
    surf3Dwrite(mm, surface, x * static_cast<int>(sizeof(float)), y, z);
}

__global__ void relate(VolumeView<float> now, const float* then, cardiac::Tensor tensor) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    const int z = static_cast<int>(blockIdx.z * blockDim.z + threadIdx.z);
    if (x >= now.size.x || y >= now.size.y || z >= now.size.z)
        return;
    const std::size_t voxel = now.offset(x, y, z);
    now.data[voxel] = cardiac::strainSince(then[voxel], now.data[voxel], tensor);
}

__global__ void writeCarried(FieldView<const float> motion, const float* map,
                             cudaSurfaceObject_t surface) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    const int z = static_cast<int>(blockIdx.z * blockDim.z + threadIdx.z);
    if (x < motion.size.x && y < motion.size.y && z < motion.size.z)
        surf3Dwrite(carriedValue(motion, map, x, y, z), surface,
                    x * static_cast<int>(sizeof(float)), y, z);
}

template <typename Lattice>
__global__ void writeGlyphs(sampling::ArrowSource source, Lattice lattice, Glyph* glyphs) {
    const std::size_t place = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (place < lattice.places())
        glyphs[place] = sampling::arrowAt(source, lattice, place);
}

__global__ void readValue(VolumeView<const float> voxels, sampling::Cell cell, double* value) {
    *value = sampling::interpolate(voxels, cell);
}

__global__ void readDisplacement(FieldView<const float> field, sampling::Grid grid,
                                 sampling::Cell cell, Vec3* displacement) {
    *displacement = sampling::interpolate(grid, field, cell);
}

/// One value that a kernel writes, copied to the host.
template <typename Value, typename Launch>
Value readOne(CudaInterop& interop, const std::shared_ptr<const CudaEvent>& ready,
              const Launch& launch) {
    CudaContext& cuda = interop.cuda();
    const CudaStream stream = CudaStream::Display;
    Buffer<Value> device = cuda.devicePool().acquire<Value>(1, "probe");
    Buffer<Value> host = cuda.pinnedPool().acquire<Value>(1, "probe");
    LaunchLog log(cuda, LaunchLog::Timing::None, stream);
    cuda.waitFor(stream, ready);
    launch(log, device.data());
    cuda.download(device.data(), host.data(), sizeof(Value), stream);
    cuda.synchronize(stream);
    return *host.data();
}

} // namespace

InteropWrite magnitudeToTexture(std::shared_ptr<const VectorField> field) {
    const VectorField& source = *field;
    return {[&source](const InteropTarget& target) {
                target.cuda.waitFor(CudaStream::Display, source.ready);
                const auto bytes = static_cast<double>(source.geometry.voxels() * sizeof(float));
                target.log.launch(
                    {"map/magnitude", 4 * bytes}, writeMagnitude,
                    overVoxels(source.geometry.size()), source.view(),
                    sampling::matrixOf<float>(source.geometry.voxelToPhysicalMatrix()),
                    target.surface());
            },
            {std::move(field)}};
}

std::shared_ptr<const DeviceAxes> axesOnDevice(const cardiac::HeartAxesMap& axes,
                                               CudaInterop& interop) {
    CudaContext& cuda = interop.cuda();
    auto copy = std::make_shared<DeviceAxes>();
    copy->grid = axes.grid;
    copy->planes = cuda.devicePool().acquire<float>(axes.planes.size(), "axes of the heart");
    cuda.upload(axes.planes.data(), copy->planes.data(), axes.planes.size() * sizeof(float),
                CudaStream::Display);
    copy->ready = cuda.record(CudaStream::Display);
    return copy;
}

InteropWrite strainToTexture(std::shared_ptr<const VectorField> field,
                             std::shared_ptr<const DeviceAxes> axes, const StrainChoice& choice) {
    const auto enqueue = [&source = *field, &axes = *axes, choice](const InteropTarget& target) {
        const Size3 size = source.geometry.size();
        const std::size_t n = size.voxels();
        target.cuda.waitFor(CudaStream::Display, source.ready);
        target.cuda.waitFor(CudaStream::Display, axes.ready);
        const auto strainOf = [&](const VectorField& motion) {
            auto strain = std::make_shared<Buffer<float>>(
                target.cuda.devicePool().acquire<float>(4 * n, "strain of the heart"));
            float* const out = strain->data();
            const cardiac::AxisStrain work{.motion = motion.view(),
                                           .longitudinal = {axes.planes.data(), size},
                                           .radial = {axes.planes.data() + 3 * n, size},
                                           .scale = cardiac::axisScale(axes.grid),
                                           .tensor = choice.tensor,
                                           .jacobian = {out, size},
                                           .strain = {out + n, size}};
            gpu::axisStrain(cardiac::standardAxisStrain, work, target.log);
            target.kept.push_back(std::move(strain));
            return out + (1 + static_cast<std::size_t>(choice.direction)) * n;
        };
        float* const along = strainOf(source);
        if (choice.since) {
            target.cuda.waitFor(CudaStream::Display, choice.since->ready);
            const float* const then = strainOf(*choice.since);
            target.log.launch({"map/since", 12 * static_cast<double>(n)}, relate, overVoxels(size),
                              VolumeView<float>(along, size), then, choice.tensor);
        }
        target.log.launch({"map/carried", 20 * static_cast<double>(n)}, writeCarried,
                          overVoxels(size), source.view(), along, target.surface());
    };
    return {enqueue, {std::move(field), std::move(axes)}};
}

InteropWrite glyphsToBuffer(std::shared_ptr<const VectorField> field,
                            std::shared_ptr<const Volume> image, const GlyphLattice& lattice,
                            GlyphRules rules) {
    rules.image = image.get();
    const sampling::ArrowSource source = arrowSource(*field, rules);
    const auto enqueue = [source, lattice, fieldReady = field->ready,
                          imageReady =
                              image ? image->ready : nullptr](const InteropTarget& target) {
        target.cuda.waitFor(CudaStream::Display, fieldReady);
        target.cuda.waitFor(CudaStream::Display, imageReady);
        auto* glyphs = static_cast<Glyph*>(target.memory);
        const auto launch = [&]<typename Lattice>(const Lattice& places) {
            constexpr unsigned block = 128;
            const std::size_t count = places.places();
            if (count * sizeof(Glyph) > target.bytes)
                throw ComputeError("the buffer of the arrows is too small for their lattice");
            const LaunchShape shape{dim3(static_cast<unsigned>((count + block - 1) / block)),
                                    dim3(block), 0};
            target.log.launch({"glyphs", static_cast<double>(count * sizeof(Glyph))},
                              writeGlyphs<Lattice>, shape, source, places, glyphs);
        };
        std::visit(launch, lattice);
    };
    return {enqueue, {std::move(field), std::move(image)}};
}

std::optional<float> valueAt(CudaInterop& interop, const Volume& volume, Vec3 position) {
    const sampling::Cell cell = sampling::cellAt(sampling::Grid(volume.geometry), position);
    if (!cell.inside)
        return std::nullopt;
    return static_cast<
        float>(readOne<double>(interop, volume.ready, [&](LaunchLog& log, double* value) {
        log.launch({"probe/value"}, readValue, {dim3(1), dim3(1), 0}, volume.view(), cell, value);
    }));
}

std::optional<Vec3> displacementAt(CudaInterop& interop, const VectorField& field, Vec3 position) {
    const sampling::Grid grid(field.geometry);
    const sampling::Cell cell = sampling::cellAt(grid, position);
    if (!cell.inside)
        return std::nullopt;
    return readOne<Vec3>(interop, field.ready, [&](LaunchLog& log, Vec3* displacement) {
        log.launch({"probe/displacement"}, readDisplacement, {dim3(1), dim3(1), 0}, field.view(),
                   grid, cell, displacement);
    });
}

} // namespace systole
