#include "app/study/cohort_folder.h"

#include "app/base/version.h"
#include "app/study/cohort_plan.h"
#include "io/base/output_file.h"
#include "io/base/partial_file.h"
#include "io/base/text.h"

#include <system_error>

namespace systole {

namespace fs = std::filesystem;

namespace {

constexpr const char* descriptionName = "dataset_description.json";
constexpr const char* lockName = "lock";
/// BIDS has names for what is known of participants, and none for motion and strain of hearts.
constexpr const char* bidsIgnored = "/work\n/report.html\n/group_costs.*\nsub-*_*\n";

std::string lockOf(const std::string& output) { return output + "/" + workFolder + "/" + lockName; }

std::string ignoreListOf(const std::string& output) { return output + "/.bidsignore"; }

/// True for the folder of an earlier run of this command.
bool isOurs(const fs::path& output) {
    const auto description = readJson((output / descriptionName).string());
    if (!description || !description->contains("GeneratedBy"))
        return false;
    const Json& makers = description->at("GeneratedBy");
    return makers.is_array() && !makers.empty() && makers.front().is_object() &&
           makers.front().value("Name", Json()) == "systole cohort";
}

/// Apart from files that a killed run hadn't finished. True also for a folder that isn't there;
/// false for one that can't be read.
bool hasNothingBut(const char* name, const fs::path& folder) {
    std::error_code failure;
    if (!fs::exists(folder, failure))
        return true;
    fs::directory_iterator at(folder, failure);
    for (; !failure && at != fs::directory_iterator(); at.increment(failure))
        if (const std::string found = at->path().filename().string();
            found != name && !isNamedAsPartial(found))
            return false;
    return !failure;
}

} // namespace

bool isNewCohort(const std::string& output) {
    return hasNothingBut(workFolder, output) &&
           hasNothingBut(lockName, fs::path(output) / workFolder);
}

void refuseFolderOfOthers(const std::string& output) {
    if (!isNewCohort(output) && !isOurs(output))
        throw fileError(output, "isn't empty and has no cohort of 'systole cohort'; choose another "
                                "folder");
}

void makeCohortFolder(const std::string& output) {
    refuseFolderOfOthers(output);
    std::error_code failure;
    fs::create_directories(output, failure);
    if (failure)
        throw fileError(output, "can't be created: " + failure.message());
    makeFolderBelow(output, workFolder);
}

void describeCohort(const std::string& input, const std::string& output) {
    removeDeadPartialFiles(output);
    writeOwn(output + "/" + descriptionName,
             {{"Name", "Motion of the heart, by Systole"},
              {"BIDSVersion", "1.8.0"},
              {"DatasetType", "derivative"},
              {"GeneratedBy", {{{"Name", "systole cohort"}, {"Version", programVersion()}}}},
              {"SourceDatasets", {{{"URL", "file://" + input}}}}});
    writeOwn(ignoreListOf(output), bidsIgnored);
}

void completeDescription(const std::string& output) {
    std::error_code failure;
    if (fs::symlink_status(ignoreListOf(output), failure).type() != fs::file_type::not_found)
        return;
    try {
        writeOwn(ignoreListOf(output), bidsIgnored);
    } catch (const FileError&) { // a user who may only read can still see the plan
    }
}

void makeFolderBelow(const fs::path& output, const fs::path& below) {
    fs::path folder = output;
    for (const fs::path& part : below) {
        folder /= part;
        std::error_code failure;
        const fs::file_status status = fs::symlink_status(folder, failure);
        if (fs::exists(status) && !fs::is_directory(status))
            throw fileError(folder.string(), "isn't a folder, so nothing is written there");
        fs::create_directory(folder, failure);
        if (failure)
            throw fileError(folder.string(), "can't be created: " + failure.message());
    }
}

void writeOwn(const std::string& path, const std::string& text) {
    std::error_code ignored;
    if (fs::is_symlink(fs::symlink_status(path, ignored)))
        fs::remove(path, ignored);
    writeTextAtomically(path, text);
}

void writeOwn(const std::string& path, const char* text) { writeOwn(path, std::string(text)); }
void writeOwn(const std::string& path, const Json& json) { writeOwn(path, jsonText(json)); }

CohortLock::CohortLock(const std::string& output) : lock_(FileLock::tryLock(lockOf(output))) {
    if (!lock_.held())
        throw fileError(output, "another run of 'systole cohort' is at work here");
}

bool runIsAtWork(const std::string& output) { return FileLock::isHeld(lockOf(output)); }

} // namespace systole
