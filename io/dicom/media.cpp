#include "io/dicom/media.h"

#include "io/messages.h"

#include <algorithm>
#include <filesystem>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t mostFiles = 200'000;
constexpr int deepestFolder = 4;       ///< below the one named: patient, study, series
constexpr std::size_t deepestName = 8; ///< folders and file, as the standard has it

constexpr DicomTag storageClass{0x0002, 0x0002, "UI"}, records{0x0004, 0x1220, "SQ"},
    fileName{0x0004, 0x1500, "CS"};
constexpr const char* directoryClass = "1.2.840.10008.1.3.10";

bool namedLikeDicom(const fs::path& path) {
    const std::string extension = lowerCase(path.extension().string());
    return extension == ".dcm" || extension == ".ima" || extension == ".dicom";
}

/// Of the operating system or of an archive: "._IM1.dcm" is a Mac's note on IM1.dcm.
bool isHidden(const fs::path& path) {
    const std::string name = path.filename().string();
    return name.starts_with('.') || name == "__MACOSX";
}

/// The entry of a folder with this name, in small letters where the name in capitals isn't there,
/// as copies of a CD have it; empty: none.
fs::path entryOf(const fs::path& folder, const std::string& name) {
    std::error_code failure;
    if (fs::exists(folder / name, failure))
        return folder / name;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure))
        if (lowerCase(entry->path().filename().string()) == lowerCase(name))
            return entry->path();
    return {};
}

/// Names on a medium stay below its folder.
fs::path fileOf(const fs::path& folder, const std::vector<std::string>& names) {
    if (names.empty() || names.size() > deepestName)
        return {};
    fs::path at = folder;
    for (const std::string& name : names) {
        if (name == "." || name == ".." || name.find('/') != std::string::npos)
            return {};
        at = entryOf(at, name);
        if (at.empty())
            return {};
    }
    return at;
}

} // namespace

std::vector<std::string> dicomFilesIn(const std::string& folder, FolderDepth depth,
                                      std::vector<std::string>& notes) {
    const int deepest = depth == FolderDepth::ThisFolder ? 0 : deepestFolder;
    std::vector<std::string> files;
    std::size_t hidden = 0;
    std::string example;
    std::error_code failure;
    fs::recursive_directory_iterator entry(folder, failure);
    for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
        std::error_code ignored;
        if (entry.depth() >= deepest || isHidden(entry->path()))
            entry.disable_recursion_pending();
        if (isHidden(entry->path())) {
            if (namedLikeDicom(entry->path()) || entry->is_directory(ignored)) {
                ++hidden;
                example = entry->path().filename().string();
            }
            continue;
        }
        if (entry->is_directory(ignored))
            continue;
        const std::string path = entry->path().string();
        const bool readable = entry->is_regular_file(ignored);
        if (readable && isDicomFile(path))
            files.push_back(path);
        else if (namedLikeDicom(entry->path()))
            throw fileError(path, "is named like a DICOM file but does not hold one");
        if (files.size() > mostFiles)
            throw fileError(folder, "holds more than {} DICOM files", mostFiles);
    }
    if (failure)
        throw fileError(folder, "the folder cannot be read: {}", failure.message());
    if (hidden > 0)
        addNote(notes, "hidden files and folders are left out: {}, such as {}", hidden,
                inQuotes(example));
    std::sort(files.begin(), files.end());
    return files;
}

bool isMediaDirectory(const DicomFile& file) {
    return file.elements.text(storageClass) == directoryClass ||
           (!file.hasPixels && !file.elements.items(records).empty());
}

std::vector<std::string> filesOfMediaDirectory(const DicomFile& directory,
                                               std::vector<std::string>& notes) {
    const fs::path folder = fs::path(directory.path).parent_path();
    std::vector<std::string> files;
    std::size_t missing = 0;
    std::string example;
    for (const DicomItem& record : directory.elements.items(records)) {
        const std::string named = record.text(fileName);
        if (named.empty())
            continue; // a patient, a study or a series
        std::vector<std::string> names;
        for (const std::string_view part : partsOf(named, '\\'))
            names.emplace_back(trimmed(part));
        const fs::path file = fileOf(folder, names);
        std::error_code failure;
        if (!file.empty() && fs::is_regular_file(file, failure) && isDicomFile(file.string())) {
            files.push_back(file.string());
            continue;
        }
        ++missing;
        example = named;
    }
    if (files.empty() && missing > 0)
        throw fileError(
            directory.path,
            "this DICOMDIR names {} files, such as {}, none of which is there: it lists "
            "images of other files and holds none",
            missing, inQuotes(example));
    if (files.empty())
        throw fileError(directory.path, "this DICOMDIR names no images");
    if (missing > 0)
        addNote(notes, "{} of {} files that the DICOMDIR names are missing, such as {}", missing,
                missing + files.size(), inQuotes(example));
    return files;
}

std::string nameBelow(const std::string& opened, const std::string& path) {
    std::error_code failure;
    const fs::path folder =
        fs::is_directory(opened, failure) ? fs::path(opened) : fs::path(opened).parent_path();
    const fs::path below =
        fs::path(path).lexically_normal().lexically_relative(folder.lexically_normal());
    return below.empty() || *below.begin() == ".." ? path : below.string();
}

} // namespace systole
