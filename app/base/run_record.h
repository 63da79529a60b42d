// run.json of a folder that `systole motion` wrote; anyone may have changed it since.
#pragma once

#include "app/base/json_file.h"
#include "io/base/error.h"

#include <string>
#include <vector>

namespace systole {

struct RecordedField {
    std::string file; ///< its name in the folder
    std::string kind; ///< "displacement", "lagrangian", ...
    int fixed = 0, moving = 0;
    double seconds = 0; ///< time from the fixed frame to the moving one; NaN: unknown
};

std::string runRecordIn(const std::string& folder);

/// Null if the record isn't JSON; it may be a link. Throws FileError if there is none, or it is too
/// large for one.
Json readRunRecord(const std::string& folder);

/// A record whose fields are in another frame or unit, or lead another way, than this program
/// writes and reads.
class UnknownMeaning : public FileError {
    using FileError::FileError;
};

/// The fields that the record lists, in its order. Throws FileError also if it has no such list, or
/// an empty one; UnknownMeaning.
std::vector<RecordedField> recordedFields(const std::string& folder);
/// Overload for the folder's record, read already.
std::vector<RecordedField> recordedFields(const std::string& folder, const Json& record);

} // namespace systole
