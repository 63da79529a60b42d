// Tables, picture and points on disk.
#include "app/cardiac/strain_table.h"
#include "app/file_stem.h"
#include "app/picture_file.h"
#include "app/plural.h"
#include "app/tools/cardiac/cardiac_page.h"
#include "app/tools/cardiac/cardiac_tool.h"
#include "io/writer.h"

#include <fmt/format.h>

#include <utility>

namespace systole {

void CardiacTool::saveText(const char* what, const char* suffix, std::string text) {
    host().save(
        what,
        {.title = fmt::format("Save {} to", what),
         .types = "CSV (*.csv)",
         .name = fileStem(session().opened->sequence.name) + suffix},
        [text = std::move(text)](const std::string& path) { writeTextAtomically(path, text); });
}

void CardiacTool::saveSegments() {
    if (outcome_)
        saveText("The segments' curves", "_segments.csv", segmentsCsv(*outcome_, model()));
}

void CardiacTool::saveCurves() {
    if (outcome_)
        saveText("The whole wall's curves", "_curves.csv", curvesCsv(*outcome_));
}

void CardiacTool::readCurves() {
    host().chooseOpen({.title = "Segments or curves that were saved as a table",
                       .types = "CSV (*.csv);;All files (*)"},
                      [this](const std::string& path) {
                          StrainCurves curves = readStrainCurves(path);
                          std::erase_if(read, [&](const StrainCurves& other) {
                              return other.ofSegments == curves.ofSegments;
                          });
                          read.push_back(std::move(curves));
                      });
}

void CardiacTool::savePoints(std::function<void()> then) {
    enterPoints(); // also those of just now
    if (const auto frame = pointWaitsFor())
        return host().fail(waitingPoint(*frame));
    std::string text;
    for (const Vec3& p : pointsAtReference())
        text += fmt::format("{}{:.3f},{:.3f},{:.3f}", text.empty() ? "" : ";", p.x, p.y, p.z);
    host().save(
        "The points of the heart",
        {.title = "Save the points of the heart, as --points takes them, to",
         .types = "Text (*.txt)",
         .name = fileStem(session().opened->sequence.name) + "_points.txt"},
        [text](const std::string& path) { writeTextAtomically(path, text + "\n"); },
        [this, kept = points, then = std::move(then)] {
            savedPoints_ = kept;
            if (then)
                then();
        });
}

std::vector<UnsavedWork> CardiacTool::unsaved() {
    if (points.empty() || points == savedPoints_)
        return {};
    return {{plural(std::ssize(points), "point") + " of the heart",
             [this](std::function<void()> then) { savePoints(std::move(then)); }}};
}

std::string CardiacTool::heading() const {
    return fmt::format(
        "{}   {}   strain by {}   {} segments   ED frame {}, ES frame {}",
        session().opened->sequence.name, session().motion.method->name, definition().name,
        cardiac::ahaSegments(model()), outcome_->motion.frame.front(),
        outcome_->motion.frame[static_cast<std::size_t>(outcome_->summary.endSystole)]);
}

void CardiacTool::savePicture() {
    if (!outcome_)
        return;
    host().chooseSave({.title = "Save bull's-eyes, curves and tables to",
                       .types = "png (*.png)",
                       .name = fileStem(session().opened->sequence.name) + "_cardiac.png"},
                      [this](const std::string& path) {
                          if (!outcome_)
                              return;
                          RgbaImage image = host().picture([&](double pixelRatio) {
                              return drawCardiacPage(shown(), heading(), pixelRatio);
                          });
                          host().write("The picture", path,
                                       [path, image = std::move(image)] { writePng(path, image); });
                      });
}

} // namespace systole
