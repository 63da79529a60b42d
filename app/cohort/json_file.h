// The JSON files of a cohort, in one form.
#pragma once

#include "compute/core/json_depth.h"
#include "io/output_file.h"
#include "io/text.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace systole {

using Json = nlohmann::ordered_json;

inline void writeJson(const std::string& path, const Json& json) {
    writeTextAtomically(path, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

/// Nothing if there is no such file, or if it isn't a JSON object.
inline std::optional<Json> readJson(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    if (nestsDeeperThan(mostJsonDepth, text))
        return std::nullopt;
    Json json = Json::parse(text, nullptr, false);
    return json.is_object() ? std::optional(std::move(json)) : std::nullopt;
}

/// read(json) of a file; throws FileError if it isn't there or lacks what `read` looks for.
template <typename Read>
auto fromJson(const std::string& path, const Read& read) {
    const std::optional<Json> json = readJson(path);
    if (!json)
        throw fileError(path, "isn't there, or isn't JSON");
    try {
        return read(*json);
    } catch (const Json::exception&) {
        throw fileError(path, "isn't as 'systole cohort' writes it");
    }
}

} // namespace systole
