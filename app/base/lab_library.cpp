#include "app/base/lab_library.h"

#include "app/base/assets.h"
#include "app/base/error.h"
#include "compute/core/enum_text.h"
#include "compute/core/error.h"
#include "io/base/byte_source.h"
#include "io/base/error.h"
#include "io/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

namespace systole {
namespace fs = std::filesystem;

namespace {

constexpr const char* catalogueName = "gpu_catalog.json";
constexpr const char* recordsFolder = "gpu_profiles";
/// The most complete of the shipped records: the default where none is named, and the source of
/// kernel resources for the catalogue's GPUs.
constexpr const char* firstRecord = "nvidia-h200.json";

/// A bound above all files of this kind: reading a device file would never end.
constexpr std::uintmax_t maxBytes = std::uintmax_t{64} << 20;

std::string readAll(const fs::path& path) {
    std::error_code failure;
    if (fs::is_regular_file(path, failure) && fs::file_size(path, failure) > maxBytes)
        throw FileError(fmt::format("{} is larger than {} MiB", path.string(), maxBytes >> 20));
    return wholeText(path.string());
}

/// parse(text of the file); a ComputeError becomes a FileError with the file's name.
template <typename Parse>
auto parsed(const fs::path& file, const Parse& parse) {
    try {
        return parse(readAll(file));
    } catch (const ComputeError& error) {
        throw FileError(fmt::format("{}: {}", file.string(), error.what()));
    }
}

std::vector<fs::path> jsonFilesIn(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
        if (entry.path().extension() == ".json")
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

/// Words of a GPU's name without vendor and brand.
std::vector<std::string> wordsOf(std::string_view name) {
    std::string text = lowerCase(name);
    std::replace(text.begin(), text.end(), '-', ' ');
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        if (word != "nvidia" && word != "geforce" && word != "tesla" && word != "quadro")
            words.push_back(word);
    return words;
}

/// "NVIDIA H100 80GB HBM3" is an "H100", but "RTX 4070 Ti" isn't an "RTX 4070".
bool isOfKind(std::string_view device, std::string_view kind) {
    const std::vector<std::string> words = wordsOf(device), wanted = wordsOf(kind);
    if (wanted.empty() || words.size() < wanted.size() ||
        !std::equal(wanted.begin(), wanted.end(), words.begin()))
        return false;
    return std::none_of(words.begin() + static_cast<std::ptrdiff_t>(wanted.size()), words.end(),
                        [](const std::string& word) {
                            return word == "ti" || word == "super" || word == "laptop" ||
                                   word == "mobile" || word == "max" || word == "nvl";
                        });
}

std::string sourceOfRest(const model::GpuMachine& machine) {
    const auto found = machine.sources.find("");
    return found == machine.sources.end() ? "" : found->second;
}

/// Figures of another GPU for this device, with the values that the driver reports for it.
model::GpuMachine takenOver(model::GpuMachine machine, const CudaDevice& device,
                            const std::string& source) {
    machine.sources[""] = source;
    machine.name = device.name;
    machine.computeCapability = device.computeCapability;
    machine.multiprocessors = device.multiprocessors;
    machine.memoryBytes = device.memoryBytes;
    for (const char* own : {"computeCapability", "multiprocessors", "memoryBytes"})
        machine.sources[own] = "the driver";
    return machine;
}

/// Empty for an unreadable file: the other records are still useful.
std::optional<lab::GpuRecord> readableRecord(const fs::path& file) {
    try {
        return readGpuRecord(file);
    } catch (const FileError&) {
        return std::nullopt;
    }
}

std::optional<CudaDevice> usableDevice() {
    const CudaStatus status = cudaStatus();
    for (const CudaDevice& device : status.devices)
        if (status.usable() && device.usable)
            return device;
    return std::nullopt;
}

/// Source of kernel resources for GPUs without measurements.
lab::GpuRecord kernelsOfRecord() {
    if (std::optional<ShippedRecord> shipped = firstShippedRecord())
        return std::move(shipped->record);
    throw FileError(fmt::format("no recorded measurements were installed (assets/{}); without them "
                                "the resources of the kernels are unknown",
                                recordsFolder));
}

} // namespace

std::string LabChoice::label() const {
    return name + enumText(origin, {" (this machine)", " (recorded)", " (catalogue)"});
}

std::vector<LabChoice> labChoices() {
    std::vector<LabChoice> choices;
    if (const std::optional<CudaDevice> device = usableDevice())
        choices.push_back({LabOrigin::Device, device->name, {}});
    std::vector<fs::path> files = shippedRecords();
    const std::vector<fs::path> own = jsonFilesIn(userProfileFolder());
    files.insert(files.end(), own.begin(), own.end());
    for (const fs::path& file : files)
        if (const auto record = readableRecord(file); record && !record->points.empty())
            choices.push_back({LabOrigin::Recorded, record->machine.name, file});
    for (const model::GpuMachine& machine : gpuCatalogue())
        choices.push_back({LabOrigin::Catalogue, machine.name, {}});
    return choices;
}

LabChoice defaultLabChoice() {
    if (const std::optional<CudaDevice> device = usableDevice())
        return {LabOrigin::Device, device->name, {}};
    if (const std::optional<ShippedRecord> shipped = firstShippedRecord())
        return {LabOrigin::Recorded, shipped->record.machine.name, shipped->file};
    throw FileError(fmt::format("no CUDA device is available ({}) and no recorded measurements "
                                "were installed (assets/{})",
                                cudaStatus().reason, recordsFolder));
}

LabChoice catalogueChoice(std::string_view name) {
    std::string all, similar;
    int similarOnes = 0;
    const std::vector<std::string> wanted = wordsOf(name);
    LabChoice found{LabOrigin::Catalogue, {}, {}};
    for (const model::GpuMachine& machine : gpuCatalogue()) {
        const std::vector<std::string> words = wordsOf(machine.name);
        if (words == wanted)
            return {LabOrigin::Catalogue, machine.name, {}};
        all += (all.empty() ? "" : ", ") + machine.name;
        const auto has = [&](const std::string& word) {
            return std::find(words.begin(), words.end(), word) != words.end();
        };
        if (!wanted.empty() && std::all_of(wanted.begin(), wanted.end(), has)) {
            ++similarOnes;
            similar += (similar.empty() ? "" : ", ") + machine.name;
            found.name = machine.name;
        }
    }
    if (similarOnes == 1)
        return found;
    if (similarOnes > 1)
        throw UsageError(fmt::format("several catalogue GPUs match '{}': {}", name, similar));
    throw UsageError(fmt::format("the catalogue has no GPU '{}'; available: {}", name, all));
}

LabChoice gpuChoice(std::string_view name) {
    const std::vector<LabChoice> choices = labChoices();
    const auto recordOf = [&](std::string_view kind) {
        return std::find_if(choices.begin(), choices.end(), [&](const LabChoice& choice) {
            return choice.origin == LabOrigin::Recorded && isOfKind(choice.name, kind);
        });
    };
    if (const auto record = recordOf(name); record != choices.end())
        return *record;
    LabChoice entry = catalogueChoice(name);
    const auto record = recordOf(entry.name);
    return record != choices.end() ? *record : std::move(entry);
}

LabChoice recordChoice(const fs::path& file) {
    const lab::GpuRecord record = readGpuRecord(file);
    return {record.points.empty() ? LabOrigin::Catalogue : LabOrigin::Recorded, record.machine.name,
            file};
}

std::unique_ptr<lab::LabSource> openLabSource(const LabChoice& choice, CudaContext* cuda) {
    if (choice.origin == LabOrigin::Device) {
        if (!cuda)
            throw ComputeError("measuring needs an open CUDA device");
        return lab::measuringSource(*cuda, machineFor(cuda->device()));
    }
    if (choice.origin == LabOrigin::Recorded)
        return lab::recordedSource(readGpuRecord(choice.file));
    if (!choice.file.empty())
        return lab::catalogSource(readGpuRecord(choice.file).machine, kernelsOfRecord());
    for (model::GpuMachine& machine : gpuCatalogue())
        if (machine.name == choice.name)
            return lab::catalogSource(std::move(machine), kernelsOfRecord());
    throw ComputeError(fmt::format("the catalogue has no GPU '{}'", choice.name));
}

std::vector<model::GpuMachine> gpuCatalogue() {
    return parsed(assetPath(catalogueName), model::parseGpuCatalog);
}

lab::GpuRecord readGpuRecord(const fs::path& file) { return parsed(file, lab::parseGpuRecord); }

std::vector<fs::path> shippedRecords() {
    const std::optional<fs::path> folder = findAsset(recordsFolder);
    std::vector<fs::path> files = folder ? jsonFilesIn(*folder) : std::vector<fs::path>{};
    std::stable_partition(files.begin(), files.end(),
                          [](const fs::path& file) { return file.filename() == firstRecord; });
    return files;
}

std::optional<ShippedRecord> firstShippedRecord() {
    for (const fs::path& file : shippedRecords())
        if (lab::GpuRecord record = readGpuRecord(file); !record.points.empty())
            return ShippedRecord{file, std::move(record)};
    return std::nullopt;
}

model::GpuMachine machineFor(const CudaDevice& device) {
    if (const fs::path own = userProfile(device.name); fs::exists(own))
        if (const auto record = readableRecord(own);
            record && record->machine.name == device.name &&
            record->machine.computeCapability == device.computeCapability)
            return record->machine;
    for (const fs::path& file : shippedRecords())
        if (auto record = readableRecord(file); record && record->machine.name == device.name) {
            const std::string source = fmt::format("measured on another {} ({}); {}", device.name,
                                                   record->when, sourceOfRest(record->machine));
            return takenOver(std::move(record->machine), device, source);
        }
    const std::vector<model::GpuMachine> catalogue = gpuCatalogue();
    if (catalogue.empty())
        throw FileError("the catalogue of GPUs is empty");
    for (const model::GpuMachine& machine : catalogue)
        if (isOfKind(device.name, machine.name))
            return takenOver(machine, device, fmt::format("the catalogue's {}", machine.name));
    // The newest entry that isn't newer than the device, else the oldest.
    const model::GpuMachine* nearest = nullptr;
    for (const model::GpuMachine& machine : catalogue)
        if (machine.computeCapability <= device.computeCapability &&
            (!nearest || machine.computeCapability > nearest->computeCapability))
            nearest = &machine;
    if (!nearest)
        nearest = &*std::min_element(catalogue.begin(), catalogue.end(),
                                     [](const model::GpuMachine& a, const model::GpuMachine& b) {
                                         return a.computeCapability < b.computeCapability;
                                     });
    return takenOver(*nearest, device,
                     fmt::format("figures of the {}, because the catalogue has no {}",
                                 nearest->name, device.name));
}

fs::path userProfileFolder() {
    if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data)
        return fs::path(data) / "systole" / recordsFolder;
    const char* home = std::getenv("HOME");
    return fs::path(home && *home ? home : ".") / ".local/share/systole" / recordsFolder;
}

fs::path userProfile(std::string_view deviceName) {
    std::string name;
    for (const char c : lowerCase(deviceName))
        if (std::isalnum(static_cast<unsigned char>(c)))
            name += c;
        else if (!name.empty() && name.back() != '-')
            name += '-';
    while (!name.empty() && name.back() == '-')
        name.pop_back();
    return userProfileFolder() / ((name.empty() ? "gpu" : name) + ".json");
}

} // namespace systole
