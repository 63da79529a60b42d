// Painting of the viewport: panels and scene, and messages before the first picture.
#include "app/window/viewport.h"

#include <QOpenGLContext>

#include <exception>
#include <utility>

namespace systole {

void Viewport::initializeGL() {
    // The context belongs to the top-level window: it is recreated when the widget moves to another
    // one.
    connect(context(), &QOpenGLContext::aboutToBeDestroyed, this, &Viewport::release,
            Qt::UniqueConnection);
    try {
        panels_.initialize();
        failed_ = false;
    } catch (const std::exception& error) {
        failed_ = true;
        hooks_.failed(error.what());
    }
}

void Viewport::prepareScene() {
    ContextHooks hooks;
    // Not QOpenGLWidget::makeCurrent(), which also binds the widget's framebuffer: VTK asks for its
    // context in the middle of a frame, with a framebuffer of its own bound.
    hooks.makeCurrent = [this] { context()->makeCurrent(context()->surface()); };
    hooks.isCurrent = [this] { return QOpenGLContext::currentContext() == context(); };
    scene_.initialize(hooks);
    arrange();
}

/// Shows a message before the scene is prepared, which may take seconds. True: the message is
/// painted now, and the scene the next time.
bool Viewport::announces() {
    if (std::exchange(announced_, true))
        return false;
    drawScene_ = true;
    panels_.say("Starting …", true);
    drawPanels();
    update();
    return true;
}

void Viewport::drawPanels() {
    const double seconds = 1e-9 * static_cast<double>(sincePaint_.nsecsElapsed());
    sincePaint_.restart();
    panels_.draw(session_, width(), height(), devicePixelRatioF(), seconds);
}

void Viewport::paintGL() {
    if (failed_)
        return;
    try {
        if (!scene_.initialized()) {
            if (announces())
                return;
            prepareScene();
            announced_ = false;
        }
        panels_.say(hooks_.waiting());
        // A panel that was opened or closed changed the wide area.
        if (sceneWidth() != arrangedWidth_ || sceneHeight() != arrangedHeight_)
            arrange();
        if (drawScene_ || panelsOverScene_ || scene_.needsRender()) {
            // The scene fills the upper left of the framebuffer, the panels the rest.
            scene_.draw(defaultFramebufferObject(), height() - sceneHeight());
            drawScene_ = false;
            sceneDrawn_ = true;
        }
        if (scene_.volumeIsDue())
            panels_.say("Drawing the volume …");
        drawPanels();
        panelsOverScene_ = panels_.reachesOverScene();
        if (sceneHeight() != arrangedHeight_)
            update();
    } catch (const std::exception& error) {
        failed_ = true;
        hooks_.failed(error.what());
    }
    if (panels_.wantsDraw() || scene_.volumeIsDue())
        update();
}

RgbaImage Viewport::captureScene() {
    makeCurrent();
    if (!scene_.initialized())
        prepareScene();
    scene_.setInteractive(false); // the picture has full quality; the next tick sets it again
    RgbaImage image = scene_.capture();
    doneCurrent();
    drawScene_ = true;
    update();
    return image;
}

RgbaImage Viewport::drawn(const std::function<RgbaImage(double pixelRatio)>& draw) {
    makeCurrent();
    RgbaImage image = draw(devicePixelRatioF());
    doneCurrent();
    return image;
}

} // namespace systole
