#include "app/registration/methods.h"

#include "compute/cuda/device.h"
#include "compute/methods/ffd/affine.h"
#include "compute/motion/methods.h"
#include "compute/ops/affine_displacement.h"

#include <memory>

namespace systole {
namespace {

/// What starts from no displacement starts from the identity; another start isn't affine.
class AffineEstimator : public MotionEstimator {
public:
    explicit AffineEstimator(const AffineParameters& parameters) : parameters_(parameters) {}

    MotionReport run(const MotionInput& input, FieldView<float> displacement,
                     const ExecContext& ctx) override {
        const AffineResult result = registerAffine(input, AffineMap(), parameters_, ctx);
        const Geometry alone(input.fixed.size, input.spacing);
        displacementOf(result.map, input.grids.value_or(FrameGrids{alone, alone}), displacement,
                       ctx);
        MotionReport report;
        for (const AffineLevel& level : result.levels) {
            MotionReport::Level& entry = report.levels.emplace_back();
            entry.size = level.size;
            entry.iterations = static_cast<int>(level.iterations.size());
            entry.energy = level.iterations.empty() ? 0 : 1 - level.iterations.back().similarity;
        }
        report.finish();
        return report;
    }
    std::size_t memoryEstimate(Size3 size) const override {
        return 4 * size.voxels() * sizeof(float); // both images in levels, and the warped one
    }
    int reach() const override { return 1 << 20; } // one map for the whole image: no slabs
    bool allowsTwoGrids() const override { return true; }

private:
    const AffineParameters parameters_;
};

MotionMethod affineMethod() {
    MotionMethod method;
    method.name = "affine";
    method.title = "Affine (block matching)";
    method.parameters = &affineParameterTable();
    method.backends = {Backend::Cpu, Backend::CpuReference};
    if constexpr (cudaIsBuilt)
        method.backends.push_back(Backend::Cuda);
    method.make = [](const ParamSet& values, Backend) -> std::unique_ptr<MotionEstimator> {
        return std::make_unique<AffineEstimator>(AffineParameters::from(values));
    };
    return method;
}

} // namespace

const std::vector<MotionMethod>& registrationMethods() {
    static const std::vector<MotionMethod> methods = [] {
        std::vector<MotionMethod> all{affineMethod()};
        for (const MotionMethod& method : motionMethods())
            all.push_back(method);
        return all;
    }();
    return methods;
}

} // namespace systole
