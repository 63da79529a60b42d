// The bar below the picture: readouts, marks, and what follows the last frame.
#include "tests/app/window/window_fixture.h"

#include <QComboBox>

namespace systole {
namespace {

class TransportBarTest : public testing::WindowTest {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        if (IsSkipped())
            return;
        openAndShow(path); // six frames
        window->session().playback.pause();
        window->refresh();
    }

    std::string text(const char* name) const {
        return window->findChild<QLabel*>(QLatin1String(name))->text().toStdString();
    }
    QWidget& strip() const { return *window->findChild<QWidget*>(QStringLiteral("strip")); }
    QComboBox& order() const { return *window->findChild<QComboBox*>(QStringLiteral("order")); }
    int frame() const { return window->session().playback.frame(); }
    void shiftAnd(Qt::Key key) { QTest::keyClick(window.get(), key, Qt::ShiftModifier); }
    /// Position of a frame on the strip; `y` 5 is the name of a mark, 20 the track.
    QPoint placeOf(int frame, int y) const {
        constexpr double margin = 14;
        const double extent = strip().width() - 2 * margin;
        return {static_cast<int>(std::lround(margin + extent * frame / 5)), y};
    }
    void click(QPoint place) { QTest::mouseClick(&strip(), Qt::LeftButton, Qt::NoModifier, place); }
};

TEST_F(TransportBarTest, TheFrameIsReadWithItsRangeAndItsPlaceStays) {
    pauseAt(2);
    EXPECT_EQ(text("frame"), "frame 2");
    EXPECT_EQ(text("range"), "(0–5)");
    EXPECT_EQ(text("phase"), "33.3 % of cycle");
    const auto placesOf = [&] {
        std::vector<QRect> places;
        for (const char* name : {"frame", "range", "time", "phase"})
            places.push_back(window->findChild<QLabel*>(QLatin1String(name))->geometry());
        return places;
    };
    const auto before = placesOf();
    for (int i = 0; i < 6; ++i) {
        key(Qt::Key_Right);
        EXPECT_EQ(placesOf(), before) << "at frame " << frame();
    }
}

TEST_F(TransportBarTest, MarksMakeThePhaseAndAreReachedByKeyAndByClick) {
    key(Qt::Key_Home);
    key(Qt::Key_Right);
    key(Qt::Key_D);
    EXPECT_EQ(text("phase"), "ED + 0.0 %");
    key(Qt::Key_Home);
    EXPECT_EQ(text("phase"), "ED + 83.3 %");
    click(placeOf(4, 20));
    EXPECT_EQ(frame(), 4);
    key(Qt::Key_E);
    EXPECT_EQ(text("phase"), "diastole 0.0 %");
    shiftAnd(Qt::Key_D);
    EXPECT_EQ(frame(), 1);
    EXPECT_EQ(text("phase"), "systole 0.0 %");
    key(Qt::Key_Right);
    EXPECT_EQ(text("phase"), "systole 33.3 %");
    shiftAnd(Qt::Key_E);
    EXPECT_EQ(frame(), 4);
    key(Qt::Key_Home);
    EXPECT_EQ(text("phase"), "diastole 66.7 %");
    click(placeOf(1, 5) + QPoint(9, 0)); // next to the frame's circle, but on its name
    EXPECT_EQ(frame(), 1);
    click(placeOf(4, 5) - QPoint(9, 0));
    EXPECT_EQ(frame(), 4);
    key(Qt::Key_E); // takes the mark away
    key(Qt::Key_Home);
    shiftAnd(Qt::Key_E);
    EXPECT_EQ(frame(), 0) << "there is no mark to go to";
}

TEST_F(TransportBarTest, OnlyALoopWrapsAtItsEnds) {
    key(Qt::Key_End);
    key(Qt::Key_Right);
    EXPECT_EQ(frame(), 0);
    key(Qt::Key_Left);
    EXPECT_EQ(frame(), 5);
    for (const int notLooping : {1, 2}) {
        order().setCurrentIndex(notLooping);
        key(Qt::Key_End);
        key(Qt::Key_Right);
        EXPECT_EQ(frame(), 5) << order().currentText().toStdString();
        key(Qt::Key_Home);
        key(Qt::Key_Left);
        EXPECT_EQ(frame(), 0) << order().currentText().toStdString();
    }
}

TEST_F(TransportBarTest, OncePlaysToTheLastFrameAndStartsAgain) {
    order().setCurrentIndex(order().findText(QStringLiteral("Once")));
    EXPECT_EQ(window->session().playback.order(), PlayOrder::Once);
    key(Qt::Key_Home);
    key(Qt::Key_Space);
    ASSERT_TRUE(becomes([&] { return !window->session().playback.playing(); }));
    EXPECT_EQ(frame(), 5);
    key(Qt::Key_Space);
    EXPECT_TRUE(window->session().playback.playing());
    EXPECT_LT(frame(), 5);
}

} // namespace
} // namespace systole
