#include "app/base/run_record.h"

#include "io/base/byte_source.h"
#include "io/base/error.h"
#include "io/base/text.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>

namespace systole {
namespace {

namespace fs = std::filesystem;

bool isFrame(const Json& number) {
    return number.is_number_integer() && number >= 0 && number <= std::numeric_limits<int>::max();
}

double secondsOf(const Json& field) {
    const Json from = field.value("fixed_time_ms", Json()),
               to = field.value("moving_time_ms", Json());
    return from.is_number() && to.is_number() ? (to.get<double>() - from.get<double>()) / 1000
                                              : std::numeric_limits<double>::quiet_NaN();
}

/// Nothing unless it is as the program writes it.
std::optional<std::vector<RecordedField>> fieldsIn(const Json& record) {
    std::vector<RecordedField> fields;
    try {
        for (const Json& field : record.at("fields")) {
            const Json &fixed = field.at("fixed"), &moving = field.at("moving");
            if (!isFrame(fixed) || !isFrame(moving))
                return std::nullopt;
            fields.push_back({field.at("file"), field.at("kind"), fixed, moving, secondsOf(field)});
        }
    } catch (const Json::exception&) {
        return std::nullopt;
    }
    return fields;
}

/// Throws UnknownMeaning unless `owner` says what is written here under the key, or nothing.
void requireMeaning(const std::string& path, const Json& owner, const char* key,
                    const char* meaning) {
    if (const std::optional<std::string> said = otherMeaning(owner, key, meaning))
        throw UnknownMeaning(
            fileError(path, fmt::format("gives {} as the {} of its fields; '{}' is what 'systole "
                                        "motion' writes and what is read",
                                        *said, key, meaning))
                .what());
}

bool isName(const std::string& file) {
    return file.find('\0') == std::string::npos && file == fs::path(file).filename() &&
           !file.empty() && file != "." && file != "..";
}

} // namespace

std::string runRecordIn(const std::string& folder) {
    return (fs::path(folder) / "run.json").string();
}

Json readRunRecord(const std::string& folder) {
    std::error_code failure;
    if (!fs::exists(folder, failure))
        throw fileError(folder, failure ? failure.message() : noSuchPath);
    const std::string path = runRecordIn(folder);
    if (!fs::is_regular_file(path, failure))
        throw fileError(folder, "has no run.json, so it isn't the folder of a complete run of "
                                "'systole motion'");
    if (fs::file_size(path, failure) > maxRecordBytes)
        throw fileError(path, "is larger than any record of 'systole motion'");
    return parseJson(wholeText(path)).value_or(Json());
}

std::vector<RecordedField> recordedFields(const std::string& folder) {
    return recordedFields(folder, readRunRecord(folder));
}

std::vector<RecordedField> recordedFields(const std::string& folder, const Json& record) {
    const std::string path = runRecordIn(folder);
    const std::optional<std::vector<RecordedField>> fields = fieldsIn(record);
    if (!fields)
        throw fileError(path, "expected the list of fields that 'systole motion' writes");
    requireMeaning(path, record, "frame_of_reference", "LPS");
    requireMeaning(path, record, "units", "mm");
    for (const Json& field : record.at("fields"))
        requireMeaning(path, field, "direction", "fixed to moving");
    if (fields->empty())
        throw fileError(path, "lists no field");
    for (const RecordedField& field : *fields)
        if (!isName(field.file))
            throw fileError(path, inQuotes(field.file) + " is no name of a field");
    return *fields;
}

} // namespace systole
