// Reference figures for running kernels: those of the device, and a recorded run where no device is
// in use. Read on first use, then cached.
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
        std::optional<model::GpuMachine> machine; ///< empty: `failure` says why
        std::string failure;
    };
    const Machine& of(const CudaDevice& device);

    struct Record {
        /// Shipped with the program; empty: `failure` says why.
        std::optional<lab::GpuRecord> record;
        std::string failure;
    };
    const Record& recorded();

private:
    std::string device_; ///< name of the device that machine_ describes
    Machine machine_;
    bool recordRead_ = false;
    Record record_;
};

} // namespace systole
