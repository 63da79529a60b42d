// The folder of a cohort: folders below it, and who may write its plan.
#pragma once

#include "app/base/json_file.h"
#include "app/study/file_lock.h"

#include <filesystem>
#include <string>

namespace systole {

/// True if the folder has no cohort yet: it is missing or empty, or has only the files of a run
/// that was killed before it could describe the folder.
bool isNewCohort(const std::string& output);

/// Throws FileError if the folder isn't new and no cohort has made it.
void refuseFolderOfOthers(const std::string& output);

/// Creates the folder if necessary, and workFolder in it. Throws FileError, also for a folder that
/// isn't a cohort's.
void makeCohortFolder(const std::string& output);

/// Writes the files that BIDS requires: the description of a derived data set with its study, and
/// the list of files that don't follow BIDS. Throws FileError.
void describeCohort(const std::string& input, const std::string& output);
/// Writes those of these files that are missing since a run ended early; leaves existing ones, and
/// a folder that isn't writable.
void completeDescription(const std::string& output);

/// Creates output/below. No part of `below` may be a link, which would lead out of the cohort's
/// folder. Throws FileError.
void makeFolderBelow(const std::filesystem::path& output, const std::filesystem::path& below);

/// A file of the cohort, as a whole under its name; a link by that name is replaced, not followed.
/// Throws FileError.
void writeOwn(const std::string& path, const std::string& text);
void writeOwn(const std::string& path, const char* text);
void writeOwn(const std::string& path, const Json& json);

/// Held by the one run that may write the plan of the cohort and have it done.
class CohortLock {
public:
    /// Throws FileError if another run is at work in the folder.
    explicit CohortLock(const std::string& output);

private:
    FileLock lock_;
};

/// True if a run holds the lock now; false also for a folder whose lock this user may not open.
/// The check never makes a starting run believe that another one is at work.
bool runIsAtWork(const std::string& output);

} // namespace systole
