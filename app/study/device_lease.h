// Memory of a GPU that one process has for itself, so that several processes on one host share its
// GPUs without being told of each other.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace systole {

struct LeasableDevice {
    std::string uuid; ///< "GPU-…"
    std::uint64_t bytes = 0;
    int index = 0; ///< index in cudaStatus().devices
};

/// Devices that CUDA_VISIBLE_DEVICES leaves visible; empty without a usable device.
std::vector<LeasableDevice> leasableDevices();

/// A bound on the leases of one process: more than are needed to keep the devices busy would all
/// end at the same time, and leave the devices idle while their cases are measured and drawn.
class LeasePlaces {
public:
    /// Waits while as many are taken as so many devices allow. Free again with the last copy of
    /// the pointer, which this outlives.
    std::shared_ptr<void> take(std::size_t devices);

private:
    std::mutex mutex_;
    std::condition_variable freed_;
    std::size_t taken_ = 0;
};

/// A lease of device memory. Every device has a file in the folder, in which a locked byte stands
/// for a leased MiB. The kernel releases the locks of a process when it and its children have
/// ended. A request for more memory than a device has gets the whole device.
class DeviceLease {
public:
    /// Leases from the device with the most free memory; waits for one of the places (null: no
    /// bound), and until a device has enough. `devices` isn't empty. Throws FileError.
    DeviceLease(const std::string& folder, const std::vector<LeasableDevice>& devices,
                std::uint64_t bytes, LeasePlaces* places = nullptr);
    ~DeviceLease();
    DeviceLease(const DeviceLease&) = delete;
    DeviceLease& operator=(const DeviceLease&) = delete;

    const LeasableDevice& device() const { return device_; }
    /// Nothing if no device has enough now.
    static std::unique_ptr<DeviceLease> tryLease(const std::string& folder,
                                                 const std::vector<LeasableDevice>& devices,
                                                 std::uint64_t bytes);

private:
    DeviceLease() = default;
    bool take(const std::string& folder, const std::vector<LeasableDevice>& devices,
              std::uint64_t bytes);

    std::shared_ptr<void> place_;
    LeasableDevice device_;
    int file_ = -1;
};

} // namespace systole
