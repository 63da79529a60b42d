#include "app/features/cardiac/strain_files.h"

#include "app/anatomy/label_grid.h"
#include "app/base/error.h"
#include "app/base/path_kind.h"
#include "app/base/run_record.h"
#include "app/cli/image_arguments.h"
#include "app/fields/field_order.h"
#include "compute/core/error.h"
#include "compute/motion/methods.h"
#include "compute/motion/motion_errors.h"
#include "compute/ops/reduce.h"
#include "io/base/error.h"
#include "io/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// The names of the fields that the record of systole motion in a folder calls steps from frame to
/// frame; none if there is no such record.
std::set<std::string> stepsIn(const fs::path& folder) {
    std::set<std::string> steps;
    if (kindOf(runRecordIn(folder.string())) != fs::file_type::regular)
        return steps;
    const Json record = readRunRecord(folder.string());
    if (!record.is_object() || record.value("reference", Json()) != "previous")
        return steps;
    for (const Json& field : record.value("fields", Json::array()))
        if (field.is_object() && field.value("kind", Json()) == "displacement" &&
            field.contains("file") && field["file"].is_string())
            steps.insert(field["file"].get<std::string>());
    return steps;
}

/// Steps are no motion from end diastole on.
void refuseSteps(const std::vector<std::string>& paths) {
    // Names of files with steps, by folder: each record is read once.
    std::map<fs::path, std::set<std::string>> stepsOf;
    for (const fs::path path : paths) {
        const auto [folder, isNew] = stepsOf.try_emplace(path.parent_path());
        if (isNew)
            folder->second = stepsIn(folder->first);
        if (folder->second.contains(path.filename().string()))
            throw fileError(path.string(),
                            "is the motion from one frame to the next, according to the run.json "
                            "beside it; name the folder, or the fields lagrangian_* that systole "
                            "motion --lagrangian writes");
    }
}

/// Reads the origin of the fields, images and method, as far as this program knows it.
void readOrigin(const std::string& file, const Json& record, StrainMotion& motion) {
    if (!record.is_object())
        return;
    if (const Json images = record.value("sequence", Json());
        images.is_object() && images.value("name", Json()).is_string())
        motion.study = images["name"];
    if (!record.value("method", Json()).is_string())
        return;
    const auto found = std::ranges::find(motionMethods(), record["method"].get<std::string>(),
                                         &MotionMethod::name);
    if (found == motionMethods().end())
        return;
    motion.method = &*found;
    motion.methodParameters = ParamSet(*motion.method->parameters, "default");
    const Json given = record.value("parameters", Json::object());
    try {
        for (const ParamRow& row : motion.method->parameters->rows())
            if (const auto value = given.find(row.id); given.is_object() && value != given.end())
                motion.methodParameters->setText(
                    row.id, value->is_string()    ? value->get<std::string>()
                            : value->is_boolean() ? (value->get<bool>() ? "on" : "off")
                                                  : value->dump());
    } catch (const ComputeError& error) {
        throw fileError(file, error.what());
    }
}

StrainMotion motionInFolder(const std::string& folder, double frameSeconds) {
    const Json record = readRunRecord(folder);
    StrainMotion motion;
    std::string reference;
    try {
        motion.reference = record.at("frames").at(0);
        reference = record.at("reference");
    } catch (const Json::exception&) {
        throw fileError(runRecordIn(folder),
                        "'frames' or 'reference' isn't what 'systole motion' writes");
    }
    const std::string kind = reference == "previous" ? "lagrangian" : "displacement";
    std::map<int, std::pair<std::string, StrainField>> found; // fields by frame
    for (const RecordedField& field : recordedFields(folder, record)) {
        if (field.kind != kind || field.fixed != motion.reference)
            continue;
        const std::string path = (fs::path(folder) / field.file).string();
        if (field.moving == motion.reference) {
            motion.around = path;
            continue;
        }
        const double seconds =
            frameSeconds > 0 ? frameSeconds * (field.moving - motion.reference) : field.seconds;
        found[field.moving] = {path, {field.moving, seconds, {}}};
    }
    for (auto& [frame, field] : found) {
        motion.files.push_back(std::move(field.first));
        motion.fields.push_back(std::move(field.second));
    }
    if (motion.fields.empty())
        throw fileError(folder, "has no motion from the first frame to the others; 'systole motion "
                                "--lagrangian' writes it");
    readOrigin(runRecordIn(folder), record, motion);
    return motion;
}

/// The record of the folder in which all of these files are, if it lists them; else null.
Json recordBeside(const std::vector<std::string>& paths) {
    const fs::path folder = fs::path(paths.front()).parent_path();
    if (kindOf(runRecordIn(folder.string())) != fs::file_type::regular)
        return {};
    const Json record = readRunRecord(folder.string());
    std::set<std::string> names;
    if (record.is_object() && record.value("fields", Json()).is_array())
        for (const Json& field : record["fields"])
            if (field.is_object() && field.value("file", Json()).is_string())
                names.insert(field["file"].get<std::string>());
    const bool lists = std::ranges::all_of(paths, [&](const fs::path file) {
        return file.parent_path() == folder && names.contains(file.filename().string());
    });
    return lists ? record : Json();
}

/// `asGiven`: files that no record lists keep their order.
StrainMotion motionInFiles(const std::vector<std::string>& paths, int reference,
                           double frameSeconds, bool asGiven) {
    OrderedFields ordered = inOrderOfFrames(paths);
    if (asGiven && ordered.frames.empty()) {
        ordered.files = paths;
        ordered.note.clear();
    }
    StrainMotion motion;
    motion.reference = ordered.frames.empty() ? reference : ordered.first;
    motion.files = ordered.files;
    motion.around = ordered.around;
    motion.note = ordered.note;
    for (std::size_t i = 0; i < motion.files.size(); ++i) {
        if (kindOf(motion.files[i]) == fs::file_type::directory)
            throw fileError(motion.files[i],
                            "name either one folder of fields, or one file per frame");
        const int step =
            ordered.frames.empty() ? static_cast<int>(i) + 1 : ordered.frames[i] - ordered.first;
        motion.fields.push_back(
            {motion.reference + step, frameSeconds > 0 ? step * frameSeconds : unknown, {}});
    }
    readOrigin(runRecordIn(fs::path(paths.front()).parent_path().string()), recordBeside(paths),
               motion);
    return motion;
}

FieldOptions::Fields fieldsOf(const StrainMotion& motion) {
    FieldOptions::Fields fields{motion.files, motion.reference, {}};
    for (const StrainField& field : motion.fields)
        fields.frames.push_back(field.frame);
    return fields;
}

/// Scale of a pair of frames, in place of that of their sequence.
IntensityScale scaleOf(const FieldImages& images) {
    const std::vector<float> fixed = quantiles(images.fixed->view(), {0.01, 0.99}),
                             moving = quantiles(images.moving->view(), {0.01, 0.99});
    return {0.5f * (fixed[0] + moving[0]), 0.5f * (fixed[1] + moving[1])};
}

} // namespace

StrainMotion motionOf(const std::vector<std::string>& paths, int reference,
                      double frameMilliseconds, const FieldOptions& options,
                      const ExecContext& ctx) {
    const double frameSeconds = frameMilliseconds / 1000;
    const bool folder = paths.size() == 1 && kindOf(paths.front()) == fs::file_type::directory;
    if (paths.size() > 1)
        refuseSteps(paths);
    StrainMotion motion =
        folder ? motionInFolder(paths.front(), frameSeconds)
               : motionInFiles(paths, reference, frameSeconds, options.pairsImages());
    FieldOptions::Fields fields = fieldsOf(motion);
    fields.counted = !folder;
    motion.given = options.open(fields, ctx);
    if (motion.study.empty())
        motion.study = options.imagesName();
    for (std::size_t i = 0; i < motion.fields.size(); ++i) {
        motion.fields[i].read = [given = motion.given, i] { return given->read(i); };
        if (!std::isfinite(motion.fields[i].seconds) && !fields.seconds.empty())
            motion.fields[i].seconds = fields.seconds[i];
    }
    return motion;
}

std::string addErrorDraws(StrainMotion& motion, const FieldOptions& options,
                          const ExecContext& ctx) {
    FieldOptions::Fields fields = fieldsOf(motion);
    const FieldImagesOf images = options.imagesOf(fields, ctx);
    if (!images)
        throw UsageError("--certainty: needs the images that the fields belong to (--images)");
    const MotionMethod& method = motion.method ? *motion.method : motionMethod("clg");
    const DrawErrors draw =
        errorsOf(method, motion.methodParameters.value_or(ParamSet(*method.parameters, "default")));
    if (!draw)
        throw UsageError(
            fmt::format("--certainty: according to their run.json the fields are of {}, which "
                        "doesn't estimate its errors; clg does",
                        method.name));
    for (std::size_t i = 0; i < motion.fields.size(); ++i)
        motion.fields[i].drawErrors = [images, draw, i, file = motion.files[i]](
                                          const MillimeterField& displacement, int draws,
                                          const auto& take, const ExecContext& with) {
            const FieldImages pair = images(i);
            for (const Volume* frame : {pair.fixed.get(), pair.moving.get()})
                if (!frame->geometry.matches(displacement.geometry, 1e-2))
                    throw fileError(file,
                                    "isn't on the grid of its images, which --certainty needs");
            drawErrors({draw, scaleOf(pair)}, *pair.fixed, *pair.moving,
                       toVoxels(displacement, *with.pool), draws, take, with);
        };
    return motion.method
               ? fmt::format("{} with the parameters in the run.json of the fields", method.name)
               : "clg with its default parameters, since no run.json beside the fields names "
                 "their method: errors that clg would have left, not those of the fields";
}

std::function<std::shared_ptr<const Volume>(int frame)>
imagesByFrame(const StrainMotion& motion, const FieldOptions& options, const ExecContext& ctx) {
    FieldOptions::Fields fields = fieldsOf(motion);
    const FieldImagesOf images = options.imagesOf(fields, ctx);
    return [images, frames = fields.frames, reference = motion.reference,
            grid = motion.given->grid()](int frame) -> std::shared_ptr<const Volume> {
        const auto found = std::ranges::find(frames, frame);
        const bool first = frame == reference;
        if (!images || frames.empty() || (!first && found == frames.end()))
            return nullptr;
        const FieldImages pair =
            images(first ? 0 : static_cast<std::size_t>(found - frames.begin()));
        const auto& image = first ? pair.fixed : pair.moving;
        return image && image->geometry.matches(grid, 1e-2) ? image : nullptr;
    };
}

StrainLabels strainLabels(const std::string& path, const Geometry& grid,
                          const cardiac::LabelRoles& given, const ExecContext& ctx) {
    std::vector<std::string> notes;
    StrainLabels found = strainLabels(
        labelsOnGrid(readLabelMap(path, nullptr, ctx), path, grid, notes, ctx), path, given);
    found.notes.insert(found.notes.begin(), notes.begin(), notes.end());
    return found;
}

} // namespace systole
