// Input of the panels, in the order in which it happened, until a frame of Dear ImGui takes it.
// Dear ImGui 1.86 has no queue of its own: once per frame it looks at where the pointer is and
// which keys are down, so a press and its release between two frames would leave no trace.
#pragma once

#include <deque>
#include <string>
#include <variant>
#include <vector>

namespace systole {

/// Keys that a text field needs in addition to characters.
enum class EditKey {
    Left,
    Right,
    Home,
    End,
    Backspace,
    Delete,
    Enter,
    Escape,
    Tab,
    A,
    C,
    V,
    X,
    Y,
    Z
};

struct PointerTo {
    double x = 0, y = 0; ///< logical pixels from the top left
};
struct ModifierKeys {
    bool control = false, shift = false;
    bool operator==(const ModifierKeys&) const = default;
};
struct ButtonChange {
    int index = 0; ///< 0 left, 1 right, 2 middle
    bool down = false;
};
struct KeyChange {
    EditKey key = EditKey::Left;
    bool down = false;
};
struct TypedText {
    std::string utf8;
};
struct WheelTurn {
    double x = 0, y = 0; ///< notches
};
struct FocusLoss {};

using InputEvent =
    std::variant<PointerTo, ModifierKeys, ButtonChange, KeyChange, TypedText, WheelTurn, FocusLoss>;

class InputQueue {
public:
    void add(InputEvent event);
    bool empty() const { return events_.empty(); }

    /// Removes and returns the events that the next frame can take together: pointer moves and
    /// modifiers, then one change of a button or key, or the text or turns of the wheel in a row.
    /// Empty when there are none.
    std::vector<InputEvent> takeFrame();

private:
    std::deque<InputEvent> events_;
    ModifierKeys modifiers_; ///< state after the last add()
};

} // namespace systole
