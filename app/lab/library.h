// Where the laboratory's figures come from on this machine: its device, recorded profiles that come
// with the program or were made by the user, and the catalogue of GPUs.
#pragma once

#include "compute/cuda/context.h"
#include "compute/lab/laboratory.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace systole {

enum class LabOrigin {
    Device,   ///< this machine's, measured as it is asked
    Recorded, ///< measurements of a real run, from a file
    Catalogue ///< figures of data sheets: nothing is measured
};

/// One that can be asked.
struct LabChoice {
    LabOrigin origin = LabOrigin::Recorded;
    std::string name;           ///< of the GPU
    std::filesystem::path file; ///< of a record

    bool operator==(const LabChoice&) const = default;
    /// "NVIDIA H200 (recorded)"
    std::string label() const;
};

/// Those that there are: this machine's device, records, then the catalogue in its own order. Files
/// that can't be read are left out. Throws FileError or ComputeError when what comes with the
/// program can't be read.
std::vector<LabChoice> labChoices();
/// This machine's device, or the first record that comes with the program. Throws FileError when
/// there is neither.
LabChoice defaultLabChoice();
/// Of the catalogue, by its name with or without the maker's words ("h200", "GeForce RTX 4090"), or
/// by words that one alone has ("4090"). Throws UsageError listing those that there are.
LabChoice catalogueChoice(std::string_view name);
/// The record of this GPU where there is one, else its entry in the catalogue. Throws as
/// catalogueChoice.
LabChoice gpuChoice(std::string_view name);
/// Throws FileError for a file that is none.
LabChoice recordChoice(const std::filesystem::path& file);

/// `cuda`, which must outlive the source, is needed for LabOrigin::Device alone. Throws FileError
/// and ComputeError.
std::unique_ptr<lab::LabSource> openLabSource(const LabChoice& choice, CudaContext* cuda);

std::vector<model::GpuMachine> gpuCatalogue();
/// Throws FileError with the file's name for one that can't be read or is no record.
lab::GpuRecord readGpuRecord(const std::filesystem::path& file);
/// Records that come with the program (assets/gpu_profiles): the H200's, which is the fullest, then
/// the others by name.
std::vector<std::filesystem::path> shippedRecords();

/// The first of them that has measurements, not figures of a machine alone; nothing: none came.
/// Throws FileError for one before it that can't be read.
struct ShippedRecord {
    std::filesystem::path file;
    lab::GpuRecord record;
};
std::optional<ShippedRecord> firstShippedRecord();

/// What the models should take for this device: what was measured on it (`systole lab --measure`),
/// else a record of its kind, else its entry in the catalogue, else figures of the nearest one
/// there with its own multiprocessors and memory; `sources` says which.
model::GpuMachine machineFor(const CudaDevice& device);

/// $XDG_DATA_HOME/systole/gpu_profiles, or ~/.local/share/systole/gpu_profiles.
std::filesystem::path userProfileFolder();
/// Where the profile of a device of this name is kept: "nvidia-h200.json" in that folder.
std::filesystem::path userProfile(std::string_view deviceName);

} // namespace systole
