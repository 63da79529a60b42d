// The results of a finished registration on disk, as 'systole register' writes them.
#include "app/anatomy/label_grid.h"
#include "app/base/file_stem.h"
#include "app/features/registration/displacement.h"
#include "app/features/registration/registration_tool.h"
#include "compute/core/error.h"
#include "compute/ops/resample_grids.h"
#include "io/formats/writer.h"
#include "io/source.h"
#include "io/transforms/affine_file.h"
#include "io/transforms/transform_file.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace systole {
namespace {

constexpr const char* imageTypes = "Images (*.nii.gz *.mha *.nrrd)";

/// Results that the writing threads use.
struct Finished {
    std::shared_ptr<const RegistrationResult> result;
    Geometry fixed;
    int threads = 1;

    Volume warped(const Volume& image, const GridSampling& sampling) const {
        ExecResources resources(threads);
        Volume moved(fixed, resources.pool(), "warped image");
        resampleMoving(image.view(), result->displacement.view(), {fixed, image.geometry}, sampling,
                       moved.view(), {}, resources.context());
        return moved;
    }
};

void writeWarpedLabels(const Finished& finished, const Geometry& moving, const std::string& labels,
                       const std::string& path) {
    BufferPool pool;
    const Sequence sequence = openSequence({labels});
    if (sequence.frames != 1)
        throw ComputeError("the label map must be one frame");
    requirePlacement(labels, sequence.geometry, moving);
    Volume map = decodeFrame(sequence, 0, pool, "labels");
    roundToLabels(map.view().span(), labels);
    const Volume moved = finished.warped(map, {.interpolation = Interpolation::Majority});
    const auto values = moved.view().span();
    if (*std::ranges::max_element(values) <= 255)
        writeLabels(path, finished.fixed, std::vector<std::uint8_t>(values.begin(), values.end()));
    else
        writeVolume(path, finished.fixed, moved.view());
}

} // namespace

std::string RegistrationTool::whyNotSaved() const {
    return status.run == 0  ? "nothing is registered yet"
           : status.running ? "the registration is running"
           : !status.result ? "the registration hasn't finished"
                            : "";
}

std::string RegistrationTool::whyNoTransform() const {
    const std::string why = whyNotSaved();
    if (!why.empty())
        return why;
    return status.result->controlGrid || status.result->affine
               ? ""
               : "this method has neither control points nor an affine map; the field is its "
                 "transform";
}

std::vector<std::string> RegistrationTool::inputFiles() const {
    std::vector<std::string> files = session().opened->paths;
    if (!movingFile.empty())
        files.push_back(movingFile);
    return files;
}

/// "heart_affine.tfm" of the fixed image "heart.nii.gz".
std::string RegistrationTool::named(const std::string& what) const {
    return fileStem(session().opened->sequence.name) + "_" + what;
}

std::shared_ptr<const void> RegistrationTool::bestSoFar() const {
    if (status.result)
        return status.result;
    return run_ ? run_->iterate(status.best) : nullptr;
}

void RegistrationTool::saveBeside(const std::string& what, const FileQuestion& question,
                                  std::function<void(const std::string& path)> write,
                                  std::function<void()> then) {
    host().save(
        what, question,
        [write = std::move(write), inputs = inputFiles()](const std::string& path) {
            refuseInputs(path, inputs);
            write(path);
        },
        std::move(then));
}

/// Saves the field; of a registration that was stopped, that of the best iteration so far.
void RegistrationTool::saveField(std::function<void()> then) {
    const auto best = run_ ? run_->iterate(status.best) : nullptr;
    if (!status.result && !best)
        return;
    saveBeside(
        "The field",
        {.title = "Save the displacement from the fixed to the moving image, LPS mm",
         .types = "ITK (*.mha);;NIfTI, intent 1007 (*.nii.gz)",
         .name = named("displacement.mha")},
        [result = status.result, best, fixed = run_->images().fixed](const std::string& path) {
            ExecResources resources;
            BufferPool pool;
            const auto field =
                result ? nullptr : denseField(best.get(), fixed->geometry, resources.context());
            writeField(path, toMillimeters(result ? result->displacement : *field, pool),
                       path.ends_with(extensionOf(FieldFormat::Nifti)) ? FieldFormat::Nifti
                                                                       : FieldFormat::MetaImage);
        },
        [this, saved = bestSoFar(), then = std::move(then)] {
            saved_ = saved;
            if (then)
                then();
        });
}

void RegistrationTool::saveTransform() {
    if (status.result->controlGrid)
        return saveBeside("The control points",
                          {.title = "Save the control points, displacements in LPS mm",
                           .types = "Control points (*.nii.gz)",
                           .name = named("control_points.nii.gz")},
                          [result = status.result](const std::string& path) {
                              BufferPool pool;
                              writeControlPoints(path, toMillimeters(result->controlPoints, pool),
                                                 false);
                          });
    saveBeside(
        "The affine map",
        {.title = "Save the affine map from the fixed to the moving image, LPS mm",
         .types = "Affine maps (*.tfm)",
         .name = named("affine.tfm")},
        [map = *status.result->affine](const std::string& path) { writeItkAffine(path, map); });
}

void RegistrationTool::saveWarped() {
    const RegistrationPair images = run_->images();
    const Finished finished{status.result, images.fixed->geometry, session().estimationThreads};
    saveBeside("The warped image",
               {.title = "Save the moving image with the fixed one's voxels",
                .types = imageTypes,
                .name = named("warped.nii.gz")},
               [finished, moving = images.moving](const std::string& path) {
                   const float outside = *std::ranges::min_element(moving->view().span());
                   const Volume moved = finished.warped(*moving, {.outside = outside});
                   writeVolume(path, finished.fixed, moved.view());
               });
}

void RegistrationTool::saveLabels() {
    const RegistrationPair images = run_->images();
    const Finished finished{status.result, images.fixed->geometry, session().estimationThreads};
    host().chooseOpen(
        {.title = "Label map of the moving image", .types = imageTypes},
        [this, finished, moving = images.moving->geometry](const std::string& labels) {
            saveBeside("The warped labels",
                       {.title = "Save the labels with the fixed image's voxels",
                        .types = imageTypes,
                        .name = named("warped_labels.nii.gz")},
                       [finished, moving, labels](const std::string& path) {
                           refuseInputs(path, {labels});
                           writeWarpedLabels(finished, moving, labels, path);
                       });
        });
}

} // namespace systole
