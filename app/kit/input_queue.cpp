#include "app/kit/input_queue.h"

#include <utility>

namespace systole {
namespace {

template <typename Kind>
bool is(const InputEvent& event) {
    return std::holds_alternative<Kind>(event);
}

/// True if a frame that took `last` can take `next` too without losing or reordering anything.
bool mayFollow(const InputEvent& last, const InputEvent& next) {
    // A slider doesn't look at the pointer in the frame of a release: motion before the release
    // needs a frame of its own.
    if (const auto* button = std::get_if<ButtonChange>(&next); button && !button->down)
        return false;
    if (is<PointerTo>(last) || is<ModifierKeys>(last))
        return true;
    return (is<TypedText>(last) && is<TypedText>(next)) ||
           (is<WheelTurn>(last) && is<WheelTurn>(next));
}

} // namespace

void InputQueue::add(InputEvent event) {
    // Each pointer event states the modifiers anew; only changes take part.
    if (const auto* modifiers = std::get_if<ModifierKeys>(&event))
        if (*modifiers == std::exchange(modifiers_, *modifiers))
            return;
    if (is<PointerTo>(event) && !events_.empty() && is<PointerTo>(events_.back()))
        events_.pop_back(); // only where it arrives counts
    events_.push_back(std::move(event));
}

std::vector<InputEvent> InputQueue::takeFrame() {
    std::vector<InputEvent> frame;
    while (!events_.empty() && (frame.empty() || mayFollow(frame.back(), events_.front()))) {
        frame.push_back(std::move(events_.front()));
        events_.pop_front();
    }
    return frame;
}

} // namespace systole
