#include "app/features/motion/motion_files.h"

#include <fmt/format.h>

#include <string_view>

namespace systole {
namespace {

/// True for everything that fieldFile() can return.
bool isFieldFile(std::string_view name) {
    for (const std::string_view kind : {displacementKind, lagrangianKind, standardErrorKind})
        for (const FieldFormat format : {FieldFormat::MetaImage, FieldFormat::Nifti}) {
            const std::string_view extension = extensionOf(format);
            if (!name.starts_with(kind) || !name.ends_with(extension) ||
                name.size() < kind.size() + extension.size() + 5)
                continue;
            const std::string_view number =
                name.substr(kind.size(), name.size() - kind.size() - extension.size());
            if (number.front() == '_' &&
                number.find_first_not_of("0123456789", 1) == std::string_view::npos)
                return true;
        }
    return false;
}

} // namespace

std::string fieldFile(const char* kind, int movingFrame, FieldFormat format) {
    return fmt::format("{}_{:04}{}", kind, movingFrame, extensionOf(format));
}

const RunFolderKind& motionFolderKind() {
    static const RunFolderKind kind{"motion", "run.json", isFieldFile};
    return kind;
}

std::vector<std::string> fieldFiles(const MotionJob& job) {
    std::vector<int> moving;
    for (int frame = job.firstFrame + 1; frame <= job.lastFrame; ++frame)
        moving.push_back(frame);
    if (job.closeCycle)
        moving.push_back(job.firstFrame);
    std::vector<std::string> files;
    for (const int frame : moving) {
        files.push_back(fieldFile(displacementKind, frame, job.format));
        if (job.lagrangian)
            files.push_back(fieldFile(lagrangianKind, frame, job.format));
        if (job.certainty)
            files.push_back(fieldFile(standardErrorKind, frame, job.format));
    }
    return files;
}

} // namespace systole
