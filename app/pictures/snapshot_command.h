// `systole snapshot`: the viewer's picture without a display.
#pragma once

#include "app/base/run_record.h"
#include "app/cli/command.h"
#include "app/cli/opened_images.h"
#include "app/cli/overwrite.h"
#include "app/live/picture_record.h"
#include "app/pictures/picture_options.h"
#include "app/pictures/tool_command_options.h"
#include "compute/core/exec.h"
#include "compute/core/frame_result.h"
#include "compute/core/sequence.h"
#include "render/scene/scene.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

class SnapshotCommand : public Command {
public:
    explicit SnapshotCommand(OpenedImages* shared = nullptr)
        : Command("snapshot", "Write the viewer's picture of a frame as PNG, without a display")
        , images_(shared ? *shared : own_) {}
    void addOptions(CLI::App& app) override;
    void prepareHelp(CLI::App& app) override;
    int run() override;

private:
    void checkOptions();
    bool live() const; ///< true if the picture needs the live view
    int runLive();
    int runLike();  ///< snapshot_like.cpp
    int runStill(); ///< snapshot_still.cpp
    void runFilm(OpenedImage& image);
    class Studio;
    /// One of the pictures of a frame.
    struct Shot {
        DisplayCommandOptions display;
        std::string size, output;
        DisplayOptions shown() const; ///< the display of the shot
    };
    std::vector<Shot> shots() const; ///< Throws UsageError.
    struct ShownMotion {
        std::shared_ptr<const FrameResult> result;
        PictureMotion record;
    };
    ShownMotion motion(const Sequence& sequence, const std::shared_ptr<const Volume>& fixed,
                       const ExecContext& ctx) const;
    struct WrittenField {
        std::string path;
        int moving = -1; ///< −1: unknown
    };
    /// The one of `field_` that is shown with `frame_`.
    WrittenField findField() const;
    const std::vector<RecordedField>& displacements() const; ///< fields in the folder `field_`
    ShownMotion writtenMotion(const Sequence& sequence, const std::shared_ptr<const Volume>& fixed,
                              const ExecContext& ctx) const;
    void checkOverlays() const;
    void checkNamed(const DisplayOptions& shown) const;
    void write(const RgbaImage& image, PictureRecord record, const std::string& drawnBy,
               const std::string& path) const;

    CLI::App* app_ = nullptr;
    OpenedImages own_;
    OpenedImages& images_;
    std::vector<std::string> files_;
    std::string output_, like_;
    bool noCaption_ = false;
    OverwriteOption overwrite_;
    DisplayCommandOptions display_;
    std::string size_ = "1280x800";
    std::string film_;
    std::vector<std::string> also_;
    std::string field_;
    std::string backend_ = "auto";
    std::string upload_ = "auto";
    SideOptions sides_;
    ToolCommandOptions tools_;
    std::vector<std::string> panels_;
    double liveSeconds_ = 0;
    AimOptions aim_;
    int motionFrom_ = -1; ///< −1: the frame shown
    double pixelRatio_ = 1;
    double frameTimeMilliseconds_ = 0;
    mutable std::optional<std::vector<RecordedField>> displacements_; ///< a film asks once a frame
    int frame_ = 0;
    int moving_ = -1;
    int threads_ = 0;
};

} // namespace systole
