// The segmentation in the views.
#include "app/live/live_view.h"

namespace systole {

void LiveView::followSegmentation() {
    segment_.follow(
        session_, [this](int index) { return frame(index); },
        [this](int index) { return unreadable_.count(index) == 0; });
    scene_.setMarks(session_.registration.shown ? std::vector<SceneMark>{} : marksOf(session_));
}

} // namespace systole
