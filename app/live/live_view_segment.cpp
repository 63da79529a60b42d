// The segmentation in the views.
#include "app/live/live_view.h"

namespace systole {

void LiveView::followSegmentation() {
    segment_.follow(
        session_, [this](int index) { return frame(index); },
        [this](int index) { return unreadable_.count(index) == 0; });
}

void LiveView::showMarks() {
    std::vector<SceneMark> marks;
    if (!session_.registration.shown) {
        marks = marksOf(session_);
        const std::vector<SceneMark> more = landmarkMarks(session_);
        marks.insert(marks.end(), more.begin(), more.end());
    }
    scene_.setMarks(std::move(marks));
}

} // namespace systole
