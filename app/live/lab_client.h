// The viewer's way to the laboratory: hands the session's question to the worker, and its status
// back to the session. The worker starts when somebody looks.
#pragma once

#include "app/lab/worker.h"
#include "app/live/session.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace systole {

class LabLane {
public:
    explicit LabLane(std::function<void()> notify, LabWorker::MakeDesk makeDesk = makeLabDesk)
        : notify_(std::move(notify)), makeDesk_(std::move(makeDesk)) {}

    void follow(LabSession& lab);
    bool follows(const LabSession& lab) const {
        return (worker_ || !lab.opened) && asked_ == lab.asked && !lab.wantedCancel;
    }

private:
    std::function<void()> notify_;
    LabWorker::MakeDesk makeDesk_;
    std::uint64_t asked_ = 0;
    std::unique_ptr<LabWorker> worker_;
};

} // namespace systole
