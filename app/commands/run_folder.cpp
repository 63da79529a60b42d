#include "app/commands/run_folder.h"

#include "io/error.h"
#include "io/writer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace systole {
namespace {

/// Removes the fields of the older run with this record: next to those of a new run they would be
/// mistaken for its own. Other files in the folder are left alone.
void removeListedFiles(const std::filesystem::path& record) {
    std::ifstream file(record);
    const auto json = nlohmann::json::parse(file, nullptr, false);
    if (!json.is_object() || !json.contains("fields") || !json["fields"].is_array())
        return;
    for (const auto& field : json["fields"]) {
        if (!field.is_object() || !field.contains("file") || !field["file"].is_string())
            continue;
        const std::filesystem::path name = std::filesystem::path(field["file"].get<std::string>());
        std::error_code ignored;
        const auto listed = record.parent_path() / name.filename();
        if (name.has_filename() && std::filesystem::is_regular_file(listed, ignored))
            std::filesystem::remove(listed, ignored);
    }
}

} // namespace

void beginRunFolder(const std::string& folder, const std::string& recordName) {
    ensureFolder(folder);
    removePartialFiles(folder);
    const auto record = std::filesystem::path(folder) / recordName;
    removeListedFiles(record);
    std::error_code failure;
    std::filesystem::remove(record, failure);
    if (failure)
        throw FileError(fmt::format("{}: the record of an older run can't be removed: {}",
                                    record.string(), failure.message()));
}

} // namespace systole
