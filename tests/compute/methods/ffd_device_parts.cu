#include "compute/methods/ffd/penalty_jacobian_cuda.cuh"
#include "compute/methods/ffd/quadratic_cuda.cuh"
#include "compute/methods/ffd/similarity_cuda.cuh"
#include "compute/ops/quantiles_cuda.cuh"
#include "tests/compute/methods/ffd_device_parts.h"
#include "tests/support/device_array.h"

namespace systole::test {
namespace {

/// Room of the sums over a grid.
struct Room {
    explicit Room(CudaContext& cuda)
        : perBlock(cuda, gpu::sumBlocks), arrived(cuda, std::vector<unsigned>{0}) {}
    gpu::GridSum sum() { return {perBlock.data(), arrived.data()}; }

    DeviceArray<double2> perBlock;
    DeviceArray<unsigned> arrived;
};

std::vector<float> valuesOf(VolumeView<const float> view) {
    return view.empty() ? std::vector<float>{}
                        : std::vector<float>(view.data, view.data + view.voxels());
}

/// A volume's copy on the device; an empty one stays empty.
struct OnCard {
    OnCard(CudaContext& cuda, VolumeView<const float> view)
        : size(view.size)
        , there(!view.empty())
        , values(cuda, there ? valuesOf(view) : std::vector<float>{0}) {}
    VolumeView<const float> view() {
        return there ? VolumeView<const float>(values.data(), size) : VolumeView<const float>();
    }

    Size3 size;
    bool there;
    DeviceArray<float> values;
};

/// Calls penalty(gradient or null, result) twice, without and with a gradient.
template <typename Penalty>
PenaltyFound bothWays(const std::vector<float>& gradient, CudaContext& cuda,
                      const Penalty& penalty) {
    DeviceArray<float> sums(cuda, gradient);
    DeviceArray<double2> out(cuda, 1);
    penalty(nullptr, out.data());
    const double alone = out.download()[0].x;
    penalty(sums.data(), out.data());
    return {alone, out.download()[0].x, sums.download()};
}

} // namespace

QuantilesFound quantilesOnDevice(const std::vector<float>& values, double low, double high,
                                 CudaContext& cuda) {
    DeviceArray<float> there(cuda, values);
    DeviceArray<gpu::QuantileSearch> search(cuda, std::vector<gpu::QuantileSearch>(1));
    LaunchLog log(cuda, LaunchLog::Timing::None);
    // Twice: the first search leaves the memory as the next one needs it.
    gpu::quantilesOf(there.data(), values.size(), high, low, search.data(), log);
    const gpu::QuantilePair found =
        gpu::quantilesOf(there.data(), values.size(), low, high, search.data(), log);
    const gpu::QuantilePair all = gpu::extremesOf(there.data(), values.size(), search.data(), log);
    return {found.low, found.high, all.low, all.high};
}

SimilarityFound similarityOnDevice(const SimilarityOptions& options, const Similarity::Level& level,
                                   const ComparedImages& images, CudaContext& cuda) {
    Workspace space;
    const std::unique_ptr<gpu::DeviceSimilarity> similarity =
        options.kind == SimilarityKind::Ssd ? gpu::makeSsdOnDevice()
        : options.kind == SimilarityKind::Nmi
            ? gpu::makeNmiOnDevice(space)
            : gpu::makeLnccOnDevice(options.window, level.fixed.size, space);
    space.acquire(cuda.devicePool());
    OnCard fixed(cuda, level.fixed), mask(cuda, level.fixedMask), moving(cuda, level.moving),
        warped(cuda, images.warped), weight(cuda, images.weight), lost(cuda, images.lost);
    DeviceArray<float> derivative(cuda, images.warped.voxels());
    DeviceArray<gpu::FfdSums> sums(cuda, std::vector<gpu::FfdSums>(1));
    Room room(cuda);
    LaunchLog log(cuda, LaunchLog::Timing::None);
    similarity->begin({fixed.view(), mask.view(), moving.view(), level.movingMasked, level.unit},
                      sums.data(), room.sum(), log);
    const ComparedImages there{fixed.view(), warped.view(), weight.view(), lost.view()};
    SimilarityFound found{};
    for (int n = 0; n < 2; ++n) {
        similarity->enqueue(there, sums.data(), room.sum(), log);
        const gpu::FfdSums results = gpu::downloadSums(sums.data(), log);
        found.value = similarity->value(results);
        found.weights = results.similarity.y;
    }
    similarity->derivative(there, {derivative.data(), images.warped.size}, log);
    found.derivative = derivative.download();
    if (const VolumeView<const float> ofLost = similarity->ofLost(); !ofLost.empty()) {
        found.ofLost.resize(ofLost.voxels());
        cuda.download(ofLost.data, found.ofLost.data(), sizeof(float) * ofLost.voxels(),
                      CudaStream::Compute);
        cuda.synchronize(CudaStream::Compute);
    }
    return found;
}

PenaltyFound quadraticOnDevice(const PenaltyWeights& weights, const ControlGrid& grid, Vec3 unit,
                               const std::vector<float>& points, const std::vector<float>& more,
                               const std::vector<float>& gradient, CudaContext& cuda) {
    const GridIntegrals integrals(grid, unit);
    DeviceArray<float> bands(cuda, gpu::bandFloats(integrals)), at(cuda, points),
        added(cuda, more.empty() ? std::vector<float>{0} : more);
    const gpu::DeviceForm form = gpu::deviceForm(weights, integrals, bands.data());
    Room room(cuda);
    LaunchLog log(cuda, LaunchLog::Timing::None);
    return bothWays(gradient, cuda, [&](float* to, double2* out) {
        gpu::addQuadratic(form, grid.points(),
                          {at.data(), more.empty() ? nullptr : added.data(), to}, room.sum(), out,
                          log);
    });
}

PenaltyFound jacobianOnDevice(double weight, const ControlGrid& grid,
                              const std::vector<float>& points, const std::vector<float>& more,
                              const std::vector<float>& gradient, CudaContext& cuda) {
    DeviceArray<float> at(cuda, points), added(cuda, more.empty() ? std::vector<float>{0} : more);
    Room room(cuda);
    LaunchLog log(cuda, LaunchLog::Timing::None);
    return bothWays(gradient, cuda, [&](float* to, double2* out) {
        gpu::addJacobianPenalty(grid, weight,
                                {at.data(), more.empty() ? nullptr : added.data(), to}, room.sum(),
                                out, log);
    });
}

VectorsFound vectorsOnDevice(const std::vector<std::vector<float>>& vectors, Vec3 metric,
                             const std::vector<double>& factors, CudaContext& cuda) {
    const std::size_t points = vectors[0].size() / 3;
    std::vector<DeviceArray<float>> there;
    gpu::Products products(metric);
    gpu::Combination sum;
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        there.emplace_back(cuda, vectors[i]);
        products.add(there[0].data(), there[i].data(), false);
        products.add(there[0].data(), there[i].data(), true);
        sum.add(factors[i], there[i].data(), i % 2 == 1 ? metric : Vec3{1, 1, 1});
    }
    Room room(cuda);
    DeviceArray<double> out(cuda, 2 * vectors.size());
    LaunchLog log(cuda, LaunchLog::Timing::None);
    // Twice: the first call leaves the room as the next one needs it.
    gpu::dotProducts(products, points, room.sum(), out.data(), log);
    gpu::dotProducts(products, points, room.sum(), out.data(), log);
    gpu::combine(there[0].data(), sum, points, log);
    return {out.download(), there[0].download()};
}

} // namespace systole::test
