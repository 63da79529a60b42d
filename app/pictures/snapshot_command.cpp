#include "app/pictures/snapshot_command.h"

#include "app/base/error.h"
#include "app/base/file_hash.h"
#include "app/cli/common_options.h"
#include "app/cli/interrupt.h"
#include "app/cli/option_forms.h"
#include "app/feature/panel.h"
#include "app/live/saved_picture.h"
#include "app/pictures/remake.h"
#include "app/task/backend.h"
#include "compute/cuda/context.h"
#include "compute/motion/motion_errors.h"
#include "compute/motion/pair_estimator.h"
#include "io/base/error.h"
#include "io/base/text.h"
#include "io/source.h"
#include "render/overlays/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace systole {
void SnapshotCommand::addOptions(CLI::App& app) {
    app_ = &app;
    addFiles(app, files_);
    app.add_option("-o,--output", output_,
                   "The picture to write (PNG); with --like, if not given, beside that picture");
    overwrite_.addTo(app);
    app.add_option("--like", like_,
                   "Make this picture again from what its file says. It was saved by snapshot or "
                   "the viewer; FILE replaces its image");
    app.add_flag(
        "--no-caption", noCaption_,
        "Leave out the caption below the picture. It names file, frame, time, pair, method "
        "and scale");
    app.add_option("--frame", frame_, "Frame to show, counted from 0")->capture_default_str();
    app.add_option("--size", size_,
                   "Pixels of the picture without its caption, before the pixel ratio")
        ->capture_default_str();
    addNumber(app, "--pixel-ratio", pixelRatio_, 0.5, 4,
              "Pixels of the picture per pixel of --size, as on a high-resolution screen");
    aim_.addTo(app);
    app.add_option(
        "--field", field_,
        "Show this motion instead of estimating it. A folder of results of 'systole motion', or "
        "one displacement field on the grid of the frame");
    app.add_option("--moving", moving_, "Moving frame of the motion; default: the next frame")
        ->check(CLI::NonNegativeNumber);
    addBackend(app, backend_, DeviceNumbers::Refused, drawingDeviceHelp);
    addChoice(app, "--upload", upload_, {"auto", "interop", "host"},
              "Upload path of voxels to OpenGL. interop: CUDA writes into OpenGL; auto: interop if "
              "available and the voxels are on the CUDA device");
    app.add_option("--film", film_,
                   "FIRST:LAST: write these frames and their motion one after the other as an "
                   "animated PNG, at the speed of the sequence; ':' is all of them");
    addRepeatable(
        app, "--also", also_,
        "FILE=OVERLAYS or FILE=OVERLAYS@WIDTHxHEIGHT: another picture of the same frame, "
        "with these overlays and of this size; OPTION:VALUE among OVERLAYS sets an option of one "
        "of them; repeatable")
        ->excludes("--film");
    addFrameTime(app, frameTimeMilliseconds_);
    addThreads(app, threads_);
    addRepeatable(app, "--panel", panels_, "Draw a panel next to the picture; repeatable");
    app.add_option("--motion-from", motionFrom_,
                   "Estimate the pairs from this frame on one after the other, each from the field "
                   "before, as playing does")
        ->check(CLI::NonNegativeNumber);
    app.add_option("--live", liveSeconds_,
                   "First play and estimate for this many seconds, so that panels show "
                   "measurements")
        ->check(inRange(0.0, 3600.0));
    display_.addTo(app, DisplayCommandOptions::Of::Picture);
    sides_.addTo(app, false);
    tools_.addTo(app);
}

const std::vector<RecordedField>& SnapshotCommand::displacements() const {
    if (!displacements_) {
        displacements_ = recordedFields(field_);
        std::erase_if(*displacements_,
                      [](const RecordedField& field) { return field.kind != "displacement"; });
    }
    return *displacements_;
}

SnapshotCommand::WrittenField SnapshotCommand::findField() const {
    const std::filesystem::path folder(field_);
    if (std::filesystem::is_regular_file(folder))
        return {field_, moving_};
    if (std::error_code failure; !std::filesystem::exists(folder, failure))
        throw fileError(field_, failure ? failure.message() : noSuchPath);
    WrittenField found;
    for (const RecordedField& field : displacements()) {
        const bool wanted = moving_ < 0 ? found.path.empty() || field.moving == frame_ + 1
                                        : field.moving == moving_;
        if (field.fixed == frame_ && wanted)
            found = {(folder / field.file).string(), field.moving};
    }
    if (found.path.empty())
        throw FileError(fmt::format("{}: has no displacement that starts at frame {}{}", field_,
                                    frame_,
                                    moving_ < 0 ? "" : fmt::format(" and leads to {}", moving_)));
    return found;
}

SnapshotCommand::ShownMotion
SnapshotCommand::writtenMotion(const Sequence& sequence, const std::shared_ptr<const Volume>& fixed,
                               const ExecContext& ctx) const {
    const WrittenField written = findField();
    FramePair pair{fixed, nullptr, frame_, written.moving};
    const bool compares = std::ranges::any_of(
        shots(), [](const Shot& shot) { return readsHostFields(shot.shown()); });
    if (compares && pair.movingFrame >= 0 && pair.movingFrame < sequence.frames)
        pair.moving = readFrame(sequence, pair.movingFrame, *ctx.pool);
    ShownMotion shown;
    shown.result = motionFromFile(written.path, pair, ctx);
    shown.record.fixedFrame = frame_;
    shown.record.movingFrame = written.moving;
    shown.record.fieldFile = absolutePaths({written.path}).front();
    return shown;
}

SnapshotCommand::ShownMotion SnapshotCommand::motion(const Sequence& sequence,
                                                     const std::shared_ptr<const Volume>& fixed,
                                                     const ExecContext& ctx) const {
    if (!field_.empty())
        return writtenMotion(sequence, fixed, ctx);
    if (sequence.frames < 2)
        throw UsageError(fmt::format("{}: has a single frame, so no motion", sequence.name));
    const int moving = moving_ >= 0 ? moving_ : (frame_ + 1) % sequence.frames;
    if (moving == frame_ || moving >= sequence.frames)
        throw UsageError(fmt::format(
            "{}: motion needs two different frames of 0 to {}, but {} and {} were requested",
            sequence.name, sequence.frames - 1, frame_, moving));
    MotionChoice choice;
    sides_.left.apply(choice);
    BackendChoice backend{choice.backend, choice.backendReason, backend_ == "auto"};
    const std::shared_ptr<CudaContext> device = openDevice(backend);
    PairEstimator pairs({.openDevice = [&](const FramePair&) { return device; }});
    pairs.begin({.make = estimatorMaker(*choice.method, choice.parameters),
                 .backend = backend.backend,
                 .mayUseCpu = backend.mayChange,
                 .scale = intensityScale(sequence, ctx),
                 .errors = errorsOf(*choice.method, choice.parameters)});
    auto result = std::make_shared<FrameResult>(
        pairs.estimate({fixed, readFrame(sequence, moving, *ctx.pool), frame_, moving}, ctx));
    if (!pairs.fallbackReason().empty())
        fmt::print("note: {}\n", pairs.fallbackReason());
    DisplayOptions display;
    display_.apply(display);
    if (readsStandardErrors(display))
        addStandardError(*result, ctx);
    return {result, motionOf(*result, choice)};
}

void SnapshotCommand::checkOptions() {
    if (files_.empty())
        throw UsageError("FILE is required");
    if (output_.empty())
        throw UsageError("--output is required");
    std::vector<std::string> outputs;
    for (const Shot& shot : shots())
        outputs.push_back(shot.output);
    overwrite_.checkAll(outputs, files_);
    for (std::size_t i = 0; i < outputs.size(); ++i)
        requirePngName(outputs[i], i == 0 ? "--output" : "--also");
    tools_.check();
    // Given fields also carry surfaces and labels, and panels measure them.
    const bool carried = tools_.anyElse() || !panels_.empty();
    if (const bool given = moving_ >= 0 || !field_.empty() || (tools_.givesMotion() && !carried);
        given && display_.layout() != Layout::SideBySide &&
        std::ranges::none_of(shots(),
                             [](const Shot& shot) { return showsMotionOverlays(shot.shown()); }))
        throw UsageError(
            "no overlay is on that shows the motion asked for; --overlay arrows draws its "
            "arrows, --help lists others");
    sides_.left.backend = backend_;
    if (display_.layout() != Layout::SideBySide &&
        (sides_.right.any() || display_.given("side-view")))
        throw UsageError("--side-view and --compare-... require --layout side");
    checkOverlays();
    if (std::erase(panels_, "none") == 0)
        tools_.addPanels(panels_);
}

/// Refuses overlays of what isn't there.
void SnapshotCommand::checkNamed(const DisplayOptions& shown) const {
    const auto isOn = [&](const char* id) { return displayRow(id).isOn(shown); };
    for (const auto& [id, what] : {std::pair("surface", "a surface"),
                                   {"contours", "a surface"},
                                   {"landmarks", "landmarks"},
                                   {"lost-landmarks", "landmarks"},
                                   {"strain", "a left ventricle"}})
        if (isOn(id) && !tools_.draws(id))
            throw UsageError(
                fmt::format("--overlay {}: needs {}, by {}", id, what, tools_.namesOfDrawing(id)));
    if (isOn("contours") && !isOn("surface"))
        throw UsageError("--overlay contours: needs --overlay surface, too, whose contours it "
                         "draws");
}

/// Refuses overlays that would draw nothing.
void SnapshotCommand::checkOverlays() const {
    Session session; // also refuses a wrong preset or parameter where no motion is drawn
    SideOptions sides = sides_;
    sides.left.backend.clear(); // opens no device for a picture without motion
    sides.apply(session);
    for (const Shot& shot : shots()) {
        const DisplayOptions shown = shot.shown();
        checkNamed(shown);
        if (!readsStandardErrors(shown))
            continue;
        const std::string option = displayRow("certainty").isOn(shown)
                                       ? "--overlay certainty"
                                       : "--surface-color standard-error";
        if (!field_.empty() || tools_.givesMotion())
            throw UsageError(option + ": the errors of a motion from files aren't known");
        const auto known = [](const MotionChoice& choice) {
            return static_cast<bool>(errorsOf(*choice.method, choice.parameters));
        };
        const bool rightKnows = display_.layout() == Layout::SideBySide && known(session.compared);
        if (!known(session.motion) && !rightKnows)
            throw UsageError(option + ": " + estimatesNoErrors(*session.motion.method));
    }
}

void SnapshotCommand::write(const RgbaImage& image, PictureRecord record,
                            const std::string& drawnBy, const std::string& path) const {
    if (noCaption_)
        record.display.caption = false;
    if (record.sha256.empty())
        record.sha256 = sha256Of(record.files);
    const RgbaImage picture = captioned(image, record);
    overwrite_.checkAll({path}, record.files);
    overwrite_.writeText(path, encodePicture(picture, record));
    const int caption = picture.height - image.height;
    fmt::print("{}: {} × {} pixels{}{}\n", path, image.width, image.height,
               caption > 0 ? fmt::format(" and a caption of {} × {}", image.width, caption) : "",
               drawnBy);
}

void SnapshotCommand::prepareHelp(CLI::App& app) {
    app.get_option("--panel")->description(
        "Draw a panel next to the picture; repeatable. none: no panel, also none that other "
        "options would open. There are " +
        panelTitles());
}

int SnapshotCommand::run() {
    const InterruptWatch watch([] {}); // drawing isn't cancelled, but ends without a half file
    if (!like_.empty())
        return runLike();
    checkOptions();
    if (live() && !(film_.empty() && also_.empty()))
        throw UsageError("--film and --also can't be combined with --panel, --live, --layout side, "
                         "--surface, --segment, --landmarks or --cardiac");
    if (live())
        return runLive();
    return runStill();
}

std::unique_ptr<Command> makeSnapshotCommand() { return std::make_unique<SnapshotCommand>(); }

std::unique_ptr<Command> makeSharedSnapshotCommand(OpenedImages& images) {
    return std::make_unique<SnapshotCommand>(&images);
}

} // namespace systole
