#include "app/base/recorded_hashes.h"

#include "app/base/file_hash.h"
#include "app/base/json_file.h"

#include <cstdlib>
#include <optional>

namespace systole {
namespace {

constexpr const char* variable = "SYSTOLE_STEPS_BEFORE"; ///< a list of the records' paths

} // namespace

std::vector<FileState> statesOf(const Json& list) {
    std::vector<FileState> files;
    for (const Json& each : list)
        files.push_back({each.at("file"), each.at("stamp"), each.at("sha256")});
    return files;
}

std::vector<FileState> recordedOutputs(const std::string& record) {
    const std::optional<Json> read = readJson(record);
    try {
        return read ? statesOf(read->at("outputs")) : std::vector<FileState>{};
    } catch (const Json::exception&) { // damaged: nothing is known
        return {};
    }
}

RecordedHashes::RecordedHashes(const std::vector<std::string>& records) {
    for (const std::string& record : records)
        for (const FileState& file : recordedOutputs(record))
            known_[{file.file, file.stamp}] = file.sha256;
}

RecordedHashes RecordedHashes::ofThisProcess() {
    const char* const text = std::getenv(variable);
    const std::optional<Json> value = text ? parseJson(text) : std::nullopt;
    if (!value)
        return RecordedHashes({});
    try {
        return RecordedHashes(value->get<std::vector<std::string>>());
    } catch (const Json::exception&) {
        return RecordedHashes({});
    }
}

std::string RecordedHashes::of(const std::string& output, const FileState& file) const {
    const auto found = known_.find({file.file, file.stamp});
    return found != known_.end() ? found->second : hashOf(output, file);
}

std::string RecordedHashes::of(const std::string& path) const {
    const std::vector<FileState> files = stampsOf("", {path});
    return files.size() == 1 && files.front().file == path ? of("", files.front())
                                                           : sha256Of({path});
}

std::pair<std::string, std::string>
RecordedHashes::environment(const std::vector<std::string>& records) {
    return {variable, Json(records).dump()};
}

} // namespace systole
