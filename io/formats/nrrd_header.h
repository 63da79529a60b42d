// The fields of a NRRD header, as they stand in the file.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace systole {

struct NrrdHeader {
    /// "spaceorigin" → "(1,2,3)": names in lower case without blanks, as NRRD itself takes both
    /// "data file" and "datafile".
    std::map<std::string, std::string> fields;
    std::map<std::string, std::string> keys; ///< the key/value pairs, written with :=
    std::vector<std::string> listed;         ///< the names behind "data file: LIST"
    std::size_t end = 0;                     ///< byte after the empty line that ends the header

    /// The text of a field ("space origin"); empty when it isn't there.
    std::string field(const std::string& name) const;
    std::string key(const std::string& name) const;
};

/// Nothing of the text is believed beyond its form; a name that stands twice with different values
/// is refused. Throws FileError.
NrrdHeader parseNrrdHeader(const std::string& path, const std::string& text);

/// "(1,0,0) none (0,1,0)": one entry for each axis, nothing for "none" and "(nan,nan,nan)".
using NrrdVectors = std::vector<std::optional<std::vector<double>>>;
NrrdVectors parseNrrdVectors(const std::string& path, const std::string& text);
/// One number for each axis, NaN where none is known; empty: the field isn't there. Throws
/// FileError for another count.
std::vector<double> nrrdNumbersOfAxes(const std::string& path, const NrrdHeader& header,
                                      const std::string& name, std::size_t axes);
/// Words, some of them in quotation marks: "s" "" "mm".
std::vector<std::string> parseNrrdStrings(const std::string& text);

} // namespace systole
