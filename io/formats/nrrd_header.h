// The fields of a NRRD header, as they stand in the file.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace systole {

struct NrrdHeader {
    std::map<std::string, std::string> fields; ///< "space origin" → "(1,2,3)"; names in lower case
    std::map<std::string, std::string> keys;   ///< the key/value pairs, written with :=
    std::size_t end = 0;                       ///< byte after the empty line that ends the header

    /// The text of a field; empty when it isn't there.
    std::string field(const std::string& name) const;
    std::string key(const std::string& name) const;
};

/// Nothing of the text is believed beyond its form. Throws FileError.
NrrdHeader parseNrrdHeader(const std::string& path, const std::string& text);

/// "(1,0,0) none (0,1,0)": one entry for each axis, nothing for "none".
using NrrdVectors = std::vector<std::optional<std::vector<double>>>;
NrrdVectors parseNrrdVectors(const std::string& path, const std::string& text);
/// Words, some of them in quotation marks: "s" "" "mm".
std::vector<std::string> parseNrrdStrings(const std::string& text);

} // namespace systole
