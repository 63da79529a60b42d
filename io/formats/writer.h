// Displacement fields, volumes and label maps on disk.
#pragma once

#include "compute/core/volume.h"
#include "io/base/output_file.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace systole {

enum class FieldFormat {
    MetaImage, ///< .mha: ITK vector image, float32, LPS mm
    Nifti,     ///< .nii.gz: 5D, intent 1007, components LPS mm (as ITK, ANTs and greedy write it)
    NiftyReg ///< .nii.gz: 5D, intent 1007, NREG_TRANS, components RAS mm (for NiftyReg's programs)
};
const char* extensionOf(FieldFormat format); ///< ".mha", ".nii.gz"

/// The text before the voxels of a MetaImage file of ours; LOCAL: they follow it.
std::string metaImageHeader(const Geometry& geometry, const char* elementType, int channels = 1,
                            const std::string& dataFile = "LOCAL");

void writeField(const std::string& path, const MillimeterField& field, FieldFormat format);
/// Reads a field written by us, ITK, ANTs, greedy or NiftyReg. Throws FileError.
MillimeterField readField(const std::string& path, BufferPool& pool);

/// float32 or, for labels, uint8 or uint16. Format by extension (.nii.gz, .mha, .nrrd).
void writeVolume(const std::string& path, const Geometry& geometry, VolumeView<const float> voxels);
void writeLabels(const std::string& path, const Geometry& geometry,
                 const std::vector<std::uint8_t>& labels);
void writeLabels(const std::string& path, const Geometry& geometry,
                 const std::vector<std::uint16_t>& labels);
/// 4D NIfTI, float32, x fastest then time last, pixdim[4] in seconds; frames are asked for one by
/// one.
void writeSequence(const std::string& path, const Geometry& geometry, int frames,
                   double frameSeconds,
                   const std::function<void(int frame, VolumeView<float> voxels)>& fill);

/// Overloads for label maps, uint8 or uint16, one per frame.
void writeLabelSequence(const std::string& path, const Geometry& geometry, double frameSeconds,
                        const std::vector<std::vector<std::uint8_t>>& frames);
void writeLabelSequence(const std::string& path, const Geometry& geometry, double frameSeconds,
                        const std::vector<std::vector<std::uint16_t>>& frames);

} // namespace systole
