// Input between two frames: nothing is lost, nothing changes its order.
#include "app/kit/input_queue.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace systole {
namespace {

/// The events of each frame, abbreviated.
std::vector<std::string> framesOf(InputQueue& queue) {
    std::vector<std::string> frames;
    while (!queue.empty()) {
        std::string frame;
        for (const InputEvent& event : queue.takeFrame())
            frame += std::visit(
                [](const auto& e) -> std::string {
                    using Kind = std::remove_cvref_t<decltype(e)>;
                    if constexpr (std::is_same_v<Kind, PointerTo>)
                        return "p" + std::to_string(static_cast<int>(e.x)) + " ";
                    else if constexpr (std::is_same_v<Kind, ModifierKeys>)
                        return e.control ? "ctrl " : "plain ";
                    else if constexpr (std::is_same_v<Kind, ButtonChange>)
                        return e.down ? "press " : "release ";
                    else if constexpr (std::is_same_v<Kind, KeyChange>)
                        return e.down ? "down " : "up ";
                    else if constexpr (std::is_same_v<Kind, TypedText>)
                        return "'" + e.utf8 + "' ";
                    else if constexpr (std::is_same_v<Kind, WheelTurn>)
                        return "wheel ";
                    else
                        return "lost ";
                },
                event);
        frames.push_back(frame);
    }
    return frames;
}

using Frames = std::vector<std::string>;

TEST(InputQueue, APressAndItsReleaseAreSeenApart) {
    InputQueue queue;
    EXPECT_TRUE(queue.takeFrame().empty());
    queue.add(PointerTo{5, 5});
    queue.add(ButtonChange{0, true});
    queue.add(ButtonChange{0, false});
    EXPECT_EQ(framesOf(queue), (Frames{"p5 press ", "release "}));
}

TEST(InputQueue, ADragKeepsWhereItBeganAndEnded) {
    InputQueue queue;
    queue.add(PointerTo{1, 0});
    queue.add(ButtonChange{0, true});
    for (int x = 2; x < 40; ++x)
        queue.add(PointerTo{static_cast<double>(x), 0});
    queue.add(ButtonChange{0, false});
    // A slider takes no move in the frame of the release.
    EXPECT_EQ(framesOf(queue), (Frames{"p1 press ", "p39 ", "release "}));
}

TEST(InputQueue, AModifierHoldsForTheClickItWasPressedFor) {
    InputQueue queue;
    queue.add(ModifierKeys{true, false});
    queue.add(ButtonChange{0, true});
    queue.add(ModifierKeys{true, false}); // stated again, unchanged
    queue.add(ButtonChange{0, false});
    queue.add(ModifierKeys{false, false});
    queue.add(TypedText{"2"});
    EXPECT_EQ(framesOf(queue), (Frames{"ctrl press ", "release ", "plain '2' "}));
}

TEST(InputQueue, TextAndKeysStayInOrder) {
    InputQueue queue;
    for (const char* letter : {"1", "2"})
        queue.add(TypedText{letter});
    queue.add(KeyChange{EditKey::Backspace, true});
    queue.add(KeyChange{EditKey::Backspace, false});
    queue.add(TypedText{"3"});
    queue.add(KeyChange{EditKey::Enter, true});
    EXPECT_EQ(framesOf(queue), (Frames{"'1' '2' ", "down ", "up ", "'3' ", "down "}));
}

TEST(InputQueue, TurnsOfTheWheelAddUp) {
    InputQueue queue;
    queue.add(WheelTurn{0, 1});
    queue.add(WheelTurn{0, 1});
    queue.add(FocusLoss{});
    EXPECT_EQ(framesOf(queue), (Frames{"wheel wheel ", "lost "}));
}

} // namespace
} // namespace systole
