#include "app/fields/run_record.h"

#include "io/error.h"
#include "io/text.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace systole {
namespace fs = std::filesystem;

Json readRunRecord(const std::string& path) {
    std::error_code failure;
    const std::uintmax_t bytes = fs::file_size(path, failure);
    if (failure)
        throw fileError(
            fs::path(path).parent_path().string(),
            "has no run.json, so it isn't the folder of a complete run of 'systole motion'");
    if (bytes > mostRecordBytes)
        throw fileError(path, "is larger than any record of 'systole motion'");
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    return parseJson(text).value_or(Json());
}

std::vector<RecordedField> recordedFields(const std::string& folder) {
    const std::string path = (fs::path(folder) / "run.json").string();
    const Json record = readRunRecord(path);
    std::vector<RecordedField> fields;
    try {
        for (const Json& field : record.at("fields"))
            fields.push_back(
                {field.at("file"), field.at("kind"), field.at("fixed"), field.at("moving")});
    } catch (const Json::exception&) {
        throw fileError(path, "expected the list of fields that 'systole motion' writes");
    }
    for (const RecordedField& field : fields)
        if (field.file.find('/') != std::string::npos)
            throw fileError(path, inQuotes(field.file) + " is no name of a field");
    return fields;
}

} // namespace systole
