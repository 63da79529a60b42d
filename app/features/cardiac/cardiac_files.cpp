// Tables, picture and points on disk.
#include "app/base/file_hash.h"
#include "app/base/file_stem.h"
#include "app/base/picture_file.h"
#include "app/base/plural.h"
#include "app/base/seed_points.h"
#include "app/feature/tools.h"
#include "app/features/cardiac/cardiac_page.h"
#include "app/features/cardiac/cardiac_tool.h"
#include "app/features/cardiac/strain_report.h"
#include "app/features/cardiac/strain_table.h"
#include "io/base/byte_source.h"
#include "io/base/error.h"
#include "io/base/output_file.h"
#include "io/base/sha256.h"
#include "io/base/text.h"
#include "io/formats/writer.h"
#include "io/source.h"

#include <fmt/format.h>

#include <span>
#include <utility>

namespace systole {
namespace {

constexpr const char* keptPointsName = "heart_points.txt";

} // namespace

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

std::string CardiacTool::textOfPoints() const {
    std::string text;
    for (const Vec3& p : pointsAtReference())
        text += fmt::format("{}{:.3f},{:.3f},{:.3f}", text.empty() ? "" : ";", p.x, p.y, p.z);
    return text;
}

void CardiacTool::savePoints(std::function<void()> then) {
    enterPoints(); // also those of just now
    if (const auto frame = pointWaitsFor())
        return host().fail(waitingPoint(*frame));
    const std::string text = textOfPoints();
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
             [this](std::function<void()> then) { savePoints(std::move(then)); },
             [this] {
                 return KeptWork{.state = textOfPoints(),
                                 .files = {keptPointsName},
                                 .write = [text = textOfPoints()](const std::string& path) {
                                     writeTextAtomically(path, text + "\n");
                                 }};
             }}};
}

/// The stored points are in the frame in which motion begins.
void CardiacTool::recover(const std::function<std::string(const char* name)>& found) {
    const std::string path = found(keptPointsName);
    if (path.empty())
        return;
    points.clear();
    for (const std::string& point : words(wholeText(path), "; \n"))
        if (points.size() < pointsNeeded)
            points.push_back({parsePoint(point, keptPointsName), 0});
}

std::string CardiacTool::heading() const {
    return fmt::format(
        "{}   {}   strain by {}   {} segments   ED frame {}, ES frame {}",
        session().opened->sequence.name, session().motion.method->name, definition().name,
        cardiac::ahaSegments(model()), outcome_->motion.frame.front(),
        outcome_->motion.frame[static_cast<std::size_t>(outcome_->summary.endSystole)]);
}

/// Inputs with their hashes, and what was chosen.
StrainReport CardiacTool::report() const {
    const Session& now = session();
    StrainReport report;
    report.study = now.opened->sequence.title();
    report.date = dateOfToday();
    report.roles = roles_;
    report.ejections = ejections();
    report.doubts = doubts();
    report.parameters = parameters;
    if (outcome_->motion.frame.front() != outcome_->frame)
        report.parameters.set("end-diastole", outcome_->motion.frame.front());
    if (now.marks.endSystole)
        report.parameters.set("end-systole", *now.marks.endSystole);
    for (const std::string& path : now.opened->paths)
        report.inputs.push_back({"images", path, sha256Of({path})});
    if (from == HeartLabels::File)
        report.inputs.push_back({"labels", file, sha256Of({file})});
    if (from == HeartLabels::Segmentation) {
        Sha256 hash;
        hash.add(std::as_bytes(std::span(*tools().get<LabelSource>().labelHistory().labels(0))));
        report.inputs.push_back({"labels", "of the Segment panel, voxel by voxel", hash.hex()});
    }
    if (from == HeartLabels::Points)
        report.inputs.push_back({"points", textOfPoints(), ""});
    report.motionBy = motion_.given > 0
                          ? "fields of another program"
                          : motionWords(now.motion.method->name, now.motion.parameters);
    if (!outcome_->errors.empty())
        report.errorsBy = report.motionBy;
    return report;
}

/// Read again, as the hashes of the inputs are: the open sequence has one reader at a time.
std::vector<ReportPicture> CardiacTool::pictures() const {
    BufferPool pool;
    std::optional<Sequence> images;
    try {
        images = openSequence(session().opened->paths, {.acceptUnknown = true});
    } catch (const FileError&) {
        // gone meanwhile: labels and wall are drawn without it
    }
    const Geometry& grid = session().opened->sequence.geometry;
    const bool same = images && images->geometry.matches(grid);
    return heartPictures(*outcome_, grid, [&](int frame) -> std::shared_ptr<const Volume> {
        try {
            return same && frame < images->frames
                       ? std::make_shared<const Volume>(
                             decodeFrame(*images, frame, pool, "picture of the report"))
                       : nullptr;
        } catch (const FileError&) {
            return nullptr;
        }
    });
}

void CardiacTool::saveReport() {
    if (!outcome_)
        return;
    host().chooseSave({.title = "Save the report to",
                       .types = "Web page (*.html);;PDF (*.pdf)",
                       .name = fileStem(session().opened->sequence.name) + "_cardiac.html"},
                      [this](const std::string& path) {
                          if (!outcome_)
                              return;
                          StrainReport about = report();
                          about.pictures = pictures();
                          const ReportContent content = strainReportContent(*outcome_, about);
                          std::string text = lowerCase(path).ends_with(".pdf")
                                                 ? host().pdf(content)
                                                 : strainReportPage(content);
                          host().write("The report", path, [path, text = std::move(text)] {
                              writeTextAtomically(path, text);
                          });
                      });
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
