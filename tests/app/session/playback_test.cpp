// The playback clock and the phase against arithmetic on the durations of the frames.
#include "app/base/rate_meter.h"
#include "app/session/cardiac_phase.h"
#include "app/session/playback.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace systole {
namespace {

Sequence regular(int frames, double seconds) {
    Sequence sequence;
    sequence.frames = frames;
    for (int frame = 0; frame < frames; ++frame)
        sequence.timesSeconds.push_back(frame * seconds);
    sequence.closingSeconds = seconds;
    return sequence;
}

/// Frames of 0.1, 0.4, 0.2 and, over the closing gap, 0.3 seconds.
Sequence irregular() {
    Sequence sequence;
    sequence.frames = 4;
    sequence.timesSeconds = {0, 0.1, 0.5, 0.7};
    sequence.closingSeconds = 0.3;
    return sequence;
}

Playback playing(const Sequence& sequence) {
    Playback playback;
    playback.setSequence(sequence);
    playback.play();
    return playback;
}

TEST(Playback, ShowsTheFrameWhoseTimeIntervalHoldsTheClock) {
    const Sequence sequence = irregular();
    for (double seconds = 0.005; seconds < 3; seconds += 0.01) {
        Playback playback = playing(sequence);
        playback.advance(seconds);
        const double inCycle = std::fmod(seconds, sequence.cycleSeconds());
        int expected = 0;
        while (expected + 1 < sequence.frames &&
               sequence.timesSeconds[static_cast<std::size_t>(expected + 1)] <= inCycle)
            ++expected;
        EXPECT_EQ(playback.frame(), expected) << "after " << seconds << " s";
    }
}

TEST(Playback, ManySmallStepsEndWhereOneLargeStepEnds) {
    Playback one = playing(irregular());
    one.advance(12.345);
    Playback many = playing(irregular());
    for (int i = 0; i < 12345; ++i)
        many.advance(0.001);
    EXPECT_EQ(one.frame(), many.frame());
    EXPECT_NEAR(one.secondsToChange(), many.secondsToChange(), 1e-9);
}

TEST(Playback, SpeedScalesTime) {
    for (const double speed : {0.1, 0.5, 1.0, 4.0}) {
        Playback playback = playing(regular(25, 0.04));
        playback.setSpeed(speed);
        playback.advance(0.5 / speed);
        EXPECT_EQ(playback.frame(), 12) << speed;
        EXPECT_NEAR(playback.secondsToChange(), 0.02 / speed, 1e-9) << speed;
    }
    Playback playback;
    playback.setSpeed(100);
    EXPECT_EQ(playback.speed(), Playback::maximumSpeed);
    playback.setSpeed(-1);
    EXPECT_EQ(playback.speed(), Playback::minimumSpeed);
    playback.setSpeed(std::nan(""));
    EXPECT_EQ(playback.speed(), Playback::minimumSpeed);
}

TEST(Playback, BounceTurnsAtBothEndsAndStaysAsLongOnEachGapBothWays) {
    Playback playback = playing(irregular());
    playback.setOrder(PlayOrder::Bounce);
    // Forwards 0.1, 0.4, 0.2; backwards 0.2, 0.4, 0.1: the closing gap is never played.
    const std::vector<int> order{0, 1, 2, 3, 2, 1, 0, 1};
    const std::vector<double> stays{0.1, 0.4, 0.2, 0.2, 0.4, 0.1, 0.1, 0.4};
    for (std::size_t i = 0; i < order.size(); ++i) {
        EXPECT_EQ(playback.frame(), order[i]) << i;
        EXPECT_NEAR(playback.secondsToChange(), stays[i], 1e-9) << i;
        EXPECT_EQ(playback.advance(playback.secondsToChange() + 1e-12), 0u);
    }
}

TEST(Playback, TheUpcomingFrameIsTheOneThatComes) {
    for (const PlayOrder order : {PlayOrder::Loop, PlayOrder::Bounce, PlayOrder::Once}) {
        Playback playback = playing(irregular());
        playback.setOrder(order);
        for (int change = 0; change < 12 && playback.playing(); ++change) {
            const int upcoming = playback.upcoming(), before = playback.frame();
            playback.advance(playback.secondsToChange() + 1e-12);
            EXPECT_EQ(upcoming, playback.playing() ? playback.frame() : -1) << before;
        }
        playback.pause();
        EXPECT_EQ(playback.upcoming(), -1);
    }
}

TEST(Playback, CountsFramesThatPassedUnseen) {
    Playback playback = playing(regular(10, 0.1));
    EXPECT_EQ(playback.advance(0.05), 0u);
    EXPECT_EQ(playback.advance(0.1), 0u); // now at frame 1
    EXPECT_EQ(playback.advance(0.3), 2u); // now at frame 4: 2 and 3 were not seen
    EXPECT_EQ(playback.frame(), 4);
    EXPECT_EQ(playback.advance(2.0), 19u); // two whole cycles back to frame 4
    EXPECT_EQ(playback.frame(), 4);
    EXPECT_EQ(playback.dropped(), 21u);
    playback.setSequence(regular(10, 0.1));
    EXPECT_EQ(playback.dropped(), 0u);
}

TEST(Playback, StandsStillUnlessItPlays) {
    Playback playback;
    playback.setSequence(regular(5, 0.1));
    EXPECT_EQ(playback.advance(10), 0u);
    EXPECT_EQ(playback.frame(), 0);
    EXPECT_EQ(playback.secondsToChange(), std::numeric_limits<double>::infinity());
    playback.toggle();
    playback.advance(0.25);
    EXPECT_EQ(playback.frame(), 2);
    playback.toggle();
    playback.advance(10);
    EXPECT_EQ(playback.frame(), 2);
}

TEST(Playback, OneFrameCannotPlayAndHasNoPair) {
    Playback playback = playing(regular(1, 0.1));
    EXPECT_FALSE(playback.playing());
    EXPECT_EQ(playback.successor(0), -1);
    playback.step(1);
    EXPECT_EQ(playback.frame(), 0);
}

TEST(Playback, OnceStopsAtTheLastFrameAndStartsAgain) {
    Playback playback = playing(regular(5, 0.1));
    playback.setOrder(PlayOrder::Once);
    playback.advance(0.35);
    EXPECT_EQ(playback.frame(), 3);
    EXPECT_TRUE(playback.playing());
    EXPECT_EQ(playback.advance(100), 0u) << "frames after the last one weren't passed over";
    EXPECT_EQ(playback.frame(), 4);
    EXPECT_FALSE(playback.playing());
    playback.play();
    EXPECT_EQ(playback.frame(), 0);
    playback.advance(0.15);
    EXPECT_EQ(playback.frame(), 1);
}

TEST(Playback, StepsStopAtTheEndsUnlessItLoops) {
    for (const PlayOrder order : {PlayOrder::Bounce, PlayOrder::Once}) {
        Playback playback;
        playback.setSequence(regular(5, 0.1));
        playback.setOrder(order);
        playback.step(-1);
        EXPECT_EQ(playback.frame(), 0);
        playback.step(3);
        EXPECT_EQ(playback.frame(), 3);
        playback.step(7);
        EXPECT_EQ(playback.frame(), 4);
    }
}

TEST(Playback, StepsWrapInALoopAndSeeksClamp) {
    Playback playback;
    playback.setSequence(regular(5, 0.1));
    playback.step(-1);
    EXPECT_EQ(playback.frame(), 4);
    playback.step(2);
    EXPECT_EQ(playback.frame(), 1);
    playback.seek(99);
    EXPECT_EQ(playback.frame(), 4);
    playback.seek(-3);
    EXPECT_EQ(playback.frame(), 0);
    EXPECT_EQ(playback.successor(3), 4);
    EXPECT_EQ(playback.successor(4), 0);
}

TEST(Playback, TimeAndPhaseComeFromTheFileAlone) {
    Playback playback;
    playback.setSequence(irregular());
    playback.seek(2);
    EXPECT_NEAR(playback.milliseconds(), 500, 1e-9);
    EXPECT_NEAR(playback.cycleSeconds(), 1, 1e-9);
    EXPECT_NEAR(playback.secondsFromTo(1, 3), 0.6, 1e-9);
    EXPECT_NEAR(playback.secondsFromTo(3, 1), 0.4, 1e-9); // includes the closing gap

    Sequence unknown;
    unknown.frames = 4;
    playback.setSequence(unknown);
    playback.seek(2);
    EXPECT_FALSE(playback.timeKnown());
    EXPECT_TRUE(std::isnan(playback.milliseconds()));
    EXPECT_TRUE(std::isnan(playback.secondsFromTo(1, 3)));
    EXPECT_EQ(phaseOf(playback, {0, {}}).part, CardiacPhase::Part::Unknown);
    playback.seek(0);
    playback.play();
    playback.advance(0.1); // 25 frames a second
    EXPECT_EQ(playback.frame(), 2);
}

TEST(CardiacPhase, RunsFromTheMarks) {
    using Part = CardiacPhase::Part;
    Playback playback;
    playback.setSequence(irregular()); // frames at 0, 10, 50 and 70 % of the cycle
    const auto expect = [&](int frame, const CardiacMarks& marks, Part part, double percent) {
        playback.seek(frame);
        const CardiacPhase phase = phaseOf(playback, marks);
        EXPECT_EQ(phase.part, part) << frame;
        EXPECT_NEAR(phase.percent, percent, 1e-9) << frame;
    };
    expect(2, {}, Part::Cycle, 50);
    expect(2, {1, {}}, Part::SinceMarked, 40);
    expect(0, {1, {}}, Part::SinceMarked, 90); // frame 0 of the next cycle
    expect(0, {{}, 3}, Part::SinceMarked, 30);
    const CardiacMarks both{.endDiastole = 1, .endSystole = 3};
    expect(1, both, Part::Systole, 0);
    expect(2, both, Part::Systole, 100 * 0.4 / 0.6);
    expect(3, both, Part::Diastole, 0);
    expect(0, both, Part::Diastole, 100 * 0.3 / 0.4);
    // A sequence that starts in systole.
    const CardiacMarks wrapped{.endDiastole = 3, .endSystole = 1};
    expect(3, wrapped, Part::Systole, 0);
    expect(0, wrapped, Part::Systole, 75);
    expect(2, wrapped, Part::Diastole, 100 * 0.4 / 0.6);
    // Marks that say nothing.
    expect(2, {.endDiastole = 1, .endSystole = 1}, Part::SinceMarked, 40);
    expect(2, {.endDiastole = 17, .endSystole = -1}, Part::Cycle, 50);
}

TEST(Playback, NewTimesKeepTheFrame) {
    Playback playback;
    Sequence unknown;
    unknown.frames = 4;
    playback.setSequence(unknown);
    playback.seek(3);
    playback.setTimes(irregular());
    EXPECT_EQ(playback.frame(), 3);
    EXPECT_NEAR(playback.milliseconds(), 700, 1e-9);
}

TEST(Playback, NothingOpenIsHarmless) {
    Playback playback;
    playback.play();
    playback.step(1);
    playback.seek(2);
    EXPECT_EQ(playback.advance(1), 0u);
    EXPECT_EQ(playback.frames(), 0);
    EXPECT_FALSE(playback.playing());
}

TEST(RateMeter, GivesTheRateAndSinksWhenTheNextIsLate) {
    using namespace std::chrono_literals;
    const RateMeter::Clock::time_point start{};
    RateMeter meter(4);
    EXPECT_EQ(meter.perSecond(start), 0);
    for (int i = 0; i <= 10; ++i)
        meter.add(start + i * 50ms);
    const auto last = start + 500ms;
    EXPECT_NEAR(meter.perSecond(last), 20, 1e-9);
    EXPECT_NEAR(meter.perSecond(last + 30ms), 20, 1e-9);
    EXPECT_NEAR(meter.perSecond(last + 250ms), 10, 1e-9); // 4 intervals in 0.4 s
    EXPECT_EQ(meter.perSecond(last + 4s), 0);
}

} // namespace
} // namespace systole
