#include "app/base/json_file.h"

#include "compute/core/json_depth.h"
#include "io/base/byte_source.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace systole {

std::optional<Json> parseJson(std::string_view text) {
    if (nestsDeeperThan(maxJsonDepth, text))
        return std::nullopt;
    Json json = Json::parse(text, nullptr, false);
    return json.is_discarded() ? std::nullopt : std::optional(std::move(json));
}

std::optional<Json> readJson(const std::string& path, std::uintmax_t maxBytes) {
    namespace fs = std::filesystem;
    std::error_code failure;
    if (fs::symlink_status(path, failure).type() != fs::file_type::regular ||
        fs::file_size(path, failure) > maxBytes)
        return std::nullopt;
    std::optional<Json> json = parseJson(wholeText(path));
    return json && json->is_object() ? std::move(json) : std::nullopt;
}

std::optional<std::string> otherMeaning(const Json& owner, const char* key, const char* meaning) {
    const auto said = owner.find(key);
    if (said == owner.end() || *said == meaning)
        return std::nullopt;
    return inQuotes(said->is_string() ? said->get<std::string>()
                                      : said->dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string jsonText(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool isUtf8(const std::string& text) {
    try {
        return !Json(text).dump().empty();
    } catch (const Json::type_error&) {
        return false;
    }
}

} // namespace systole
