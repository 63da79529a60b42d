#include "compute/core/machine.h"

#include <hwy/targets.h>

#include <fstream>
#include <sched.h>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace systole {
namespace {

std::string afterColon(const std::string& line) {
    const auto start = line.find_first_not_of(" \t", line.find(':') + 1);
    return start == std::string::npos ? std::string{} : line.substr(start);
}

std::string processorName() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name"))
            return afterColon(line);
    return "unknown";
}

int usableCores() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        return CPU_COUNT(&allowed);
    const unsigned count = std::thread::hardware_concurrency();
    return count > 0 ? static_cast<int>(count) : 1;
}

std::string chosenTarget() {
    // Highway takes the best of the targets that were compiled and that the processor has; better
    // targets have lower bits.
    const auto targets = static_cast<std::uint64_t>(hwy::SupportedTargets() & HWY_TARGETS);
    return hwy::TargetName(static_cast<std::int64_t>(targets & (~targets + 1)));
}

std::size_t memoryInfo(std::string_view key) {
    std::ifstream file("/proc/meminfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(key))
            return std::stoull(afterColon(line)) * 1024;
    return 0;
}

} // namespace

Machine describeMachine() {
    Machine machine;
    machine.processor = processorName();
    machine.cores = usableCores();
    machine.simdTarget = chosenTarget();
    machine.memoryBytes = physicalBytes();
    machine.availableBytes = memoryInfo("MemAvailable");
    return machine;
}

std::size_t physicalBytes() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long pageBytes = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || pageBytes <= 0)
        return std::size_t{4} << 30;
    return static_cast<std::size_t>(pages) * static_cast<std::size_t>(pageBytes);
}

} // namespace systole
