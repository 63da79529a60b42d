// What the figures of running kernels are held against: the device's figures, and, where none runs,
// a recorded run. Read when first asked for, then kept.
#pragma once

#include "compute/cuda/device.h"
#include "compute/lab/point.h"
#include "compute/model/machine.h"

#include <optional>
#include <string>

namespace systole {

class KernelReference {
public:
    struct Machine {
        std::optional<model::GpuMachine> machine; ///< none: `failure` says why
        std::string failure;
    };
    const Machine& of(const CudaDevice& device);

    struct Record {
        std::optional<lab::GpuRecord> record; ///< that comes with the program; none: `failure`
        std::string failure;
    };
    const Record& recorded();

private:
    std::string device_; ///< whose figures machine_ has
    Machine machine_;
    bool recordRead_ = false;
    Record record_;
};

} // namespace systole
