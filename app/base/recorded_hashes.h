// Hashes of files from the records of earlier steps of a cohort: a file that is unchanged since
// isn't read again.
#pragma once

#include "app/base/file_state.h"
#include "app/base/json_file.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace systole {

/// The outputs that a step's record states; empty: it is missing or damaged.
std::vector<FileState> recordedOutputs(const std::string& record);
/// File states from a list of them in a record.
std::vector<FileState> statesOf(const Json& list);

class RecordedHashes {
public:
    /// Reads the records of steps, paths of JSON files; a missing or damaged one is ignored.
    explicit RecordedHashes(const std::vector<std::string>& records);
    /// Hashes from the records that environment() names: none unless this process runs a step's
    /// command.
    static RecordedHashes ofThisProcess();

    /// The hash of `file`, whose own hash isn't known; reads it if no record has its stamp. Throws
    /// FileError.
    std::string of(const std::string& output, const FileState& file) const;
    /// The hash of a path relative to the working folder of this process; for a folder sha256Of()
    /// its files.
    std::string of(const std::string& path) const;

    /// Name and value of the environment variable from which a command's process takes the records;
    /// their paths are relative to its working folder.
    static std::pair<std::string, std::string> environment(const std::vector<std::string>& records);

private:
    std::map<std::pair<std::string, std::string>, std::string> known_; ///< hash by (file, stamp)
};

} // namespace systole
