// Displacement fields of another program, shown and measured in place of the motion that the window
// estimates. The thread starts with the first fields.
#pragma once

#include "app/feature/sources.h"
#include "app/feature/tool.h"
#include "app/fields/given_motion.h"
#include "app/task/task_run.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

inline constexpr const char* fieldsTitle = "Fields";
/// The convention that the file says or the images prove.
inline constexpr const char* convinceByImages = "auto";

class FieldsTool : public Tool, public GivenMotion {
public:
    explicit FieldsTool(Tools& tools) : Tool(tools) {}

    // Chosen by the user.
    std::vector<std::string> files; ///< from the first frame to the others, in their order
    std::string convention = convinceByImages;

    void add(); ///< asks for the field to the next frame
    void remove() { files.clear(); }

    /// How they were read; null: not yet.
    const FieldReading* reading() const { return motions_.empty() ? nullptr : &reading_; }
    bool reads() const { return asked_; }
    std::string failure; ///< one sentence; empty: none

    std::uint64_t givenMotion() const override { return motions_.empty() ? 0 : read_; }

    ToolName name() const override { return {"fields", fieldsTitle}; }
    std::unique_ptr<Panel> panel() override;
    void opened(const OpenedSequence& sequence) override;
    void follow(ToolContext& context) override;
    double secondsToNextTick() const override {
        return !session().opened || now() == source_ ? never : 0;
    }
    void show(SceneContribution& scene) const override { scene.motions = motions_; }
    /// The fields are complete. Throws FileError.
    void startChosen(bool) override {
        if (!files.empty())
            requireFieldOfEachFrame(session().opened->sequence, files.size());
    }
    bool unfinished() const override { return asked_; }
    void tell(std::vector<ToolMessage>& messages) const override;
    std::string caption() const override;
    std::vector<ToolSetting> settings() override;
    void reset() override { convention = convinceByImages; }

private:
    struct Source {
        std::vector<std::string> files;
        std::string convention = convinceByImages;
        bool operator==(const Source&) const = default;
    };
    Source now() const { return {files, convention}; }
    void begin();
    void take(GivenMotionOutcome made);

    std::unique_ptr<TaskRun<GivenMotionWork>> run_;
    Source source_; ///< of the task under way, or of what was read
    bool asked_ = false;
    std::uint64_t read_ = 0; ///< counted
    FieldReading reading_;
    std::vector<std::shared_ptr<const FrameResult>> motions_; ///< by frame; empty: none
};

} // namespace systole
