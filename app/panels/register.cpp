#include "app/live/session.h"
#include "app/panels/panels.h"
#include "app/panels/parameter_widget.h"
#include "app/panels/plot.h"
#include "app/panels/widgets.h"
#include "app/registration/methods.h"
#include "app/units.h"
#include "compute/core/error.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace systole {
namespace {

constexpr float labelWidth = 104, plotHeight = 104;

constexpr double gap = std::numeric_limits<double>::quiet_NaN();

/// What the images lack in similarity, as the method measures it: 1 - correlation, -NMI, -LNCC or
/// squared differences. The energy without its penalties.
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
            curve.push_back({number, gap});
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

class RegisterPanel : public Panel {
public:
    const char* title() const override { return "Register"; }

    void draw(Session& session) override {
        RegistrationSession& registration = session.registration;
        try {
            drawImages(session);
            drawMethod(registration);
        } catch (const ComputeError& error) {
            session.message = error.what();
        }
        drawButtons(session);
        if (registration.status.run > 0) {
            ImGui::Separator();
            drawView(registration);
            drawSlider(registration);
            drawFigures(registration);
            drawPictureFigures(registration);
            drawCurves(registration);
        }
        drawNoiseAlone(session);
    }

    std::string text(const Session& session) const override {
        const RegistrationStatus& status = session.registration.status;
        std::string text =
            status.name + "\nnumber\tpart\tlevel\titeration\tenergy\tpenalty\tsmallest |J|\n";
        for (const RegistrationPoint& point : status.points)
            text += fmt::format("{}\t{}\t{}\t{}\t{:g}\t{}\t{}\n", point.number, point.part,
                                point.level, point.iteration, point.energy,
                                numberText(point.penalty), numberText(point.smallestJacobian));
        return text;
    }

private:
    static void drawFrame(const char* label, const char* id, int frames, int& frame) {
        panelLabel(label, labelWidth);
        ImGui::SliderInt(id, &frame, 0, std::max(0, frames - 1), "frame %d",
                         ImGuiSliderFlags_AlwaysClamp);
    }

    static void drawImages(Session& session) {
        RegistrationSession& registration = session.registration;
        const int frames = session.opened ? session.opened->sequence.frames : 1;
        drawFrame("fixed", "##fixed", frames, registration.fixedFrame);
        if (registration.movingFile.empty()) {
            drawFrame("moving", "##moving", frames, registration.movingFrame);
            if (ImGui::SmallButton("From a file ..."))
                registration.wantedFile = true;
            return;
        }
        panelLabel("moving", labelWidth);
        ImGui::TextUnformatted(
            std::filesystem::path(registration.movingFile).filename().string().c_str());
        if (ImGui::SmallButton("Another file ..."))
            registration.wantedFile = true;
        ImGui::SameLine();
        if (ImGui::SmallButton("A frame"))
            registration.movingFile.clear();
    }

    static void drawMethod(RegistrationSession& registration) {
        MotionChoice& choice = registration.choice;
        panelLabel("method", labelWidth);
        if (ImGui::BeginCombo("##method", choice.method->name.c_str())) {
            for (const MotionMethod& method : registrationMethods())
                if (ImGui::Selectable(method.name.c_str(), choice.method == &method))
                    registration.choose(method);
            ImGui::EndCombo();
        }
        if (ImGui::IsItemHovered())
            wrappedTooltip(choice.method->title);
        drawStart(registration);
        drawBackend(choice);
        panelLabel("preset", labelWidth);
        if (ImGui::BeginCombo("##preset", choice.preset.c_str())) {
            for (const std::string& preset : choice.method->parameters->presets())
                if (ImGui::Selectable(preset.c_str(), choice.preset == preset))
                    choice.choosePreset(preset);
            ImGui::EndCombo();
        }
        if (!ImGui::TreeNode("Parameters"))
            return;
        for (const ParamRow& row : choice.method->parameters->rows()) {
            if (row.cudaOnly && choice.backend != Backend::Cuda)
                continue;
            ImGui::PushID(row.id.c_str());
            ParamValue value = choice.parameters.value(row.id);
            panelLabel(row.label().c_str(), labelWidth);
            if (editParameter(row, value))
                choice.set(row.id, std::move(value));
            if (ImGui::IsItemHovered() && !ImGui::IsItemActive())
                wrappedTooltip(row.labelWithId() + ": " + row.help);
            ImGui::PopID();
        }
        ImGui::TreePop();
    }

    static void drawStart(RegistrationSession& registration) {
        if (registration.choice.method->name == affineMethod().name)
            return;
        panelLabel("affine first", labelWidth);
        ImGui::Checkbox("##affine", &registration.affineFirst);
        if (ImGui::IsItemHovered())
            wrappedTooltip("An affine registration with its default parameters, from whose result "
                           "the method starts. Off: it starts from where the images lie.");
    }

    static void drawBackend(MotionChoice& choice) {
        panelLabel("backend", labelWidth);
        if (ImGui::BeginCombo("##backend", systole::name(choice.backend))) {
            for (const Backend backend : choice.method->backends)
                if (ImGui::Selectable(systole::name(backend), choice.backend == backend))
                    choice.chooseBackend(systole::name(backend));
            ImGui::EndCombo();
        }
        if (ImGui::IsItemHovered())
            wrappedTooltip(choice.backendReason);
    }

    static void drawButtons(Session& session) {
        RegistrationSession& registration = session.registration;
        const std::string why = whyNoRegistration(session);
        ImGui::BeginDisabled(!why.empty());
        if (ImGui::Button(registration.status.running ? "Start again" : "Start"))
            registration.wantedStart = true;
        ImGui::EndDisabled();
        if (!why.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
            wrappedTooltip("Not now: " + why + ".");
        ImGui::SameLine();
        ImGui::BeginDisabled(!registration.status.running);
        if (ImGui::Button("Stop"))
            registration.wantedStop = true;
        ImGui::EndDisabled();
        if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
            wrappedTooltip("Ends it; the best iteration so far stays.");
        if (registration.status.run > 0) {
            ImGui::SameLine();
            ImGui::Checkbox("Show", &registration.shown);
        }
        if (registration.wantedNumber > 0) {
            ImGui::SameLine();
            if (ImGui::Button(registration.status.running ? "Newest" : "Best"))
                registration.wantedNumber = 0;
            if (ImGui::IsItemHovered())
                wrappedTooltip(registration.status.running ? "Follows the newest iteration again."
                                                           : "Goes to the best iteration.");
        }
    }

    /// What the methods find where there is nothing to find.
    static void drawNoiseAlone(Session& session) {
        const std::string why = whyNoBias(session);
        ImGui::BeginDisabled(!why.empty());
        if (ImGui::Button("Volume change from noise alone"))
            session.bias.wantedPanel = true;
        ImGui::EndDisabled();
        if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
            wrappedTooltip(why.empty() ? "Registers the frame shown with itself, where only the "
                                         "noise differs, in the panel Bias."
                                       : "Not now: " + why + ".");
    }

    static void drawView(RegistrationSession& registration) {
        panelLabel("view", labelWidth);
        if (ImGui::BeginCombo("##view", name(registration.view))) {
            for (const RegistrationView view : registrationViews)
                if (ImGui::Selectable(name(view), registration.view == view)) {
                    registration.view = view;
                    registration.shown = true;
                }
            ImGui::EndCombo();
        }
        wrappedText(description(registration.view), dimColor());
    }

    /// Goes back to any kept iteration.
    static void drawSlider(RegistrationSession& registration) {
        const RegistrationStatus& status = registration.status;
        if (status.points.empty())
            return;
        const int newest = status.points.back().number;
        int number = registration.wantedNumber > 0 ? registration.wantedNumber
                     : status.running              ? newest
                                                   : status.best;
        panelLabel("iteration", labelWidth);
        if (ImGui::SliderInt("##iteration", &number, 1, newest, "%d",
                             ImGuiSliderFlags_AlwaysClamp)) {
            registration.wantedNumber = number;
            registration.shown = true;
        }
    }

    static void drawFigures(const RegistrationSession& registration) {
        const RegistrationStatus& status = registration.status;
        const auto line = [](const std::string& text) { wrappedText(text, plainColor()); };
        if (!status.note.empty())
            wrappedText(status.note, warningColor);
        if (!status.failure.empty())
            return wrappedText(status.failure, warningColor);
        line(status.name + (status.running   ? ", running"
                            : status.stopped ? ", stopped: the best iteration is kept"
                                             : ", finished in " + secondsText(status.seconds)));
        line(fmt::format("{} iterations, {} kept ({:.0f} MB), best {}", status.points.size(),
                         status.kept.size(), static_cast<double>(status.keptBytes) / 1e6,
                         status.best));
    }

    /// What the shown picture is, and what it takes.
    static void drawPictureFigures(const RegistrationSession& registration) {
        if (const RegistrationPicture* of = registration.figures.get())
            wrappedText(fmt::format("iteration {}: correlation {:.4f}, |J| at least {:.3f}, {:.3g} "
                                    "% folded",
                                    of->number, of->figures->correlation,
                                    of->figures->smallestJacobian, of->figures->foldedPercent),
                        plainColor());
        const RegistrationPicture* const picture = registration.picture.get();
        if (!picture)
            return;
        std::string text = fmt::format("a picture takes {} ({})", secondsText(picture->seconds),
                                       systole::name(picture->backend));
        if (registration.picturesPerSecond >= 0.5)
            text += fmt::format("; {:.0f} per second", registration.picturesPerSecond);
        wrappedText(text, dimColor());
    }

    static void drawCurves(const RegistrationSession& registration) {
        const std::vector<RegistrationPoint>& points = registration.status.points;
        if (points.size() < 2)
            return;
        drawCurve("dissimilarity, of each level's range", registration,
                  withinLevels(curveOf(points, dissimilarityOf)), 0);
        const bool penalized = drawIfAny("weighted penalty, as in the energy", registration,
                                         &RegistrationPoint::penalty, 1);
        const bool determined = drawIfAny("smallest |J|, on each level's grid", registration,
                                          &RegistrationPoint::smallestJacobian, 2);
        if (!penalized && !determined)
            wrappedText("no penalty: " + points.back().part + " reports none apart", dimColor());
    }

    /// The curve of a figure that some iterations have. False: none has it.
    template <typename Figure>
    static bool drawIfAny(const char* title, const RegistrationSession& registration,
                          const Figure& figure, std::size_t color) {
        const std::vector<RegistrationPoint>& points = registration.status.points;
        const auto value = [&](const RegistrationPoint& point) {
            return (point.*figure).value_or(gap);
        };
        if (std::ranges::none_of(points, [&](const RegistrationPoint& point) {
                return std::isfinite(value(point));
            }))
            return false;
        drawCurve(title, registration, curveOf(points, value), color);
        return true;
    }

    static void drawCurve(const char* title, const RegistrationSession& registration,
                          const std::vector<PlotPoint>& curve, std::size_t color) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (const PlotPoint& point : curve)
            if (std::isfinite(point.y)) {
                low = std::min(low, point.y);
                high = std::max(high, point.y);
            }
        const ImVec2 size{ImGui::GetContentRegionAvail().x, plotHeight};
        {
            Plot plot(ImGui::GetCursorScreenPos(), size,
                      PlotAxis(1, curve.back().x, PlotAxis::Steps::Decimal),
                      PlotAxis(low, high, PlotAxis::Steps::Decimal), {title, "iteration"});
            plot.curve(curve, {.color = plotColor(color)});
            drawParts(plot, registration.status.points, high);
            if (registration.picture)
                plot.verticalLine(registration.picture->number, faded(plotColor(color), 0.6f));
        }
        ImGui::Dummy(size);
    }

    /// Where the second part of a chain begins.
    static void drawParts(Plot& plot, const std::vector<RegistrationPoint>& points, double top) {
        for (std::size_t i = 1; i < points.size(); ++i)
            if (points[i].part != points[i - 1].part) {
                const auto number = static_cast<double>(points[i].number);
                plot.verticalLine(number, faded(IM_COL32_WHITE, 0.35f));
                plot.text({number, top}, " " + points[i].part, faded(IM_COL32_WHITE, 0.7f));
            }
    }
};

} // namespace

std::unique_ptr<Panel> makeRegisterPanel() { return std::make_unique<RegisterPanel>(); }

} // namespace systole
