// Tooltips cover nothing that they explain: neither the panel's rows nor the bars below the views.
#include "app/kit/parameter_widget.h"
#include "tests/app/window/window_fixture.h"

#include <QHelpEvent>
#include <QToolButton>
#include <QToolTip>

namespace systole {
namespace {

class TooltipsTest : public testing::WindowTest {};

TEST_F(TooltipsTest, OfAPanelLiesBesideItAndWithinTheWindow) {
    const ImVec2 display{1000, 600}, size{280, 60};
    const ImVec2 beside = tooltipPlace(size, {710, 300}, 700, display);
    EXPECT_LE(beside.x + size.x, 700);
    EXPECT_EQ(beside.y, 300);
    EXPECT_LE(tooltipPlace(size, {710, 590}, 700, display).y + size.y, display.y);
    // A panel at the left edge: above the row.
    const ImVec2 above = tooltipPlace(size, {20, 300}, 0, display);
    EXPECT_LE(above.y + size.y, 300);
    EXPECT_GE(above.x, 0);
}

TEST_F(TooltipsTest, RowsBelowAButtonStayInSightWhileThePointerRestsOnIt) {
    openPanels(window->panels(), {"Segment"});
    window->session().motion.enabled = false;
    openAndShow(path);
    window->session().playback.pause();
    window->viewport().arrange();
    window->refresh();
    settle();
    const int column = window->viewport().width() - ImGuiLayer::columnWidth;
    const auto shown = [&] {
        drawPanels();
        return window->viewport().grabFramebuffer().copy(column, 0, ImGuiLayer::columnWidth,
                                                         window->viewport().height());
    };
    QTest::mouseMove(&window->viewport(), {20, 20});
    const QImage before = shown();
    for (int y = 100; y < 300; y += 25) {
        QTest::mouseMove(&window->viewport(), {column + 60, y});
        const QImage now = shown();
        const QRect below(0, y + 32, now.width(), now.height() - y - 32);
        EXPECT_EQ(now.copy(below), before.copy(below)) << "pointer at " << y;
    }
}

TEST_F(TooltipsTest, OfTheBarsEndsAboveThem) {
    openAndShow(path);
    const TransportBar* transport = nullptr;
    for (const QWidget* widget : window->findChildren<QWidget*>())
        if (const auto* found = dynamic_cast<const TransportBar*>(widget))
            transport = found;
    ASSERT_NE(transport, nullptr);
    auto* const play = transport->findChild<QToolButton*>();
    ASSERT_NE(play, nullptr);
    const QPoint at = play->rect().center();
    QHelpEvent rests(QEvent::ToolTip, at, play->mapToGlobal(at));
    QApplication::sendEvent(play, &rests);
    ASSERT_TRUE(QToolTip::isVisible());
    const int above = transport->mapToGlobal(QPoint(0, 0)).y();
    for (const QWidget* tip : QApplication::topLevelWidgets())
        if (tip->inherits("QTipLabel")) {
            EXPECT_LE(tip->frameGeometry().bottom(), above);
        }
    QToolTip::hideText();
}

} // namespace
} // namespace systole
