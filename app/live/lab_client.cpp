#include "app/live/lab_client.h"

#include <utility>

namespace systole {

void LabLane::follow(LabSession& lab) {
    if (!lab.opened)
        return;
    if (!worker_)
        worker_ = std::make_unique<LabWorker>(makeDesk_, notify_);
    if (lab.asked != asked_) {
        asked_ = lab.asked;
        worker_->ask(lab.wanted, asked_);
    }
    if (std::exchange(lab.wantedCancel, false))
        worker_->cancel();
    lab.status = worker_->status();
}

} // namespace systole
