// The surface in the views.
#include "app/live/live_view.h"

namespace systole {

void LiveView::showSurface() {
    surface_.follow(
        session_, [this](int index) { return frame(index); },
        [this](int index) { return left_.resultFor(index); });
    const auto& shown = session_.surface.shown;
    scene_.setSurface(shown ? shown->scene : nullptr);
}

} // namespace systole
