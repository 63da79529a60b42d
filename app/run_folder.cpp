#include "app/run_folder.h"

#include "io/error.h"
#include "io/writer.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace systole {

void beginRunFolder(const std::string& folder, const std::string& recordName) {
    ensureFolder(folder);
    removePartialFiles(folder);
    const auto record = std::filesystem::path(folder) / recordName;
    std::error_code failure;
    std::filesystem::remove(record, failure);
    if (failure)
        throw FileError(fmt::format("{}: the record of an older run can't be removed: {}",
                                    record.string(), failure.message()));
}

} // namespace systole
