#include "compute/core/machine.h"

#include <hwy/targets.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <optional>
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

constexpr std::uint64_t noLimit = std::numeric_limits<std::uint64_t>::max();

/// The number at the beginning of the text.
std::optional<std::uint64_t> numberIn(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() ? std::optional(number) : std::nullopt;
}

std::size_t memoryInfo(std::string_view key) {
    std::ifstream file("/proc/meminfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(key))
            return numberIn(afterColon(line)).value_or(0) * 1024;
    return 0;
}

/// Names of the files of a control group, and of the lines of its memory.stat that say how many
/// bytes are kept of files.
struct GroupFiles {
    std::initializer_list<const char*> limits;
    const char* used;
    std::initializer_list<std::string_view> kept;
};
const GroupFiles version2{
    {"memory.max", "memory.high"}, "memory.current", {"inactive_file ", "active_file "}};
const GroupFiles version1{{"memory.limit_in_bytes"},
                          "memory.usage_in_bytes",
                          {"total_inactive_file ", "total_active_file "}};

std::optional<std::uint64_t> numberInFile(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::string line;
    return std::getline(file, line) ? numberIn(line) : std::nullopt;
}

std::uint64_t bytesLeftIn(const std::filesystem::path& group, const GroupFiles& files) {
    std::uint64_t limit = noLimit;
    for (const char* name : files.limits)
        limit = std::min(limit, numberInFile(group / name).value_or(noLimit));
    const std::optional<std::uint64_t> used = numberInFile(group / files.used);
    if (limit == noLimit || !used)
        return limit;
    std::uint64_t kept = 0;
    std::ifstream statistics(group / "memory.stat");
    for (std::string line; std::getline(statistics, line);)
        for (const std::string_view key : files.kept)
            if (line.starts_with(key))
                kept += numberIn(std::string_view(line).substr(key.size())).value_or(0);
    const std::uint64_t needed = *used - std::min(*used, kept);
    return limit - std::min(limit, needed);
}

} // namespace

Machine describeMachine() {
    Machine machine;
    machine.processor = processorName();
    machine.cores = usableCores();
    machine.simdTarget = chosenTarget();
    machine.memoryBytes = physicalBytes();
    machine.availableBytes =
        std::min<std::uint64_t>(memoryInfo("MemAvailable"), bytesLeftByGroups());
    return machine;
}

std::uint64_t bytesLeftByGroups(const std::string& groups, const std::string& tree) {
    std::uint64_t left = noLimit;
    std::ifstream file(groups);
    for (std::string line; std::getline(file, line);) { // "4:cpu,memory:/a/b", or "0::/a/b"
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos)
            continue;
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        const bool isVersion2 = controllers == ",,";
        if (!isVersion2 && controllers.find(",memory,") == std::string::npos)
            continue;
        const std::filesystem::path top = isVersion2 ? tree : tree + "/memory";
        // A container may see its own group as the top of the tree, and the name that it has
        // outside.
        for (auto group = std::filesystem::path(line.substr(second + 1)).relative_path();;
             group = group.parent_path()) {
            left = std::min(left, bytesLeftIn(top / group, isVersion2 ? version2 : version1));
            if (group.empty())
                break;
        }
    }
    return left;
}

std::size_t physicalBytes() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long pageBytes = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || pageBytes <= 0)
        return std::size_t{4} << 30;
    return static_cast<std::size_t>(pages) * static_cast<std::size_t>(pageBytes);
}

} // namespace systole
