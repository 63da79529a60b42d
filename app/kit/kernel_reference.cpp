#include "app/kit/kernel_reference.h"

#include "app/base/lab_library.h"

#include <exception>

namespace systole {

const KernelReference::Machine& KernelReference::of(const CudaDevice& device) {
    if (device_ == device.name)
        return machine_;
    device_ = device.name;
    machine_ = {};
    try {
        machine_.machine = machineFor(device);
    } catch (const std::exception& error) {
        machine_.failure = error.what();
    }
    return machine_;
}

const KernelReference::Record& KernelReference::recorded() {
    if (recordRead_)
        return record_;
    recordRead_ = true;
    try {
        if (std::optional<ShippedRecord> shipped = firstShippedRecord())
            record_.record = std::move(shipped->record);
        else
            record_.failure = "no recorded run was installed with this program";
    } catch (const std::exception& error) {
        record_.failure = error.what();
    }
    return record_;
}

} // namespace systole
