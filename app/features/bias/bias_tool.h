// The frame shown, registered with itself under fresh noise: what is found is the method's bias.
// The thread starts with the first one.
#pragma once

#include "app/feature/course.h"
#include "app/feature/sources.h"
#include "app/feature/tool.h"
#include "app/features/bias/bias_run.h"

#include <memory>
#include <string>
#include <vector>

namespace systole {

class BiasTool : public Tool, public NoiseExperiment, public LessonExperiments {
public:
    explicit BiasTool(Tools& tools); ///< chooses the best backend of this machine

    // Chosen by the user, for the next start.
    ParamSet parameters{biasTable()};
    Backend backend;

    void start() { start_.put(); } ///< starts at once, or when the frame is decoded
    void stop();                   ///< the repetitions so far stay
    void showAndStart() override;  ///< opens the panel, then starts
    std::string whyNot() const override;

    /// The lesson on noise alone, which has neither kernels nor a command.
    bool has(const Lesson& lesson) const override {
        return !lesson.experiment && lesson.command.empty();
    }
    void run(const Lesson&) override { showAndStart(); }
    Answer answer(const Lesson& lesson) const override;

    BiasStatus status;
    /// Surroundings in which the maps are drawn: the surface of their frame with its wall, as the
    /// views show it, or the image's own tissue. Empty: nothing yet.
    struct Outline {
        const char* of = "";
        std::vector<std::shared_ptr<const TriangleMesh>> meshes{}; ///< none null
    };
    Outline outline() const;

    ToolName name() const override { return {"bias", "Bias"}; }
    std::unique_ptr<Panel> panel() override;
    std::vector<Action> actions() override;
    void opened(const OpenedSequence& sequence) override;
    void follow(ToolContext& context) override;
    void startChosen(bool panelOpen) override;
    bool unfinished() const override { return start_.waits() || status.running; }
    void tell(std::vector<ToolMessage>& messages) const override;
    std::vector<ToolSetting> settings() override;
    void reset() override;

private:
    void begin(AwaitedInputs& inputs);

    std::unique_ptr<BiasRun> run_;
    AwaitedStart start_;
    int frame_ = 0; ///< frame that was registered last
};

} // namespace systole
