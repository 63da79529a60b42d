#include "app/kernel_reference.h"

#include "app/lab_library.h"

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
        for (const std::filesystem::path& file : shippedRecords()) {
            lab::GpuRecord record = readGpuRecord(file);
            if (record.points.empty())
                continue; // figures of a machine alone
            record_.record = std::move(record);
            return record_;
        }
        record_.failure = "no recorded run comes with this program";
    } catch (const std::exception& error) {
        record_.failure = error.what();
    }
    return record_;
}

} // namespace systole
