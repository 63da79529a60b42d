// Sources of the laboratory's figures on this machine: its device, recorded profiles (shipped with
// the program or made by the user), and the catalogue of GPUs.
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
    Device,   ///< this machine's device, measured on demand
    Recorded, ///< measurements of an earlier run, read from a file
    Catalogue ///< data sheet figures: nothing is measured
};

/// A source that can be selected.
struct LabChoice {
    LabOrigin origin = LabOrigin::Recorded;
    std::string name;           ///< name of the GPU
    std::filesystem::path file; ///< file of the record; empty: not a record

    bool operator==(const LabChoice&) const = default;
    /// "NVIDIA H200 (recorded)"
    std::string label() const;
};

/// All sources: this machine's device, records, then the catalogue in its own order. Unreadable
/// files are left out. Throws FileError or ComputeError when the program's own files can't be read.
std::vector<LabChoice> labChoices();
/// This machine's device, else the first record shipped with the program. Throws FileError when
/// neither exists.
LabChoice defaultLabChoice();
/// Finds a catalogue entry by its name with or without the vendor prefix ("h200", "GeForce RTX
/// 4090"), or by words that only one entry has ("4090"). Throws UsageError listing all entries.
LabChoice catalogueChoice(std::string_view name);
/// The record of this GPU if there is one, else its catalogue entry. Throws like catalogueChoice.
LabChoice gpuChoice(std::string_view name);
/// Throws FileError when the file isn't a record.
LabChoice recordChoice(const std::filesystem::path& file);

/// `cuda` is required only for LabOrigin::Device and must outlive the source. Throws FileError and
/// ComputeError.
std::unique_ptr<lab::LabSource> openLabSource(const LabChoice& choice, CudaContext* cuda);

std::vector<model::GpuMachine> gpuCatalogue();
/// Throws FileError naming the file when it is unreadable or isn't a record.
lab::GpuRecord readGpuRecord(const std::filesystem::path& file);
/// Records shipped with the program (assets/gpu_profiles): the H200's, which is the most complete,
/// then the others by name.
std::vector<std::filesystem::path> shippedRecords();

/// The first shipped record that has measurements, not only the figures of a machine; empty if
/// there is none. Throws FileError for an unreadable record before it.
struct ShippedRecord {
    std::filesystem::path file;
    lab::GpuRecord record;
};
std::optional<ShippedRecord> firstShippedRecord();

/// Figures of this device for the models: measured on it (`systole lab --measure`), else a record
/// of the same GPU, else its catalogue entry, else the nearest catalogue entry with the device's
/// own multiprocessors and memory. `sources` says which.
model::GpuMachine machineFor(const CudaDevice& device);

/// $XDG_DATA_HOME/systole/gpu_profiles, or ~/.local/share/systole/gpu_profiles.
std::filesystem::path userProfileFolder();
/// Path of the profile of a device of this name: "nvidia-h200.json" in that folder.
std::filesystem::path userProfile(std::string_view deviceName);

} // namespace systole
