// The hashes of what a step reads, as the records of the steps before have them: a file to which
// nobody has written since isn't read for its hash again.
#pragma once

#include "app/cohort/file_state.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace systole {

class RecordedHashes {
public:
    /// Of the outputs of steps of a case.
    RecordedHashes(const std::string& output, const std::string& id,
                   const std::vector<std::string>& steps);
    /// In the process of a step's command, whose folder is the cohort's: those that environment()
    /// names; elsewhere none.
    static RecordedHashes ofThisProcess();

    /// `file` without its hash; reads it if no record has its stamp. Throws FileError.
    std::string of(const std::string& output, const FileState& file) const;
    /// The same of a path from the folder that this process works in; of a folder sha256Of() its
    /// files.
    std::string of(const std::string& path) const;

    /// What the process of a command gets.
    static std::pair<std::string, std::string> environment(const std::string& id,
                                                           const std::vector<std::string>& steps);

private:
    std::map<std::pair<std::string, std::string>, std::string> known_; ///< by file and stamp
};

} // namespace systole
