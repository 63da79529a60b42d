#include "app/window/kept_view.h"

#include "app/window/screen_fit.h"
#include "render/overlays/rows.h"

#include <QSettings>
#include <QWidget>

#include <algorithm>
#include <exception>
#include <string>
#include <variant>

namespace systole {
namespace {

const char* const geometryKey = "geometry";
const char* const placeKey = "place";
const char* const frameKey = "frame"; // left, top, right, bottom
const char* const displayGroup = "display/";
// Lists hidden panels: a new version's panel is shown
const char* const hiddenKey = "panels/hidden";
const char* const openKey = "panels/open";
const char* const columnKey = "panels/column";
const QString noPanel = QStringLiteral("none");

/// A locked scale is that of the sequences of one session.
bool isKept(const DisplayRow& row) {
    const std::string& id = row.param.id;
    return id == "layout" || id == "side-view" || (row.isSwitch() && id != "lock-scale");
}

QString keyOf(const DisplayRow& row) {
    return QString::fromLatin1(displayGroup) + QString::fromStdString(row.param.id);
}

QString textOf(const DisplayRow& row, const DisplayOptions& display) {
    if (row.isSwitch())
        return row.isOn(display) ? QStringLiteral("on") : QStringLiteral("off");
    return QString::fromStdString(row.text(display));
}

void recallRow(const DisplayRow& row, const QString& text, DisplayOptions& display) {
    if (!row.isSwitch()) {
        try {
            row.set(display, text.toStdString());
        } catch (const std::exception&) {
            return; // written by another version, or by hand
        }
    } else if (text == (row.isOn(display) ? QLatin1String("off") : QLatin1String("on"))) {
        row.set(display, !row.isOn(display));
    }
}

QStringList titlesOf(const Panels& panels, bool Panel::*which, bool is) {
    QStringList titles;
    for (const auto& panel : panels)
        if (*panel.*which == is)
            titles << QString::fromUtf8(panel->title());
    return titles.empty() ? QStringList{noPanel} : titles;
}

/// Sets the panels that the setting names to `is`, and the others to its opposite. Nothing happens
/// if the setting is missing or names no known panel.
void recallPanels(const QSettings& settings, const char* key, Panels& panels, bool Panel::*which,
                  bool is) {
    const QStringList titles = settings.value(key).toStringList();
    const auto isNamed = [&](const auto& panel) {
        return titles.contains(QString::fromUtf8(panel->title()));
    };
    if (titles != QStringList{noPanel} && std::ranges::none_of(panels, isNamed))
        return;
    for (const auto& panel : panels)
        *panel.*which = isNamed(panel) == is;
}

QVariantList listOf(const QMargins& frame) {
    return {frame.left(), frame.top(), frame.right(), frame.bottom()};
}

/// The frame in the settings if some window manager may draw it, otherwise the usual one.
QMargins recallFrame(const QSettings& settings) {
    constexpr int thickest = 100;
    const QVariantList sides = settings.value(frameKey).toList();
    if (sides.size() != 4 || std::ranges::any_of(sides, [](const QVariant& side) {
            return side.toInt() < 0 || side.toInt() > thickest;
        }))
        return usualFrame;
    const QMargins frame(sides[0].toInt(), sides[1].toInt(), sides[2].toInt(), sides[3].toInt());
    return frame.top() > 0 ? frame : usualFrame;
}

} // namespace

void recallView(QWidget& window, DisplayOptions& display, Panels& panels, bool& columnShown) {
    const QSettings settings;
    window.restoreGeometry(settings.value(geometryKey).toByteArray());
    // A window in full screen would start without a title bar.
    window.setWindowState(window.windowState().setFlag(Qt::WindowFullScreen, false));
    // Qt takes a title bar of its style, and what is usual may be thicker still: under a thinner
    // one a window at the upper edge would start lower than it was left.
    if (const QRect place = settings.value(placeKey).toRect();
        place.isValid() && !window.isMaximized())
        window.setGeometry(place);
    fitToScreen(window, recallFrame(settings));
    for (const DisplayRow& row : displayRows())
        if (isKept(row))
            recallRow(row, settings.value(keyOf(row)).toString(), display);
    recallPanels(settings, hiddenKey, panels, &Panel::shown, false);
    recallPanels(settings, openKey, panels, &Panel::open, true);
    columnShown = settings.value(columnKey, true).toBool();
}

void keepView(const QWidget& window, const DisplayOptions& display, const Panels& panels,
              bool columnShown) {
    QSettings settings;
    settings.setValue(geometryKey, window.saveGeometry());
    settings.setValue(placeKey, window.normalGeometry());
    settings.setValue(frameKey, listOf(frameOf(window)));
    for (const DisplayRow& row : displayRows())
        if (isKept(row))
            settings.setValue(keyOf(row), textOf(row, display));
    settings.setValue(hiddenKey, titlesOf(panels, &Panel::shown, false));
    settings.setValue(openKey, titlesOf(panels, &Panel::open, true));
    settings.setValue(columnKey, columnShown);
}

} // namespace systole
