// The live panels: a column of Dear ImGui at the right edge of the view, and a wide area below the
// picture for a panel that needs one, drawn into the bound framebuffer of the current OpenGL
// context. Input is toolkit-neutral; the viewport translates.
#pragma once

#include "app/feature/panel.h"
#include "app/kit/input_queue.h"

#include <functional>
#include <string>
#include <utility>

struct ImGuiContext;

namespace systole {

struct Session;

class ImGuiLayer {
public:
    static constexpr int columnWidth = 304; ///< logical pixels

    explicit ImGuiLayer(Panels& panels); ///< must outlive this
    ~ImGuiLayer();                       ///< call release() before
    ImGuiLayer(const ImGuiLayer&) = delete;
    ImGuiLayer& operator=(const ImGuiLayer&) = delete;

    /// False: the column is hidden, and a wide area has the whole width.
    bool columnShown = true;

    /// Takes a panel's text that the user copies.
    std::function<void(const std::string&)> copy = [](const std::string&) {};

    // --- with the OpenGL context current
    /// Throws std::runtime_error when OpenGL is unavailable.
    void initialize();
    void release();
    /// Draws the visible panels, from (width − columnWidth, 0) down to height, logical pixels.
    /// `seconds`: time since the last draw.
    void draw(Session& session, int width, int height, double pixelRatio, double seconds);
    /// Draws a full page instead of the panels: `content` fills one window.
    void drawPage(int width, int height, double pixelRatio, const std::function<void()>& content);

    /// A sentence in the middle of the views with the next draws, `alone` on black in place of
    /// them; empty: none.
    void say(std::string notice, bool alone = false) {
        notice_ = std::move(notice);
        alone_ = alone;
    }

    /// Width of the column in logical pixels; 0 when it is hidden or no panel is shown.
    int occupiedWidth() const;
    /// Height of the wide area in a view of this height; 0 when no panel needs it.
    int occupiedHeight(int height) const;
    /// True if there is a column or a wide area.
    bool occupiesAny() const { return occupiedWidth() > 0 || widePanel(panels_) != nullptr; }

    /// The last draw extended beyond column and wide area: a tooltip or an open list covers part of
    /// the scene.
    bool reachesOverScene() const { return overScene_; }

    // --- input, positions in logical pixels from the top left of the widget. It is queued: every
    // event reaches the panels, in order, with the next draw() or settle().
    void pointerMoved(double x, double y);
    void pointerLeft();
    void button(int index, bool down); ///< 0 left, 1 right, 2 middle
    void modifiers(bool control, bool shift);
    void wheel(double x, double y);
    void characters(const std::string& utf8);
    void key(EditKey key, bool down); ///< uses the modifiers last given
    void focusLost();                 ///< releases all keys
    void closeLists();                ///< closes drop-down lists, choosing nothing

    /// Lets the panels take the queued input without drawing, so that wantsPointer() and
    /// wantsText() are up to date. Returns true if there was any: then a draw is due, and the
    /// session may have changed.
    bool settle(Session& session);

    // --- state after the last draw() or settle()

    /// The pointer is over the panels, or a drag began there.
    bool wantsPointer() const;
    /// A text field has the keyboard.
    bool wantsText() const;
    /// A drop-down list is open.
    bool listOpen() const;
    /// Input is pending for the next draw, or its effect isn't drawn yet.
    bool wantsDraw() const { return !input_.empty() || settling_ > 0; }

private:
    void makeCurrent() const;
    void rasterizeFont(double pixelRatio);
    void add(InputEvent event, int frames);
    void takeInput();
    void prepare(int width, int height, double pixelRatio);
    void begin(double seconds);
    void layOut(Session& session);
    void drawColumn(Session& session, int width, int height);
    void drawNotice() const;
    void drawPanel(Panel& panel, Session& session);
    void letScroll();
    bool covers(double x, double y) const;

    Panels& panels_;
    ImGuiContext* context_;
    bool initialized_ = false;
    double fontRatio_ = 0; ///< pixel ratio of the rasterized font
    InputQueue input_;
    bool closeLists_ = false;
    std::string notice_;
    bool alone_ = false;
    bool overScene_ = false;
    unsigned openings_ = 0;          ///< number of times that the user has opened a panel
    const Panel* inSight_ = nullptr; ///< the column is kept scrolled to it; of the last layout
    int settling_ = 0;               ///< further frames needed after input
};

} // namespace systole
