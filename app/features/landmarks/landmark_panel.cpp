// The Landmarks panel: points found and followed through the frames, what became of them, and their
// errors.
#include "app/base/units.h"
#include "app/feature/panel.h"
#include "app/features/landmarks/landmark_tool.h"
#include "app/kit/tool_widgets.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

namespace systole {
namespace {

constexpr float labelWidth = 116, plotHeight = 110, histogramHeight = 56;
/// The figures of a frame; null: there are none.
const LandmarkFrame* figuresAt(const LandmarkState& landmarks, int frame) {
    const auto index = static_cast<std::size_t>(frame);
    return frame >= 0 && index < landmarks.frames.size() && landmarks.frames[index]
               ? &*landmarks.frames[index]
               : nullptr;
}

class LandmarksPanel : public Panel {
public:
    explicit LandmarksPanel(LandmarkTool& tool) : tool_(tool) {}
    const char* title() const override { return "Landmarks"; }

    void draw(Session& session) override {
        if (!session.opened)
            return wrappedText("Not now: no file is open.", dimColor());
        drawSource();
        drawRun();
        drawParameters();
        drawWall();
        drawEdit(session);
        if (tool_.tracks.tracks.empty())
            return;
        ImGui::Separator();
        drawFrame(session);
        drawCurves(session);
        ImGui::Separator();
        drawErrors(session);
        ImGui::Separator();
        drawKeep();
    }

    std::string text(const Session&) const override {
        std::string text = "frame\ttracked";
        for (int fate = 1; fate < trackFates; ++fate)
            text += fmt::format("\t{}", name(static_cast<TrackFate>(fate)));
        text += "\tmean certainty\tmedian displacement, mm\tlargest displacement, mm\tpoints with "
                "error\tmean error, mm\tdeviation, mm\tmedian error, mm\t95 % error, mm\tlargest "
                "error, mm\tcarried by the wall\tmoved by the wall, "
                "mm\tunknowns\titerations\tseconds\n";
        for (std::size_t frame = 0; frame < tool_.frames.size(); ++frame) {
            const auto& figures = tool_.frames[frame];
            if (!figures)
                continue;
            text += fmt::format("{}\t{}", frame, figures->tracked);
            for (int fate = 1; fate < trackFates; ++fate)
                text += figures->fatesKnown
                            ? fmt::format("\t{}", figures->counts[static_cast<std::size_t>(fate)])
                            : "\t";
            text += fmt::format("\t{:.3f}\t{:.3f}\t{:.3f}", figures->meanCertainty,
                                figures->medianMillimeters, figures->largestMillimeters);
            if (const auto& error = figures->error)
                text += fmt::format("\t{}\t{:.3f}\t{:.3f}\t{:.3f}\t{:.3f}\t{:.3f}", error->count,
                                    error->mean, error->deviation, error->median,
                                    error->percentile95, error->largest);
            else
                text += "\t\t\t\t\t\t";
            text += fmt::format("\t{}", figures->carried);
            if (const auto& wall = figures->wall; wall && wall->failure.empty())
                text += fmt::format("\t{:.3f}\t{}\t{}\t{:.3f}", wall->meanChange,
                                    wall->report.unknowns, wall->report.iterations,
                                    wall->report.setUpSeconds + wall->report.solveSeconds);
            text += "\n";
        }
        return text;
    }

private:
    void drawSource() {
        const float half = 0.5f * (ImGui::GetContentRegionAvail().x - 8);
        if (button("Find in this frame",
                   "Strong corners of the frame shown, which are then followed through all others.",
                   true, half))
            tool_.find();
        ImGui::SameLine();
        if (button("Open ...",
                   "Points of one frame, which are followed (DIR-Lab, Slicer, elastix, CSV), or "
                   "tracks, which are shown as they are.",
                   true, half))
            tool_.chooseFile();
    }

    void drawRun() {
        if (tool_.running()) {
            progressBar(static_cast<double>(tool_.finished) / std::max(tool_.total, 1), -64);
            ImGui::SameLine();
            if (button("Stop", "Frames that are finished stay."))
                tool_.stop();
        }
        for (const std::string* text : {&tool_.failure, &tool_.note})
            if (!text->empty())
                wrappedText(*text, warningColor);
    }

    void drawParameters() {
        drawRow("within");
        drawRow("number");
        drawRow("spacing");
        if (!ImGui::TreeNode("more parameters"))
            return;
        for (const ParamRow& row : landmarkTable().rows())
            if (partOf(row) != LandmarkPart::Wall && row.id != "within" && row.id != "number" &&
                row.id != "spacing")
                drawRow(row.id);
        if (ImGui::Button("Defaults"))
            for (const ParamRow& row : landmarkTable().rows())
                if (partOf(row) != LandmarkPart::Wall)
                    tool_.parameters.set(row.id, row.defaultValue);
        ImGui::TreePop();
    }

    /// The elastic wall: where it comes from, its parameters, and how far it is.
    void drawWall() {
        LandmarkWall& wall = tool_.wall;
        drawRow("elastic-wall");
        const WallOrigin origin = wallOrigin(tool_.parameters);
        if (origin == WallOrigin::None)
            return;
        if (origin == WallOrigin::File) {
            panelLabel("file", labelWidth);
            const std::string name = std::filesystem::path(wall.file).filename().string();
            if (button(((name.empty() ? "Choose ..." : name) + "##wall file").c_str(),
                       wall.file.empty() ? "A label map of the frame in which the landmarks begin."
                                         : wall.file,
                       true, -1))
                tool_.chooseWall();
        }
        const ParamRow& labelRow = landmarkTable().row("elastic-label");
        panelLabel(labelRow.label().c_str(), labelWidth);
        int label = tool_.parameters.integer(labelRow.id);
        if (ImGui::InputInt("##label of the wall", &label))
            tool_.parameters.set(labelRow.id,
                                 std::clamp(label, int(labelRow.minimum), int(labelRow.maximum)));
        tooltip(labelRow.help);
        if (label == 0)
            wrappedText(origin == WallOrigin::File ? "0: the wall's label in the file"
                                                   : "0: the segmentation's wall, label 2",
                        dimColor());
        drawRow("elastic-length");
        drawRow("poisson");
        if (!wall.failure.empty())
            wrappedText(wall.failure, warningColor);
        else if (!wall.waiting.empty())
            wrappedText(wall.waiting, dimColor());
        else if (wall.finished > 0)
            wrappedText(fmt::format("label {}, {} points in it, {} {} moved{}", wall.label,
                                    wall.points, wall.finished,
                                    wall.finished == 1 ? "frame" : "frames",
                                    wall.running ? " ..." : ""),
                        dimColor());
        else if (wall.running)
            wrappedText("computing the wall's motion in the first frame ...", dimColor());
    }

    void drawRow(const std::string& id) {
        static const ParamSet defaults(landmarkTable());
        const ParamRow& row = landmarkTable().row(id);
        ParamValue value = tool_.parameters.value(id);
        const bool changed = value != defaults.value(id);
        if (changed)
            ImGui::PushStyleColor(ImGuiCol_Text, {0.55f, 0.80f, 1, 1});
        const bool edited =
            parameterRow(row, value,
                         fmt::format("{}\nDefault: {}{}", helpInWords(landmarkTable(), row),
                                     defaults.text(id), row.unit.empty() ? "" : " " + row.unit),
                         labelWidth);
        if (changed)
            ImGui::PopStyleColor();
        if (edited)
            tool_.parameters.set(id, std::move(value));
    }

    /// Widgets for editing by hand, and the selected point.
    void drawEdit(Session& session) {
        if (toggleButton("Edit by hand", tool_.editing,
                         "A click on a slice selects the point there, or adds one; a drag moves "
                         "it. In the frame in which the points begin. Ctrl+Z undoes, Esc ends."))
            tool_.edit();
        const bool any = !tool_.points->points.empty();
        if (any && session.shownFrame != tool_.points->frame) {
            ImGui::SameLine();
            if (button("Go to their frame",
                       "The frame in which the points were chosen, and can be edited.")) {
                session.playback.pause();
                session.playback.seek(tool_.points->frame);
            }
        }
        if (tool_.selected >= 0)
            drawSelected(session, any && session.shownFrame == tool_.points->frame);
    }

    void drawSelected(Session& session, bool editable) {
        const auto index = static_cast<std::size_t>(tool_.selected);
        if (index >= tool_.tracks.tracks.size())
            return;
        const LandmarkTracks::Track& track = tool_.tracks.tracks[index];
        const auto frame = static_cast<std::size_t>(std::max(session.shownFrame, 0));
        const bool there = frame < track.frames.size() && track.frames[frame];
        if (there) {
            const Vec3 p = track.frames[frame]->position;
            const double certainty = track.frames[frame]->certainty;
            wrappedText(fmt::format("{}: {:.1f}, {:.1f}, {:.1f} mm (LPS), {}", track.name, p.x, p.y,
                                    p.z,
                                    certainty > 0 ? fmt::format("certainty {:.2f}", certainty)
                                                  : "carried along by an elastic wall"),
                        plainColor());
        } else {
            const LandmarkFrame* const figures = figuresAt(tool_, session.shownFrame);
            const bool known = figures && index < figures->fates.size();
            wrappedText(track.name + ": " +
                            (known     ? systole::title(figures->fates[index])
                             : figures ? "lost"
                                       : "not searched yet"),
                        warningColor);
        }
        if (button("Delete point", "", editable))
            tool_.removeSelected();
    }

    void drawFrame(const Session& session) {
        const std::size_t points = tool_.tracks.tracks.size();
        wrappedText(fmt::format("{} points of frame {}{}", points, tool_.tracks.reference,
                                tool_.seconds > 0 && tool_.detected
                                    ? ", found in " + secondsText(tool_.seconds)
                                    : ""),
                    plainColor());
        const int frame = session.shownFrame;
        const LandmarkFrame* const figures = figuresAt(tool_, frame);
        if (!figures)
            return wrappedText(frame == tool_.tracks.reference
                                   ? fmt::format("frame {}: here they begin", frame)
                                   : fmt::format("frame {}: not searched yet", frame),
                               dimColor());
        wrappedText(
            fmt::format("frame {}: {} tracked,{} {} lost{}", frame, figures->tracked,
                        figures->carried > 0
                            ? fmt::format(" {} carried along by an elastic wall,", figures->carried)
                            : "",
                        figures->lost,
                        figures->seconds > 0 ? ", in " + secondsText(figures->seconds) : ""),
            plainColor());
        if (figures->wall)
            drawWallFrame(*figures->wall);
        for (int fate = 1; fate < trackFates; ++fate)
            if (const int count = figures->counts[static_cast<std::size_t>(fate)])
                wrappedText(fmt::format("   {} {}", count, systole::title(TrackFate(fate))),
                            dimColor());
        wrappedText(fmt::format("moved: median {:.2f} mm, at most {:.2f} mm",
                                figures->medianMillimeters, figures->largestMillimeters),
                    plainColor());
        const std::string mean = fmt::format("certainty, mean {:.2f}", figures->meanCertainty);
        // Room for the text above the bars.
        const float most = *std::ranges::max_element(figures->certainty);
        ImGui::PlotHistogram("##certainty", figures->certainty.data(),
                             static_cast<int>(figures->certainty.size()), 0, mean.c_str(), 0,
                             1.5f * most, {ImGui::GetContentRegionAvail().x, histogramHeight});
        tooltip("How many points by certainty, from 0 on the left to 1 on the right.");
    }

    void drawWallFrame(const WallFrame& wall) {
        if (!wall.failure.empty())
            return wrappedText("   left as tracked: " + wall.failure, warningColor);
        const elasticity::WallTrackReport& report = wall.report;
        wrappedText(fmt::format("   {} springs on the wall; points moved by {:.2f} mm on average; "
                                "{} unknowns, {} iterations, set-up {}, solve {}",
                                report.springs, wall.meanChange, report.unknowns, report.iterations,
                                secondsText(report.setUpSeconds), secondsText(report.solveSeconds)),
                    dimColor());
    }

    void drawCurves(const Session& session) {
        std::vector<PlotPoint> tracked, error;
        bool errors = false;
        for (std::size_t frame = 0; frame < tool_.frames.size(); ++frame) {
            const auto& figures = tool_.frames[frame];
            const auto x = static_cast<double>(frame);
            tracked.push_back({x, figures ? double(figures->tracked) : curveGap});
            error.push_back({x, figures && figures->error ? figures->error->mean : curveGap});
            errors = errors || std::isfinite(error.back().y);
        }
        if (tracked.size() < 2)
            return;
        drawFrames("tracked points", session, tracked,
                   static_cast<double>(tool_.tracks.tracks.size()), 0);
        if (errors)
            drawFrames("mean error, mm", session, error, 0, 1);
    }

    /// Curve over the frames, from 0 to `high` or to its own maximum if that is larger.
    static void drawFrames(const char* title, const Session& session, std::vector<PlotPoint> points,
                           double high, std::size_t color) {
        high = std::max(high, rangeOf(points).high);
        if (high > 0)
            drawCurve({.title = title,
                       .across = frameAxisName(session),
                       .points = placedByFrame(session, std::move(points)),
                       .low = 0,
                       .high = 1.06 * high,
                       .now = placeOfFrame(session, session.playback.frame()),
                       .steps = frameAxisSteps(session),
                       .color = color,
                       .mark = Mark::Dot,
                       .height = plotHeight});
    }

    void drawErrors(Session& session) {
        if (button("Reference tracks ...",
                   "Tracks of the same points from elsewhere, an expert's or a phantom's: the "
                   "distances from them are the target registration errors."))
            tool_.chooseReference();
        if (!tool_.expert)
            return;
        wrappedText(std::filesystem::path(tool_.expertFile).filename().string(), dimColor());
        const LandmarkFrame* const figures = figuresAt(tool_, session.shownFrame);
        if (!figures || !figures->error)
            return wrappedText("no errors in this frame", dimColor());
        const ErrorFigures& error = *figures->error;
        wrappedText(fmt::format("error {:.2f} ± {:.2f} mm of {} points", error.mean,
                                error.deviation, error.count),
                    plainColor());
        wrappedText(fmt::format("quartiles {:.2f}, {:.2f}, {:.2f} mm; 95 %: {:.2f} mm; largest "
                                "{:.2f} mm",
                                error.quartile, error.median, error.upperQuartile,
                                error.percentile95, error.largest),
                    dimColor());
    }

    void drawKeep() {
        if (button(tool_.tracks.tracks.empty() ? "Save landmarks ..." : "Save tracks ...",
                   "As CSV or Slicer's markups, LPS mm."))
            tool_.save();
        ImGui::SameLine();
        if (ImGui::Button("Remove"))
            tool_.clear();
        wrappedText("Colors, tails and lost points: View panel.", dimColor());
    }

    LandmarkTool& tool_;
};

} // namespace

std::unique_ptr<Panel> LandmarkTool::panel() { return std::make_unique<LandmarksPanel>(*this); }

} // namespace systole
