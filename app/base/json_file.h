// JSON files that this program has written and reads again: anyone may have changed them since.
#pragma once

#include "io/base/text.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace systole {

using Json = nlohmann::ordered_json;

inline constexpr std::uintmax_t maxRecordBytes = std::uintmax_t{64} << 20;

/// Nothing if the text isn't JSON, or nests deeper than this program's own files.
std::optional<Json> parseJson(std::string_view text);

/// Nothing unless `path` is a file, not a link, of at most `maxBytes` that contains a JSON object.
/// Throws FileError.
std::optional<Json> readJson(const std::string& path, std::uintmax_t maxBytes = maxRecordBytes);

/// The value of the key in `owner`, in quotes, if it differs from `meaning`; nothing if it is equal
/// or missing.
std::optional<std::string> otherMeaning(const Json& owner, const char* key, const char* meaning);

/// Indented text; bytes that aren't UTF-8 are replaced.
std::string jsonText(const Json& json);

/// True if a JSON file can hold the text as it is.
bool isUtf8(const std::string& text);

/// read(json) of a file. Throws FileError if it is missing or lacks what `read` looks for.
template <typename Read>
auto fromJson(const std::string& path, const Read& read, std::uintmax_t maxBytes = maxRecordBytes) {
    const std::optional<Json> json = readJson(path, maxBytes);
    if (!json)
        throw fileError(path, "isn't there, or isn't JSON");
    try {
        return read(*json);
    } catch (const Json::exception&) {
        throw fileError(path, "isn't as this program writes it");
    }
}

} // namespace systole
