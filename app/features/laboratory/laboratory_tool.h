// The laboratory: the question, and its answer. The worker starts when it is first used.
#pragma once

#include "app/feature/sources.h"
#include "app/feature/tool.h"
#include "app/features/laboratory/worker.h"

#include <cstdint>
#include <memory>

namespace systole {

class LaboratoryTool : public Tool, public LessonExperiments {
public:
    explicit LaboratoryTool(Tools& tools, LabWorker::MakeLibrary makeLibrary = openLibrarySession)
        : Tool(tools), makeLibrary_(std::move(makeLibrary)) {}

    LabRequest request;      ///< chosen by the user
    int lesson = 0;          ///< lesson of the experiment, counted from 1; 0: none
    std::uint64_t asked = 0; ///< number of the question; 0: none yet
    LabStatus status;

    void use(); ///< it is looked at: the worker starts
    void ask(lab::LabQuestion question, int lessonNumber = 0);
    void cancel();
    bool has(const Lesson& of) const override { return of.experiment.has_value(); }
    void run(const Lesson& of) override;
    Answer answer(const Lesson& of) const override;
    void startChosen(bool panelOpen) override;
    enum class Export { Csv, Json, Png };
    void save(Export kind); ///< the answer, into a file that it asks for

    ToolName name() const override { return {"laboratory", "Laboratory"}; }
    std::unique_ptr<Panel> panel() override;
    bool needsSequence() const override { return false; }
    void follow(ToolContext& context) override;
    /// Frames pause during measurements: drawing and estimating would disturb them.
    ToolNeeds needs() const override { return {.device = status.busy && status.measuring}; }
    bool unfinished() const override { return asked != status.answered; }
    void tell(std::vector<ToolMessage>& messages) const override;

private:
    LabWorker::MakeLibrary makeLibrary_;
    std::unique_ptr<LabWorker> worker_;
};

} // namespace systole
