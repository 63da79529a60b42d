// The names of the results of systole register.
#include "app/base/error.h"
#include "app/features/registration/register_job.h"
#include "io/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

namespace systole {
namespace {

constexpr std::string_view warpedEnding = "_warped.nii.gz";

bool isRegisterFile(std::string_view name) {
    constexpr std::array<std::string_view, 10> names{"affine.tfm",
                                                     "affine.txt",
                                                     "affine_niftyreg.txt",
                                                     "control_points.nii.gz",
                                                     "displacement.mha",
                                                     "displacement.nii.gz",
                                                     "inverse_displacement.mha",
                                                     "inverse_displacement.nii.gz",
                                                     "warped.nii.gz",
                                                     "warped_labels.nii.gz"};
    return std::ranges::find(names, name) != names.end() ||
           (name.size() > warpedEnding.size() && name.ends_with(warpedEnding) &&
            name.find('/') == std::string_view::npos);
}

} // namespace

const RunFolderKind& registerFolderKind() {
    static const RunFolderKind kind{"register", "registration.json", isRegisterFile};
    return kind;
}

std::string warpedFileOf(const std::string& named) {
    const FrameOfFile frame = parseFrameOfFile(named);
    std::string stem = std::filesystem::path(frame.path).filename().string();
    for (const std::string_view ending :
         {".gz", ".nii", ".nrrd", ".seq", ".mha", ".mhd", ".vtk", ".gipl", ".hdr", ".img", ".nhdr"})
        if (lowerCase(stem).ends_with(ending) && stem.size() > ending.size())
            stem.resize(stem.size() - ending.size());
    if (frame.frame)
        stem += fmt::format("_{:04}", *frame.frame);
    return stem + std::string(warpedEnding);
}

std::vector<std::string> registerFiles(const RegisterJob& job) {
    const std::string field = job.asNiftyReg ? ".nii.gz" : ".mha";
    std::vector<std::string> files{"affine.tfm", "affine.txt", "control_points.nii.gz",
                                   "displacement" + field, "warped.nii.gz"};
    if (job.asNiftyReg)
        files.emplace_back("affine_niftyreg.txt");
    if (job.inverse)
        files.push_back("inverse_displacement" + field);
    if (!job.movingLabels.empty())
        files.emplace_back("warped_labels.nii.gz");
    for (const auto* further : {&job.furtherImages, &job.furtherLabels})
        for (const std::string& named : *further)
            files.push_back(warpedFileOf(named));
    std::set<std::string> seen;
    for (const std::string& file : files)
        if (!seen.insert(file).second)
            throw UsageError(fmt::format("two results would be named {}; rename one of the files "
                                         "to warp",
                                         file));
    return files;
}

} // namespace systole
