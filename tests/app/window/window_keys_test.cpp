// Keys and clicks that follow each other faster than pictures are drawn: none is lost, and each
// goes where it would go if they were slow.
#include "tests/app/window/window_fixture.h"

#include <QClipboard>
#include <QDoubleSpinBox>
#include <imgui.h>

#include <memory>

namespace systole {
namespace {

/// A panel with one number and one button, that knows where they are.
class ProbePanel : public Panel {
public:
    const char* title() const override { return "Probe"; }
    void draw(Session&) override {
        ImGui::SetNextItemWidth(200);
        ImGui::SliderFloat("##number", &number, 0, 100);
        field = center();
        clicks += ImGui::Button("Click");
        button = center();
        listOpen = ImGui::BeginCombo("##list", "first");
        if (listOpen)
            ImGui::EndCombo();
        else
            list = center();
        const ImVec2 below = ImGui::GetCursorScreenPos();
        copy = {static_cast<int>(below.x) + 20, static_cast<int>(below.y) + 8};
    }
    std::string text(const Session&) const override { return "one number"; }

    float number = 1;
    int clicks = 0;
    bool listOpen = false;
    QPoint field, button, list, copy; ///< copy: "Copy as text", below the panel

private:
    static QPoint center() {
        const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
        return {static_cast<int>(low.x + high.x) / 2, static_cast<int>(low.y + high.y) / 2};
    }
};

class WindowKeysTest : public testing::WindowTest {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        if (IsSkipped())
            return;
        openAndShow(path);
        pauseAt(1);
        auto panel = std::make_unique<ProbePanel>();
        probe = panel.get();
        window->panels().push_back(std::move(panel));
        openPanels(window->panels(), {"Probe"});
        window->viewport().arrange();
        ASSERT_TRUE(becomes([&] { return !probe->field.isNull(); }));
        settle();
    }
    void type(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QTest::keyClick(&window->viewport(), static_cast<Qt::Key>(key), modifiers);
    }
    void type(char letter) { QTest::keyClick(&window->viewport(), letter); }
    void click(QPoint at, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QTest::mouseMove(&window->viewport(), at);
        QTest::mouseClick(&window->viewport(), Qt::LeftButton, modifiers, at);
    }
    bool playing() const { return window->session().playback.playing(); }

    ProbePanel* probe = nullptr;
};

TEST_F(WindowKeysTest, ANumberTypedIntoASliderAndThenSpace) {
    click(probe->field, Qt::ControlModifier);
    type('4');
    type('3'); // also the key of a view
    type(Qt::Key_Return);
    type(Qt::Key_Space);
    EXPECT_EQ(probe->number, 43);
    EXPECT_TRUE(playing());
}

TEST_F(WindowKeysTest, AClickOnAButtonActsInTheSameTurnWithoutAMove) {
    QTest::mouseClick(&window->viewport(), Qt::LeftButton, {}, probe->button);
    EXPECT_EQ(probe->clicks, 1);
    QGuiApplication::clipboard()->clear();
    QTest::mouseClick(&window->viewport(), Qt::LeftButton, {}, probe->copy);
    EXPECT_EQ(QGuiApplication::clipboard()->text(), QStringLiteral("one number"));
}

TEST_F(WindowKeysTest, EscapeLeavesTheFieldAndItsValue) {
    click(probe->field, Qt::ControlModifier);
    type('9');
    type(Qt::Key_Space); // goes to the field, not to the playback
    type(Qt::Key_Escape);
    EXPECT_FALSE(playing());
    type(Qt::Key_Space);
    EXPECT_EQ(probe->number, 1);
    EXPECT_TRUE(playing());
}

TEST_F(WindowKeysTest, EscapeClosesAnOpenList) {
    click(probe->list);
    ASSERT_TRUE(becomes([&] { return probe->listOpen; }));
    type(Qt::Key_Escape);
    EXPECT_TRUE(becomes([&] { return !probe->listOpen; }));
}

TEST_F(WindowKeysTest, UndoInAFieldIsTheFieldsOwn) {
    window->session().display.layout = Layout::ThreeSlices;
    window->refresh();
    click(probe->field, Qt::ControlModifier);
    type('9');
    type(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(window->session().display.layout, Layout::ThreeSlices);
    type(Qt::Key_Escape);
    type(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(window->session().display.layout, Layout::FourUp);
}

TEST_F(WindowKeysTest, AClickIntoThePictureEndsTheEdit) {
    click(probe->field, Qt::ControlModifier);
    type('8');
    click({120, 120});
    type(Qt::Key_Space);
    EXPECT_TRUE(playing());
    EXPECT_EQ(probe->number, 8);
}

TEST_F(WindowKeysTest, EveryClickCounts) {
    for (int i = 0; i < 5; ++i)
        click(probe->button);
    EXPECT_TRUE(becomes([&] { return probe->clicks == 5; }));
    QTest::qWait(50);
    EXPECT_EQ(probe->clicks, 5);
}

TEST_F(WindowKeysTest, KeysOfAFieldThatLostTheFocusAreReleased) {
    click(probe->field, Qt::ControlModifier);
    QTest::keyPress(&window->viewport(), Qt::Key_Backspace);
    window->viewport().clearFocus();
    window->viewport().setFocus();
    type('6');
    type(Qt::Key_Return);
    QTest::qWait(100);
    EXPECT_EQ(probe->number, 6);
}

TEST_F(WindowKeysTest, TheSpeedFieldGivesTheKeyboardBack) {
    auto* speed = window->findChild<QDoubleSpinBox*>();
    ASSERT_NE(speed, nullptr);
    const auto edit = [&](const char* text, Qt::Key end) {
        speed->setFocus();
        speed->selectAll();
        QTest::keyClicks(speed, QString::fromLatin1(text));
        QTest::keyClick(speed, end);
    };
    edit("2.5", Qt::Key_Return);
    EXPECT_TRUE(window->viewport().hasFocus());
    EXPECT_NEAR(window->session().playback.speed(), 2.5, 1e-9);
    edit("1.5", Qt::Key_Escape);
    EXPECT_TRUE(window->viewport().hasFocus());
    EXPECT_NEAR(window->session().playback.speed(), 2.5, 1e-9);
    speed->setFocus();
    QTest::mouseClick(speed, Qt::LeftButton, Qt::NoModifier, {speed->width() - 6, 5}); // up
    EXPECT_TRUE(window->viewport().hasFocus());
    EXPECT_NEAR(window->session().playback.speed(), 2.6, 1e-9);
    type(Qt::Key_Space);
    EXPECT_TRUE(playing());
}

} // namespace
} // namespace systole
