// The lessons' window, and the experiments that it starts in the main one.
#pragma once

#include "app/window/lessons_window.h"

#include <QRect>
#include <QRegion>

#include <functional>
#include <memory>
#include <utility>

namespace systole {

class ImGuiLayer;
class Tools;
class Viewport;

class LessonRuns {
public:
    /// `window` is the main one, with the viewport and the layer of its panels; they and the tools
    /// outlive this object. `tick` updates what is shown.
    LessonRuns(QWidget& window, Tools& tools, ImGuiLayer& layer, Viewport& viewport,
               std::function<void()> tick);

    /// Shows the page of a lesson; 0: the one shown last.
    void show(int number = 0);
    /// Asks the laboratory the lesson's question and opens its panel; of one without kernels or a
    /// command the frame shown is registered with itself under fresh noise; of one with a command
    /// nothing.
    void run(const Lesson& lesson);
    /// Shows the state or result of the experiment in the lessons' window, where there is one.
    void follow();
    LessonsWindow* window() { return lessons_.get(); } ///< null before show()

private:
    /// Screen areas of an experiment, its plots and the panels, and of the views above the plots.
    std::pair<QRegion, QRect> experimentOnScreen() const;
    void uncoverExperiment();

    QWidget& window_;
    Tools& tools_;
    ImGuiLayer& layer_;
    Viewport& viewport_;
    std::function<void()> tick_;
    std::unique_ptr<LessonsWindow> lessons_; ///< null until first shown
};

} // namespace systole
