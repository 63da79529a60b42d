#include "app/tuning/autotune_file.h"

#include "compute/core/error.h"
#include "compute/lab/kernels/kernels.h"
#include "io/base/byte_source.h"
#include "io/base/error.h"
#include "io/formats/writer.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t maxBytes = std::uintmax_t{16} << 20;

} // namespace

std::string autotuneFile() {
    const auto folder = [](const char* variable) {
        const char* value = std::getenv(variable);
        return fs::path(value ? value : "");
    };
    // The XDG specification says to ignore relative paths.
    const fs::path cache = folder("XDG_CACHE_HOME");
    if (cache.is_absolute())
        return (cache / "systole" / "autotune.json").string();
    const fs::path home = folder("HOME");
    return home.is_absolute() ? (home / ".cache" / "systole" / "autotune.json").string()
                              : std::string();
}

lab::TunedDevice tunedDevice(const CudaDevice& device) {
    return {device.name, device.computeCapability, cudaStatus().driverVersion};
}

lab::AutotuneCache readAutotuneFile(const std::string& path, std::string& why) {
    why.clear();
    std::error_code error;
    if (path.empty() || !fs::exists(path, error))
        return {};
    if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > maxBytes) {
        why = fmt::format("{}: not a file of tuned block sizes", path);
        return {};
    }
    try {
        return lab::AutotuneCache::parse(wholeText(path));
    } catch (const FileError& problem) {
        why = problem.what();
        return {};
    } catch (const ComputeError& problem) {
        why = fmt::format("{}: {}", path, problem.what());
        return {};
    }
}

void addToAutotuneFile(const std::string& path, const lab::AutotuneCache& found) {
    if (path.empty())
        return;
    std::string why; // an unreadable file is replaced
    lab::AutotuneCache all = readAutotuneFile(path, why);
    all.merge(found);
    ensureFolder(fs::path(path).parent_path().string());
    writeTextAtomically(path, all.toJson());
}

BlockSizes usableBlockSizes(const lab::AutotuneCache& cache, const lab::TunedDevice& device,
                            std::size_t voxels) {
    const BlockSizes known = cache.blockSizes(device, lab::sizeClass(voxels));
    BlockSizes usable;
    for (const lab::LabKernel& kernel : lab::labKernels()) {
        const int threads = known.threadsFor(kernel.name(), kernel.standardBlock);
        if (threads != kernel.standardBlock && kernel.takes(threads))
            usable.set(kernel.name(), threads);
    }
    return usable;
}

} // namespace systole
