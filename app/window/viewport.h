// The widget that hosts scene and panels: owns the OpenGL context, translates input, draws on
// request.
#pragma once

#include "app/feature/tools.h"
#include "app/kit/imgui_layer.h"
#include "render/scene/scene.h"

#include <QElapsedTimer>
#include <QOpenGLWidget>

#include <functional>
#include <optional>
#include <string>

class QKeyEvent;
class QMouseEvent;
class QWheelEvent;

namespace systole {

class Viewport : public QOpenGLWidget {
public:
    /// Callbacks to the window; all are set before the first event.
    struct Hooks {
        std::function<void(bool sceneDrawn)> painted;   ///< a picture is on the screen
        std::function<void()> touched;                  ///< input changed scene or session
        std::function<void(bool turning)> turning;      ///< a drag in the scene began or ended
        std::function<void(const std::string&)> failed; ///< OpenGL is insufficient
        /// The pointer is over the scene; logical pixels.
        std::function<void(double x, double y)> hovered;
        /// Names the work that the first picture waits for; empty: none.
        std::function<std::string()> waiting;
    };

    /// All four must outlive this.
    Viewport(Session& session, Tools& tools, Scene& scene, ImGuiLayer& panels, Hooks hooks,
             QWidget* parent = nullptr);
    ~Viewport() override;

    /// The slice view that the pointer was over last.
    ViewKind lastSliceView() const { return lastSliceView_; }
    /// Adapts the layout after the panels' visibility changed.
    void arrange();
    /// The scene without the panels.
    RgbaImage captureScene();
    /// The picture that `draw` draws with this OpenGL context.
    RgbaImage drawn(const std::function<RgbaImage(double pixelRatio)>& draw);

protected:
    void initializeGL() override;
    void paintGL() override;
    bool event(QEvent* event) override;

private:
    void prepareScene();
    bool announces();
    void drawPanels();
    void release();
    int sceneWidth() const;
    int sceneHeight() const;
    bool overPanels(double x, double y) const;
    bool mouseEvent(const QMouseEvent& event);
    bool toolEvent(const QMouseEvent& event);
    void dropTool();
    bool wheelEvent(const QWheelEvent& event, bool overPanels);
    bool keyEvent(const QKeyEvent& event, bool down);
    void feedPanels();
    void settlePanels();

    Session& session_;
    Tools& tools_;
    Scene& scene_;
    ImGuiLayer& panels_;
    Hooks hooks_;
    QElapsedTimer sincePaint_;
    int arrangedWidth_ = 0, arrangedHeight_ = 0; ///< size of the scene
    bool drawScene_ = true;        ///< the scene in the framebuffer is lost or outdated
    bool sceneDrawn_ = false;      ///< the last paint drew the scene
    bool announced_ = false;       ///< the views say that the scene is being prepared
    bool panelsOverScene_ = false; ///< a tooltip or list covered part of the scene
    bool dragging_ = false;        ///< a button pressed in the scene is still down
    /// The slice view in which a tool was pressed; none: it isn't.
    Tool* pressedTool_ = nullptr; ///< while toolView_ is set
    std::optional<ViewKind> toolView_;
    bool toolOver_ = false; ///< a tool's pointer is over a slice
    bool failed_ = false;
    ViewKind lastSliceView_ = ViewKind::Axial;
};

} // namespace systole
