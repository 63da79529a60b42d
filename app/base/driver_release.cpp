#include "app/base/driver_release.h"

#include <fmt/format.h>

#include <fstream>

namespace systole {

std::string driverRelease() {
    std::ifstream file("/proc/driver/nvidia/version");
    for (std::string word; file >> word;)
        if (word.find_first_not_of("0123456789.") == std::string::npos &&
            word.find('.') != std::string::npos)
            return word;
    return {};
}

std::string cudaVersionText(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

} // namespace systole
