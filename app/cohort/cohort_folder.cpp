#include "app/cohort/cohort_folder.h"

#include "app/cohort/cohort_plan.h"
#include "io/output_file.h"
#include "io/text.h"

#include <system_error>

namespace systole {

namespace fs = std::filesystem;

namespace {
std::string lockOf(const std::string& output) { return output + "/" + workFolder + "/lock"; }
} // namespace

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
