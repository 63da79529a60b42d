#include "app/study/device_lease.h"

#include "compute/cuda/device.h"
#include "compute/cuda/device_uuid.h"
#include "io/base/output_file.h"
#include "io/base/text.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

namespace systole {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
/// Memory of a process on a device in addition to its pools: context, code.
constexpr std::uint64_t contextBytes = 600 * mebibyte;
/// Part of the device's memory that is lent, in percent; the rest is the driver's and the screen's.
constexpr std::uint64_t lentPercent = 90;
/// Up to six of these cases estimate at the same time (SharedDevices); the others read, write,
/// hash.
constexpr std::size_t leasesOfDevice = 8;
constexpr auto pollInterval = std::chrono::milliseconds(50);

struct ByteRange {
    off_t begin = 0, end = 0;
    off_t length() const { return end - begin; }
};

struct flock lockOf(ByteRange range) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = range.begin;
    lock.l_len = range.length();
    return lock;
}

/// The parts of a range that nobody has locked.
void addFree(int file, ByteRange range, std::vector<ByteRange>& free) {
    if (range.length() <= 0)
        return;
    struct flock lock = lockOf(range);
    if (::fcntl(file, F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) {
        free.push_back(range);
        return;
    }
    addFree(file, {range.begin, std::max(range.begin, lock.l_start)}, free);
    addFree(file, {std::min(range.end, lock.l_start + lock.l_len), range.end}, free);
}

struct OpenDevice {
    const LeasableDevice* device = nullptr;
    int file = -1;
    off_t total = 0, free = 0; ///< MiB
    std::vector<ByteRange> ranges;
};

OpenDevice openDevice(const std::string& folder, const LeasableDevice& device) {
    const std::string path = folder + "/" + device.uuid + ".lock";
    OpenDevice open{&device, -1, 0, 0, {}};
    open.file = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW, 0666);
    if (open.file < 0)
        throw fileError(path, std::string("can't be opened as a lock: ") + std::strerror(errno));
    open.total = static_cast<off_t>(device.bytes / mebibyte * lentPercent / 100);
    addFree(open.file, {0, open.total}, open.ranges);
    for (const ByteRange& range : open.ranges)
        open.free += range.length();
    return open;
}

/// Locks the first range that is long enough.
bool lockPart(const OpenDevice& open, std::uint64_t bytes) {
    const off_t need =
        std::min(open.total, static_cast<off_t>((bytes + contextBytes + mebibyte - 1) / mebibyte));
    for (const ByteRange& range : open.ranges) {
        if (range.length() < need)
            continue;
        struct flock lock = lockOf({range.begin, range.begin + need});
        if (::fcntl(open.file, F_OFD_SETLK, &lock) == 0)
            return true;
    }
    return false;
}

} // namespace

std::vector<LeasableDevice> leasableDevices() {
    std::vector<LeasableDevice> devices;
    if constexpr (cudaIsBuilt)
        for (const CudaDevice& device : cudaStatus().devices)
            if (device.usable)
                devices.push_back({deviceUuid(device.index), device.memoryBytes, device.index});
    return devices;
}

std::shared_ptr<void> LeasePlaces::take(std::size_t devices) {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [&] { return taken_ < leasesOfDevice * devices; });
    ++taken_;
    return {this, [this](void*) {
                {
                    const std::lock_guard given(mutex_);
                    --taken_;
                }
                freed_.notify_all();
            }};
}

bool DeviceLease::take(const std::string& folder, const std::vector<LeasableDevice>& devices,
                       std::uint64_t bytes) {
    std::vector<OpenDevice> open;
    for (const LeasableDevice& device : devices)
        open.push_back(openDevice(folder, device));
    std::ranges::stable_sort(open, std::ranges::greater(), &OpenDevice::free);
    for (OpenDevice& each : open)
        if (file_ < 0 && lockPart(each, bytes)) {
            device_ = *each.device;
            std::swap(file_, each.file);
        }
    for (const OpenDevice& each : open)
        if (each.file >= 0)
            ::close(each.file);
    return file_ >= 0;
}

DeviceLease::DeviceLease(const std::string& folder, const std::vector<LeasableDevice>& devices,
                         std::uint64_t bytes, LeasePlaces* places)
    : place_(places ? places->take(devices.size()) : nullptr) {
    ensureFolder(folder);
    while (!take(folder, devices, bytes))
        std::this_thread::sleep_for(pollInterval);
}

std::unique_ptr<DeviceLease> DeviceLease::tryLease(const std::string& folder,
                                                   const std::vector<LeasableDevice>& devices,
                                                   std::uint64_t bytes) {
    ensureFolder(folder);
    std::unique_ptr<DeviceLease> lease(new DeviceLease);
    return lease->take(folder, devices, bytes) ? std::move(lease) : nullptr;
}

DeviceLease::~DeviceLease() {
    if (file_ >= 0)
        ::close(file_);
}

} // namespace systole
