// CLG on the host.
#include "compute/methods/clg/clg.h"

#include "compute/cuda/device.h"
#include "compute/cuda/kernel_choice.h"
#include "compute/methods/clg/host_steps.h"

namespace systole {
namespace clg {
namespace {

template <std::unique_ptr<ClgForm> (*makeForm)()>
struct StepsOnHost : StepsOfForm {
    StepsOnHost(const ClgParameters& p, Size3, Workspace&) : StepsOfForm(p, makeForm()) {}
};
template <std::unique_ptr<ClgForm> (*makeForm)()>
using EstimatorOnHost = HostEstimator<Plan<StepsOnHost<makeForm>>>;

} // namespace
} // namespace clg

std::unique_ptr<MotionEstimator> makeClg(const ParamSet& values, Backend backend) {
    switch (backend) {
    case Backend::CpuReference:
        return std::make_unique<clg::EstimatorOnHost<makeClgReferenceForm>>(
            ClgParameters::from(values));
    case Backend::Cpu:
        return std::make_unique<clg::EstimatorOnHost<makeClgCpuForm>>(ClgParameters::from(values));
    case Backend::Cuda:
        if constexpr (cudaIsBuilt)
            return makeClgCuda(ClgParameters::from(values));
        break;
    }
    throwNoCuda("CLG");
}

} // namespace systole
