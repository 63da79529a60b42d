#include "app/features/laboratory/recorder.h"

#include "app/base/lessons.h"
#include "compute/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>

namespace systole {
namespace {

using lab::LabKernel;
using lab::LabPoint;
using lab::LabSource;

/// Measures each point once and caches it.
class CachingSource : public LabSource {
public:
    explicit CachingSource(LabSource& source) : source_(source) {}

    const model::GpuMachine& machine() const override { return source_.machine(); }
    std::string sentence() const override { return source_.sentence(); }
    std::vector<int> sidesOf(const LabKernel& kernel) const override {
        return source_.sidesOf(kernel);
    }
    std::optional<LabPoint> point(const LabKernel& kernel, int side, int threads, int paddingBytes,
                                  std::string& why) override {
        const Key key{kernel.name(), side, threads, paddingBytes};
        if (const auto cached = points_.find(key); cached != points_.end())
            return cached->second;
        if (const auto failure = failures_.find(key); failure != failures_.end()) {
            why = failure->second;
            return std::nullopt;
        }
        std::optional<LabPoint> point = source_.point(kernel, side, threads, paddingBytes, why);
        if (point)
            points_[key] = *point;
        else
            failures_[key] = why;
        return point;
    }
    double withTransfers(const LabKernel& kernel, int side, int threads) override {
        const double seconds = source_.withTransfers(kernel, side, threads);
        if (const auto cached = points_.find({kernel.name(), side, threads, 0});
            cached != points_.end())
            cached->second.callSeconds = seconds;
        return seconds;
    }

    /// Kernels in the order of labKernels(), sides and blocks ascending.
    std::vector<LabPoint> takePoints() {
        std::vector<LabPoint> all;
        for (const LabKernel& kernel : lab::labKernels())
            for (auto& [key, point] : points_)
                if (std::get<std::string>(key) == kernel.name())
                    all.push_back(std::move(point));
        return all;
    }
    std::vector<std::string> notes() const {
        std::map<std::pair<std::string, std::string>, std::string> places;
        for (const auto& [key, why] : failures_) {
            const auto& [kernel, side, threads, padding] = key;
            std::string& list = places[{kernel, why}];
            list += fmt::format("{}{}/{}", list.empty() ? "" : ", ", side, threads);
        }
        std::vector<std::string> all;
        all.reserve(places.size());
        for (const auto& [what, list] : places)
            all.push_back(fmt::format("{} at side/threads {}: {}", what.first, list, what.second));
        return all;
    }

private:
    using Key = std::tuple<std::string, int, int, int>;
    LabSource& source_;
    std::map<Key, LabPoint> points_;
    std::map<Key, std::string> failures_;
};

/// One kernel at one side.
struct Group {
    const LabKernel* kernel;
    int side;
    std::vector<int> sizes;
};

bool takes(const std::vector<std::string>& kernels, const std::string& name) {
    return kernels.empty() || std::ranges::count(kernels, name) > 0;
}

/// The question of a lesson's experiment with the kernels to be recorded; null: none of its kernels
/// is.
std::optional<lab::LabQuestion> questionOf(const Lesson& lesson,
                                           const std::vector<std::string>& kernels) {
    if (!lesson.experiment)
        return std::nullopt;
    lab::LabQuestion question = *lesson.experiment;
    std::erase_if(question.kernels, [&](const std::string& name) { return !takes(kernels, name); });
    return question.kernels.empty() ? std::nullopt : std::optional(std::move(question));
}

/// Groups of one task and side are adjacent, because their data are prepared once.
std::vector<Group> groupsOf(const RecordingPlan& plan) {
    std::vector<Group> groups;
    groups.reserve(lab::labKernels().size() * (plan.fullSides.size() + plan.coarseSides.size()));
    const auto add = [&](int side, bool full) {
        for (const LabKernel& kernel : lab::labKernels())
            if (takes(plan.kernels, kernel.name()))
                groups.push_back(
                    {&kernel, side, full ? kernel.blockSizes : coarseBlockSizes(kernel)});
    };
    for (const int side : plan.fullSides)
        add(side, true);
    for (const int side : plan.coarseSides)
        if (std::count(plan.fullSides.begin(), plan.fullSides.end(), side) == 0)
            add(side, false);
    return groups;
}

/// Every second, fourth, … of the sizes, so that at most `max` remain; the default size stays.
std::vector<int> thinned(const std::vector<int>& sizes, int standard, std::size_t max) {
    std::size_t step = 1;
    while ((sizes.size() + step - 1) / step > std::max<std::size_t>(max, 4))
        step *= 2;
    std::vector<int> kept;
    // Counted from the end of the first step, so that multiples of large powers of two remain.
    for (std::size_t i = 0; i < sizes.size(); ++i)
        if ((i + 1) % step == 0 || sizes[i] == standard)
            kept.push_back(sizes[i]);
    return kept;
}

} // namespace

void replacePoints(lab::GpuRecord& record, const std::vector<std::string>& kernels,
                   std::vector<LabPoint> points) {
    std::vector<LabPoint> all = std::move(record.points);
    std::erase_if(all, [&](const LabPoint& point) { return takes(kernels, point.kernel); });
    all.insert(all.end(), std::make_move_iterator(points.begin()),
               std::make_move_iterator(points.end()));
    // Kernels in the order of labKernels(), as a whole recording has them.
    std::map<std::string, std::size_t> order;
    for (const LabKernel& kernel : lab::labKernels())
        order.emplace(kernel.name(), order.size());
    const auto placeOf = [&](const LabPoint& point) {
        const auto known = order.find(point.kernel);
        return known == order.end() ? order.size() : known->second;
    };
    std::ranges::stable_sort(all, {}, placeOf);
    record.points = std::move(all);
}

std::vector<int> coarseBlockSizes(const LabKernel& kernel) {
    std::vector<int> sizes;
    for (const int threads : kernel.blockSizes)
        if (threads == 32 || threads == 64 || threads == 128 || threads == 192 || threads == 256 ||
            threads == 512 || threads == 1024 || threads == kernel.standardBlock)
            sizes.push_back(threads);
    return sizes;
}

Recording recordKernels(LabSource& source, const RecordingPlan& plan,
                        const std::function<double()>& clock,
                        const std::function<void(const std::string&, double)>& progress) {
    CachingSource cache(source);
    Recording recording;
    const std::vector<Group> groups = groupsOf(plan);
    std::size_t all = 0, done = 0;
    for (const Group& group : groups)
        all += group.sizes.size();
    const std::size_t forLessons = plan.lessons ? all / 10 + 1 : 0; // roughly their cost
    const auto tell = [&](const std::string& what) {
        if (progress)
            progress(what, static_cast<double>(done) / static_cast<double>(all + forLessons));
    };
    const double begin = clock();
    // Lessons first, because they must be complete: the rest gets the remaining time.
    if (plan.lessons)
        for (const Lesson& lesson : lessons())
            try {
                if (const auto question = questionOf(lesson, plan.kernels))
                    lab::ask(*question, cache, [&](double) { tell("lesson " + lesson.title); });
            } catch (const Cancelled&) {
                throw;
            } catch (const ComputeError& error) {
                recording.notes.push_back(fmt::format("lesson {}: {}", lesson.title, error.what()));
            }
    done += forLessons;
    for (const Group& group : groups) {
        const LabKernel& kernel = *group.kernel;
        const std::string what = fmt::format("{}, side {}", kernel.name(), group.side);
        std::string why;
        tell(what);
        // The first measurement also prepares the data; the second gives the time of one.
        cache.point(kernel, group.side, kernel.standardBlock, 0, why);
        const double before = clock();
        cache.point(kernel, group.side, group.sizes.front(), 0, why);
        const double each = clock() - before;
        const double share = (plan.seconds - (before - begin)) *
                             static_cast<double>(group.sizes.size()) /
                             static_cast<double>(all + forLessons - done);
        std::vector<int> sizes = group.sizes;
        if (each * static_cast<double>(sizes.size()) > share)
            sizes = thinned(sizes, kernel.standardBlock,
                            static_cast<std::size_t>(std::max(0.0, share / each)));
        if (sizes.size() < group.sizes.size())
            recording.notes.push_back(
                fmt::format("{}: only {} of {} block sizes, to finish in time", what, sizes.size(),
                            group.sizes.size()));
        for (const int threads : sizes) {
            tell(what);
            cache.point(kernel, group.side, threads, 0, why);
        }
        done += group.sizes.size();
    }
    recording.points = cache.takePoints();
    for (const std::string& note : cache.notes())
        recording.notes.push_back(note);
    return recording;
}

} // namespace systole
