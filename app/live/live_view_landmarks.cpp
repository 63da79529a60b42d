// Landmarks in the views.
#include "app/live/live_view.h"

namespace systole {

void LiveView::followLandmarks() {
    landmarks_.follow(
        session_, [this](int index) { return frame(index); },
        [this](int index) { return unreadable_.count(index) == 0; });
    if (session_.landmarks.running && !framesFit_)
        session_.playback.pause(); // it would take the frames' places in the stream
}

void LiveView::followWall() { wall_.follow(session_); }

void LiveView::showLandmarks() { scene_.setTracks(session_.landmarks.scene, session_.shownFrame); }

} // namespace systole
