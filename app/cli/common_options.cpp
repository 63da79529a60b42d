#include "app/cli/common_options.h"

#include "app/cli/option_forms.h"
#include "app/task/backend.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace systole {
namespace {

/// Names of backends, and cuda:N.
CLI::Validator namesAndNumbers() {
    return {[](const std::string& text) {
                const std::vector<std::string>& names = backendNames();
                return std::ranges::find(names, text) != names.end() || text.starts_with("cuda:")
                           ? std::string()
                           : fmt::format("'{}' is not one of {}, cuda:N", text,
                                         fmt::join(names, ", "));
            },
            fmt::format("{{{},cuda:N}}", fmt::join(backendNames(), ","))};
}

} // namespace

CLI::Option* addThreads(CLI::App& app, int& threads) {
    return addNumber(app, "--threads", threads, 0, 1024,
                     fmt::format("{}, 0 for all of the hardware", threadsHelp));
}

CLI::Option* addBackend(CLI::App& app, std::string& backend, DeviceNumbers numbers,
                        const std::string& more) {
    const bool taken = numbers == DeviceNumbers::Taken;
    return app
        .add_option("--backend", backend,
                    fmt::format("{}; auto uses CUDA if available, else the CPU, and reports its "
                                "choice{}{}",
                                backendHelp, taken ? "; cuda:N is the device N, from 0" : "", more))
        ->check(taken ? namesAndNumbers() : oneOf(backendNames()))
        ->default_str("auto");
}

CLI::Option* addJsonFlag(CLI::App& app, bool& json) {
    return app.add_flag("--json", json, jsonFlagHelp);
}

CLI::Option* addJsonFile(CLI::App& app, std::string& file, const std::string& more) {
    return app.add_option("--json", file, jsonFileHelp + more);
}

} // namespace systole
