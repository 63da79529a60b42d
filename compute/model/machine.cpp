#include "compute/model/machine.h"

#include "compute/core/error.h"
#include "compute/core/json_depth.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace systole::model {
namespace {

using Json = nlohmann::ordered_json;

/// Plausible ranges: every GPU since 2009, with room for future ones.
struct Figure {
    const char* name;
    double GpuMachine::*value;
    double least, most;
};
constexpr double mega = 1e6, giga = 1e9, tera = 1e12;
constexpr Figure figures[] = {
    {"clockHertz", &GpuMachine::clockHertz, 100 * mega, 10 * giga},
    {"memoryBandwidth", &GpuMachine::memoryBandwidth, giga, 1000 * tera},
    {"globalLatency", &GpuMachine::globalLatency, 1, 100000},
    {"l2Latency", &GpuMachine::l2Latency, 1, 100000},
    {"l1Latency", &GpuMachine::l1Latency, 1, 10000},
    {"sharedLatency", &GpuMachine::sharedLatency, 1, 10000},
    {"departureDelay", &GpuMachine::departureDelay, 0.01, 10000},
    {"l2Bandwidth", &GpuMachine::l2Bandwidth, 0, 1000 * tera},
    {"uploadPinned", &GpuMachine::uploadPinned, mega, 100 * tera},
    {"downloadPinned", &GpuMachine::downloadPinned, mega, 100 * tera},
    {"uploadPageable", &GpuMachine::uploadPageable, mega, 100 * tera},
    {"downloadPageable", &GpuMachine::downloadPageable, mega, 100 * tera},
    {"launchOverhead", &GpuMachine::launchOverhead, 0, 0.01},
};

struct Latency {
    const char* name;
    double OperationLatencies::*value;
};
constexpr Latency latencies[] = {
    {"add", &OperationLatencies::add},
    {"multiply", &OperationLatencies::multiply},
    {"fusedMultiplyAdd", &OperationLatencies::fusedMultiplyAdd},
    {"divide", &OperationLatencies::divide},
    {"squareRoot", &OperationLatencies::squareRoot},
    {"exponential", &OperationLatencies::exponential},
    {"logarithm", &OperationLatencies::logarithm},
    {"integer", &OperationLatencies::integer},
};
constexpr double maxOperationCycles = 100000;

/// One JSON entry; error messages name it.
class Entry {
public:
    Entry(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
        if (!json.is_object())
            fail("it isn't an object");
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw ComputeError(fmt::format("{}: {}", where_, what));
    }
    const Json& at(const char* name) const {
        const auto found = json_.find(name);
        if (found == json_.end())
            fail(fmt::format("{} is missing", name));
        return *found;
    }
    double number(const char* name, double least, double most) const {
        const Json& value = at(name);
        if (!value.is_number())
            fail(fmt::format("{} isn't a number", name));
        const double number = value.get<double>();
        if (!(number >= least && number <= most)) // also rejects NaN
            fail(fmt::format("{} is {}, expected {} to {}", name, number, least, most));
        return number;
    }
    double whole(const char* name, double least, double most) const {
        const double value = number(name, least, most);
        if (value != std::floor(value))
            fail(fmt::format("{} is {}, expected a whole number", name, value));
        return value;
    }
    std::string text(const char* name) const {
        const Json& value = at(name);
        constexpr std::size_t longest = 200;
        if (!value.is_string() || value.get_ref<const std::string&>().empty() ||
            value.get_ref<const std::string&>().size() > longest)
            fail(fmt::format("{} isn't a text of 1 to {} characters", name, longest));
        std::string text = value.get<std::string>();
        if (hasControlCharacters(text))
            fail(fmt::format("{} has control characters", name));
        return text;
    }

private:
    const Json& json_;
    std::string where_;
};

GpuMachine readMachine(const Json& json, const std::string& where) {
    const Entry nameless(json, where);
    GpuMachine machine;
    machine.name = nameless.text("name");
    const Entry entry(json, fmt::format("the GPU '{}'", machine.name));
    machine.architecture = entry.text("architecture");
    // A device newer than this program is treated like the newest known one.
    const double newestCapability = allDeviceLimits().back().computeCapability / 10 * 10 + 19;
    machine.computeCapability = static_cast<int>(entry.whole(
        "computeCapability", allDeviceLimits().front().computeCapability, newestCapability));
    machine.multiprocessors = static_cast<int>(entry.whole("multiprocessors", 1, 10000));
    machine.memoryBytes = static_cast<std::size_t>(entry.whole("memoryBytes", mega, 100 * tera));
    machine.l2Bytes = static_cast<std::size_t>(entry.whole("l2Bytes", 1000, tera));
    for (const Figure& figure : figures)
        machine.*figure.value = entry.number(figure.name, figure.least, figure.most);
    const Entry operations(entry.at("latency"), fmt::format("the latency of '{}'", machine.name));
    for (const Latency& latency : latencies)
        machine.latency.*latency.value = operations.number(latency.name, 0, maxOperationCycles);

    const Json& measured = entry.at("measured");
    if (!measured.is_boolean())
        entry.fail("measured is neither true nor false");
    machine.measured = measured.get<bool>();
    const Json& sources = entry.at("sources");
    if (!sources.is_object())
        entry.fail("sources isn't an object");
    for (const auto& [figure, source] : sources.items()) {
        if (!source.is_string())
            entry.fail(fmt::format("the source of '{}' isn't a text", figure));
        machine.sources[figure] = source.get<std::string>();
    }
    return machine;
}

Json parse(std::string_view text, const char* what) {
    if (nestsDeeperThan(maxJsonDepth, text))
        throw ComputeError(fmt::format("the text is nested deeper than any {}", what));
    try {
        return Json::parse(text);
    } catch (const nlohmann::json::exception&) {
        throw ComputeError(fmt::format("the text isn't JSON, and so not a {}", what));
    }
}

} // namespace

double GpuMachine::peakFlops() const {
    constexpr double operationsOfFusedMultiplyAdd = 2;
    return operationsOfFusedMultiplyAdd * limits().floatLanes * multiprocessors * clockHertz;
}

std::vector<GpuMachine> parseGpuCatalog(std::string_view json) {
    const Json root = parse(json, "catalogue of GPUs");
    const Entry catalog(root, "the catalogue of GPUs");
    const Json& gpus = catalog.at("gpus");
    if (!gpus.is_array() || gpus.empty())
        catalog.fail("has no list of gpus");
    std::vector<GpuMachine> machines;
    for (const Json& gpu : gpus)
        machines.push_back(
            readMachine(gpu, fmt::format("entry {} of the catalogue", machines.size() + 1)));
    return machines;
}

GpuMachine parseGpuMachine(std::string_view json) {
    return readMachine(parse(json, "GPU's profile"), "the GPU's profile");
}

std::string toJson(const GpuMachine& machine) {
    Json json = {{"name", machine.name},
                 {"architecture", machine.architecture},
                 {"computeCapability", machine.computeCapability},
                 {"multiprocessors", machine.multiprocessors},
                 {"memoryBytes", machine.memoryBytes},
                 {"l2Bytes", machine.l2Bytes}};
    for (const Figure& figure : figures)
        json[figure.name] = machine.*figure.value;
    for (const Latency& latency : latencies)
        json["latency"][latency.name] = machine.latency.*latency.value;
    json["measured"] = machine.measured;
    json["sources"] = machine.sources;
    constexpr int indent = 2;
    return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool hasControlCharacters(std::string_view text) {
    return std::ranges::any_of(text, [](char c) {
        constexpr unsigned char firstPrintable = 0x20, deleted = 0x7f;
        const auto byte = static_cast<unsigned char>(c);
        return byte < firstPrintable || byte == deleted;
    });
}

} // namespace systole::model
