#include "bench/real_cases.h"

#include "compute/motion/gray_range.h"
#include "io/base/error.h"
#include "io/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace systole {
namespace {

constexpr const char* edImage = "acdc_cinemri/patient001/c_patient001_frame01.nii.gz";
constexpr const char* esImage = "acdc_cinemri/patient001/c_patient001_frame12.nii.gz";
constexpr const char* edLabels = "acdc_cinemri/patient001/c_patient001_frame01_gt.nii.gz";
constexpr const char* esLabels = "acdc_cinemri/patient001/c_patient001_frame12_gt.nii.gz";
constexpr const char* acdcCycle = "acdc_cinemri/patient001/patient001_4d.nii.gz";
constexpr const char* fetalEd = "fetal_echo/ed.nii.gz";
constexpr const char* fetalEs = "fetal_echo/es.nii.gz";
constexpr const char* fetalEdLabels = "fetal_echo/ed_labels.nii.gz";
constexpr const char* fetalEsLabels = "fetal_echo/es_labels.nii.gz";
constexpr const char* echo = "itksnap_4d/img4d_11f.nii.gz";
constexpr const char* finerEcho = "itksnap_4d/ultrasound_img4d.nii.gz";
constexpr const char* heartCt = "ctcardio/CTCardioCropped.seq.nrrd";
constexpr const char* inhaled = "plastimatch_4dct/thorax_T00.mha";
constexpr const char* exhaled = "plastimatch_4dct/thorax_T50.mha";
constexpr const char* firstBrain = "claire_brain/brain01.nii.gz";
constexpr const char* secondBrain = "claire_brain/brain02.nii.gz";
constexpr const char* wholeHeart = "philips4d_cine/heart_cine_mr_72x100x58x25.nii.gz";

Volume readFrame(const Sequence& sequence, int frame, const ExecContext& ctx) {
    Volume volume(Geometry(sequence.geometry.size(), sequence.geometry.spacing()), *ctx.pool,
                  "real frame");
    sequence.source->read(frame, volume.view());
    return volume;
}

void mapGray(std::vector<Volume>& frames) {
    GrayRange range(static_cast<int>(frames.size()));
    for (const Volume& frame : frames)
        range.add(frame.view());
    const IntensityScale scale = range.scale();
    for (Volume& frame : frames)
        for (float& gray : frame.view().span())
            gray = 255 * (gray - scale.low) / (scale.high - scale.low);
}

} // namespace

std::vector<std::string> RealCase::files() const {
    std::vector<std::string> names;
    for (const char* file : {fixed.file, moving.file, fixedLabels, movingLabels})
        if (file)
            names.emplace_back(file);
    return names;
}

const std::vector<RealCase>& realCases() {
    static const std::vector<StructureName> acdc{{"RV", 1}, {"wall", 2}, {"LV", 3}};
    static const std::vector<StructureName> fetal{{"wall", 1}, {"cavity", 2}};
    // The labels of itksnap_4d cover some fifty voxels per frame, with values between labels: they
    // can't be used.
    static const std::vector<RealCase> cases{
        {"acdc-es",
         "cine MR in slices, fixed ED, moving ES",
         {edImage},
         {esImage},
         edLabels,
         esLabels,
         acdc},
        {"acdc-ed",
         "cine MR in slices, fixed ES, moving ED",
         {esImage},
         {edImage},
         esLabels,
         edLabels,
         acdc},
        {"fetal-es",
         "3D echo of a fetal heart, fixed ED, moving ES",
         {fetalEd},
         {fetalEs},
         fetalEdLabels,
         fetalEsLabels,
         fetal},
        {"fetal-ed",
         "3D echo of a fetal heart, fixed ES, moving ED",
         {fetalEs},
         {fetalEd},
         fetalEsLabels,
         fetalEdLabels,
         fetal},
        {"echo", "3D echo of a left ventricle, frames 0 and 5", {echo, 0}, {echo, 5}},
        {"echo-fine", "3D echo on a finer grid, frames 0 and 1", {finerEcho, 0}, {finerEcho, 1}},
        {"ctcardio", "CT of a heart, frames 0 and 4", {heartCt, 0}, {heartCt, 4}},
        {"thorax-ex", "CT of a thorax, fixed T00, moving T50", {inhaled}, {exhaled}},
        {"thorax-in", "CT of a thorax, fixed T50, moving T00", {exhaled}, {inhaled}},
        {"brains", "two brains, MR", {firstBrain}, {secondBrain}},
        {"acdc-cycle", "cine MR in slices, 30 frames", {acdcCycle}, {nullptr}},
        {"echo-cycle", "3D echo, 11 frames", {echo}, {nullptr}},
        {"mr-cycle", "3D cine MR of a whole heart, 25 frames", {wholeHeart}, {nullptr}},
    };
    return cases;
}

std::vector<Volume> readFrames(const std::string& folder, const RealCase& which,
                               const ExecContext& ctx) {
    std::vector<Volume> frames;
    const Sequence first = openSequence({folder + "/" + which.fixed.file});
    if (which.isCycle()) {
        for (int frame = 0; frame < first.frames; ++frame)
            frames.push_back(readFrame(first, frame, ctx));
    } else {
        const Sequence second = openSequence({folder + "/" + which.moving.file});
        if (which.fixed.frame >= first.frames || which.moving.frame >= second.frames)
            throw FileError(fmt::format("{}: has no frame {}", first.name,
                                        std::max(which.fixed.frame, which.moving.frame)));
        frames.push_back(readFrame(first, which.fixed.frame, ctx));
        frames.push_back(readFrame(second, which.moving.frame, ctx));
        if (!frames[0].geometry.matches(frames[1].geometry))
            throw FileError(
                fmt::format("{} and {} differ in size or spacing", first.name, second.name));
    }
    mapGray(frames);
    return frames;
}

PairLabels readPairLabels(const std::string& folder, const RealCase& which,
                          const ExecContext& ctx) {
    if (which.structures.empty())
        return {};
    const auto read = [&](const char* file) {
        return readFrame(openSequence({folder + "/" + file}), 0, ctx);
    };
    return {which.structures, read(which.fixedLabels), read(which.movingLabels)};
}

std::string missingFile(const std::string& folder, const RealCase& which) {
    for (const std::string& file : which.files())
        if (folder.empty() || !std::filesystem::exists(folder + "/" + file))
            return file;
    return {};
}

} // namespace systole
