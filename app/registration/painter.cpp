// The thread that makes the pictures of a registration.
#include "app/registration/picture.h"
#include "app/registration/two_grids.h"
#include "compute/core/newest_job_thread.h"
#include "compute/ops/jacobian.h"
#include "compute/ops/residual.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace systole {
namespace {

/// Of some thousand voxels: enough for a scale.
double longestOf(const VectorField& field) {
    const FieldView<const float> d = field.view();
    const std::size_t voxels = d.size.voxels(), step = std::max<std::size_t>(1, voxels / 20000);
    std::vector<double> lengths;
    for (std::size_t i = 0; i < voxels; i += step)
        lengths.push_back(length(field.geometry.voxelVectorToPhysical(
            {static_cast<double>(d.u[i]), static_cast<double>(d.v[i]),
             static_cast<double>(d.w[i])})));
    const auto at = lengths.begin() +
                    static_cast<std::ptrdiff_t>(0.99 * static_cast<double>(lengths.size() - 1));
    std::nth_element(lengths.begin(), at, lengths.end());
    return *at;
}

} // namespace

struct RegistrationPainter::Impl {
    using Thread = NewestJobThread<Wanted>;

    Impl(int threads, std::function<void()> tell)
        : notify(std::move(tell))
        , team(threads)
        , jobs({.run = [this](Wanted& job, const CancelToken& cancel) { run(job, cancel); },
                .taken = [this](Wanted& job) { painting = job; }}) {}

    void run(const Wanted& job, const CancelToken& cancel);
    std::shared_ptr<const RegistrationPicture> paint(const Wanted& job, const ExecContext& ctx);
    void warp(const Wanted& job, const ExecContext& ctx);

    const std::function<void()> notify;
    BufferPool pool;
    ThreadTeam team;

    // Guarded by the thread's lock.
    std::optional<Wanted> painting, painted, failed;
    std::shared_ptr<const RegistrationPicture> picture;

    // Used only by the thread: what the last iteration's views have in common.
    Wanted warpedOf;
    RegisteredImages registered;
    RegistrationPicture figures; ///< without a volume

    Thread jobs; ///< last: it uses all of the above
};

/// Warps the moving image by an iteration, unless the last picture did.
void RegistrationPainter::Impl::warp(const Wanted& job, const ExecContext& ctx) {
    Wanted same = job;
    same.view = warpedOf.view;
    if (registered.warped && same == warpedOf)
        return;
    registered = {job.images.fixed, nullptr, nullptr, job.scale};
    figures = {};
    const Geometry& grid = job.images.fixed->geometry;
    auto warped = std::make_shared<Volume>(grid, pool, "warped image of a registration");
    std::shared_ptr<const VectorField> field;
    if (job.iterate) {
        field = denseField(*job.iterate, grid, ctx);
    } else {
        auto none = std::make_shared<VectorField>(grid, pool, "motion of a registration");
        std::fill(none->components.span().begin(), none->components.span().end(), 0.0f);
        field = std::move(none);
    }
    warpThroughSpace(*job.images.moving, *field, warped->view(), ctx);
    figures.correlation =
        residualChange(job.images.fixed->view(), warped->view(), warped->view(), field->view(), ctx)
            .correlation;
    registered.warped = std::move(warped);
    if (job.iterate) {
        const JacobianFigures folds = jacobianFigures(field->view(), 0, ctx);
        figures.number = job.iterate->number;
        figures.smallestJacobian = folds.smallest;
        figures.foldedPercent =
            100 * static_cast<double>(folds.folded) / static_cast<double>(grid.voxels());
        figures.longest = longestOf(*field);
        registered.field = field;
        auto motion = std::make_shared<FrameResult>();
        motion->fixed = job.images.fixed;
        motion->moving = job.images.moving;
        motion->field = std::move(field);
        motion->warped = registered.warped;
        figures.motion = std::move(motion);
    }
    warpedOf = job;
}

std::shared_ptr<const RegistrationPicture>
RegistrationPainter::Impl::paint(const Wanted& job, const ExecContext& ctx) {
    warp(job, ctx);
    auto made = std::make_shared<RegistrationPicture>(figures);
    made->volume = draw(job.view, registered, ctx);
    return made;
}

void RegistrationPainter::Impl::run(const Wanted& job, const CancelToken& cancel) {
    ExecContext ctx;
    ctx.pool = &pool;
    ctx.threads = &team;
    ctx.cancel = cancel;
    std::shared_ptr<const RegistrationPicture> made;
    try {
        made = paint(job, ctx);
    } catch (const std::exception&) {
        // Cancelled, or memory is short: the picture before stays.
    }
    {
        const Thread::Lock lock = jobs.lock();
        painting.reset();
        if (made) {
            picture = std::move(made);
            painted = job;
        } else {
            failed = job;
        }
    }
    if (notify)
        notify();
}

RegistrationPainter::RegistrationPainter(int threads, std::function<void()> notify)
    : impl_(std::make_unique<Impl>(threads, std::move(notify))) {}
RegistrationPainter::~RegistrationPainter() = default;

std::shared_ptr<const RegistrationPicture> RegistrationPainter::find(const Wanted& wanted) {
    const auto lock = impl_->jobs.lock();
    Impl& p = *impl_;
    const bool over = p.painted == wanted || p.failed == wanted;
    if (!over && p.painting != wanted && p.jobs.waiting() != wanted)
        p.jobs.put(wanted);
    const bool fits = p.painted && p.painted->run == wanted.run && p.painted->view == wanted.view;
    return fits ? p.picture : nullptr;
}

} // namespace systole
