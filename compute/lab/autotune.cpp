#include "compute/lab/autotune.h"

#include "compute/core/error.h"
#include "compute/core/json_depth.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace systole::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr int cacheVersion = 1;
constexpr std::size_t maxText = std::size_t{16} << 20;
constexpr std::size_t maxNameLength = 200;
constexpr int maxThreads = 1024;
constexpr int maxSizeClass = 48;

/// The entry of `sizes` nearest to `size`; the smaller of two.
int nearest(const std::vector<int>& sizes, int size) {
    return *std::min_element(sizes.begin(), sizes.end(),
                             [&](int a, int b) { return std::abs(a - size) < std::abs(b - size); });
}

} // namespace

int sizeClass(std::size_t voxels) {
    return voxels == 0 ? 0 : static_cast<int>(std::bit_width(voxels)) - 1;
}

BlockSearch::BlockSearch(std::vector<int> sizes, std::span<const int> starts)
    : sizes_(std::move(sizes)) {
    if (sizes_.empty())
        return;
    for (auto start = starts.rbegin(); start != starts.rend(); ++start)
        if (std::binary_search(sizes_.begin(), sizes_.end(), *start))
            want(*start);
    if (queue_.empty())
        want(sizes_[sizes_.size() / 2]);
}

std::optional<int> BlockSearch::next() const {
    return queue_.empty() ? std::nullopt : std::optional(queue_.back());
}

void BlockSearch::record(double seconds) {
    if (queue_.empty())
        throw ComputeError("a block size search got a time without a pending measurement");
    const int size = queue_.back();
    queue_.pop_back();
    std::erase(queue_, size); // starts may contain duplicates
    measured_[size] = seconds;
    if (seconds > 0 && (best_ == 0 || seconds < (1 - margin) * bestSeconds_)) {
        best_ = size;
        bestSeconds_ = seconds;
    }
    if (queue_.empty())
        addNeighbors();
}

void BlockSearch::addNeighbors() {
    // If none could be launched yet, continue from the smallest: smaller blocks need less.
    const int center = best_ > 0 ? best_ : measured_.begin()->first;
    const auto at = std::lower_bound(sizes_.begin(), sizes_.end(), center);
    if (at + 1 != sizes_.end())
        want(*(at + 1));
    if (at != sizes_.begin())
        want(*(at - 1));
    want(nearest(sizes_, 2 * center));
    want(nearest(sizes_, center / 2));
}

void BlockSearch::want(int size) {
    if (measured_.count(size) == 0)
        queue_.push_back(size);
}

const TunedBlock* AutotuneCache::find(const TunedDevice& device, const std::string& kernel,
                                      int sizeClass) const {
    const auto found = entries_.find({device, kernel, sizeClass});
    return found == entries_.end() ? nullptr : &found->second;
}

void AutotuneCache::put(const TunedDevice& device, const std::string& kernel, int sizeClass,
                        const TunedBlock& block) {
    entries_[{device, kernel, sizeClass}] = block;
}

void AutotuneCache::merge(const AutotuneCache& other) {
    for (const auto& [key, block] : other.entries_)
        entries_[key] = block;
}

BlockSizes AutotuneCache::blockSizes(const TunedDevice& device, int sizeClass) const {
    BlockSizes sizes;
    for (const auto& [key, block] : entries_)
        if (std::get<0>(key) == device && std::get<2>(key) == sizeClass)
            sizes.set(std::get<1>(key), block.threads);
    return sizes;
}

std::string AutotuneCache::toJson() const {
    Json entries = Json::array();
    for (const auto& [key, block] : entries_) {
        const auto& [device, kernel, size] = key;
        entries.push_back({{"device", device.name},
                           {"computeCapability", device.computeCapability},
                           {"driver", device.driver},
                           {"kernel", kernel},
                           {"sizeClass", size},
                           {"threads", block.threads},
                           {"seconds", block.seconds},
                           {"tried", block.tried}});
    }
    return Json{{"version", cacheVersion}, {"blocks", entries}}.dump(
               1, ' ', false, Json::error_handler_t::replace) +
           "\n";
}

namespace {

[[noreturn]] void refuse(const std::string& why) {
    throw ComputeError("the file of tuned block sizes " + why);
}

template <typename Number>
Number number(const Json& entry, const char* key, Number min, Number max) {
    const auto found = entry.find(key);
    if (found == entry.end() || !found->is_number())
        refuse(fmt::format("has an entry without a number '{}'", key));
    const double value = found->get<double>();
    if (!(value >= static_cast<double>(min) && value <= static_cast<double>(max)) ||
        (std::is_integral_v<Number> && value != std::floor(value)))
        refuse(fmt::format("has {} for '{}', expected {} to {}", value, key, min, max));
    return static_cast<Number>(value);
}

std::string text(const Json& entry, const char* key) {
    const auto found = entry.find(key);
    if (found == entry.end() || !found->is_string())
        refuse(fmt::format("has an entry without a text '{}'", key));
    auto value = found->get<std::string>();
    if (value.empty() || value.size() > maxNameLength)
        refuse(fmt::format("has a text '{}' of {} characters, expected 1 to {}", key, value.size(),
                           maxNameLength));
    return value;
}

} // namespace

AutotuneCache AutotuneCache::parse(std::string_view json) {
    if (json.size() > maxText)
        refuse(fmt::format("has {} bytes, expected at most {}", json.size(), maxText));
    if (nestsDeeperThan(maxJsonDepth, json))
        refuse(fmt::format("is nested deeper than {}", maxJsonDepth));
    const Json file = Json::parse(json, nullptr, false);
    if (!file.is_object())
        refuse("isn't a JSON object");
    if (const int version = number(file, "version", 0, 1'000'000); version != cacheVersion)
        refuse(fmt::format("has version {}, expected {}", version, cacheVersion));
    const auto blocks = file.find("blocks");
    if (blocks == file.end() || !blocks->is_array())
        refuse("has no list 'blocks'");
    AutotuneCache cache;
    for (const Json& entry : *blocks) {
        if (!entry.is_object())
            refuse("has an entry that isn't an object");
        const TunedDevice device{text(entry, "device"), number(entry, "computeCapability", 10, 999),
                                 number(entry, "driver", 0, 1'000'000)};
        cache.put(device, text(entry, "kernel"), number(entry, "sizeClass", 0, maxSizeClass),
                  {number(entry, "threads", 1, maxThreads), number(entry, "seconds", 1e-9, 1e3),
                   number(entry, "tried", 1, maxThreads)});
    }
    return cache;
}

} // namespace systole::lab
