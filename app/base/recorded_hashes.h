// Hashes of files as the records of earlier steps of a cohort state them: a file to which nobody
// has written since isn't read for its hash again.
#pragma once

#include "app/base/file_state.h"
#include "app/base/json_file.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace systole {

/// The outputs that a step's record states; empty: it isn't there, or is damaged.
std::vector<FileState> recordedOutputs(const std::string& record);
/// The files of such a list.
std::vector<FileState> statesOf(const Json& list);

class RecordedHashes {
public:
    /// Reads the records of steps, paths of JSON files; one that isn't there or is damaged says
    /// nothing.
    explicit RecordedHashes(const std::vector<std::string>& records);
    /// In the process of a step's command: the records that environment() names; elsewhere none.
    static RecordedHashes ofThisProcess();

    /// The hash of `file`, whose own hash isn't known; reads it if no record has its stamp. Throws
    /// FileError.
    std::string of(const std::string& output, const FileState& file) const;
    /// The hash of a path from the working folder of this process; of a folder sha256Of() its
    /// files.
    std::string of(const std::string& path) const;

    /// Name and value of the environment variable from which a command's process takes the records,
    /// whose paths count from its working folder.
    static std::pair<std::string, std::string> environment(const std::vector<std::string>& records);

private:
    std::map<std::pair<std::string, std::string>, std::string> known_; ///< by file and stamp
};

} // namespace systole
