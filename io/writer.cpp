#include "io/writer.h"

#include "io/formats/nifti_write.h"
#include "io/output_file.h"
#include "io/text.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view partialPrefix = ".partial-";

/// Hidden, beside the final name, with the extension kept so that programs that choose a format by
/// name would choose the same.
std::string temporaryNameFor(const fs::path& path) {
    const std::string hidden =
        fmt::format("{}{}-{}", partialPrefix, ::getpid(), path.filename().string());
    return (path.parent_path() / hidden).string();
}

/// The process that made a temporary file, and the final name of the file.
struct PartialName {
    int owner = 0;
    std::string_view finalName;
};

/// Nothing unless the name is one of temporaryNameFor(). A file written into a temporary file has
/// the prefix twice.
std::optional<PartialName> parsePartialName(std::string_view name) {
    std::optional<PartialName> parsed;
    while (name.starts_with(partialPrefix)) {
        name.remove_prefix(partialPrefix.size());
        int owner = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), owner);
        if (error != std::errc{} || owner <= 0 || end == name.data() + name.size() || *end != '-')
            return std::nullopt;
        name.remove_prefix(static_cast<std::size_t>(end + 1 - name.data()));
        parsed = {owner, name};
    }
    return parsed;
}

std::string metaImageHeader(const Geometry& geometry, const char* elementType, int channels) {
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
    return header + fmt::format("ElementType = {}\nElementDataFile = LOCAL\n", elementType);
}

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

template <typename Voxel>
void writeImage(const std::string& path, const Geometry& geometry, std::span<const Voxel> voxels) {
    constexpr bool real = std::is_same_v<Voxel, float>;
    const std::string lower = lowerCase(path);
    using Compression = OutputFile::Compression;
    writeAtomically(path, [&](const std::string& temporary) {
        const bool nifti = lower.ends_with(".nii") || lower.ends_with(".nii.gz");
        OutputFile file(temporary, lower.ends_with(".gz") ? Compression::Gzip : Compression::None,
                        path);
        if (nifti) {
            NiftiContents contents;
            contents.type = real ? VoxelType::Float32 : VoxelType::UInt8;
            file.write(std::span<const std::byte>(niftiBeginning(path, geometry, contents)));
        } else if (lower.ends_with(".mha")) {
            file.write(metaImageHeader(geometry, real ? "MET_FLOAT" : "MET_UCHAR", 1));
        } else if (lower.ends_with(".nrrd")) {
            file.write(nrrdHeader(geometry, real ? "float" : "uchar"));
        } else {
            throw fileError(path, "has none of the extensions that can be written: .nii, .nii.gz, "
                                  ".mha, .nrrd");
        }
        file.write(voxels);
        file.close();
    });
}

} // namespace

const char* extensionOf(FieldFormat format) {
    return format == FieldFormat::MetaImage ? ".mha" : ".nii.gz";
}

namespace {

/// Where a chain of links ends, whether or not there is a file yet.
std::string followLinks(const std::string& path) {
    constexpr int longestChain = 40;
    fs::path target(path);
    std::error_code ignored;
    for (int links = 0; fs::is_symlink(target, ignored); ++links) {
        if (links == longestChain)
            throw fileError(path, "cannot be written: its links lead round in a circle");
        target = target.parent_path() / fs::read_symlink(target, ignored);
    }
    return target.string();
}

} // namespace

void writeAtomically(const std::string& path,
                     const std::function<void(const std::string&)>& write) {
    std::error_code ignored;
    // The target of a link is replaced, not the link; a device or a pipe must never be replaced.
    const std::string target = followLinks(path);
    if (fs::exists(target, ignored) && !fs::is_regular_file(target, ignored))
        throw fileError(path, "cannot be written: it is there already and is no regular file");
    const std::string temporary = temporaryNameFor(target);
    try {
        write(temporary);
    } catch (...) {
        fs::remove(temporary, ignored);
        throw;
    }
    std::error_code failure;
    fs::rename(temporary, target, failure);
    if (failure) {
        fs::remove(temporary, ignored);
        throw fileError(path, fmt::format("cannot be written: {}", failure.message()));
    }
}

void removePartialFiles(const std::string& folder,
                        const std::function<bool(std::string_view)>& ours) noexcept {
    std::error_code ignored;
    const fs::directory_iterator none;
    for (fs::directory_iterator entry(folder, ignored); entry != none; entry.increment(ignored)) {
        const std::string name = entry->path().filename().string();
        const std::optional<PartialName> partial = parsePartialName(name);
        if (!partial || !ours(partial->finalName) ||
            entry->symlink_status(ignored).type() != fs::file_type::regular)
            continue;
        const bool ended = ::kill(partial->owner, 0) != 0 && errno == ESRCH;
        if (ended || partial->owner == ::getpid())
            fs::remove(entry->path(), ignored);
    }
}

void writeTextAtomically(const std::string& path, const std::string& text) {
    writeAtomically(path, [&](const std::string& temporary) {
        OutputFile file(temporary, OutputFile::Compression::None, path);
        file.write(text);
        file.close();
    });
}

void refuseInputs(const std::string& path, const std::vector<std::string>& inputs) {
    for (const std::string& input : inputs) {
        std::error_code failure;
        if (std::filesystem::equivalent(path, input, failure))
            throw FileError(path + ": is the open image and isn't replaced");
    }
}

void ensureFolder(const std::string& path) {
    std::error_code failure;
    fs::create_directories(path, failure);
    std::error_code ignored;
    if (!fs::is_directory(path, ignored))
        throw fileError(path, fmt::format("cannot be made a folder: {}",
                                          failure ? failure.message() : "it is a file"));
    // Only a trial write is reliable: permissions do not show a read-only file system.
    const std::string probe = temporaryNameFor(fs::path(path) / "probe");
    const int descriptor = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0)
        throw fileError(path,
                        fmt::format("the folder cannot be written to: {}", std::strerror(errno)));
    ::close(descriptor);
    ::unlink(probe.c_str());
}

void writeField(const std::string& path, const MillimeterField& field, FieldFormat format) {
    const std::span<const float> vectors = field.vectors.span();
    writeAtomically(path, [&](const std::string& temporary) {
        if (format == FieldFormat::MetaImage) {
            OutputFile file(temporary, OutputFile::Compression::None, path);
            file.write(metaImageHeader(field.geometry, "MET_FLOAT", 3));
            file.write(vectors);
            file.close();
            return;
        }
        writeNiftiVectors(temporary, path, field,
                          format == FieldFormat::NiftyReg ? niftyRegDisplacement : itkDisplacement);
    });
}

void writeVolume(const std::string& path, const Geometry& geometry,
                 VolumeView<const float> voxels) {
    writeImage<float>(path, geometry, voxels.span());
}

void writeLabels(const std::string& path, const Geometry& geometry,
                 const std::vector<std::uint8_t>& labels) {
    writeImage<std::uint8_t>(path, geometry, labels);
}

namespace {

template <typename T>
void writeFrames(const std::string& path, const Geometry& geometry, const NiftiContents& contents,
                 const std::function<void(int frame, std::vector<T>& voxels)>& fill) {
    writeAtomically(path, [&](const std::string& temporary) {
        const bool gzip = lowerCase(path).ends_with(".gz");
        OutputFile file(temporary,
                        gzip ? OutputFile::Compression::Gzip : OutputFile::Compression::None, path);
        file.write(std::span<const std::byte>(niftiBeginning(path, geometry, contents)));
        std::vector<T> voxels(geometry.voxels());
        for (int frame = 0; frame < contents.frames; ++frame) {
            fill(frame, voxels);
            file.write(std::span<const T>(voxels));
        }
        file.close();
    });
}

} // namespace

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
    NiftiContents contents;
    contents.type = VoxelType::UInt8;
    contents.frames = static_cast<int>(frames.size());
    contents.frameSeconds = frameSeconds;
    writeFrames<std::uint8_t>(path, geometry, contents,
                              [&](int frame, std::vector<std::uint8_t>& voxels) {
                                  voxels = frames[static_cast<std::size_t>(frame)];
                              });
}

} // namespace systole
