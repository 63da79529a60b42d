#include "app/base/plural.h"
#include "app/base/units.h"
#include "app/feature/panel.h"
#include "app/features/registration/registration_tool.h"
#include "app/kit/motion_widgets.h"
#include "app/kit/tool_widgets.h"
#include "compute/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace systole {
namespace {

/// The method's dissimilarity of the images, which is the energy without its penalties: 1 -
/// correlation, -NMI, -LNCC or squared differences.
double dissimilarityOf(const RegistrationPoint& point) {
    return point.energy - point.penalty.value_or(0);
}

bool beginsLevel(const std::vector<RegistrationPoint>& points, std::size_t i) {
    return i > 0 &&
           (points[i].level != points[i - 1].level || points[i].part != points[i - 1].part);
}

std::string numberText(const std::optional<double>& number) {
    return number ? fmt::format("{:g}", *number) : std::string();
}

/// A gap where the level or the part changes: each has energies of its own. And where there is no
/// value.
template <typename Value>
std::vector<PlotPoint> curveOf(const std::vector<RegistrationPoint>& points, const Value& value) {
    std::vector<PlotPoint> curve;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto number = static_cast<double>(points[i].number);
        if (beginsLevel(points, i))
            curve.push_back({number, curveGap});
        curve.push_back({number, value(points[i])});
    }
    return curve;
}

/// Energies of levels aren't comparable: each level has the whole height for its own.
std::vector<PlotPoint> withinLevels(std::vector<PlotPoint> curve) {
    const auto isGap = [](const PlotPoint& point) { return !std::isfinite(point.y); };
    for (auto from = curve.begin(); from != curve.end();) {
        const auto to = std::find_if(from, curve.end(), isGap);
        const auto [least, most] = std::minmax_element(
            from, to, [](const PlotPoint& a, const PlotPoint& b) { return a.y < b.y; });
        const double low = least->y, range = most->y - low;
        for (auto point = from; point != to; ++point)
            point->y = range > 0 ? (point->y - low) / range : 0;
        from = to == curve.end() ? to : std::next(to);
    }
    return curve;
}

std::string measuresText(const RegistrationMeasures& of, std::size_t voxels) {
    return fmt::format("NCC {:.4f} to {:.4f}, NMI {:.4f} to {:.4f}, SSIM {:.4f} to {:.4f}; "
                       "|J| {:.3g} to {:.3g}, on average {:.3g}, {:.2g} % of the voxels fold",
                       of.before.correlation, of.after.correlation, of.before.mutualInformation,
                       of.after.mutualInformation, of.before.structural, of.after.structural,
                       of.jacobian.smallest, of.jacobian.largest, of.volumeChange.mean,
                       100 * static_cast<double>(of.jacobian.folded) / static_cast<double>(voxels));
}

class RegisterPanel : public Panel {
public:
    explicit RegisterPanel(RegistrationTool& tool) : tool_(tool) {}
    const char* title() const override { return "Register"; }

    void draw(Session& session) override {
        try {
            drawImages(session.opened ? session.opened->sequence.frames : 1);
            drawMethod();
        } catch (const ComputeError& error) {
            session.message = error.what();
        }
        drawButtons();
        if (tool_.status.run > 0) {
            ImGui::Separator();
            drawView();
            drawSlider();
            drawFigures();
            drawMeasures();
            drawPictureFigures();
            drawSaving();
            drawCurves();
        }
        if (auto* noise = tool_.noiseAlone())
            if (actionButton("Volume change from noise alone",
                             "Registers the frame shown with itself, where only the noise differs, "
                             "in the panel Bias.",
                             noise->whyNot()))
                noise->showAndStart();
    }

    std::string text(const Session&) const override {
        std::string text =
            tool_.status.name + "\nnumber\tpart\tlevel\titeration\tenergy\tpenalty\tsmallest |J|\n";
        for (const RegistrationPoint& point : tool_.status.points)
            text += fmt::format("{}\t{}\t{}\t{}\t{:g}\t{}\t{}\n", point.number, point.part,
                                point.level, point.iteration, point.energy,
                                numberText(point.penalty), numberText(point.smallestJacobian));
        if (const auto& of = tool_.status.measures) {
            text += measuresText(*of, tool_.status.result->displacement.geometry.voxels()) + "\n";
            for (const std::string& doubt : of->doubts)
                text += doubt + "\n";
        }
        return text;
    }

private:
    void drawImages(int frames) {
        slider("fixed", tool_.fixedFrame, 0, std::max(0, frames - 1), "frame %d");
        if (tool_.movingFile.empty()) {
            if (frames > 1)
                slider("moving", tool_.movingFrame, 0, std::max(0, frames - 1), "frame %d");
            panelLabel(frames > 1 ? "" : "moving");
            if (ImGui::SmallButton("From a file ..."))
                tool_.chooseMovingFile();
            return;
        }
        panelLabel("moving");
        ImGui::TextUnformatted(std::filesystem::path(tool_.movingFile).filename().string().c_str());
        if (ImGui::SmallButton("Another file ..."))
            tool_.chooseMovingFile();
        ImGui::SameLine();
        if (ImGui::SmallButton("A frame"))
            tool_.movingFile.clear();
    }

    void drawMethod() {
        MotionChoice& choice = tool_.choice;
        panelLabel("method");
        if (const MotionMethod* chosen = chooseMethod(*choice.method, registrationMethods()))
            tool_.choose(*chosen);
        if (choice.method->name != affineMethod().name)
            checkbox("affine first", tool_.affineFirst,
                     "An affine registration with its default parameters, from whose result the "
                     "method starts. Off: it starts from the images' positions.");
        panelLabel("backend");
        chooseBackend(choice);
        panelLabel("preset");
        choosePreset(choice);
        parameterTree(
            choice.parameters, choice.backend == Backend::Cuda,
            [&](const std::string& id, ParamValue value) { choice.set(id, std::move(value)); });
    }

    void drawButtons() {
        const bool running = tool_.status.running;
        if (actionButton(running ? "Start again" : "Start", "", tool_.whyNot()))
            tool_.start();
        ImGui::SameLine();
        if (button("Stop", "Ends it; the best iteration so far stays.", running))
            tool_.stop();
        if (tool_.status.run > 0) {
            ImGui::SameLine();
            ImGui::Checkbox("Show", &tool_.shown);
        }
        if (tool_.iteration > 0) {
            ImGui::SameLine();
            if (button(running ? "Newest" : "Best", running ? "Follows the newest iteration again."
                                                            : "Goes to the best iteration."))
                tool_.iteration = 0;
        }
        if (const std::string why = tool_.whyNot(); !why.empty())
            wrappedText("Start waits: " + why, dimColor());
    }

    void drawView() {
        choiceRow(
            "view", systole::name(tool_.view), registrationViews,
            [](RegistrationView view) { return systole::name(view); },
            [&](RegistrationView view) {
                tool_.view = view;
                tool_.shown = true;
            });
        // The text has as many lines as the longest one needs, so that the widgets below stay under
        // the pointer.
        const float width = ImGui::GetContentRegionAvail().x;
        std::ptrdiff_t lines = 1;
        for (const RegistrationView view : registrationViews)
            lines =
                std::max(lines, 1 + std::ranges::count(linesOf(description(view), width), '\n'));
        const KeptRoom room(static_cast<int>(lines));
        wrappedText(description(tool_.view), dimColor());
    }

    /// Goes back to any kept iteration.
    void drawSlider() {
        const RegistrationStatus& status = tool_.status;
        if (status.points.empty())
            return;
        const int newest = status.points.back().number;
        int number = tool_.iteration > 0 ? tool_.iteration : status.running ? newest : status.best;
        if (slider("iteration", number, 1, newest)) {
            tool_.iteration = number;
            tool_.shown = true;
        }
    }

    void drawFigures() const {
        const RegistrationStatus& status = tool_.status;
        if (!status.note.empty())
            wrappedText(status.note, warningColor);
        if (!status.failure.empty())
            return wrappedText(status.failure, warningColor);
        wrappedText(status.name + (status.running  ? ", running"
                                   : status.result ? ", finished in " + secondsText(status.seconds)
                                                   : ", stopped: the best iteration is kept"),
                    plainColor());
        wrappedText(
            fmt::format("{}, {} kept ({:.0f} MB), best {}",
                        plural(static_cast<std::int64_t>(status.points.size()), "iteration"),
                        status.kept.size(), static_cast<double>(status.keptBytes) / 1e6,
                        status.best),
            plainColor());
    }

    /// Draws the measures that the record of 'systole register' has.
    void drawMeasures() const {
        const RegistrationMeasures* const of = tool_.status.measures.get();
        if (!of)
            return;
        wrappedText(measuresText(*of, tool_.status.result->displacement.geometry.voxels()),
                    plainColor());
        for (const std::string& doubt : of->doubts)
            wrappedText(doubt, warningColor);
    }

    void drawSaving() {
        ImGui::TextUnformatted("save");
        ImGui::SameLine();
        if (actionButton("Field ...", "The displacement, LPS mm", tool_.whyNotSaved()))
            tool_.saveField();
        ImGui::SameLine();
        if (actionButton("Transform ...", "Control points, or the affine map",
                         tool_.whyNoTransform()))
            tool_.saveTransform();
        if (actionButton("Warped image ...", "The moving image with the fixed one's voxels",
                         tool_.whyNotSaved()))
            tool_.saveWarped();
        ImGui::SameLine();
        if (actionButton("Labels ...",
                         "A label map of the moving image with the fixed one's voxels",
                         tool_.whyNotSaved()))
            tool_.saveLabels();
    }

    /// Figures of the shown picture, and its time.
    void drawPictureFigures() const {
        if (const RegistrationPicture* of = tool_.figures.get())
            wrappedText(fmt::format("iteration {}: correlation {:.4f}, |J| at least {:.3f}, {:.3g} "
                                    "% folded",
                                    of->number, of->figures->correlation,
                                    of->figures->smallestJacobian, of->figures->foldedPercent),
                        plainColor());
        const RegistrationPicture* const picture = tool_.picture.get();
        if (!picture)
            return;
        std::string text = fmt::format("a picture takes {} ({})", secondsText(picture->seconds),
                                       systole::name(picture->backend));
        if (tool_.picturesPerSecond >= 0.5)
            text += fmt::format("; {:.0f} per second", tool_.picturesPerSecond);
        wrappedText(text, dimColor());
    }

    void drawCurves() const {
        const std::vector<RegistrationPoint>& points = tool_.status.points;
        if (points.size() < 2)
            return;
        draw("dissimilarity, each level in its own range",
             withinLevels(curveOf(points, dissimilarityOf)), 0);
        const bool penalized =
            drawIfAny("weighted penalty, as in the energy", &RegistrationPoint::penalty, 1);
        const bool determined = drawIfAny("smallest |J|, in each level's voxels",
                                          &RegistrationPoint::smallestJacobian, 2);
        if (!penalized && !determined)
            wrappedText("no penalty: " + points.back().part + " reports none apart", dimColor());
    }

    /// The curve of a figure that some iterations have. False: none has it.
    template <typename Figure>
    bool drawIfAny(const char* title, const Figure& figure, std::size_t color) const {
        std::vector<PlotPoint> curve =
            curveOf(tool_.status.points, [&](const RegistrationPoint& point) {
                return (point.*figure).value_or(curveGap);
            });
        const CurveRange range = rangeOf(curve);
        if (range.low > range.high)
            return false;
        draw(title, std::move(curve), color);
        return true;
    }

    void draw(const char* title, std::vector<PlotPoint> points, std::size_t color) const {
        PanelCurve curve{.title = title, .across = "iteration", .points = std::move(points)};
        curve.steps = PlotAxis::Steps::Whole;
        curve.color = color;
        if (tool_.picture)
            curve.now = tool_.picture->number;
        drawCurve(curve, [this](Plot& plot, double high) { drawParts(plot, high); });
    }

    /// Vertical lines at the beginnings of levels and of a chain's parts, with the parts' names.
    void drawParts(Plot& plot, double top) const {
        const std::vector<RegistrationPoint>& points = tool_.status.points;
        for (std::size_t i = 1; i < points.size(); ++i) {
            if (!beginsLevel(points, i))
                continue;
            const auto number = static_cast<double>(points[i].number);
            const bool otherPart = points[i].part != points[i - 1].part;
            plot.verticalLine(number, faded(IM_COL32_WHITE, otherPart ? 0.35f : 0.15f));
            if (otherPart)
                plot.text({number, top}, " " + points[i].part, faded(IM_COL32_WHITE, 0.7f));
        }
    }

    RegistrationTool& tool_;
};

} // namespace

std::unique_ptr<Panel> RegistrationTool::panel() { return std::make_unique<RegisterPanel>(*this); }

} // namespace systole
