// run.json of a folder that `systole motion` wrote; anyone may have changed it since.
#pragma once

#include "app/json_file.h"

#include <string>
#include <vector>

namespace systole {

struct RecordedField {
    std::string file; ///< its name in the folder
    std::string kind; ///< "displacement", "lagrangian", ...
    int fixed = 0, moving = 0;
};

/// Null if it isn't JSON; the path may be a link. Throws FileError if it isn't there, or is too
/// large for a record.
Json readRunRecord(const std::string& path);

/// The fields that the record lists, in its order. Throws FileError if there is none, or it has no
/// such list.
std::vector<RecordedField> recordedFields(const std::string& folder);

} // namespace systole
