// `systole snapshot` of frames as they are: one picture, several of the same frame, or a film.
#include "app/base/error.h"
#include "app/base/file_hash.h"
#include "app/base/frame_range.h"
#include "app/cli/progress.h"
#include "app/live/saved_picture.h"
#include "app/pictures/remake.h"
#include "app/pictures/snapshot_command.h"
#include "compute/cuda/context.h"
#include "compute/motion/motion_range.h"
#include "io/base/png_film.h"
#include "io/base/text.h"
#include "io/source.h"
#include "render/gl/headless_egl.h"
#include "render/gl/released.h"
#include "render/overlays/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace systole {
namespace {

/// Copies frame and field computed elsewhere to the device, so that the picture is drawn from
/// there.
std::shared_ptr<const FrameResult> onDevice(const FrameResult& host, CudaContext& cuda) {
    const auto copy = [&](const Buffer<float>& from, Buffer<float>& to) {
        cuda.upload(from.data(), to.data(), from.size() * sizeof(float), CudaStream::Compute);
    };
    auto device = std::make_shared<DeviceResult>();
    auto fixed = std::make_shared<Volume>(host.fixed->geometry, cuda.devicePool(), "frame");
    copy(host.fixed->voxels, fixed->voxels);
    device->fixed = fixed;
    if (host.field) {
        auto field =
            std::make_shared<VectorField>(host.field->geometry, cuda.devicePool(), "field");
        copy(host.field->components, field->components);
        device->field = field;
    }
    cuda.synchronize(CudaStream::Compute);
    auto result = std::make_shared<FrameResult>(host);
    result->device = device;
    return result;
}

} // namespace

/// The scene in which a sequence is drawn, frame by frame.
class SnapshotCommand::Studio {
public:
    /// Throws RenderError where there is no OpenGL, before any computing.
    Studio(const SnapshotCommand& command, OpenedImage& image)
        : command_(command)
        , image_(image)
        , sequence_(image.sequence)
        , scene_({.upload = parseUpload(command.upload_), .threads = command.threads_})
        , released_(scene_)
        , resources_(command.threads_)
        , ctx_(resources_.context()) {
        scene_.initialize(egl_.hooks());
        ctx_.progress = bar_.reporter();
        for (const Shot& shot : command.shots())
            moves_ = moves_ || showsMotionOverlays(shot.shown());
        if (!image.scale)
            image.scale = intensityScale(sequence_, ctx_);
        scale_ = *image.scale;
        const auto [width, height] = parsePictureSize(command.size_);
        scene_.resize(width, height, command.pixelRatio_);
        scene_.setSequence(sequence_, scale_.low, scale_.high);
    }

    /// Command::frame_ with the motion that begins there. `film`: as one of several frames, whose
    /// colors mean the same.
    void setFrame(bool film) {
        const int number = command_.frame_;
        frame_ = readFrame(sequence_, number, resources_.pool());
        frameOnDevice_.reset();
        result_.reset();
        if (moves_) {
            shown_ = command_.motion(sequence_, frame_, ctx_);
            result_ = shown_->result;
            // The record of a film is that of its first frame.
            if (const std::string& file = shown_->record.fieldFile;
                !file.empty() && !(film && aimed_))
                shown_->record.fieldSha256 = sha256Of({file});
            const bool neighbors = film || result_->movingFrame < 0 ||
                                   result_->movingFrame == (number + 1) % sequence_.frames;
            // Other pairs than neighbors have a scale of their own.
            if (!neighbors)
                range_ = motionRange(*frame_,
                                     *readFrame(sequence_, result_->movingFrame, resources_.pool()),
                                     scale_, ctx_);
            else if (image_.range == 0)
                image_.range = motionRange(sequence_, scale_, ctx_);
            if (neighbors)
                range_ = image_.range;
        }
        if (scene_.options().upload == UploadPath::Interop && !(result_ && result_->device))
            copyToDevice();
        scene_.setFrame(frame_, frameOnDevice_);
    }

    struct Taken {
        RgbaImage image;
        PictureRecord record;
    };
    Taken take(const Shot& shot) {
        const auto [width, height] = parsePictureSize(shot.size);
        const DisplayOptions display = shot.shown();
        const bool moves = showsMotionOverlays(display);
        scene_.resize(width, height, command_.pixelRatio_);
        scene_.setMotionRange(moves ? range_ : 0);
        scene_.setDisplay(display);
        scene_.setResult(moves ? result_ : nullptr);
        if (!std::exchange(aimed_, true))
            command_.aim_.apply(scene_);
        RgbaImage image = scene_.capture();
        PictureRecord record = recordOf(scene_);
        record.files = absolutePaths(command_.files_);
        record.sha256 = image_.hash.of(record.files);
        record.frameTimeMilliseconds = command_.frameTimeMilliseconds_;
        nameFrame(record, sequence_, command_.frame_);
        if (moves)
            record.left = shown_->record;
        if (command_.noCaption_)
            record.display.caption = false;
        return {std::move(image), std::move(record)};
    }

    std::string drawnBy() const {
        const std::string reason = scene_.uploadReason();
        return fmt::format(", drawn by {}, voxels by {}{}", scene_.rendererName(),
                           scene_.uploadPath(), reason.empty() ? "" : " (" + reason + ")");
    }
    bool modalityIsKnown() const { return !scene_.modality().empty(); }

private:
    void copyToDevice() {
        if (!cuda_)
            cuda_ = std::make_unique<CudaContext>(
                CudaContext::Options{.device = *scene_.interopDevice()});
        FrameResult host;
        host.fixed = frame_;
        const auto copied = onDevice(result_ ? *result_ : host, *cuda_);
        frameOnDevice_ = copied->device->fixed;
        result_ = result_ ? copied : nullptr;
    }

    const SnapshotCommand& command_;
    OpenedImage& image_;
    const Sequence& sequence_;
    HeadlessEgl egl_;
    Scene scene_;
    const Released<Scene> released_;
    ExecResources resources_;
    ProgressBar bar_;
    ExecContext ctx_;
    std::unique_ptr<CudaContext> cuda_;
    IntensityScale scale_;
    bool moves_ = false, aimed_ = false;
    double range_ = 0; ///< range of the magnitude of motion, mm
    std::shared_ptr<const Volume> frame_, frameOnDevice_;
    std::optional<ShownMotion> shown_;
    std::shared_ptr<const FrameResult> result_;
};

DisplayOptions SnapshotCommand::Shot::shown() const {
    DisplayOptions options;
    display.apply(options);
    return options;
}

std::vector<SnapshotCommand::Shot> SnapshotCommand::shots() const {
    std::vector<Shot> shots{{display_, size_, output_}};
    for (const std::string& text : also_) {
        const std::size_t equals = text.rfind('=');
        if (equals == std::string::npos || equals == 0)
            throw UsageError(fmt::format("--also: '{}' isn't FILE=OVERLAYS", text));
        const std::size_t at = text.find('@', equals);
        std::vector<std::string> overlays;
        const std::string names = text.substr(equals + 1, at - std::min(at, equals + 1));
        for (const std::string_view name : partsOf(names, ','))
            overlays.emplace_back(name);
        shots.push_back({display_.withOverlays(std::move(overlays)),
                         at == std::string::npos ? size_ : text.substr(at + 1),
                         text.substr(0, equals)});
    }
    return shots;
}

void SnapshotCommand::runFilm(OpenedImage& image) {
    const Sequence& sequence = image.sequence;
    const auto [first, last] = parseRange("--film", film_, "a film", sequence);
    Studio studio(*this, image);
    const Shot shot = shots().front();
    std::vector<FilmPicture> pictures;
    for (frame_ = first; frame_ <= last; ++frame_) {
        studio.setFrame(true);
        Studio::Taken taken = studio.take(shot);
        const RgbaImage picture = captioned(taken.image, taken.record);
        pictures.push_back(
            {frame_ == first ? encodePicture(picture, taken.record) : encodePng(picture),
             sequence.secondsToNext(frame_)});
    }
    overwrite_.checkAll({output_}, files_);
    overwrite_.writeText(output_, animatedPng(pictures));
    fmt::print("{}: a film of frames {} to {}{}\n", output_, first, last, studio.drawnBy());
}

int SnapshotCommand::runStill() {
    for (const Shot& shot : shots())
        parsePictureSize(shot.size);
    const std::shared_ptr<OpenedImage> image = images_.open(files_, frameTimeMilliseconds_);
    const Sequence& sequence = image->sequence;
    if (frame_ < 0 || frame_ >= sequence.frames)
        throw UsageError(fmt::format("--frame: {} has frames 0 to {}, but {} was requested",
                                     sequence.name, sequence.frames - 1, frame_));
    if (!film_.empty()) {
        runFilm(*image);
        return 0;
    }
    Studio studio(*this, *image);
    studio.setFrame(false);
    bool noted = false;
    for (const Shot& shot : shots()) {
        Studio::Taken taken = studio.take(shot); // --modality is known to the scene from here on
        if (!studio.modalityIsKnown() && !std::exchange(noted, true))
            fmt::print("note: the modality is unknown; --modality chooses it\n");
        write(taken.image, std::move(taken.record), studio.drawnBy(), shot.output);
    }
    return 0;
}

} // namespace systole
