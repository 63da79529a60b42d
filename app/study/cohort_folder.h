// The folder of a cohort: folders below it, and who may write its plan.
#pragma once

#include "app/base/json_file.h"
#include "app/study/file_lock.h"

#include <filesystem>
#include <string>

namespace systole {

/// Whether the folder of a cohort has none yet: it isn't there, or is empty, or has only what a run
/// leaves that was killed before it could describe the folder.
bool isNewCohort(const std::string& output);

/// Throws FileError if the folder isn't new and no cohort has made it.
void refuseFolderOfOthers(const std::string& output);

/// Creates it if necessary, and the one in it for plans, records and locks. Throws FileError, also
/// for a folder of others.
void makeCohortFolder(const std::string& output);

/// Writes what BIDS wants in it: that it is derived, from which study, and what isn't by BIDS.
/// Throws FileError.
void describeCohort(const std::string& input, const std::string& output);
/// Writes the part of it that a run lacks which ended before it had written all; leaves what is
/// there, and a folder that can't be written to.
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

/// Whether one holds it now; no for a folder whose lock this user may not open. Asking never makes
/// a run that begins believe that another one is at work.
bool runIsAtWork(const std::string& output);

} // namespace systole
