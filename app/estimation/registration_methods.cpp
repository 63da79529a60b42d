#include "app/estimation/registration_methods.h"

#include "compute/cuda/device.h"
#include "compute/motion/methods.h"

namespace systole {
namespace {

MotionMethod makeAffineMethod() {
    MotionMethod method;
    method.name = "affine";
    method.title = "Affine registration by block matching";
    method.summary = "Shift, rotation, scales and shears of the whole image: alone, or before a "
                     "deformable method.";
    method.parameters = &affineParameterTable();
    method.backends = {Backend::Cpu, Backend::CpuReference};
    if constexpr (cudaIsBuilt)
        method.backends.push_back(Backend::Cuda);
    return method;
}

} // namespace

const std::vector<MotionMethod>& registrationMethods() {
    static const std::vector<MotionMethod> methods = [] {
        std::vector<MotionMethod> all{makeAffineMethod()};
        for (const MotionMethod& method : motionMethods())
            all.push_back(method);
        return all;
    }();
    return methods;
}

const MotionMethod& affineMethod() { return registrationMethods().front(); }

bool startsWithAffine(const MotionMethod& method) { return method.name == "ffd"; }

RegistrationPlan planOf(const MotionMethod& method, const ParamSet& parameters, Backend backend,
                        bool affineFirst) {
    RegistrationPlan plan;
    plan.affineBackend = plan.methodBackend = backend;
    const bool affineAlone = method.name == affineMethod().name;
    if (affineAlone || affineFirst)
        plan.affine = AffineParameters::from(
            affineAlone ? parameters : ParamSet(affineParameterTable(), "default"));
    if (affineAlone)
        return plan;
    plan.method = &method;
    plan.parameters = parameters;
    return plan;
}

bool usesDevice(const RegistrationPlan& plan) {
    return (plan.affine && plan.affineBackend == Backend::Cuda) ||
           (plan.method && plan.methodBackend == Backend::Cuda);
}

RegistrationPlan planOn(Backend backend, const RegistrationPlan& plan) {
    RegistrationPlan on = plan;
    for (Backend* part : {&on.affineBackend, &on.methodBackend})
        if (*part == Backend::Cuda && backend != Backend::Cuda)
            *part = Backend::Cpu;
    return on;
}

} // namespace systole
