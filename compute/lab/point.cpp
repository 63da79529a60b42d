#include "compute/lab/point.h"

#include "compute/core/error.h"
#include "compute/core/json_depth.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <tuple>

namespace systole::lab {

double LabPoint::bytes() const {
    double sum = 0;
    for (const ProfileSpan& launch : launches)
        sum += launch.bytes;
    return sum;
}

double LabPoint::flops() const {
    double sum = 0;
    for (const ProfileSpan& launch : launches)
        sum += launch.flops;
    return sum;
}

const ProfileSpan& LabPoint::largest() const {
    const auto threadsOf = [](const ProfileSpan& s) {
        double threads = 1;
        for (int axis = 0; axis < 3; ++axis)
            threads *= static_cast<double>(s.grid[axis]) * s.block[axis];
        return threads;
    };
    if (launches.empty())
        throw std::logic_error("a point of the laboratory without a launch");
    return *std::max_element(
        launches.begin(), launches.end(),
        [&](const ProfileSpan& a, const ProfileSpan& b) { return threadsOf(a) < threadsOf(b); });
}

const LabPoint* GpuRecord::find(std::string_view kernel, int side, int threads,
                                int paddingBytes) const {
    for (const LabPoint& point : points)
        if (point.side == side && point.threads == threads && point.paddingBytes == paddingBytes &&
            point.kernel == kernel)
            return &point;
    return nullptr;
}

std::vector<int> ascending(std::vector<int> numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

std::vector<int> GpuRecord::sidesOf(std::string_view kernel) const {
    std::vector<int> sides;
    for (const LabPoint& point : points)
        if (point.kernel == kernel)
            sides.push_back(point.side);
    return ascending(std::move(sides));
}

std::vector<int> GpuRecord::blocksAt(std::string_view kernel, int side) const {
    std::vector<int> blocks;
    for (const LabPoint& point : points)
        if (point.kernel == kernel && point.side == side && point.paddingBytes == 0)
            blocks.push_back(point.threads);
    return ascending(std::move(blocks));
}

namespace {

using Json = nlohmann::ordered_json;

// File format: distinct costs and launches are stored once, in tables; runs refer to launches by
// index.
constexpr const char* formatName = "systole gpu record";
constexpr int formatVersion = 1;
constexpr std::size_t maxText = std::size_t{64} << 20;
constexpr std::size_t maxLaunchesOfRun = 10000;

constexpr std::size_t costParts = std::size(countedCosts) + 1; // plus the bank conflicts

std::vector<double> listOf(const KernelCost& cost) {
    std::vector<double> list;
    for (const CountedCost part : countedCosts)
        list.push_back(cost.*part);
    list.push_back(cost.bankConflicts);
    return list;
}

// --- reading

[[noreturn]] void refuse(const std::string& what) {
    throw ComputeError("not a GPU record: " + what);
}

const Json& member(const Json& object, const char* key, const char* where) {
    const auto found = object.find(key);
    if (found == object.end())
        refuse(fmt::format("{} has no '{}'", where, key));
    return *found;
}

double real(const Json& value, double least, double most, const char* what) {
    const double number = value.is_number() ? value.get<double>() : std::nan("");
    if (!(number >= least && number <= most))
        refuse(fmt::format("{} is not a number from {:g} to {:g}", what, least, most));
    return number;
}

int whole(const Json& value, int least, int most, const char* what) {
    const double number = real(value, least, most, what);
    if (number != std::floor(number))
        refuse(fmt::format("{} is not a whole number", what));
    return static_cast<int>(number);
}

std::string words(const Json& value, std::size_t most, const char* what) {
    if (!value.is_string() || value.get_ref<const std::string&>().size() > most)
        refuse(fmt::format("{} is not a text of at most {} characters", what, most));
    std::string text = value.get<std::string>();
    if (model::hasControlCharacters(text))
        refuse(fmt::format("{} has control characters", what));
    return text;
}

const Json& list(const Json& value, std::size_t least, std::size_t most, const char* what) {
    if (!value.is_array() || value.size() < least || value.size() > most)
        refuse(least == most ? fmt::format("{} is not a list of {}", what, least)
                             : fmt::format("{} is not a list of {} to {}", what, least, most));
    return value;
}

constexpr double largeNumber = 1e18;
constexpr std::size_t manyEntries = 1'000'000;
constexpr double manyBlocks = 1e12;

KernelCost readCost(const Json& json) {
    list(json, costParts, costParts, "a cost");
    KernelCost cost;
    for (std::size_t i = 0; i < std::size(countedCosts); ++i)
        cost.*countedCosts[i] = real(json[i], 0, largeNumber, "a part of a cost");
    cost.bankConflicts = real(json.back(), 1, 32, "the bank conflicts of a cost");
    return cost;
}

ProfileSpan readLaunch(const Json& json, const std::vector<KernelCost>& costs) {
    list(json, 10, 10, "a launch");
    ProfileSpan span;
    span.kernel = words(json[0], 100, "the kernel of a launch");
    for (std::size_t axis = 0; axis < 3; ++axis) {
        span.grid[axis] = whole(list(json[1], 3, 3, "a grid")[axis], 1,
                                std::numeric_limits<int>::max(), "a side of a grid");
        span.block[axis] =
            whole(list(json[2], 3, 3, "a block")[axis], 1, 1024, "a side of a block");
    }
    if (static_cast<long>(span.block[0]) * span.block[1] * span.block[2] > 1024)
        refuse("a block has more than 1024 threads");
    if (static_cast<double>(span.grid[0]) * span.grid[1] * span.grid[2] > manyBlocks)
        refuse(fmt::format("a grid has more than {:g} blocks", manyBlocks));
    span.registers = whole(json[3], 0, 255, "the registers of a launch");
    span.sharedBytes = whole(json[4], 0, 1 << 20, "the shared bytes of a launch");
    span.localBytes = whole(json[5], 0, 1 << 20, "the local bytes of a launch");
    span.activeBlocks = whole(json[6], 0, 64, "the active blocks of a launch");
    span.bytes = real(json[7], 0, largeNumber, "the bytes of a launch");
    span.flops = real(json[8], 0, largeNumber, "the operations of a launch");
    const int cost = whole(json[9], 0, static_cast<int>(manyEntries), "the cost of a launch");
    if (static_cast<std::size_t>(cost) >= costs.size())
        refuse("a launch refers to a missing cost");
    span.cost = costs[static_cast<std::size_t>(cost)];
    return span;
}

LabPoint readRun(const Json& json, const LabPoint& common,
                 const std::vector<ProfileSpan>& launches) {
    list(json, 6, 6, "a run");
    LabPoint point = common;
    point.threads = whole(json[0], 1, 1024, "the threads of a run");
    point.paddingBytes = whole(json[1], 0, 1 << 20, "the padding of a run");
    point.seconds = real(json[2], 0, 1e6, "the seconds of a run");
    point.callSeconds = real(json[3], 0, 1e6, "the seconds of a call");
    point.deviation = json[4].is_null() ? -1 : real(json[4], 0, 1e30, "the deviation of a run");
    for (const Json& index : list(json[5], 1, maxLaunchesOfRun, "the launches of a run")) {
        const int at = whole(index, 0, static_cast<int>(manyEntries), "a launch of a run");
        if (static_cast<std::size_t>(at) >= launches.size())
            refuse("a run refers to a missing launch");
        point.launches.push_back(launches[static_cast<std::size_t>(at)]);
    }
    return point;
}

GpuRecord readRecord(const Json& json) {
    if (!json.is_object() || json.value("format", Json()) != formatName)
        refuse(fmt::format("its 'format' isn't '{}'", formatName));
    whole(member(json, "version", "it"), formatVersion, formatVersion, "its version");
    GpuRecord record;
    record.machine = model::parseGpuMachine(member(json, "machine", "it").dump());
    record.when = words(member(json, "when", "it"), 40, "when it was measured");
    record.driver = words(member(json, "driver", "it"), 100, "the driver");
    record.compiledFor =
        whole(member(json, "compiled_for", "it"), 0, 999, "what it was compiled for");
    std::vector<KernelCost> costs;
    for (const Json& cost : list(member(json, "costs", "it"), 0, manyEntries, "'costs'"))
        costs.push_back(readCost(cost));
    std::vector<ProfileSpan> launches;
    for (const Json& launch : list(member(json, "launches", "it"), 0, manyEntries, "'launches'"))
        launches.push_back(readLaunch(launch, costs));
    // Limits the memory that a small file with repeated references could take.
    std::size_t launchesLeft = 200'000;
    for (const Json& group : list(member(json, "points", "it"), 0, manyEntries, "'points'")) {
        if (!group.is_object())
            refuse("a group of points isn't an object");
        LabPoint common;
        common.kernel = words(member(group, "kernel", "a group"), 100, "the kernel of a group");
        common.side = whole(member(group, "side", "a group"), 1, 4096, "the side of a group");
        common.uploadBytes =
            real(member(group, "upload", "a group"), 0, largeNumber, "the upload of a group");
        common.downloadBytes =
            real(member(group, "download", "a group"), 0, largeNumber, "the download of a group");
        for (const Json& run : list(member(group, "runs", "a group"), 1, manyEntries, "'runs'")) {
            record.points.push_back(readRun(run, common, launches));
            const std::size_t taken = record.points.back().launches.size();
            if (taken > launchesLeft)
                refuse("it has too many launches");
            launchesLeft -= taken;
        }
    }
    return record;
}

// --- writing

/// A table of distinct texts.
class Table {
public:
    std::size_t indexOf(std::string line) {
        const auto [entry, isNew] = index_.try_emplace(std::move(line), lines_.size());
        if (isNew)
            lines_.push_back(entry->first);
        return entry->second;
    }
    const std::vector<std::string>& lines() const { return lines_; }

private:
    std::map<std::string, std::size_t> index_;
    std::vector<std::string> lines_;
};

std::string linesOf(const std::vector<std::string>& lines) {
    return lines.empty() ? "[]" : fmt::format("[\n{}\n]", fmt::join(lines, ",\n"));
}

std::string launchText(const ProfileSpan& s, Table& costs) {
    return Json::array({s.kernel, s.grid, s.block, s.registers, s.sharedBytes, s.localBytes,
                        s.activeBlocks, s.bytes, s.flops,
                        costs.indexOf(Json(listOf(s.cost)).dump())})
        .dump();
}

std::string runText(const LabPoint& point, Table& launches, Table& costs) {
    Json names = Json::array();
    for (const ProfileSpan& launch : point.launches)
        names.push_back(launches.indexOf(launchText(launch, costs)));
    return Json::array({point.threads, point.paddingBytes, point.seconds, point.callSeconds,
                        point.deviation < 0 ? Json() : Json(point.deviation), names})
        .dump();
}

} // namespace

GpuRecord parseGpuRecord(std::string_view text) {
    if (text.size() > maxText)
        refuse("it is too large");
    if (nestsDeeperThan(maxJsonDepth, text))
        refuse(fmt::format("it is nested deeper than {}", maxJsonDepth));
    try {
        return readRecord(Json::parse(text));
    } catch (const Json::exception&) {
        refuse("it isn't valid JSON of this format");
    }
}

std::string toJson(const GpuRecord& record) {
    Table costs, launches;
    std::vector<std::string> groups;
    for (auto first = record.points.begin(); first != record.points.end();) {
        const auto key = [](const LabPoint& p) {
            return std::tie(p.kernel, p.side, p.uploadBytes, p.downloadBytes);
        };
        const auto last = std::find_if(first, record.points.end(),
                                       [&](const LabPoint& p) { return key(p) != key(*first); });
        std::vector<std::string> runs;
        std::for_each(first, last, [&](const LabPoint& point) {
            runs.push_back(runText(point, launches, costs));
        });
        groups.push_back(
            fmt::format(R"({{"kernel":{},"side":{},"upload":{},"download":{},"runs":{}}})",
                        Json(first->kernel).dump(), first->side, Json(first->uploadBytes).dump(),
                        Json(first->downloadBytes).dump(), linesOf(runs)));
        first = last;
    }
    return fmt::format("{{\"format\":{},\n\"version\":{},\n\"machine\":{},\n\"when\":{},\n"
                       "\"driver\":{},\n\"compiled_for\":{},\n\"costs\":{},\n\"launches\":{},\n"
                       "\"points\":{}}}\n",
                       Json(formatName).dump(), formatVersion, model::toJson(record.machine),
                       Json(record.when).dump(), Json(record.driver).dump(), record.compiledFor,
                       linesOf(costs.lines()), linesOf(launches.lines()), linesOf(groups));
}

} // namespace systole::lab
