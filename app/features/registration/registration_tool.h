// The registration of two images while the views show it in place of the sequence. Both threads
// start with the first one.
#pragma once

#include "app/base/rate_meter.h"
#include "app/estimation/motion_choice.h"
#include "app/estimation/registration_methods.h"
#include "app/feature/course.h"
#include "app/feature/sources.h"
#include "app/feature/tool.h"
#include "app/features/registration/painter.h"
#include "app/features/registration/picture.h"
#include "app/features/registration/registration_run.h"
#include "app/features/registration/value_colors.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

class RegistrationTool : public Tool {
public:
    explicit RegistrationTool(Tools& tools);

    // Chosen by the user.
    int fixedFrame = 0, movingFrame = 1;
    std::string movingFile;  ///< its first frame is the moving image; empty: `movingFrame`
    MotionChoice choice;     ///< method, parameters, backend
    bool affineFirst = true; ///< an affine registration before the method
    RegistrationView view = RegistrationView::Warped;
    /// Number of the iteration to show; 0: the newest, and the best one after the end.
    int iteration = 0;
    bool startsChosen = false; ///< startChosen() starts one
    bool shown = false;        ///< the views show it; they show the sequence as soon as it plays
    void choose(const MotionMethod& method); ///< sets `affineFirst` to the method's default
    void choose(const std::string& name);    ///< nothing for an unknown name
    void chooseMovingFile();                 ///< asks for the file

    void start();
    void stop();                         ///< results so far stay
    std::string whyNot() const;          ///< none can be started now; empty: it can
    NoiseExperiment* noiseAlone() const; ///< null: there is none

    // Asks for a file and writes into it what 'systole register' writes.
    std::string whyNotSaved() const;             ///< empty: there is a finished registration
    std::string whyNoTransform() const;          ///< empty: it has an affine map or control points
    std::vector<std::string> inputFiles() const; ///< files that no result may replace
    void saveField(std::function<void()> then = {}); ///< `then` is called once it is written
    void saveTransform();
    void saveWarped();
    void saveLabels(); ///< asks for those of the moving image first

    // --- state
    RegistrationStatus status;
    std::shared_ptr<const RegistrationPicture> picture; ///< the newest; null: none yet
    /// The newest figures, of this run and view, maybe of an iteration before the picture's.
    std::shared_ptr<const RegistrationPicture> figures;
    double picturesPerSecond = 0; ///< shown

    ToolName name() const override { return {"registration", "Registration"}; }
    std::unique_ptr<Panel> panel() override;
    void opened(const OpenedSequence& sequence) override;
    void follow(ToolContext& context) override;
    ToolNeeds needs() const override { return {.processor = status.running}; }
    void show(SceneContribution& scene) const override;
    void startChosen(bool) override;
    bool holdsPlayback() const override { return startsChosen; }
    bool unfinished() const override { return start_.waits() || (shown && status.running); }
    void tell(std::vector<ToolMessage>& messages) const override;
    /// The picture of the iteration that is to be shown is there.
    bool completeFor(int frame, bool panels) const override;
    std::string caption() const override;
    std::vector<ToolSetting> settings() override;
    void reset() override;
    std::vector<UnsavedWork> unsaved() override;

private:
    void begin(ToolContext& context, AwaitedInputs& inputs);
    double secondsToChange() const;
    void updatePicture(ToolContext& context);
    /// The result, or the best iteration; null: none.
    std::shared_ptr<const void> bestSoFar() const;
    std::string named(const std::string& what) const; ///< suggested to the user
    /// Asks for a file; `write` never replaces an image of the registration.
    void saveBeside(const std::string& what, const FileQuestion& question,
                    std::function<void(const std::string& path)> write,
                    std::function<void()> then = {});

    std::string noteOfView() const;

    std::unique_ptr<RegistrationRun> run_;
    std::unique_ptr<RegistrationPainter> painter_;
    IntensityScale scale_;
    std::shared_ptr<const ValueColors> values_;  ///< colors of `picture`
    std::optional<RegistrationView> valuesView_; ///< view to which `values_` belong
    AwaitedStart start_;
    /// Choices of the user and changes by themselves that need another picture.
    FollowedState view_;
    bool wasShown_ = false;
    std::weak_ptr<const void> saved_; ///< bestSoFar() that lies in a file
    int shownFrame_ = 0;              ///< fixed frame of the last start
    Backend backend_ = Backend::Cpu;  ///< backend of the last start
    RateMeter pictures_{30};
    std::optional<WantedPicture> wanted_;
    int wantedIteration_ = 0; ///< `iteration` that it is for
};

} // namespace systole
