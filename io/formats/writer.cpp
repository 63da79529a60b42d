#include "io/formats/writer.h"

#include "io/base/messages.h"
#include "io/formats/nifti_write.h"

#include <fmt/format.h>

#include <span>
#include <type_traits>

namespace systole {
namespace {

std::string nrrdHeader(const Geometry& geometry, const char* type) {
    const auto& m = geometry.voxelToPhysicalMatrix();
    const Vec3 origin = geometry.origin();
    const Size3 size = geometry.size();
    return fmt::format(
        "NRRD0004\ntype: {}\ndimension: 3\nspace: left-posterior-superior\nsizes: {} {} {}\n"
        "space directions: ({},{},{}) ({},{},{}) ({},{},{})\nkinds: domain domain domain\n"
        "endian: little\nencoding: raw\nspace origin: ({},{},{})\n\n",
        type, size.x, size.y, size.z, m[0][0], m[1][0], m[2][0], m[0][1], m[1][1], m[2][1], m[0][2],
        m[1][2], m[2][2], origin.x, origin.y, origin.z);
}

/// Names of a voxel type in each format.
struct VoxelNames {
    VoxelType nifti;
    const char *metaImage, *nrrd;
};
template <typename Voxel>
constexpr VoxelNames namesOf() {
    if constexpr (std::is_same_v<Voxel, float>)
        return {VoxelType::Float32, "MET_FLOAT", "float"};
    else if constexpr (std::is_same_v<Voxel, std::uint16_t>)
        return {VoxelType::UInt16, "MET_USHORT", "ushort"};
    else
        return {VoxelType::UInt8, "MET_UCHAR", "uchar"};
}

template <typename Voxel>
void writeImage(const std::string& path, const Geometry& geometry, std::span<const Voxel> voxels) {
    constexpr VoxelNames names = namesOf<Voxel>();
    const std::string lower = lowerCase(path);
    writeFileAtomically(path, [&](OutputFile& file) {
        if (lower.ends_with(".nii") || lower.ends_with(".nii.gz")) {
            NiftiContents contents;
            contents.type = names.nifti;
            file.write(niftiBeginning(path, geometry, contents));
        } else if (lower.ends_with(".mha")) {
            file.write(metaImageHeader(geometry, names.metaImage));
        } else if (lower.ends_with(".nrrd")) {
            file.write(nrrdHeader(geometry, names.nrrd));
        } else {
            throw fileError(path, "has none of the extensions that can be written: .nii, .nii.gz, "
                                  ".mha, .nrrd");
        }
        file.write(voxels);
    });
}

/// A 4D NIfTI file whose frames are asked for one by one.
template <typename T>
void writeFrames(const std::string& path, const Geometry& geometry, const NiftiContents& contents,
                 const std::function<void(int frame, std::vector<T>& voxels)>& fill) {
    writeFileAtomically(path, [&](OutputFile& file) {
        file.write(niftiBeginning(path, geometry, contents));
        std::vector<T> voxels(geometry.voxels());
        for (int frame = 0; frame < contents.frames; ++frame) {
            fill(frame, voxels);
            file.write(voxels);
        }
    });
}

template <typename Label>
void writeFramesOfLabels(const std::string& path, const Geometry& geometry, double frameSeconds,
                         const std::vector<std::vector<Label>>& frames) {
    NiftiContents contents;
    contents.type = namesOf<Label>().nifti;
    contents.frames = static_cast<int>(frames.size());
    contents.frameSeconds = frameSeconds;
    writeFrames<Label>(path, geometry, contents, [&](int frame, std::vector<Label>& voxels) {
        voxels = frames[static_cast<std::size_t>(frame)];
    });
}

} // namespace

const char* extensionOf(FieldFormat format) {
    return format == FieldFormat::MetaImage ? ".mha" : ".nii.gz";
}

std::string metaImageHeader(const Geometry& geometry, const char* elementType, int channels,
                            const std::string& dataFile) {
    const auto& d = geometry.direction();
    const Vec3 origin = geometry.origin(), spacing = geometry.spacing();
    const Size3 size = geometry.size();
    // MetaImage lists the direction of each axis in turn: the columns of our matrix.
    std::string header = fmt::format(
        "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\n"
        "CompressedData = False\nTransformMatrix = {} {} {} {} {} {} {} {} {}\nOffset = {} {} {}\n"
        "CenterOfRotation = 0 0 0\nElementSpacing = {} {} {}\nDimSize = {} {} {}\n",
        d[0][0], d[1][0], d[2][0], d[0][1], d[1][1], d[2][1], d[0][2], d[1][2], d[2][2], origin.x,
        origin.y, origin.z, spacing.x, spacing.y, spacing.z, size.x, size.y, size.z);
    if (channels > 1)
        header += fmt::format("ElementNumberOfChannels = {}\n", channels);
    return header + fmt::format("ElementType = {}\nElementDataFile = {}\n", elementType, dataFile);
}

void writeField(const std::string& path, const MillimeterField& field, FieldFormat format) {
    if (format == FieldFormat::MetaImage)
        writeFileAtomically(path, [&](OutputFile& file) {
            file.write(metaImageHeader(field.geometry, "MET_FLOAT", 3));
            file.write(field.vectors.span());
        });
    else
        writeNiftiVectors(path, field,
                          format == FieldFormat::NiftyReg ? niftyRegDisplacement : itkDisplacement);
}

void writeVolume(const std::string& path, const Geometry& geometry,
                 VolumeView<const float> voxels) {
    writeImage<float>(path, geometry, voxels.span());
}

void writeLabels(const std::string& path, const Geometry& geometry,
                 const std::vector<std::uint8_t>& labels) {
    writeImage<std::uint8_t>(path, geometry, labels);
}
void writeLabels(const std::string& path, const Geometry& geometry,
                 const std::vector<std::uint16_t>& labels) {
    writeImage<std::uint16_t>(path, geometry, labels);
}

void writeSequence(const std::string& path, const Geometry& geometry, int frames,
                   double frameSeconds,
                   const std::function<void(int frame, VolumeView<float> voxels)>& fill) {
    NiftiContents contents;
    contents.frames = frames;
    contents.frameSeconds = frameSeconds;
    writeFrames<float>(path, geometry, contents, [&](int frame, std::vector<float>& voxels) {
        fill(frame, {voxels.data(), geometry.size()});
    });
}

void writeLabelSequence(const std::string& path, const Geometry& geometry, double frameSeconds,
                        const std::vector<std::vector<std::uint8_t>>& frames) {
    writeFramesOfLabels(path, geometry, frameSeconds, frames);
}
void writeLabelSequence(const std::string& path, const Geometry& geometry, double frameSeconds,
                        const std::vector<std::vector<std::uint16_t>>& frames) {
    writeFramesOfLabels(path, geometry, frameSeconds, frames);
}

} // namespace systole
