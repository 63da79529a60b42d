// The live panels: a column of Dear ImGui at the right edge of the view, and a wide place below the
// picture for the panel that needs one, drawn into the bound framebuffer of the current OpenGL
// context. Fed with neutral input; the viewport translates.
#pragma once

#include "app/panels/panel.h"

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

struct ImGuiContext;

namespace systole {

struct Session;

/// The keys that a text field needs besides characters.
enum class EditKey { Left, Right, Home, End, Backspace, Delete, Enter, Escape, Tab, A, C, V, X };

class ImGuiLayer {
public:
    static constexpr int columnWidth = 304; ///< logical pixels

    explicit ImGuiLayer(Panels& panels); ///< outlives this
    ~ImGuiLayer();                       ///< after release()
    ImGuiLayer(const ImGuiLayer&) = delete;
    ImGuiLayer& operator=(const ImGuiLayer&) = delete;

    // --- context current
    /// Throws std::runtime_error when there is no OpenGL to be had.
    void initialize();
    void release();
    /// The panels that are shown, from (width − columnWidth, 0) down to height, logical pixels.
    /// `seconds` since the last draw.
    void draw(Session& session, int width, int height, double pixelRatio, double seconds);
    /// A page of its own in place of the panels: `content` fills a window over the whole of it.
    void drawPage(int width, int height, double pixelRatio, const std::function<void()>& content);

    /// Logical pixels that the column takes from the view: 0 when no panel is shown.
    int occupiedWidth() const;
    /// That the wide place takes of a view of this height, from below: 0 when no panel needs one.
    int occupiedHeight(int height) const;

    /// The last draw left column and wide place: a tooltip or an open list covers some of the
    /// scene.
    bool reachesOverScene() const { return overScene_; }

    // --- input, positions in logical pixels from the top left of the widget
    void pointerMoved(double x, double y);
    void pointerLeft();
    void button(int index, bool down); ///< 0 left, 1 right, 2 middle
    void modifiers(bool control, bool shift);
    void wheel(double x, double y);
    void characters(const std::string& utf8);
    void key(EditKey key, bool down); ///< with the modifiers last given

    /// The pointer is over a place of the panels, or drags something there.
    bool wantsPointer() const;
    /// A text field has the keyboard.
    bool wantsText() const;
    /// Input waits for the next draw, or an answer to the last one is to be drawn.
    bool wantsDraw() const { return !buttons_.empty() || settling_ > 0; }

private:
    struct ButtonEvent {
        int index = 0;
        bool down = false;
    };
    void makeCurrent() const;
    void rasterizeFont(double pixelRatio);
    void takeInput();
    void begin(int width, int height, double pixelRatio, double seconds);
    void layOut(Session& session, int width, int height);
    void drawPanel(Panel& panel, Session& session);
    void letScroll();
    Panel* widePanel() const;
    bool covers(double x, double y) const;

    Panels& panels_;
    ImGuiContext* context_;
    bool initialized_ = false;
    double fontRatio_ = 0; ///< pixel ratio that the font was made for
    std::deque<ButtonEvent> buttons_;
    bool overScene_ = false;
    int settling_ = 0; ///< draws still owed after input
};

} // namespace systole
