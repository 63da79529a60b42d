// The bar below the picture: play, frame slider, time and phase, speed and playback order.
#pragma once

#include "app/session/session.h"

#include <QWidget>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPainter;
class QToolButton;

namespace systole {

/// A slider over the frames, with a tick per frame, the user's ED and ES marks, and a line under
/// frames with finished motion. A click on the name of a mark goes to its frame.
class FrameStrip : public QWidget {
public:
    FrameStrip(std::function<void(int)> seek, QWidget* parent);

    void show(int frames, int frame, const CardiacMarks& marks, const std::vector<int>& finished);
    QSize sizeHint() const override { return {400, 36}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    double positionOf(double frame) const;
    int frameAt(double x) const;
    /// Centers of the marks' names: above their frames, but never on top of each other.
    std::pair<double, double> nameCenters() const;
    std::optional<int> markNamedAt(QPointF position) const;
    void paintTrack(QPainter& painter) const;
    void paintMark(QPainter& painter, int frame, double nameCenter, const QString& name,
                   const QColor& color) const;

    std::function<void(int)> seek_;
    int frames_ = 0, frame_ = 0;
    CardiacMarks marks_;
    std::vector<int> finished_;
};

class TransportBar : public QWidget {
public:
    struct Hooks {
        std::function<void()> togglePlay;
        std::function<void(int)> seek;
        std::function<void(double)> setSpeed;
        std::function<void(PlayOrder)> setOrder;
        std::function<void()> giveBackFocus; ///< returns the keyboard focus to the picture
    };
    TransportBar(Hooks hooks, QWidget* parent = nullptr);

    /// Updates all widgets from the session.
    void show(const Session& session);

private:
    Hooks hooks_;
    QToolButton* play_;
    FrameStrip* strip_;
    QLabel* frame_;
    QLabel* range_;
    QLabel* time_;
    QLabel* phase_;
    QDoubleSpinBox* speed_;
    QComboBox* order_;
    bool playing_ = false;
};

} // namespace systole
