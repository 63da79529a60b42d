#include "app/features/laboratory/laboratory_tool.h"

#include "app/base/picture_file.h"
#include "app/feature/panel.h"
#include "app/features/laboratory/lab_picture.h"
#include "io/formats/writer.h"

#include <string>
#include <utility>

namespace systole {

void LaboratoryTool::use() {
    if (!worker_)
        worker_ = std::make_unique<LabWorker>(makeLibrary_, notify());
}

void LaboratoryTool::ask(lab::LabQuestion question, int lessonNumber) {
    request.question = std::move(question);
    lesson = lessonNumber;
    use();
    worker_->ask(request, ++asked);
    status = worker_->status();
}

void LaboratoryTool::startChosen(bool panelOpen) {
    if (panelOpen && asked == 0)
        ask({});
}

void LaboratoryTool::run(const Lesson& of) {
    ask(*of.experiment, of.number);
    host().openPanel(laboratoryTitle);
}

LessonExperiments::Answer LaboratoryTool::answer(const Lesson& of) const {
    if (lesson != of.number || asked == 0)
        return {notRunYet};
    if (status.busy || status.answered != asked)
        return {"", "", status.fraction};
    if (!status.failure.empty())
        return {status.failure};
    if (!status.answer)
        return {"Cancelled."};
    return {of.headline(*status.answer), status.answer->source};
}

void LaboratoryTool::cancel() {
    if (worker_)
        worker_->cancel();
}

void LaboratoryTool::follow(ToolContext&) {
    if (worker_)
        status = worker_->status();
}

void LaboratoryTool::tell(std::vector<ToolMessage>& messages) const {
    messages.push_back({"Laboratory: ", status.failure});
}

void LaboratoryTool::save(Export kind) {
    const std::shared_ptr<const lab::LabAnswer> answer = status.answer;
    if (!answer)
        return;
    const std::string suffix = kind == Export::Csv ? "csv" : kind == Export::Json ? "json" : "png";
    const std::string what = "Laboratory's answer";
    const FileQuestion question{.title = "Export the laboratory's answer to",
                                .types = suffix + " (*." + suffix + ")",
                                .name = "laboratory." + suffix};
    if (kind != Export::Png)
        return host().save(what, question, [kind, answer](const std::string& path) {
            writeTextAtomically(path,
                                kind == Export::Csv ? lab::toCsv(*answer) : lab::toJson(*answer));
        });
    host().chooseSave(question, [this, what, answer](const std::string& path) {
        RgbaImage image = host().picture([&](double pixelRatio) {
            return drawLaboratory(*answer, labPictureWidth, labPictureHeight, pixelRatio);
        });
        host().write(what, path, [path, image = std::move(image)] { writePng(path, image); });
    });
}

std::unique_ptr<Tool> makeLaboratoryTool(Tools& tools) {
    return std::make_unique<LaboratoryTool>(tools);
}

} // namespace systole
