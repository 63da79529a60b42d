#include "app/estimation/registration_methods.h"
#include "app/features/registration/measures.h"
#include "app/features/registration/register_job.h"
#include "app/features/registration/register_landmarks.h"
#include "app/fields/field_sanity.h"
#include "compute/core/elapsed.h"
#include "compute/motion/sliding.h"
#include "compute/ops/two_grids.h"
#include "compute/surface/lungs.h"
#include "io/base/text.h"
#include "io/formats/writer.h"
#include "io/transforms/transform_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace systole {
namespace {

using Clock = std::chrono::steady_clock;

/// Reads, registers, measures and writes one job.
class RegisterRun {
public:
    RegisterRun(const RegisterJob& job, const ExecContext& ctx, RunFolder& folder)
        : job_(job), ctx_(ctx), folder_(folder) {}

    RegisterOutcome run() {
        const auto begin = Clock::now();
        read();
        outcome_.readSeconds = secondsSince(begin);
        if (fixedLabels_ && movingLabels_)
            outcome_.labelsBefore = overlaps(zeroField().view());
        if (job_.transform.empty())
            estimate();
        else
            applyStored();
        if (!job_.wall.labels.empty())
            carryMotionIntoWall();
        const RegistrationMeasures measures = measuresOf(images(), outcome_.result, ctx_);
        outcome_.stages.insert(outcome_.stages.begin(), {"before", measures.before});
        outcome_.stages.push_back({"after", measures.after});
        requireResult(measures);
        outcome_.jacobian = measures.jacobian;
        outcome_.volumeChange = measures.volumeChange;
        if (job_.transform.empty())
            outcome_.doubts = measures.doubts;
        if (job_.consistency)
            measureConsistency();
        const auto writing = Clock::now();
        write();
        outcome_.writeSeconds = secondsSince(writing);
        outcome_.seconds = secondsSince(begin);
        return std::move(outcome_);
    }

private:
    void read() {
        ctx_.report("reading", 0);
        outcome_.fixed = readImage(job_.fixed, "FIXED", ctx_);
        outcome_.moving = readImage(job_.moving, "MOVING", ctx_);
        fixedMask_ = maskOf(outcome_.fixed, job_.fixedMask);
        movingMask_ = maskOf(outcome_.moving, job_.movingMask);
        reportMasks();
        if (!job_.fixedLabels.empty())
            fixedLabels_ = readLabelMap(job_.fixedLabels, &outcome_.fixed, ctx_, &outcome_.notes);
        if (!job_.movingLabels.empty())
            movingLabels_ =
                readLabelMap(job_.movingLabels, &outcome_.moving, ctx_, &outcome_.notes);
        outcome_.ranges = grayRanges(images());
        for (const RegisterImage* image : {&outcome_.fixed, &outcome_.moving})
            for (const std::string& note : image->sequence.notes)
                outcome_.notes.push_back(image->sequence.name + ": " + note);
    }

    /// Reports the volumes of the masks, and the parts that slide along each other.
    void reportMasks() {
        if (fixedMask_)
            outcome_.fixedMaskLiters = litersOf(*fixedMask_);
        if (movingMask_)
            outcome_.movingMaskLiters = litersOf(*movingMask_);
        std::vector<std::string> parts;
        for (const auto& [image, path, liters] :
             {std::tuple(&outcome_.fixed, &job_.fixedMask, &outcome_.fixedMaskLiters),
              std::tuple(&outcome_.moving, &job_.movingMask, &outcome_.movingMaskLiters)})
            if (job_.lungs && path->empty())
                parts.push_back(fmt::format("lungs of {:.2f} liters found in {}", **liters,
                                            image->sequence.name));
        if (job_.sliding)
            parts.push_back(fmt::format(
                "{} slide along the border of their mask: inside and outside are registered "
                "separately",
                job_.lungs ? "the lungs" : "the organs"));
        if (!parts.empty())
            outcome_.notes.push_back(fmt::format("{}", fmt::join(parts, ", ")));
    }

    /// The mask of a file, else the lungs if they are wanted, else none.
    std::optional<Volume> maskOf(const RegisterImage& image, const std::string& path) {
        if (!path.empty())
            return readMask(path, image, ctx_, &outcome_.notes);
        return job_.lungs ? std::optional(findLungs(image.volume, ctx_)) : std::nullopt;
    }

    FrameGrids grids() const {
        return {outcome_.fixed.volume.geometry, outcome_.moving.volume.geometry};
    }

    VectorField zeroField() const {
        VectorField field(outcome_.fixed.volume.geometry, *ctx_.pool, "displacement");
        std::fill_n(field.view().u, 3 * field.geometry.voxels(), 0.0f);
        return field;
    }

    void measure(const std::string& name, FieldView<const float> field) {
        ctx_.report("measuring", 0.9);
        outcome_.stages.push_back({name, similarityOf(images(), movedImage(images(), field, ctx_),
                                                      outcome_.ranges, ctx_)});
    }

    /// The transform of --initial or --transform, with its notes.
    StoredTransform startOf(const std::string& path) {
        StoredTransform stored = readTransform(path, job_.matrixFormat, grids(), *ctx_.pool);
        outcome_.start =
            stored.description + (stored.backward ? " from moving to fixed, inverted" : "");
        std::ranges::move(fileNotes(path, stored.notes), std::back_inserter(outcome_.notes));
        return stored;
    }

    VectorField fieldOf(const StoredTransform& stored, const std::string& path) const {
        const Geometry& grid = outcome_.fixed.volume.geometry;
        if (stored.backward)
            return toVoxels(invertedField(path, *stored.vectors, grid, ctx_), *ctx_.pool);
        if (!stored.affine)
            return stored.isSpline ? splineOnGrid(*stored.vectors, grid, ctx_)
                                   : fieldOnGrid(*stored.vectors, grid, ctx_);
        VectorField field = zeroField();
        appendAffine(*stored.affine, grid, field.view(), ctx_);
        return field;
    }

    void estimate() {
        RegistrationStart start;
        std::optional<VectorField> given;
        if (!job_.initial.empty()) {
            const StoredTransform stored = startOf(job_.initial);
            start.affine = stored.affine;
            given = fieldOf(stored, job_.initial);
            measure("initial", given->view());
            if (!stored.affine)
                start.field = &*given;
        }
        if (!job_.fixedPoints.empty()) {
            StartField landmarks = startField(job_.fixedPoints, job_.movingPoints, grids(), ctx_);
            outcome_.start = landmarks.description;
            given = std::move(landmarks.field);
            measure("initial", given->view());
            start.field = &*given;
        }
        registerFrom(start);
        if (outcome_.result.affineReport && job_.plan.method) {
            VectorField affine = zeroField();
            appendAffine(*outcome_.result.affine, affine.geometry, affine.view(), ctx_);
            measure("affine", affine.view());
        }
    }

    RegistrationImages images() const {
        return {&outcome_.fixed.volume, &outcome_.moving.volume, ifGiven(fixedMask_),
                ifGiven(movingMask_)};
    }

    void registerFrom(const RegistrationStart& start) {
        outcome_.result = registered(images(), start, job_.plan);
    }

    RegistrationResult registered(const RegistrationImages& images, const RegistrationStart& start,
                                  const RegistrationPlan& wanted) {
        DevicePolicy& device = *job_.device;
        const bool begunOnDevice = device.choice().backend == Backend::Cuda;
        RegistrationResult found = device.run(ctx_, [&](const ExecContext& where) {
            ExecContext ctx = where;
            ctx.blockSizes = &job_.blockSizes;
            const RegistrationPlan plan = planOn(where.backend, wanted);
            outcome_.affineBackend = plan.affineBackend;
            outcome_.methodBackend = plan.methodBackend;
            return (job_.sliding ? registerSliding : registerImages)(images, start, plan, ctx);
        });
        if (begunOnDevice && !device.fallback().empty())
            outcome_.notes.push_back(device.fallback());
        return found;
    }

    void carryMotionIntoWall() {
        measure("before the wall", outcome_.result.displacement.view());
        outcome_.wall = carryIntoWall(job_.wall, outcome_.result, ctx_);
        if (outcome_.result.controlGrid)
            outcome_.notes.push_back("the control points are those before the elastic wall");
    }

    /// Registers again with the images exchanged, and compares.
    void measureConsistency() {
        RegistrationPlan plan = job_.plan;
        plan.keepIterations = false;
        const RegistrationImages exchanged{&outcome_.moving.volume, &outcome_.fixed.volume,
                                           ifGiven(movingMask_), ifGiven(fixedMask_)};
        const RegistrationResult back = registered(exchanged, {}, plan);
        outcome_.consistency =
            inverseConsistency(outcome_.result.displacement, back.displacement, counted(), ctx_);
    }

    static const Volume* ifGiven(const std::optional<Volume>& mask) {
        return mask ? &*mask : nullptr;
    }
    /// The fixed mask; empty: there is none.
    VolumeView<const float> counted() const {
        return fixedMask_ ? fixedMask_->view() : VolumeView<const float>{};
    }

    /// Throws FileError for what can't be the motion of these images: nothing is written.
    void requireResult(const RegistrationMeasures& measures) const {
        const std::string what = job_.transform.empty() ? "the motion found" : "the transform";
        const std::string advice =
            job_.transform.empty()
                ? "other parameters, or a start by --initial, may help"
                : "its numbers may be positions, in another frame or unit, or lead the other way";
        const std::string& where = job_.transform.empty() ? job_.fixed.path : job_.transform;
        if (measures.after.voxels == 0)
            throw fileError(where,
                            fmt::format("under {} not one voxel of FIXED lies inside MOVING; "
                                        "nothing is written ({})",
                                        what, advice));
        const double folded = foldedFraction(outcome_.result.displacement.view(), ctx_);
        if (folded > maxFolded)
            throw fileError(where, fmt::format("{} folds space in {:.0f} % of the voxels; nothing "
                                               "is written ({})",
                                               what, 100 * folded, advice));
    }

    void applyStored() {
        const StoredTransform stored = startOf(job_.transform);
        outcome_.result.affine = stored.affine;
        outcome_.result.displacement = fieldOf(stored, job_.transform);
    }

    GridSampling graySampling(const Volume& image) const {
        const auto values = image.view().span();
        const float outside =
            job_.outside ? static_cast<float>(*job_.outside) : *std::ranges::min_element(values);
        return {.interpolation = job_.interpolation, .outside = outside};
    }
    GridSampling labelSampling() const { return {.interpolation = job_.labelInterpolation}; }

    Volume warped(const Volume& image, FieldView<const float> field,
                  const GridSampling& sampling) const {
        Volume moved(outcome_.fixed.volume.geometry, *ctx_.pool, "warped image");
        resampleMoving(image.view(), field, {moved.geometry, image.geometry}, sampling,
                       moved.view(), {}, ctx_);
        return moved;
    }

    std::vector<LabelOverlap> overlaps(FieldView<const float> field) const {
        const Volume moved = warped(*movingLabels_, field, labelSampling());
        return labelOverlaps(moved.geometry, fixedLabels_->view(), moved.view(), ctx_);
    }

    void write() {
        ctx_.report("writing", 0.95);
        writeAffine();
        writeFields();
        const FieldView<const float> field = outcome_.result.displacement.view();
        writeGray("warped.nii.gz", outcome_.moving.volume, field);
        if (movingLabels_)
            writeMap("warped_labels.nii.gz", *movingLabels_, field);
        if (fixedLabels_ && movingLabels_)
            outcome_.labels = overlaps(field);
        for (const std::string& named : job_.furtherImages)
            writeGray(warpedFileOf(named),
                      readImage(parseFrameOfFile(named), "--warp", ctx_).volume, field);
        for (const std::string& named : job_.furtherLabels)
            writeMap(warpedFileOf(named), readLabelMap(named, nullptr, ctx_), field);
    }

    void writeAffine() {
        if (!outcome_.result.affine)
            return;
        const AffineMap& affine = *outcome_.result.affine;
        folder_.write("affine.tfm", [&](const std::string& path) { writeItkAffine(path, affine); });
        folder_.write("affine.txt", [&](const std::string& path) {
            writeMatrix(path, affine, MatrixFormat::Lps, grids());
        });
        if (job_.asNiftyReg)
            folder_.write("affine_niftyreg.txt", [&](const std::string& path) {
                writeMatrix(path, affine, MatrixFormat::NiftyReg, grids());
            });
    }

    void writeFields() {
        const FieldFormat format = job_.asNiftyReg ? FieldFormat::NiftyReg : FieldFormat::MetaImage;
        const auto put = [&](const std::string& name, const MillimeterField& field) {
            ctx_.throwIfCancelled();
            folder_.write(name + extensionOf(format),
                          [&](const std::string& path) { writeField(path, field, format); });
        };
        const RegistrationResult& result = outcome_.result;
        if (result.controlGrid) {
            const MillimeterField points = toMillimeters(result.controlPoints, *ctx_.pool);
            folder_.write("control_points.nii.gz", [&](const std::string& path) {
                writeControlPoints(path, points, job_.asNiftyReg);
            });
        }
        put("displacement", toMillimeters(result.displacement, *ctx_.pool));
        if (!job_.inverse)
            return;
        ctx_.report("inverting", 0.95);
        const InverseField inverse =
            invertField(result.displacement, outcome_.moving.volume.geometry, {}, ctx_);
        outcome_.inverse = inverse.report;
        put("inverse_displacement", inverse.field);
    }

    void writeGray(const std::string& file, const Volume& image, FieldView<const float> field) {
        ctx_.throwIfCancelled();
        const Volume moved = warped(image, field, graySampling(image));
        folder_.write(file, [&](const std::string& path) {
            writeVolume(path, moved.geometry, moved.view());
        });
    }

    /// uint8 where the labels fit, else float32.
    void writeMap(const std::string& file, const Volume& labels, FieldView<const float> field) {
        ctx_.throwIfCancelled();
        const Volume moved = warped(labels, field, labelSampling());
        const auto values = moved.view().span();
        const bool fits = *std::ranges::max_element(values) <= 255;
        folder_.write(file, [&](const std::string& path) {
            if (fits)
                writeLabels(path, moved.geometry,
                            std::vector<std::uint8_t>(values.begin(), values.end()));
            else
                writeVolume(path, moved.geometry, moved.view());
        });
    }

    const RegisterJob& job_;
    const ExecContext& ctx_;
    RunFolder& folder_;
    RegisterOutcome outcome_;
    std::optional<Volume> fixedMask_, movingMask_, fixedLabels_, movingLabels_;
};

} // namespace

RegisterOutcome runRegister(const RegisterJob& job, const ExecContext& ctx, RunFolder& folder) {
    return RegisterRun(job, ctx, folder).run();
}

} // namespace systole
