// Helpers for tests of CLG on the device.
#pragma once

#include "compute/core/error.h"
#include "compute/core/motion_estimator.h"
#include "compute/methods/clg/clg.h"
#include "tests/support/compute_support.h"
#include "tests/support/gpu_support.h"
#include "tests/support/speckle_pair.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace systole {

using test::TestField;
using test::TestVolume;
using Pair = test::SpecklePair;

inline double meanDistance(TestField& a, TestField& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size.voxels(); ++i)
        sum += std::hypot(a.view().u[i] - b.view().u[i], a.view().v[i] - b.view().v[i],
                          a.view().w[i] - b.view().w[i]);
    return sum / static_cast<double>(a.size.voxels());
}

inline double meanDifference(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    return sum / static_cast<double>(a.size());
}

using Changes = std::vector<std::pair<std::string, std::string>>;

inline ParamSet parameters(const std::string& preset, const Changes& changes = {}) {
    ParamSet set(clgParameterTable(), preset);
    for (const auto& [id, value] : changes)
        set.setText(id, value);
    return set;
}

inline MotionInput inputOf(Pair& pair, Vec3 spacing = {1, 1, 1}) {
    MotionInput input;
    input.fixed = pair.fixed.view();
    input.moving = pair.moving.view();
    input.spacing = spacing;
    input.scale = {0, 230};
    return input;
}

/// Frames, weight and field in device memory.
struct OnDeviceMemory {
    OnDeviceMemory(const MotionInput& host, TestField& start, CudaContext& context)
        : cuda(context), input(host), n(host.fixed.voxels()) {
        storage = cuda.devicePool().acquire<float>(6 * n, "test");
        const auto put = [&](const float* from, std::size_t slot) {
            float* const to = storage.data() + slot * n;
            cuda.upload(from, to, n * sizeof(float), CudaStream::Compute);
            return to;
        };
        input.space = MemorySpace::Device;
        input.fixed.data = put(host.fixed.data, 0);
        input.moving.data = put(host.moving.data, 1);
        field = {put(start.view().u, 2), put(start.view().v, 3), put(start.view().w, 4),
                 start.size};
        if (!host.incompressibility.empty())
            input.incompressibility.data = put(host.incompressibility.data, 5);
    }
    void download(TestField& to) {
        cuda.download(field.u, to.values.data(), 3 * n * sizeof(float), CudaStream::Compute);
        cuda.synchronize(CudaStream::Compute);
    }

    CudaContext& cuda;
    MotionInput input;
    std::size_t n;
    Buffer<float> storage;
    FieldView<float> field;
};

class ClgOnDevice : public test::OnDevice {
protected:
    MotionReport estimate(MotionEstimator& estimator, const MotionInput& input, TestField& field,
                          MemorySpace space = MemorySpace::Host) {
        if (space == MemorySpace::Host)
            return estimator.estimate(input, field.view(), context());
        OnDeviceMemory memory(input, field, *cuda);
        const MotionReport report = estimator.estimate(memory.input, memory.field, context());
        memory.download(field);
        return report;
    }
    MotionReport onCpu(const ParamSet& set, const MotionInput& input, TestField& field) {
        return makeClg(set, Backend::Cpu)->estimate(input, field.view(), resources.context());
    }
};

} // namespace systole
