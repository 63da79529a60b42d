// Displacement fields, volumes and run records on disk. Everything is written to a temporary name
// in the same folder and renamed, so that a killed program leaves no partial file under a final
// name.
#pragma once

#include "compute/core/volume.h"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace systole {

enum class FieldFormat {
    MetaImage, ///< .mha: ITK vector image, float32, LPS mm
    Nifti,     ///< .nii.gz: 5D, intent 1007, components LPS mm (as ITK, ANTs and greedy write it)
    NiftyReg ///< .nii.gz: 5D, intent 1007, NREG_TRANS, components RAS mm (for NiftyReg's programs)
};
const char* extensionOf(FieldFormat format); ///< ".mha", ".nii.gz"

/// Calls `write` with a temporary name beside `path`, then renames it to `path`. On failure the
/// temporary file is removed and FileError thrown.
void writeAtomically(const std::string& path, const std::function<void(const std::string&)>& write);
/// Removes from a folder the temporary files that ended programs and this one left there of files
/// whose final name `ours` accepts. Only regular files; links and everything else stay.
void removePartialFiles(const std::string& folder,
                        const std::function<bool(std::string_view finalName)>& ours) noexcept;
void writeTextAtomically(const std::string& path, const std::string& text);

/// Throws FileError if the path is one of `inputs`, the files of the open image.
void refuseInputs(const std::string& path, const std::vector<std::string>& inputs);

/// Creates the folder if it is missing; throws FileError when it can't be written to.
void ensureFolder(const std::string& path);

void writeField(const std::string& path, const MillimeterField& field, FieldFormat format);
/// Reads a field written by us, ITK, ANTs, greedy or NiftyReg. Throws FileError.
MillimeterField readField(const std::string& path, BufferPool& pool);

/// float32 or, for labels, uint8. Format by extension (.nii.gz, .mha, .nrrd).
void writeVolume(const std::string& path, const Geometry& geometry, VolumeView<const float> voxels);
void writeLabels(const std::string& path, const Geometry& geometry,
                 const std::vector<std::uint8_t>& labels);
/// 4D NIfTI, float32, x fastest then time last, pixdim[4] in seconds; frames are asked for one by
/// one.
void writeSequence(const std::string& path, const Geometry& geometry, int frames,
                   double frameSeconds,
                   const std::function<void(int frame, VolumeView<float> voxels)>& fill);

/// The same for label maps, uint8, one a frame.
void writeLabelSequence(const std::string& path, const Geometry& geometry, double frameSeconds,
                        const std::vector<std::vector<std::uint8_t>>& frames);

} // namespace systole
