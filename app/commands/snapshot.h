// `systole snapshot`: the viewer's picture without a display.
#pragma once

#include "app/commands/command.h"
#include "app/commands/overwrite.h"
#include "app/commands/picture_options.h"
#include "compute/core/exec.h"
#include "compute/core/frame_result.h"
#include "compute/core/sequence.h"
#include "render/scene.h"

#include <map>
#include <string>
#include <vector>

namespace systole {

class SnapshotCommand : public Command {
public:
    const char* name() const override { return "snapshot"; }
    const char* summary() const override {
        return "Write the viewer's picture of a frame as PNG, without a display";
    }
    void addOptions(CLI::App& app) override;
    int run() override;

private:
    bool live() const; ///< true if the picture needs the live view
    int runLive();
    void aim(Scene& scene) const;
    std::shared_ptr<const Volume> readFrame(const Sequence& sequence, int frame,
                                            BufferPool& pool) const;
    std::shared_ptr<const FrameResult> motion(const Sequence& sequence,
                                              const std::shared_ptr<const Volume>& fixed,
                                              const ExecContext& ctx) const;
    struct WrittenField {
        std::string path;
        int moving = -1; ///< −1: unknown
    };
    WrittenField findField() const;
    std::shared_ptr<const FrameResult> writtenMotion(const std::shared_ptr<const Volume>& fixed,
                                                     const ExecContext& ctx) const;

    std::vector<std::string> files_;
    std::string output_;
    OverwriteOption overwrite_;
    DisplayCommandOptions display_;
    std::string size_ = "1280x800";
    std::string view_;
    std::string field_;
    std::string backend_ = "auto";
    std::string upload_ = "auto";
    SideOptions sides_;
    LabOptions lab_;
    std::vector<std::string> panels_;
    double liveSeconds_ = 0;
    std::vector<double> crosshair_;
    std::vector<double> rotation_;
    double pixelRatio_ = 1;
    double frameTimeMilliseconds_ = 0;
    int frame_ = 0;
    int moving_ = -1;
    int threads_ = 0;
};

} // namespace systole
