// The one device policy: which backend runs a task, the requested one or the best available, and
// what happens when its device is absent, lacks memory or is lost.
#pragma once

#include "compute/core/motion_estimator.h"
#include "compute/cuda/context.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace systole {

struct BackendChoice {
    Backend backend = Backend::Cpu;
    /// Text for the user: "requested", "auto: the program was built without CUDA".
    std::string reason;
    bool mayChange = false;      ///< auto: if CUDA fails, continues on the CPU and reports it
    int device = 0;              ///< Cuda: index in cudaStatus().devices
    std::size_t deviceBytes = 0; ///< maximum memory to use there; 0: all free memory
};

/// The names of backends that a user can ask for; "cuda:1" is the second device.
const std::vector<std::string>& backendNames();

/// `asked` is one of backendNames(), or "cuda:N". Requesting an unavailable backend or device
/// throws ComputeError; "auto" selects CUDA if method, build and machine all support it, else the
/// CPU.
BackendChoice chooseBackend(const std::string& asked, const MotionMethod& method,
                            const CudaStatus& status = cudaStatus());
/// Overload for any method, given its name and backends.
BackendChoice chooseBackend(const std::string& asked, const std::string& method,
                            const std::vector<Backend>& backends,
                            const CudaStatus& status = cudaStatus());
/// A backend that a user has chosen in the window: if a device fails, the CPU takes over.
BackendChoice preferred(Backend backend, int device = 0);

/// Opens the device of a choice for an estimation that has a fallback of its own (PairEstimator);
/// the choice becomes what runs. Null: none. Throws ComputeError.
std::shared_ptr<CudaContext> openDevice(BackendChoice& choice);

using DeviceWork = std::function<void(const ExecContext&)>;

/// Functions that open devices and run work on them; tests replace them by failing ones.
struct DeviceAccess {
    /// Throws ComputeError with one sentence: there is none, it is busy, lost, out of memory.
    std::function<std::shared_ptr<CudaContext>(const CudaContext::Options&)> open =
        [](const CudaContext::Options& options) { return std::make_shared<CudaContext>(options); };
    /// Does work with a context of the open device. Throws what the work throws.
    std::function<void(const ExecContext&, const DeviceWork&)> work =
        [](const ExecContext& ctx, const DeviceWork& work) { work(ctx); };
};

/// Runs the work of one task where its choice says. If the device can't be opened, lacks memory or
/// is lost, the work is done once more on the CPU, which then stays, and fallback() says why; where
/// the choice may not change, that failure is an error. Work that is done once more must not have
/// changed what it begins with.
class DevicePolicy {
public:
    /// `options`: of the device that the choice names.
    explicit DevicePolicy(BackendChoice choice, CudaContext::Options options = {},
                          DeviceAccess access = {});

    /// The device, which is opened now; null: the work runs without. Throws ComputeError.
    std::shared_ptr<CudaContext> open();

    /// work(ctx) with the backend and the device that it runs on. If the CPU fails, too, its error
    /// is thrown and the device tried again by the next work: it isn't the cause. Passes on
    /// Cancelled.
    template <typename Work>
    auto run(const ExecContext& ctx, const Work& work) {
        using Made = std::invoke_result_t<const Work&, const ExecContext&>;
        if constexpr (std::is_void_v<Made>) {
            perform(ctx, work);
        } else {
            std::optional<Made> made;
            perform(ctx, [&](const ExecContext& where) { made = work(where); });
            return std::move(*made);
        }
    }

    /// The backend of the next work, with the reason.
    const BackendChoice& choice() const { return choice_; }
    /// One sentence on why that isn't the chosen backend; empty: it is.
    const std::string& fallback() const { return fallback_; }
    /// Other work may find the memory that the last one lacked: the device, if it is still open, is
    /// used again.
    void tryAgain();

private:
    void perform(const ExecContext& ctx, const DeviceWork& work);
    void openDevice();
    void changeToCpu(const std::string& why);

    const BackendChoice wanted_;
    const CudaContext::Options options_;
    const DeviceAccess access_;
    BackendChoice choice_;
    std::string fallback_;
    bool isOpen_ = false;
    std::shared_ptr<CudaContext> device_;
};

} // namespace systole
