#include "io/dirlab/image.h"

#include "io/base/byte_source.h"
#include "io/base/messages.h"
#include "io/formats/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <utility>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> extensions{".mhd", ".mha",  ".nii.gz",
                                                     ".nii", ".nrrd", ".img"};

bool isRaw(const std::string& path) { return lowerCase(path).ends_with(".img"); }

} // namespace

std::optional<DirLabImageName> dirLabImageName(const std::string& path) {
    const std::optional<DirLabName> named = dirLabNameOf(path);
    if (!named || !named->phase)
        return {};
    const std::string lower = lowerCase(fs::path(path).filename().string());
    const auto extension = std::ranges::find_if(
        extensions, [&](std::string_view known) { return lower.ends_with(known); });
    if (extension == extensions.end())
        return {};
    const std::string stem = lower.substr(0, lower.size() - extension->size());
    const std::string phase = named->of.set == DirLabSet::FourDCt
                                  ? fmt::format("t{:02}", *named->phase)
                              : *named->phase == 0 ? "ibh"
                                                   : "ebh";
    const std::string base = fmt::format("{}_{}", named->of.name(), phase);
    if (stem != base && stem != base + "_s" && stem != base + "ct")
        return {};
    return DirLabImageName{named->of, *named->phase,
                           static_cast<std::size_t>(extension - extensions.begin())};
}

bool recognizesDirLabImage(const std::string& path, std::string_view) {
    std::error_code ignored;
    return isRaw(path) && dirLabImageName(path) &&
           !fs::exists(fs::path(path).replace_extension(".hdr"), ignored);
}

StoredImage readDirLabImage(const std::string& path, const OpenOptions& options) {
    const std::optional<DirLabName> named = dirLabNameOf(path);
    if (!named)
        throw fileError(
            path,
            "its name begins with none of DIR-Lab's cases (case1 to case10, copd1 to copd10)");
    return readDirLabImageAs(named->of, path, options);
}

StoredImage readDirLabImageAs(const DirLabCase& of, const std::string& path,
                              const OpenOptions& options) {
    StoredImage image;
    image.path = path;
    image.format = fmt::format("DIR-Lab {}", of.name());
    image.type = VoxelType::Int16;
    const Size3 size =
        checkedSize(path, {{of.size.x, of.size.y, of.size.z}}, bytesOf(image.type), options);
    image.geometry = of.geometry();
    image.interleaving = size.voxels();
    image.modality = "CT";
    const std::uint64_t expected = image.storedBytes();
    const std::uint64_t found = InputFile(path).size();
    if (found != expected)
        throw fileError(path,
                        "has {} bytes; {} of DIR-Lab is {} × {} × {} voxels of int16 without a "
                        "header, {} bytes",
                        found, of.name(), size.x, size.y, size.z, expected);
    image.notes.push_back("size and spacing are DIR-Lab's published ones; origin and orientation "
                          "(LPI) are assumed, as the file has no header");
    image.bytes = openPlainBytes(path, 0, expected);
    return image;
}

std::vector<std::string> dirLabImagesIn(const std::string& folder) {
    std::map<std::pair<int, std::size_t>, std::string> found; // files by phase and rank
    std::optional<DirLabCase> of;
    std::error_code failure;
    std::vector<std::string> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure))
        if (entry.is_regular_file(failure))
            files.push_back(entry.path().string());
    std::ranges::sort(files);
    for (const std::string& path : files) {
        const std::optional<DirLabImageName> named = dirLabImageName(path);
        if (!named || (isRaw(path) && !recognizesDirLabImage(path, {})))
            continue;
        if (of && of->name() != named->of.name())
            throw fileError(folder, "holds images of {} and {} of DIR-Lab; name the files of one",
                            of->name(), named->of.name());
        of = named->of;
        found.emplace(std::pair(named->phase, named->rank), path);
    }
    std::map<int, std::string> best; // the lowest rank comes first
    for (const auto& [key, path] : found)
        best.emplace(key.first, path);
    std::vector<std::string> phases;
    phases.reserve(best.size());
    for (const auto& [phase, path] : best)
        phases.push_back(path);
    return phases;
}

void writeDirLabImage(const std::string& path, VolumeView<const float> voxels) {
    static_assert(std::endian::native == std::endian::little);
    writeFileAtomically(path, [&](OutputFile& file) {
        std::vector<std::int16_t> plane(static_cast<std::size_t>(voxels.size.x) *
                                        static_cast<std::size_t>(voxels.size.y));
        for (int z = 0; z < voxels.size.z; ++z) {
            const float* const from = voxels.row(0, z);
            for (std::size_t i = 0; i < plane.size(); ++i)
                plane[i] = static_cast<std::int16_t>(
                    std::lround(std::clamp(from[i], -32768.0f, 32767.0f)));
            file.write(plane);
        }
    });
}

void writeRawHeader(const std::string& path, const Geometry& grid, const std::string& dataFile) {
    writeTextAtomically(path, metaImageHeader(grid, "MET_SHORT", 1, dataFile));
}

} // namespace systole
