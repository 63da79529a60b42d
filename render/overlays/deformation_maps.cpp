#include "render/overlays/deformation_maps.h"

#include <utility>

namespace systole {

DeformationMaps::DeformationMaps(int threads)
    : resources_(threads)
    , jobs_({.run = [this](Job& job, const CancelToken& cancel) { work(job, cancel); },
             .taken = [this](Job& job) { under_ = job; }}) {}

void DeformationMaps::work(const Job& job, const CancelToken& cancel) {
    auto map = std::make_shared<std::vector<float>>();
    ExecContext ctx = resources_.context();
    ctx.cancel = cancel;
    const JobEnd end = endOf([&] { *map = deformationMap(*job.field, job.quantity, ctx); });
    const auto lock = jobs_.lock();
    under_ = {};
    ++made_;
    if (!end.stopped && !cancel.cancelled())
        maps_.push_back({job.field, job.quantity, std::move(map)});
}

DeformationMaps::Map DeformationMaps::find(const std::shared_ptr<const VectorField>& field,
                                           Deformation quantity, bool waits) {
    auto lock = jobs_.lock();
    maps_.remove_if([](const Made& made) { return made.field.expired(); });
    for (const Made& made : maps_)
        if (made.quantity == quantity && made.field.lock() == field)
            return made.map;
    const Job job{field, quantity};
    if (!waits) {
        if (!(under_ == job))
            jobs_.put(job);
        return nullptr;
    }
    lock.unlock();
    ExecResources here(resources_.threads().threads());
    auto map = std::make_shared<const std::vector<float>>(
        deformationMap(*field, quantity, here.context()));
    lock.lock();
    maps_.push_back({field, quantity, map});
    return map;
}

void DeformationMaps::clear() {
    const auto lock = jobs_.lock();
    jobs_.cancelRunning();
    jobs_.drop();
    maps_.clear();
}

bool DeformationMaps::unfinished() const {
    const auto lock = jobs_.lock();
    return under_.field || jobs_.hasReady();
}

std::uint64_t DeformationMaps::made() const {
    const auto lock = jobs_.lock();
    return made_;
}

} // namespace systole
