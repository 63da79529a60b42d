// The registration in the views, in place of the sequence.
#include "app/live/live_view.h"
#include "app/live/shown_slices.h"

#include <utility>

namespace systole {

/// The views show the sequence again as soon as another frame is asked for.
void LiveView::followRegistration() {
    RegistrationSession& registration = session_.registration;
    if (registrationShown_ &&
        (session_.playback.playing() || session_.playback.frame() != registration.shownFixedFrame))
        registration.shown = false;
    RegistrationClient::Shown shown{{}, scene_.interopDevice()};
    if (session_.opened)
        shown.boxes = shownSlices(session_.display.layout, scene_.crosshair(),
                                  session_.opened->sequence.geometry);
    registration_.follow(
        session_, [this](int index) { return frame(index); }, shown);
    if (unreadable_.count(registration.fixedFrame) + unreadable_.count(registration.movingFrame) >
        0)
        registration.wantedStart = false; // the message says why
    if (std::exchange(registrationShown_, registration.shown) == registration.shown)
        return;
    if (registration.shown) {
        session_.playback.pause();
        session_.playback.seek(registration.shownFixedFrame);
    }
    session_.result.reset();
    session_.right.result.reset();
    session_.right.comparison.reset();
    scene_.setResult(nullptr);
    scene_.setSideBySide({});
    session_.shownFrame = -1; // that of the sequence is shown anew
    left_.forgetRequest();
    if (right_)
        right_->forgetRequest();
}

/// A frame that can't be read starts nothing; the message says why.
void LiveView::followBias() {
    bias_.follow(session_, [this](int index) { return frame(index); });
    if (unreadable_.count(session_.playback.frame()) > 0)
        session_.bias.wantedStart = false;
}

void LiveView::showRegistration() {
    const RegistrationSession& registration = session_.registration;
    RegistrationClient::Frame frame = registration_.shownFrame(registration);
    if (frame.volume || frame.onDevice) {
        scene_.setFrame(frame.volume, frame.onDevice, std::move(frame.boxes));
        session_.shownFrame = registration.shownFixedFrame;
    }
    const auto& picture = registration.picture;
    scene_.setResult(picture && picture->figures ? picture->figures->motion : nullptr);
}

} // namespace systole
