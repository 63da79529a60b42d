// The output folder of a command: its record exists exactly when the folder is complete, and
// nothing is replaced that this program didn't write.
#pragma once

#include "io/base/fingerprint.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace systole {

/// Names of the files that one command writes into a folder.
struct RunFolderKind {
    const char* command = "";    ///< "motion"
    const char* recordName = ""; ///< "run.json"
    /// True for the names, without a folder, that any run of the command can write, except its
    /// records.
    bool (*writes)(std::string_view name) = nullptr;

    /// The record of an unfinished run: "run.unfinished.json".
    std::string unfinishedName() const;
};

/// Writes the files of one run. Files of an earlier run are known from its record, by name, size
/// and checksum; everything else in the folder is left alone. A symbolic link is never followed.
class RunFolder {
public:
    /// Creates the folder if necessary. Throws FileError if it isn't writable, if it has results of
    /// an earlier run and `overwrite` is false, if a record isn't as this program wrote it, or if
    /// the name of one of `files` (what this run will write) or of a record belongs to a file that
    /// no record lists. Nothing is removed before the first write(). In the end, also when it
    /// throws, folders that it has created and that are empty are removed.
    RunFolder(std::string folder, const RunFolderKind& kind, std::vector<std::string> files,
              bool overwrite);
    RunFolder(const RunFolder&) = delete;
    RunFolder& operator=(const RunFolder&) = delete;

    /// `writer` gets a path to write the content of one of the run's files to. The first call
    /// removes the files of the earlier run. Throws FileError, also if a file of that name has
    /// appeared in the meantime.
    void write(const std::string& file, const std::function<void(const std::string& path)>& writer);

    /// Writes the record with the list of all written files: the run is complete.
    void finish(nlohmann::ordered_json record);

    /// Number of files of the earlier run that were removed, its record included.
    int replaced() const { return replaced_; }
    /// Files that an earlier run's record lists but that have changed since; they were left alone.
    const std::vector<std::string>& keptFiles() const { return kept_; }

private:
    struct Written {
        std::string file;
        FileFingerprint fingerprint;
    };

    /// Folders that this run creates, the innermost first.
    struct Created {
        std::vector<std::string> folders;
        ~Created();
    };

    std::string pathOf(const std::string& file) const;
    std::vector<std::string> existingRecords() const;
    std::vector<Written> filesListedIn(const std::string& record) const;
    void survey();
    void removeEarlierRun();
    void saveUnfinished(const std::vector<Written>& files);
    void withdrawLast();
    nlohmann::ordered_json listOf(const std::vector<Written>& files) const;

    std::string folder_;
    Created created_;
    RunFolderKind kind_;
    std::vector<std::string> planned_;
    bool overwrite_;
    bool begun_ = false;
    std::vector<Written> earlier_; ///< files of the earlier run, as it wrote them
    std::vector<Written> written_;
    std::vector<std::string> kept_;
    std::string unfinished_; ///< the record of this unfinished run, as it was saved last
    int replaced_ = 0;
};

/// Help of --overwrite behind its beginning, for commands that write such a folder.
inline constexpr const char* overwriteRunHelp =
    ". They are those of an earlier run in the folder: exactly the files that its record lists and "
    "that haven't changed since. Other files are never touched";

/// Prints how many files were replaced, and which ones were left alone.
void printReplaced(const RunFolder& folder);

} // namespace systole
