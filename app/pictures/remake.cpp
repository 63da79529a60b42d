#include "app/pictures/remake.h"

#include "app/base/error.h"
#include "app/base/file_hash.h"
#include "app/base/version.h"
#include "app/task/backend.h"
#include "compute/core/error.h"
#include "compute/motion/methods.h"
#include "compute/motion/pair_estimator.h"
#include "compute/motion/trajectory_filter.h"
#include "compute/ops/field_difference.h"
#include "compute/ops/resample.h"
#include "io/base/text.h"
#include "io/formats/writer.h"
#include "io/source.h"
#include "render/gl/headless_egl.h"
#include "render/gl/released.h"
#include "render/overlays/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <map>
#include <utility>

namespace systole {
namespace {

namespace fs = std::filesystem;

/// The file, or one of its name beside the picture; empty: neither is there.
std::string located(const std::string& file, const std::string& picture) {
    std::error_code ignored;
    if (fs::exists(file, ignored))
        return file;
    const fs::path beside = fs::absolute(picture).parent_path() / fs::path(file).filename();
    return fs::exists(beside, ignored) ? beside.string() : std::string();
}

class Remaker {
public:
    Remaker(const PictureRecord& record, const std::string& picture, int threads)
        : wanted_(record), picture_(picture), resources_(threads), ctx_(resources_.context()) {
        made_.record = record;
    }

    void report(const std::function<void(const std::string&, double)>& progress) {
        ctx_.progress = progress;
    }

    Remade make(const std::vector<std::string>& files) {
        if (wanted_.tools.contains("registration"))
            throw fileError(picture_, "it shows a registration, which is not made again from a "
                                      "picture");
        if (wanted_.tools.contains("surface"))
            throw fileError(picture_, "it shows a surface, which is not made again from a picture; "
                                      "'systole snapshot --surface' draws one");
        openFiles(files);
        // OpenGL is checked before any computing: there is no picture without it.
        HeadlessEgl egl;
        Scene scene({.threads = resources_.threads().threads()});
        const Released released(scene);
        scene.initialize(egl.hooks());
        scale_ = intensityScale(sequence_, ctx_);
        const auto left = motion(wanted_.left), right = motion(wanted_.right);

        scene.resize(wanted_.size.width, wanted_.size.height, wanted_.size.pixelRatio);
        scene.setSequence(sequence_, scale_.low, scale_.high);
        scene.setFrame(frame(wanted_.frame));
        DisplayOptions display = wanted_.display;
        display.volumePreset = wanted_.preset;
        scene.setDisplay(display);
        scene.setResult(left);
        scene.setSideBySide(sides(left, right));
        scene.setMotionNotes(wanted_.notes);
        scene.setMarks(wanted_.marks);
        scene.flicker(wanted_.secondImage);
        if (readsCycle(display))
            warn("pathlines are drawn again along the motion of its pair alone");
        scene.holdScale(wanted_.scale);
        scene.setCrosshair(wanted_.crosshair);
        scene.setCamera(wanted_.camera);
        made_.image = scene.capture();
        finishRecord(scene);
        return std::move(made_);
    }

private:
    void warn(const std::string& sentence) {
        made_.warnings.emplace_back(fileNote(picture_, sentence));
    }

    void openFiles(std::vector<std::string> files) {
        if (files.empty()) {
            for (const std::string& file : wanted_.files) {
                files.push_back(located(file, picture_));
                if (files.back().empty())
                    throw fileError(picture_, fmt::format("its image {} isn't there any more; "
                                                          "give its new path as FILE",
                                                          inQuotes(file)));
            }
            if (files != wanted_.files)
                warn(fmt::format("its image has moved and is now {}", inQuotes(files.front())));
        }
        sequence_ = openSequence(
            files, {.frameTimeMilliseconds = wanted_.frameTimeMilliseconds, .acceptUnknown = true});
        int last = wanted_.frame;
        for (const auto* motion : {&wanted_.left, &wanted_.right})
            if (*motion)
                last = std::max({last, (*motion)->fixedFrame, (*motion)->movingFrame});
        if (last >= sequence_.frames)
            throw fileError(picture_,
                            fmt::format("it shows frame {}, but {} has frames 0 to {}", last,
                                        inQuotes(sequence_.name), sequence_.frames - 1));
        made_.record.files = absolutePaths(files);
        made_.record.sha256 = sha256Of(files);
        if (wanted_.sha256.empty())
            warn(
                "the image may be another one: its SHA-256 wasn't known when the picture was made");
        else if (made_.record.sha256 != wanted_.sha256)
            warn("the image isn't the one that the picture was made of: its SHA-256 differs");
    }

    const std::shared_ptr<const Volume>& frame(int index) {
        std::shared_ptr<const Volume>& held = frames_[index];
        if (!held)
            held = readFrame(sequence_, index, resources_.pool());
        return held;
    }

    std::shared_ptr<const FrameResult> motion(const std::optional<PictureMotion>& wanted) {
        if (!wanted)
            return nullptr;
        if (!wanted->fieldFile.empty())
            return written(*wanted);
        auto result = std::make_shared<FrameResult>(
            *(wanted->window > 0 ? trajectory(*wanted) : estimated(*wanted)));
        if (readsStandardErrors(wanted_.display))
            addStandardError(*result, ctx_);
        return result;
    }

    std::shared_ptr<const FrameResult> written(const PictureMotion& wanted) {
        const std::string path = located(wanted.fieldFile, picture_);
        if (path.empty())
            throw fileError(picture_, fmt::format("its displacement field {} isn't there any more",
                                                  inQuotes(wanted.fieldFile)));
        if (sha256Of({path}) != wanted.fieldSha256)
            warn("the displacement field isn't the one that the picture was made of: its SHA-256 "
                 "differs");
        const int moving = wanted.movingFrame;
        const bool compares = readsHostFields(wanted_.display) && moving < sequence_.frames;
        return motionFromFile(path,
                              {frame(wanted.fixedFrame),
                               moving >= 0 && compares ? frame(moving) : nullptr, wanted.fixedFrame,
                               moving},
                              ctx_);
    }

    /// Begins estimations as the picture's motion was estimated.
    std::unique_ptr<PairEstimator> estimatorOf(const PictureMotion& wanted,
                                               ReferenceMode reference) {
        const MotionMethod& method = motionMethod(wanted.method);
        ParamSet parameters(*method.parameters);
        for (const auto& [id, value] : wanted.parameters)
            parameters.set(id, value);
        BackendChoice backend = chooseBackend(wanted.backend, method);
        const std::shared_ptr<CudaContext> device = openDevice(backend);
        auto pairs = std::make_unique<PairEstimator>(
            PairEstimator::Hooks{.openDevice = [device](const FramePair&) { return device; }});
        pairs->begin({.make = estimatorMaker(method, parameters),
                      .refine = refinerMaker(method, parameters),
                      .backend = backend.backend,
                      .mayUseCpu = false,
                      .reference = reference,
                      .startError = method.startError,
                      .scale = scale_,
                      .errors = errorsOf(method, parameters)});
        return pairs;
    }

    /// Estimates the pairs of the chain, each from the field before, as the picture's was.
    std::shared_ptr<const FrameResult> estimated(const PictureMotion& wanted) {
        const auto pairs = estimatorOf(wanted, ReferenceMode::Previous);
        std::shared_ptr<const FrameResult> result;
        for (int fixed = wanted.startFrame; fixed <= wanted.fixedFrame; ++fixed) {
            const int moving = fixed < wanted.fixedFrame ? fixed + 1 : wanted.movingFrame;
            result = std::make_shared<FrameResult>(
                pairs->estimate({frame(fixed), frame(moving), fixed, moving}, ctx_));
            if (fixed < wanted.fixedFrame && fixed != wanted_.frame)
                frames_.erase(fixed); // a long chain must not hold all frames
        }
        return result;
    }

    /// Estimates the first frame against each that follows, up to the frame whose window or motion
    /// is the picture's.
    std::shared_ptr<const FrameResult> trajectory(const PictureMotion& wanted) {
        const auto pairs = estimatorOf(wanted, ReferenceMode::First);
        TrajectoryFilter filter(wanted.window);
        const auto find = [&](std::vector<FrameResult> ready) {
            std::shared_ptr<const FrameResult> found;
            for (FrameResult& result : ready)
                if (result.movingFrame == wanted.movingFrame)
                    found = std::make_shared<FrameResult>(std::move(result));
            return found;
        };
        ExecContext ctx = ctx_;
        for (int moving = 1; moving < sequence_.frames; ++moving) {
            FrameResult result = pairs->estimate({frame(0), frame(moving), 0, moving}, ctx_);
            if (moving != wanted_.frame)
                frames_.erase(moving);
            if (!wanted.smoothed && moving == wanted.movingFrame)
                return std::make_shared<FrameResult>(std::move(result));
            ctx.cuda = pairs->device();
            if (auto found = find(filter.add(std::move(result), secondsSinceFirst(moving), ctx)))
                return found;
        }
        return find(filter.finish(ctx));
    }

    double secondsSinceFirst(int moving) const {
        return sequence_.timeKnown() ? sequence_.timeOf(moving) - sequence_.timeOf(0) : moving;
    }

    SideBySide sides(const std::shared_ptr<const FrameResult>& left,
                     const std::shared_ptr<const FrameResult>& right) {
        SideBySide sides;
        if (wanted_.display.layout != Layout::SideBySide)
            return sides;
        sides.right = right;
        sides.leftLabel = wanted_.leftLabel;
        sides.rightLabel = wanted_.rightLabel;
        sides.differenceLabel = wanted_.differenceLabel;
        if (!wanted_.difference || !left || !right)
            return sides;
        auto map = std::make_shared<Volume>(sequence_.geometry, resources_.pool(), "difference");
        const FieldDifference difference =
            fieldDifference(*left->field, *right->field, map->view(), ctx_);
        sides.difference = std::move(map);
        sides.quantile99 = difference.quantile99;
        sides.maximum = difference.maximum;
        sides.maximumAt = difference.maximumAt;
        return sides;
    }

    void finishRecord(const Scene& scene) {
        PictureRecord& record = made_.record;
        if (scene.rendererName() != wanted_.renderer)
            warn(fmt::format("it was drawn by {}, now {} draws: pixels may differ",
                             inQuotes(wanted_.renderer), inQuotes(scene.rendererName())));
        if (wanted_.content != PictureContent::Scene)
            warn("only its views are made again, without panels and window");
        record.content = PictureContent::Scene;
        record.version = programVersion();
        record.renderer = scene.rendererName();
        record.upload = scene.uploadPath();
        nameFrame(record, sequence_, record.frame);
    }

    const PictureRecord& wanted_;
    const std::string& picture_;
    ExecResources resources_;
    ExecContext ctx_;
    Sequence sequence_;
    IntensityScale scale_;
    std::map<int, std::shared_ptr<const Volume>> frames_;
    Remade made_;
};

} // namespace

Remade remakePicture(const PictureRecord& record, const std::string& picture,
                     const std::vector<std::string>& files, int threads,
                     const std::function<void(const std::string& phase, double part)>& progress) {
    Remaker remaker(record, picture, threads);
    remaker.report(progress);
    // Names and values in the record that this program or machine doesn't know.
    const auto refused = [&](const std::exception& error) {
        return fileError(picture, std::string("it can't be made again here: ") + error.what());
    };
    try {
        return remaker.make(files);
    } catch (const ComputeError& error) {
        throw refused(error);
    } catch (const UsageError& error) {
        throw refused(error);
    }
}

std::shared_ptr<const Volume> readFrame(const Sequence& sequence, int frame, BufferPool& pool) {
    return std::make_shared<Volume>(decodeFrame(sequence, frame, pool, "frame"));
}

std::shared_ptr<FrameResult> motionFromFile(const std::string& path, const FramePair& pair,
                                            const ExecContext& ctx) {
    const MillimeterField millimeters = readField(path, *ctx.pool);
    if (!millimeters.geometry.matches(pair.fixed->geometry, 1e-2))
        throw FileError(path + ": the field lies on another grid than the frame");
    auto result = std::make_shared<FrameResult>();
    auto field = std::make_shared<VectorField>(toVoxels(millimeters, *ctx.pool));
    result->fixedFrame = pair.fixedFrame;
    result->movingFrame = pair.movingFrame;
    result->fixed = pair.fixed;
    result->moving = pair.moving;
    if (pair.moving) {
        auto warped = std::make_shared<Volume>(pair.fixed->geometry, *ctx.pool, "warped frame");
        warpVolume(pair.moving->view(), field->view(), warped->view(), {}, ctx);
        result->warped = warped;
    }
    result->field = std::move(field);
    return result;
}

} // namespace systole
