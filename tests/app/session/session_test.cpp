// State and measurements of the window, tested without the window.
#include "app/base/error.h"
#include "app/base/plural.h"
#include "app/feature/panel.h"
#include "app/feature/tools.h"
#include "app/pictures/motion_options.h"
#include "app/session/comparison.h"
#include "app/session/session.h"
#include "app/window/display_log.h"
#include "compute/core/error.h"
#include "compute/motion/methods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <string>

namespace systole {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(MotionChoice, CountsEveryChangeThatMakesFieldsOutdated) {
    MotionChoice choice;
    EXPECT_EQ(choice.preset, "default");
    const std::uint64_t start = choice.revision;
    const double alpha = choice.parameters.real("alpha");
    choice.set("alpha", alpha);
    EXPECT_EQ(choice.revision, start); // nothing changed
    choice.set("alpha", 2 * alpha);
    EXPECT_EQ(choice.revision, start + 1);
    EXPECT_THROW(choice.set("alpha", -1.0), ComputeError);
    EXPECT_EQ(choice.revision, start + 1);
    EXPECT_EQ(choice.parameters.real("alpha"), 2 * alpha);
    choice.choosePreset("default");
    EXPECT_EQ(choice.revision, start + 2);
    EXPECT_EQ(choice.parameters.real("alpha"), alpha);
    choice.setBackend(Backend::CpuReference);
    EXPECT_EQ(choice.revision, start + 3);
    EXPECT_EQ(choice.backendReason, "requested");
    choice.setBackend(Backend::CpuReference);
    EXPECT_EQ(choice.revision, start + 3);
}

TEST(MotionChoice, SaysWhyItsBackend) {
    const MotionChoice choice;
    EXPECT_THAT(choice.backendReason, HasSubstr("auto"));
}

TEST(MotionChoice, TheRightSideStartsAsTheOtherFormOfTheLeft) {
    Session session;
    EXPECT_NE(session.compared.backend, session.motion.backend);
    EXPECT_TRUE(differingParameters(session.motion, session.compared).empty());
    session.motion.set("rho", 2.0);
    const std::uint64_t before = session.compared.revision;
    session.compared.copyFrom(session.motion);
    EXPECT_GT(session.compared.revision, before);
    EXPECT_EQ(session.compared.backend, session.motion.backend);
    EXPECT_EQ(session.compared.parameters.real("rho"), 2.0);
}

TEST(MotionOptions, AskForMethodPresetParametersAndBackend) {
    MotionOptions left, right;
    left.preset = "paper";
    left.assignments = {"alpha=12", "solver=red-black"};
    right.variants = {"sweep=direct"};
    right.assignments = {"alpha=3", "rho=2"};
    Session session;
    applyMotionOptions(session, left, right);
    EXPECT_EQ(session.motion.preset, "paper");
    EXPECT_EQ(session.motion.parameters.real("alpha"), 12);
    EXPECT_EQ(session.motion.parameters.choice("solver"), "red-black");
    // Settings that needn't differ are as on the left, the backend too.
    EXPECT_EQ(session.compared.backend, session.motion.backend);
    EXPECT_EQ(session.compared.preset, "paper");
    EXPECT_EQ(session.compared.parameters.choice("solver"), "red-black");
    EXPECT_EQ(session.compared.parameters.choice("variant-sweep"), "direct");
    const auto differences = differingParameters(session.motion, session.compared);
    ASSERT_EQ(differences.size(), 2u);
    EXPECT_EQ(differences[0].id, "alpha");
    EXPECT_EQ(differences[0].left, "12");
    EXPECT_EQ(differences[0].right, "3");
    EXPECT_EQ(differences[1].id, "rho");

    right = {};
    right.backend = "cpu-reference";
    applyMotionOptions(session, left, right);
    EXPECT_EQ(session.compared.backend, Backend::CpuReference);
    EXPECT_EQ(session.compared.backendReason, "requested");
}

TEST(MotionOptions, RefuseWhatThereIsNot) {
    MotionChoice choice;
    const auto refuses = [&](const MotionOptions& options) {
        EXPECT_THROW(options.apply(choice), UsageError);
    };
    refuses({.method = "psychic"});
    refuses({.preset = "bold"});
    refuses({.variants = {"sweep=psychic"}});
    refuses({.variants = {"psychic=direct"}});
    refuses({.assignments = {"alpha=-1"}});
    refuses({.assignments = {"alfa=1"}});
    for (const char* text : {"alpha", "=1", "alpha="}) {
        const MotionOptions options{.assignments = {text}};
        EXPECT_THROW(options.apply(choice), UsageError) << text;
    }
}

TEST(Comparison, TimesAreOfThePairsThatBothSidesHaveEstimated) {
    Session session;
    EXPECT_FALSE(pairedTimes(session).ratio());
    const auto add = [](TimingLog& log, int fixed, double seconds) {
        TimingSample sample;
        sample.fixedFrame = fixed;
        sample.movingFrame = fixed + 1;
        sample.estimationSeconds = seconds;
        sample.iterations = 7 + fixed;
        log.add(sample);
    };
    add(session.timing, 9, 100);             // one side only
    for (const double seconds : {50.0, 0.1}) // the newest counts
        add(session.timing, 0, seconds);
    add(session.timing, 1, 0.2);
    add(session.timing, 2, 0.3);
    EXPECT_FALSE(pairedTimes(session).ratio());
    add(session.right.timing, 2, 0.9);
    add(session.right.timing, 8, 100);
    add(session.right.timing, 0, 0.4);
    add(session.right.timing, 1, 0.4);
    const PairedTimes times = pairedTimes(session);
    ASSERT_EQ(times.pairs.size(), 3u);
    EXPECT_NEAR(*times.ratio(), 3, 1e-12) << "the median of 4, 2 and 3";
    EXPECT_NEAR(times.left.median, 0.2, 1e-12);
    EXPECT_NEAR(times.left.low, 0.15, 1e-12);
    EXPECT_NEAR(times.right.high, 0.65, 1e-12);
    EXPECT_EQ(times.pairs.back().left->iterations, times.pairs.back().right->iterations);
    EXPECT_THAT(comparisonText(session),
                HasSubstr("right over left, median of the same pairs\t3\n"));
    EXPECT_THAT(comparisonText(session), HasSubstr("pairs of both\t3\n"));
}

TEST(Comparison, SidesOnTheProcessorTakeTurns) {
    MotionChoice left, right;
    left.backend = Backend::Cpu;
    right.backend = Backend::CpuReference;
    EXPECT_TRUE(takesTurns(left, right));
    right.window = 5; // a window estimates in the order of its frames
    EXPECT_FALSE(takesTurns(left, right));
    right.window = 0;
    right.backend = Backend::Cuda;
    EXPECT_FALSE(takesTurns(left, right)) << "they share nothing";
}

TEST(Comparison, LabelsSayWhatTheViewsShow) {
    Session session;
    session.display.layout = Layout::SideBySide;
    session.shownFrame = 3;
    session.motion.setBackend(Backend::Cuda);
    session.compared.setBackend(Backend::Cpu);
    const auto found = std::make_shared<FrameResult>();
    found->backend = Backend::Cpu; // estimated before the device came back
    TimingSample later;
    later.backend = Backend::Cuda;
    session.timing.add(later);
    session.result = found;
    EXPECT_THAT(sidesOf(session).leftLabel, HasSubstr("left: cpu (not cuda), "));
    EXPECT_THAT(sidesOf(session).rightLabel, HasSubstr("estimating"));
    session.right.estimation.message = "out of memory";
    EXPECT_THAT(sidesOf(session).rightLabel, HasSubstr("no motion: see the panel"));
    EXPECT_THAT(sidesOf(session).differenceLabel, HasSubstr("no motion to compare"));
    session.right.estimation.message.clear();
    session.result.reset();
    session.motion.setWindow(1);
    session.compared.setWindow(1);
    session.shownFrame = 0;
    const SideBySide sides = sidesOf(session);
    EXPECT_THAT(sides.leftLabel, HasSubstr("motion begins in this frame"));
    EXPECT_THAT(sides.rightLabel, HasSubstr("motion begins in this frame"));
    EXPECT_THAT(sides.differenceLabel, HasSubstr("no motion to compare"));
}

TEST(Panels, AreFoundByTitleAndUnknownOnesListThem) {
    Session none;
    const Tools tools(none);
    Panels panels = makePanels(tools);
    EXPECT_STREQ(findPanel(panels, "Side by side").title(), "Side by side");
    EXPECT_STREQ(findPanel(panels, "CPU against GPU").title(), "Side by side")
        << "its former title";
    try {
        findPanel(panels, "Weather");
        FAIL();
    } catch (const UsageError& error) {
        for (const auto& panel : panels)
            EXPECT_THAT(error.what(), HasSubstr(panel->title()));
    }
}

FrameResult resultWith(double solveSeconds, std::size_t uploadBytes) {
    FrameResult result;
    result.fixedFrame = 3;
    result.movingFrame = 4;
    result.seconds = 0.5;
    result.iterations = 30;
    ProfileSpan solve;
    solve.stage = "solve";
    solve.seconds = solveSeconds;
    result.profile.spans = {solve, solve};
    result.bytesToDevice = uploadBytes;
    result.bytesToHost = uploadBytes / 2;
    return result;
}

TEST(Units, OneOfAThingIsSingular) {
    EXPECT_EQ(plural(0, "pair"), "0 pairs");
    EXPECT_EQ(plural(1, "pair"), "1 pair");
    EXPECT_EQ(plural(2, "pair"), "2 pairs");
}

TEST(TimingLog, PutsEveryStationOfAFrameInItsStage) {
    const std::vector<std::string> stages{"read", "solve", "warp", "field to GL", "render"};
    FrameResult result = resultWith(0.1, 64);
    result.seconds = 0.25;
    const TimingSample sample = timingSample(result, stages, {0.01, 0.02, 1000, 0.03});
    const auto at = [&](const std::string& stage) { return sample.seconds(stage); };
    ASSERT_EQ(sample.stages.size(), stages.size() + 1);
    EXPECT_EQ(sample.stages[1].stage, "solve");
    EXPECT_NEAR(at("solve"), 0.2, 1e-12);
    EXPECT_NEAR(at("read"), 0.01, 1e-12);
    EXPECT_NEAR(at("field to GL"), 0.02, 1e-12);
    EXPECT_NEAR(at("render"), 0.03, 1e-12);
    EXPECT_EQ(at("warp"), 0);
    EXPECT_NEAR(at("other"), 0.05, 1e-12) << "of the estimation, outside its stages";
    EXPECT_NEAR(sample.totalSeconds(), 0.25 + 0.06, 1e-12);
    EXPECT_EQ(sample.toDeviceBytes, 64);
    EXPECT_EQ(sample.toHostBytes, 32);
    EXPECT_EQ(sample.toGlBytes, 1000);
}

TEST(TimingLog, KeepsTheLastSamplesAndWritesThemAsATable) {
    TimingLog log;
    for (std::size_t i = 0; i < TimingLog::capacity + 5; ++i) {
        FrameResult result = resultWith(0.1, 0);
        result.fixedFrame = static_cast<int>(i);
        log.add(timingSample(result, {"solve"}, {}));
    }
    EXPECT_EQ(log.samples().size(), TimingLog::capacity);
    EXPECT_EQ(log.samples().front().fixedFrame, 5);
    const std::string text = log.text();
    EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')),
              TimingLog::capacity + 1);
    const std::string heading = text.substr(0, text.find('\n'));
    const std::string first =
        text.substr(heading.size() + 1, text.find('\n', heading.size() + 1) - heading.size() - 1);
    EXPECT_EQ(std::count(heading.begin(), heading.end(), '\t'),
              std::count(first.begin(), first.end(), '\t'));
    EXPECT_THAT(heading, HasSubstr("solve ms"));
    EXPECT_THAT(first, HasSubstr("200.000"));
}

TEST(DisplayLog, LeavesTheWarmUpOutOfItsFigures) {
    using namespace std::chrono_literals;
    Session session;
    DisplayLog log;
    EXPECT_EQ(log.figures().pictures, 0);
    const RateMeter::Clock::time_point start{};
    log.painted(start, session);
    log.painted(start + 900ms, session); // a slow beginning
    for (int i = 0; i <= 20; ++i) {
        session.estimation.estimated = static_cast<std::uint64_t>(i / 5);
        log.painted(start + 1000ms + i * 100ms, session);
    }
    const DisplayLog::Figures figures = log.figures();
    EXPECT_EQ(figures.pictures, 21);
    EXPECT_NEAR(figures.seconds, 2, 1e-9);
    EXPECT_NEAR(figures.perSecond, 10, 1e-9);
    EXPECT_NEAR(figures.medianMilliseconds, 100, 1e-6);
    EXPECT_NEAR(figures.slowestMilliseconds, 100, 1e-6);
    EXPECT_EQ(figures.estimated, 4u);
    EXPECT_NEAR(figures.estimationsPerSecond, 2, 1e-9);
    const auto json = nlohmann::json::parse(log.report(session, 800, 600, 1.5));
    EXPECT_NEAR(json["display"]["perSecond"].get<double>(), 10, 1e-9);
    EXPECT_EQ(json["window"]["pixelRatio"], 1.5);
}

TEST(ParametersPanel, ShowsWhatTheBackendUsesInWords) {
    Session none;
    const Tools tools(none);
    Panels panels = makePanels(tools);
    const Panel& panel = findPanel(panels, "Motion parameters");
    Session session;
    session.motion.setBackend(Backend::Cpu);
    session.motion.set("alpha", 0.5);
    session.motion.set("variant-smooth", std::string("shared"));
    const std::string cpu = panel.text(session);
    EXPECT_THAT(cpu, HasSubstr("--alpha 0.5"));
    EXPECT_THAT(cpu, HasSubstr("smoothness (alpha)\t0.5\t\n"));
    EXPECT_THAT(cpu, HasSubstr("volume preservation (beta)\t"));
    EXPECT_THAT(cpu, HasSubstr("smoothing width (rho)\t4\tvoxel\n"));
    EXPECT_THAT(cpu, Not(HasSubstr("variant-")));
    EXPECT_THAT(cpu, Not(HasSubstr("tensor-storage")));
    session.motion.setBackend(Backend::Cuda);
    const std::string cuda = panel.text(session);
    EXPECT_THAT(cuda, HasSubstr("--variant-smooth shared"));
    EXPECT_THAT(cuda, HasSubstr("smooth kernel (variant-smooth)\tshared\t\n"));
}

TEST(Comparison, LeavesOutWhatNeitherSideUses) {
    MotionChoice left, right;
    for (MotionChoice* side : {&left, &right})
        side->setBackend(Backend::Cpu);
    right.set("variant-smooth", std::string("shared"));
    EXPECT_TRUE(differingParameters(left, right).empty());
    right.setBackend(Backend::Cuda);
    EXPECT_EQ(differingParameters(left, right).size(), 1u);
}

TEST(ParameterRows, ThatArentWordsHaveWords) {
    for (const MotionMethod& method : motionMethods())
        for (const ParamRow& row : method.parameters->rows()) {
            EXPECT_FALSE(row.help.empty()) << row.id;
            EXPECT_EQ(row.help.back(), '.') << row.id;
            for (const char* symbol : {"alpha", "beta", "rho", "omega"})
                if (row.id == symbol) {
                    EXPECT_NE(row.label(), row.id);
                }
            EXPECT_EQ(row.cudaOnly, row.id.starts_with("variant-") || row.id == "tensor-storage");
        }
}

} // namespace
} // namespace systole
