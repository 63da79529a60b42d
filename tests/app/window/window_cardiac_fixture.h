// A window that measures the left ventricle of a phantom with exact labels.
#pragma once

#include "app/feature/panel.h"
#include "app/features/cardiac/cardiac_tool.h"
#include "tests/app/window/window_fixture.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace systole::testing {

/// Answers each question with a file, and writes at once.
struct FileHost : ToolHost {
    FileHost(ToolHost& usual, std::string file) : usual(usual), file(std::move(file)) {}
    void chooseOpen(const FileQuestion&, Use use) override { use(file); }
    void chooseSave(const FileQuestion&, Use use) override { use(file); }
    void write(const std::string&, const std::string&, std::function<void()> write,
               std::function<void()>) override {
        write();
    }
    RgbaImage picture(const std::function<RgbaImage(double)>& draw) override {
        return usual.picture(draw);
    }
    std::string pdf(const ReportContent& content) override { return usual.pdf(content); }
    ToolHost& usual;
    std::string file;
};

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
    /// Area of the disc in the reference frame, where nothing is strained and the whole disc has
    /// the neutral color.
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
    /// A place on the line ES of the upper plot, whose orange lies on the plot's dark ground; null:
    /// there is none.
    static QPoint systoleLineIn(const QImage& all) {
        std::vector<int> line;
        int place = 0;
        for (int x = all.width() - ImGuiLayer::columnWidth; x < all.width(); ++x) {
            std::vector<int> found;
            for (int y = 0; y < all.height(); ++y) {
                const QRgb pixel = all.pixel(x, y);
                const double red = qRed(pixel) - 20, green = qGreen(pixel) - 21,
                             blue = qBlue(pixel) - 25;
                if (red > 70 && std::abs(green / red - 0.66) < 0.08 &&
                    std::abs(blue / red - 0.166) < 0.08)
                    found.push_back(y);
            }
            if (found.size() > line.size()) {
                line = std::move(found);
                place = x;
            }
        }
        return line.size() < 40 ? QPoint() : QPoint(place, line[line.size() / 4]);
    }
    std::string text() { return findPanel(window->panels(), "Cardiac").text(session()); }
};

} // namespace systole::testing
