// Connects the session to the laboratory: passes its question to the worker and the worker's status
// back. The worker starts when the laboratory is first opened.
#pragma once

#include "app/lab/worker.h"
#include "app/live/session.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace systole {

class LabClient {
public:
    explicit LabClient(std::function<void()> notify,
                       LabWorker::MakeLibrary makeLibrary = openLibrarySession)
        : notify_(std::move(notify)), makeLibrary_(std::move(makeLibrary)) {}

    void follow(LabSession& lab) {
        if (!lab.opened)
            return;
        if (!worker_)
            worker_ = std::make_unique<LabWorker>(makeLibrary_, notify_);
        if (lab.asked != asked_) {
            asked_ = lab.asked;
            worker_->ask(lab.wanted, asked_);
        }
        if (std::exchange(lab.wantedCancel, false))
            worker_->cancel();
        lab.status = worker_->status();
    }

    /// True when follow() has nothing to do.
    bool follows(const LabSession& lab) const {
        return (worker_ || !lab.opened) && asked_ == lab.asked && !lab.wantedCancel;
    }

private:
    std::function<void()> notify_;
    LabWorker::MakeLibrary makeLibrary_;
    std::uint64_t asked_ = 0;
    std::unique_ptr<LabWorker> worker_;
};

} // namespace systole
