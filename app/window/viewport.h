// The widget that hosts scene and panels: owns the OpenGL context, translates input, draws when
// asked.
#pragma once

#include "app/live/session.h"
#include "app/panels/imgui_layer.h"
#include "render/scene.h"

#include <QElapsedTimer>
#include <QOpenGLWidget>

#include <functional>
#include <string>

class QKeyEvent;
class QMouseEvent;
class QWheelEvent;

namespace systole {

class Viewport : public QOpenGLWidget {
public:
    /// What the window wants to hear of; each is set before the first event.
    struct Hooks {
        std::function<void(bool sceneDrawn)> painted;    ///< a picture is on the screen
        std::function<void()> touched;                   ///< input changed scene or session
        std::function<void(bool turning)> turning;       ///< a drag in the scene began or ended
        std::function<void(const std::string&)> failed;  ///< OpenGL isn't what it must be
        std::function<void(double x, double y)> hovered; ///< over the scene, logical pixels
    };

    /// All three outlive this.
    Viewport(Session& session, Scene& scene, ImGuiLayer& panels, Hooks hooks,
             QWidget* parent = nullptr);
    ~Viewport() override;

    /// The slice view that the pointer was over last.
    ViewKind lastSliceView() const { return lastSliceView_; }
    /// Shows or hides the column anew after the panels' visibility changed.
    void arrange();
    /// The scene alone, without the panels.
    RgbaImage captureScene();
    /// The laboratory's page, in this context.
    RgbaImage captureLaboratory(const lab::LabAnswer& answer);

protected:
    void initializeGL() override;
    void paintGL() override;
    bool event(QEvent* event) override;

private:
    void release();
    int sceneWidth() const;
    int sceneHeight() const;
    bool overPanels(double x, double y) const;
    bool mouseEvent(const QMouseEvent& event);
    bool wheelEvent(const QWheelEvent& event, bool overPanels);
    bool keyEvent(const QKeyEvent& event, bool down);
    void feedPanels();

    Session& session_;
    Scene& scene_;
    ImGuiLayer& panels_;
    Hooks hooks_;
    QElapsedTimer sincePaint_;
    int arrangedWidth_ = 0, arrangedHeight_ = 0; ///< of the scene
    bool drawScene_ = true;        ///< the scene's picture in the framebuffer is gone or outdated
    bool sceneDrawn_ = false;      ///< by the last paint
    bool panelsOverScene_ = false; ///< a tooltip or list covered some of it
    bool dragging_ = false;        ///< a button pressed in the scene is down
    bool failed_ = false;
    ViewKind lastSliceView_ = ViewKind::Axial;
};

} // namespace systole
