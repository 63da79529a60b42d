#include "app/features/motion/chosen_devices.h"

#include "app/base/error.h"
#include "compute/core/error.h"
#include "io/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace systole {

std::vector<int> chosenDevices(const std::string& text, const CudaStatus& status) {
    if (!status.usable())
        throw ComputeError(fmt::format("--devices {}: {}", text, status.reason));
    std::vector<int> chosen;
    for (const CudaDevice& device : status.devices)
        if (text == "all" && device.usable)
            chosen.push_back(device.index);
    if (text == "all")
        return chosen;
    for (const std::string& word : words(text, ",")) {
        const std::optional<long long> number = parseInteger(word);
        const auto found = std::ranges::find_if(status.devices, [&](const CudaDevice& device) {
            return device.usable && number && device.index == *number;
        });
        if (found == status.devices.end())
            throw UsageError(fmt::format("--devices: '{}' is neither all nor the number of one of "
                                         "this machine's {} CUDA devices, counted from 0",
                                         word, status.devices.size()));
        chosen.push_back(found->index);
    }
    if (chosen.empty())
        throw UsageError("--devices: expects all, or numbers such as 0,1");
    return chosen;
}

} // namespace systole
