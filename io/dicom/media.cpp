#include "io/dicom/media.h"

#include "io/base/absent_content.h"
#include "io/base/byte_source.h"
#include "io/base/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t maxFiles = 200'000;
constexpr int deepestFolder = 4;       ///< levels below the named folder: patient, study, series
constexpr std::size_t deepestName = 8; ///< folders and file, as the standard has it

constexpr DicomTag storageClass{0x0002, 0x0002, "UI"}, records{0x0004, 0x1220, "SQ"},
    fileName{0x0004, 0x1500, "CS"};
constexpr const char* directoryClass = "1.2.840.10008.1.3.10";

bool namedLikeDicom(const fs::path& path) {
    const std::string extension = lowerCase(path.extension().string());
    return extension == ".dcm" || extension == ".ima" || extension == ".dicom";
}

/// Images are often named by numbers or UIDs without an ending; ".txt" is that of another file.
bool mayBeDicom(const fs::path& path) {
    const std::string ending = path.extension().string();
    return namedLikeDicom(path) || ending.size() < 2 ||
           std::isalpha(static_cast<unsigned char>(ending[1])) == 0;
}

/// The kind of a file that isn't DICOM, guessed from its beginning.
std::string kindOf(const std::string& path) {
    constexpr std::uint64_t enough = 64;
    constexpr std::pair<std::string_view, const char*> beginnings[] = {
        {"<!doctype html", "a web page"},
        {"<html", "a web page"},
        {"<", "XML"},
        {"{", "JSON"},
        {"%pdf", "PDF"},
        {"\x89png", "a PNG picture"},
        {"\xff\xd8\xff", "a JPEG picture"},
        {"pk\x03\x04", "a ZIP archive"}};
    const InputFile file(path);
    if (file.size() == 0)
        return "empty";
    const std::string text = file.text(0, enough), beginning = lowerCase(trimmed(text));
    for (const auto& [first, kind] : beginnings)
        if (beginning.starts_with(first))
            return kind;
    return "not DICOM";
}

/// Sorts a file that isn't hidden into what is found.
void look(const fs::path& at, DicomFolder& found) {
    const std::string path = at.string();
    const bool isExpected = mayBeDicom(at);
    std::error_code failure;
    const fs::file_status status = fs::status(at, failure);
    std::string why = whyAbsent(at);
    if (why.empty() && failure)
        why = fmt::format("cannot be looked at: {}", failure.message());
    if (!why.empty() && isExpected)
        throw fileError(path, why);
    if (!why.empty())
        found.others.push_back({path, "its content isn't here"});
    if (!why.empty() || fs::is_directory(status))
        return;
    if (!fs::is_regular_file(status)) {
        if (namedLikeDicom(at))
            throw fileError(path, "is named like a DICOM file but is none");
        return;
    }
    if (isDicomFile(path)) {
        found.files.push_back(path);
        return;
    }
    const std::string kind = kindOf(path);
    if (namedLikeDicom(at) || (isExpected && kind == "empty"))
        found.others.push_back({path, kind});
}

/// Whether the operating system or an archiver made the file: "._IM1.dcm" is macOS' note on
/// IM1.dcm.
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

std::string listOf(const std::string& opened, const std::vector<NoDicomFile>& files) {
    std::map<std::string, std::pair<std::string, std::size_t>> kinds; ///< an example, and how many
    for (const NoDicomFile& file : files) {
        auto& [example, count] = kinds[file.what];
        if (count++ == 0 || file.path < example)
            example = file.path;
    }
    std::string list;
    for (const auto& [what, found] : kinds) {
        const auto& [example, count] = found;
        list += fmt::format("{}{}{} ({})", list.empty() ? "" : ", ",
                            pathInQuotes(nameBelow(opened, example)),
                            count > 1 ? fmt::format(" and {} more", count - 1) : "", what);
    }
    return list;
}

DicomFolder dicomFilesIn(const std::string& folder, FolderDepth depth,
                         std::vector<std::string>& notes) {
    const int deepest = depth == FolderDepth::ThisFolder ? 0 : deepestFolder;
    DicomFolder found;
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
        look(entry->path(), found);
        if (found.files.size() > maxFiles)
            throw fileError(folder, "holds more than {} DICOM files", maxFiles);
    }
    if (failure)
        throw fileError(folder, "the folder cannot be read: {}", failure.message());
    if (hidden > 0)
        addNote(notes, "hidden files and folders are left out: {}, such as {}", hidden,
                inQuotes(example));
    std::ranges::sort(found.files);
    return found;
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
        if (const std::string why = whyAbsent(file); !why.empty())
            throw fileError(file.string(), why);
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
