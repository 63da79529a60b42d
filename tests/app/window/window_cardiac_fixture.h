// A window that measures the left ventricle of a phantom with exact labels.
#pragma once

#include "app/panels/panel.h"
#include "app/tools/cardiac/cardiac_tool.h"
#include "tests/app/window/window_fixture.h"

#include <algorithm>
#include <string>

namespace systole::testing {

class CardiacPanelTest : public WindowTest {
protected:
    static constexpr int frames = 4;

    void SetUp() override {
        WindowTest::SetUp();
        if (IsSkipped())
            return;
        const Outcome made = run({"phantom", "-o", folder / "p", "--size", "40", "--frames", "4"});
        ASSERT_EQ(made.exitCode, 0) << made.errors;
        openPanels(window->panels(), {"Cardiac"});
        session().motion.setBackend(Backend::Cpu);
        window->resize(1100, 900);
        openAndShow(folder / "p/sequence.nii.gz");
        session().playback.pause();
        seek(0);
        window->viewport().arrange();
    }
    Session& session() { return window->session(); }
    CardiacTool& cardiac() { return window->tools().get<CardiacTool>(); }
    void seek(int frame) {
        session().playback.seek(frame);
        window->refresh();
        ASSERT_TRUE(becomes([&] { return session().shownFrame == frame; }));
    }
    void measure() {
        cardiac().openFile(folder / "p/labels.nii.gz");
        ASSERT_NO_FATAL_FAILURE(becomeMeasured());
    }
    void becomeMeasured() {
        window->refresh();
        ASSERT_TRUE(becomes([&] {
            return !cardiac().failure.empty() ||
                   (!cardiac().unfinished() && cardiac().outcome() &&
                    cardiac().outcome()->motion.frame.size() == std::size_t{frames});
        }));
        ASSERT_EQ(cardiac().failure, "");
        settle();
    }
    /// In the reference nothing is strained: the whole disc has the neutral color.
    static QRect discIn(const QImage& all) {
        const int left = all.width() - ImGuiLayer::columnWidth;
        QRect disc;
        for (int y = 0; y < all.height(); ++y) {
            int first = -1, last = -1, count = 0;
            for (int x = left; x < all.width(); ++x)
                if (all.pixel(x, y) == qRgb(222, 222, 222)) {
                    first = first < 0 ? x : first;
                    last = x;
                    ++count;
                }
            if (count > 20)
                disc = disc.united(QRect(QPoint(first, y), QPoint(last, y)));
        }
        return disc;
    }
    std::string text() { return findPanel(window->panels(), "Cardiac").text(session()); }
};

} // namespace systole::testing
