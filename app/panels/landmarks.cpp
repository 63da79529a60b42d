// The Landmarks panel: points found and followed through the frames, what became of them, and their
// errors.
#include "app/live/session.h"
#include "app/panels/panels.h"
#include "app/panels/parameter_widget.h"
#include "app/panels/plot.h"
#include "app/panels/widgets.h"
#include "app/units.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace systole {
namespace {

constexpr float labelWidth = 116, plotHeight = 110, histogramHeight = 56;
constexpr double gap = std::numeric_limits<double>::quiet_NaN();

void tooltip(const std::string& text) {
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled) && !ImGui::IsItemActive())
        wrappedTooltip(text);
}

/// The figures of a frame; null: there are none.
const LandmarkFrame* figuresAt(const LandmarkSession& landmarks, int frame) {
    const auto index = static_cast<std::size_t>(frame);
    return frame >= 0 && index < landmarks.frames.size() && landmarks.frames[index]
               ? &*landmarks.frames[index]
               : nullptr;
}

class LandmarksPanel : public Panel {
public:
    const char* title() const override { return "Landmarks"; }

    void draw(Session& session) override {
        LandmarkSession& landmarks = session.landmarks;
        if (!session.opened)
            return wrappedText("Not now: no file is open.", dimColor());
        drawSource(landmarks);
        drawRun(landmarks);
        drawParameters(landmarks);
        drawWall(landmarks);
        drawEdit(session);
        if (landmarks.tracks.tracks.empty())
            return;
        ImGui::Separator();
        drawFrame(session);
        drawCurves(session);
        ImGui::Separator();
        drawErrors(session);
        ImGui::Separator();
        drawKeep(landmarks);
    }

    std::string text(const Session& session) const override {
        const LandmarkSession& landmarks = session.landmarks;
        std::string text = "frame\ttracked";
        for (int fate = 1; fate < trackFates; ++fate)
            text += fmt::format("\t{}", name(static_cast<TrackFate>(fate)));
        text += "\tmean certainty\tmedian displacement, mm\tlargest displacement, mm\tpoints with "
                "error\tmean error, mm\tdeviation, mm\tmedian error, mm\t95 % error, mm\tlargest "
                "error, mm\tcarried by the wall\tmoved by the wall, "
                "mm\tunknowns\titerations\tseconds\n";
        for (std::size_t frame = 0; frame < landmarks.frames.size(); ++frame) {
            const auto& figures = landmarks.frames[frame];
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
    static void drawSource(LandmarkSession& landmarks) {
        const float half = 0.5f * (ImGui::GetContentRegionAvail().x - 8);
        if (ImGui::Button("Find in this frame", {half, 0})) {
            landmarks.wantedDetect = true;
            landmarks.detectIn = -1;
        }
        tooltip("Strong corners of the frame shown, which are then followed through all others.");
        ImGui::SameLine();
        if (ImGui::Button("Open ...", {half, 0}))
            landmarks.wantedOpen = true;
        tooltip("Points of one frame, which are followed (DIR-Lab, Slicer, elastix, CSV), or "
                "tracks, which are shown as they are.");
    }

    static void drawRun(LandmarkSession& landmarks) {
        if (landmarks.running) {
            ImGui::ProgressBar(static_cast<float>(landmarks.finished) /
                                   static_cast<float>(std::max(landmarks.total, 1)),
                               {-64, 0});
            ImGui::SameLine();
            if (ImGui::Button("Stop"))
                landmarks.wantedStop = true;
            tooltip("Frames that are finished stay.");
        }
        for (const std::string* text : {&landmarks.failure, &landmarks.note})
            if (!text->empty())
                wrappedText(*text, warningColor);
    }

    static void drawParameters(LandmarkSession& landmarks) {
        static const ParamSet defaults(landmarkTable());
        drawRow(landmarks, defaults, landmarkTable().row("within"));
        drawRow(landmarks, defaults, landmarkTable().row("number"));
        drawRow(landmarks, defaults, landmarkTable().row("spacing"));
        if (!ImGui::TreeNode("more parameters"))
            return;
        for (const ParamRow& row : landmarkTable().rows())
            if (partOf(row) != LandmarkPart::Wall && row.id != "within" && row.id != "number" &&
                row.id != "spacing")
                drawRow(landmarks, defaults, row);
        if (ImGui::Button("Defaults"))
            for (const ParamRow& row : landmarkTable().rows())
                if (partOf(row) != LandmarkPart::Wall)
                    landmarks.parameters.set(row.id, row.defaultValue);
        ImGui::TreePop();
    }

    /// The elastic wall: where it comes from, its parameters, and how far it is.
    static void drawWall(LandmarkSession& landmarks) {
        static const ParamSet defaults(landmarkTable());
        LandmarkWall& wall = landmarks.wall;
        drawRow(landmarks, defaults, landmarkTable().row("elastic-wall"));
        const WallOrigin origin = wallOrigin(landmarks.parameters);
        if (origin == WallOrigin::None)
            return;
        if (origin == WallOrigin::File) {
            panelLabel("file", labelWidth);
            const std::string name = std::filesystem::path(wall.file).filename().string();
            if (ImGui::Button(((name.empty() ? "Choose ..." : name) + "##wall file").c_str(),
                              {-1, 0}))
                wall.wantedFile = true;
            tooltip(wall.file.empty() ? "A label map, one frame on the grid of the sequence."
                                      : wall.file);
        }
        const ParamRow& labelRow = landmarkTable().row("elastic-label");
        panelLabel(labelRow.label().c_str(), labelWidth);
        int label = landmarks.parameters.integer(labelRow.id);
        if (ImGui::InputInt("##label of the wall", &label))
            landmarks.parameters.set(
                labelRow.id, std::clamp(label, int(labelRow.minimum), int(labelRow.maximum)));
        tooltip(labelRow.help);
        drawRow(landmarks, defaults, landmarkTable().row("elastic-length"));
        drawRow(landmarks, defaults, landmarkTable().row("poisson"));
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
            wrappedText("the first frame is being moved ...", dimColor());
    }

    static void drawRow(LandmarkSession& landmarks, const ParamSet& defaults, const ParamRow& row) {
        ImGui::PushID(row.id.c_str());
        ParamValue value = landmarks.parameters.value(row.id);
        const bool changed = value != defaults.value(row.id);
        if (changed)
            ImGui::PushStyleColor(ImGuiCol_Text, {0.55f, 0.80f, 1, 1});
        const bool labelHovered = panelLabel(row.label().c_str(), labelWidth);
        const bool edited = editParameter(row, value);
        if (changed)
            ImGui::PopStyleColor();
        if (labelHovered || (ImGui::IsItemHovered() && !ImGui::IsItemActive()))
            wrappedTooltip(fmt::format("{}\nDefault: {}{}", row.help, defaults.text(row.id),
                                       row.unit.empty() ? "" : " " + row.unit));
        if (edited)
            landmarks.parameters.set(row.id, std::move(value));
        ImGui::PopID();
    }

    /// By hand: the tool, and the selected point.
    static void drawEdit(Session& session) {
        LandmarkSession& landmarks = session.landmarks;
        SegmentTool& tool = session.segment.tool;
        const bool on = tool == SegmentTool::Landmarks;
        if (on)
            ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_ButtonActive));
        if (ImGui::Button("Edit by hand"))
            tool = on ? SegmentTool::None : SegmentTool::Landmarks;
        if (on)
            ImGui::PopStyleColor();
        tooltip("A click on a slice selects the point there, or adds one; a drag moves it. In the "
                "frame in which the points begin. Ctrl+Z undoes, Esc ends.");
        const bool any = !landmarks.points->points.empty();
        if (any && session.shownFrame != landmarks.points->frame) {
            ImGui::SameLine();
            if (ImGui::Button("Go to their frame")) {
                session.playback.pause();
                session.playback.seek(landmarks.points->frame);
            }
            tooltip("The frame in which the points were chosen, and can be edited.");
        }
        if (landmarks.selected >= 0)
            drawSelected(session, any && session.shownFrame == landmarks.points->frame);
    }

    static void drawSelected(Session& session, bool editable) {
        LandmarkSession& landmarks = session.landmarks;
        const auto index = static_cast<std::size_t>(landmarks.selected);
        if (index >= landmarks.tracks.tracks.size())
            return;
        const LandmarkTracks::Track& track = landmarks.tracks.tracks[index];
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
            const LandmarkFrame* const figures = figuresAt(landmarks, session.shownFrame);
            const bool known = figures && index < figures->fates.size();
            wrappedText(track.name + ": " +
                            (known     ? systole::title(figures->fates[index])
                             : figures ? "lost"
                                       : "not searched yet"),
                        warningColor);
        }
        ImGui::BeginDisabled(!editable);
        if (ImGui::Button("Delete point"))
            landmarks.wantedDelete = true;
        ImGui::EndDisabled();
    }

    static void drawFrame(const Session& session) {
        const LandmarkSession& landmarks = session.landmarks;
        const std::size_t points = landmarks.tracks.tracks.size();
        wrappedText(fmt::format("{} points of frame {}{}", points, landmarks.tracks.reference,
                                landmarks.seconds > 0 && landmarks.detected
                                    ? ", found in " + secondsText(landmarks.seconds)
                                    : ""),
                    plainColor());
        const int frame = session.shownFrame;
        const LandmarkFrame* const figures = figuresAt(landmarks, frame);
        if (!figures)
            return wrappedText(frame == landmarks.tracks.reference
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

    static void drawWallFrame(const WallFrame& wall) {
        if (!wall.failure.empty())
            return wrappedText("   left as tracked: " + wall.failure, warningColor);
        const elasticity::WallTrackReport& report = wall.report;
        wrappedText(fmt::format("   {} pull the wall, which moved them by {:.2f} mm on average; "
                                "{} unknowns, {} iterations, set-up {}, solve {}",
                                report.springs, wall.meanChange, report.unknowns, report.iterations,
                                secondsText(report.setUpSeconds), secondsText(report.solveSeconds)),
                    dimColor());
    }

    static void drawCurves(const Session& session) {
        const LandmarkSession& landmarks = session.landmarks;
        std::vector<PlotPoint> tracked, error;
        bool errors = false;
        for (std::size_t frame = 0; frame < landmarks.frames.size(); ++frame) {
            const auto& figures = landmarks.frames[frame];
            const auto x = static_cast<double>(frame);
            tracked.push_back({x, figures ? double(figures->tracked) : gap});
            error.push_back({x, figures && figures->error ? figures->error->mean : gap});
            errors = errors || std::isfinite(error.back().y);
        }
        if (tracked.size() < 2)
            return;
        drawCurve("tracked points", session, tracked,
                  static_cast<double>(landmarks.tracks.tracks.size()), 0);
        if (errors)
            drawCurve("mean error, mm", session, error, 0, 1);
    }

    /// From 0 to `high`, or as high as the curve.
    static void drawCurve(const char* title, const Session& session,
                          const std::vector<PlotPoint>& curve, double high, std::size_t color) {
        for (const PlotPoint& point : curve)
            if (std::isfinite(point.y))
                high = std::max(high, point.y);
        if (!(high > 0))
            return;
        const ImVec2 size{ImGui::GetContentRegionAvail().x, plotHeight};
        {
            Plot plot(ImGui::GetCursorScreenPos(), size,
                      PlotAxis(0, curve.back().x, PlotAxis::Steps::Decimal),
                      PlotAxis(0, 1.06 * high, PlotAxis::Steps::Decimal), {title, "frame"});
            plot.curve(curve, {.color = plotColor(color), .mark = Mark::Dot});
            plot.verticalLine(session.playback.frame(), faded(plotColor(color), 0.6f));
        }
        ImGui::Dummy(size);
    }

    static void drawErrors(Session& session) {
        LandmarkSession& landmarks = session.landmarks;
        if (ImGui::Button("Reference tracks ..."))
            landmarks.wantedOpenExpert = true;
        tooltip("Tracks of the same points from elsewhere, an expert's or a phantom's: the "
                "distances from them are the target registration errors.");
        if (!landmarks.expert)
            return;
        wrappedText(std::filesystem::path(landmarks.expertFile).filename().string(), dimColor());
        const LandmarkFrame* const figures = figuresAt(landmarks, session.shownFrame);
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

    static void drawKeep(LandmarkSession& landmarks) {
        if (ImGui::Button("Save tracks ..."))
            landmarks.wantedSave = true;
        tooltip("As CSV or Slicer's markups, LPS mm.");
        ImGui::SameLine();
        if (ImGui::Button("Remove"))
            landmarks.wantedClear = true;
        wrappedText("Colors, tails and lost points: View panel.", dimColor());
    }
};

} // namespace

std::unique_ptr<Panel> makeLandmarksPanel() { return std::make_unique<LandmarksPanel>(); }

} // namespace systole
