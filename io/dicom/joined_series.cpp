#include "io/dicom/joined_series.h"

#include "io/dicom/one_grid.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace systole {
namespace {

bool shareGrid(const DicomPlane& a, const DicomPlane& b) {
    return a.position && b.position && haveOneSize(a, b) && a.file->modality == b.file->modality &&
           haveOneOrientation(a, b) && haveOneSpacing(a, b);
}

/// Whether both lie in one space: positions of two examinations can't be compared.
bool shareSpace(const DicomImageFile& a, const DicomImageFile& b) {
    return a.frameOfReference.empty() || b.frameOfReference.empty()
               ? a.study == b.study
               : a.frameOfReference == b.frameOfReference;
}

/// Properties of a series that decide with which others it is joined.
struct Layout {
    const DicomPlane* first = nullptr;
    bool isOneGrid = false;
    bool isOneKind = false;
    std::vector<Vec3> positions; ///< different positions along the slices' normal
    std::size_t images = 0;
    std::size_t perPosition() const { return positions.empty() ? 0 : images / positions.size(); }
    double height(std::size_t i) const { return dot(first->normal(), positions[i]); }
};

Layout layoutOf(const DicomSeries& series) {
    Layout layout;
    layout.first = &series.front();
    layout.images = series.size();
    layout.isOneGrid = std::ranges::all_of(
        series, [&](const DicomPlane& plane) { return shareGrid(plane, series.front()); });
    layout.isOneKind = std::ranges::all_of(series, [&](const DicomPlane& plane) {
        return plane.kinds[componentKind] == series.front().kinds[componentKind];
    });
    for (const DicomPlane& plane : series)
        if (plane.position)
            layout.positions.push_back(*plane.position);
    const Vec3 normal = series.front().normal();
    const auto height = [&](const Vec3& position) { return dot(normal, position); };
    std::ranges::stable_sort(layout.positions, {}, height);
    const auto isRepeated = [&](const Vec3& a, const Vec3& b) {
        return std::abs(height(a) - height(b)) < samePlaneMillimeters;
    };
    // Clang 14 doesn't compile the view that std::ranges::unique() returns.
    layout.positions.erase(
        std::unique(layout.positions.begin(), layout.positions.end(), isRepeated),
        layout.positions.end());
    return layout;
}

bool mayJoin(const Layout& a, const Layout& b) {
    return a.isOneGrid && b.isOneGrid && a.isOneKind == b.isOneKind &&
           (!a.isOneKind || a.first->kinds[componentKind] == b.first->kinds[componentKind]) &&
           shareGrid(*a.first, *b.first) && shareSpace(*a.first->file, *b.first->file);
}

bool shareAllPositions(const Layout& a, const Layout& b) {
    return std::ranges::equal(a.positions, b.positions, [](const Vec3& u, const Vec3& v) {
        return length(u - v) < samePlaneMillimeters;
    });
}

class Joining {
public:
    explicit Joining(const std::vector<DicomSeries>& series) {
        for (const DicomSeries& members : series)
            layouts_.push_back(layoutOf(members));
        free_.resize(layouts_.size(), true);
    }

    std::vector<JoinedSeries> join() {
        for (std::size_t i = 0; i < layouts_.size(); ++i) {
            if (!free_[i])
                continue;
            std::vector<std::size_t> group;
            for (std::size_t j = i; j < layouts_.size(); ++j)
                if (free_[j] && mayJoin(layouts_[i], layouts_[j]))
                    group.push_back(j);
            if (group.size() > 1)
                joinWithin(group, i);
            if (free_[i])
                add({i}, SeriesJoining::Alone);
        }
        return std::move(joined_);
    }

private:
    /// Joins series of the group with its first, if they belong together.
    void joinWithin(const std::vector<std::size_t>& group, std::size_t first) {
        const Layout& one = layouts_[first];
        std::vector<std::size_t> phases;
        if (one.positions.size() > 1 && one.perPosition() == 1 &&
            one.images == one.positions.size())
            for (const std::size_t i : group)
                if (layouts_[i].images == one.images && shareAllPositions(layouts_[i], one))
                    phases.push_back(i);
        if (phases.size() > 1)
            return add(phases, SeriesJoining::Phases);
        std::vector<std::size_t> slices = slicesOf(group);
        if (std::ranges::find(slices, first) != slices.end() && slices.size() > 1)
            add(slices, SeriesJoining::Slices);
    }

    /// Series of the group that have the most frequent number of images per position.
    std::vector<std::size_t> slicesOf(const std::vector<std::size_t>& group) const {
        const auto isCycle = [&](std::size_t i) { return layouts_[i].perPosition() > 1; };
        const bool anyCycle = std::ranges::any_of(group, isCycle);
        std::map<std::size_t, std::size_t> counts;
        for (const std::size_t i : group)
            if (isCycle(i) || !anyCycle)
                ++counts[layouts_[i].perPosition()];
        const std::size_t usual = std::ranges::max_element(counts, {}, [](const auto& each) {
                                      return each.second;
                                  })->first;
        std::vector<std::size_t> slices;
        std::vector<double> heights;
        for (const std::size_t i : group)
            if (layouts_[i].images == usual * layouts_[i].positions.size())
                take(i, slices, heights);
        const auto isSlice = [&](std::size_t i) { return layouts_[i].positions.size() == 1; };
        if (!std::ranges::all_of(slices, isSlice))
            return usual > 1 && areEvenlySpaced(heights) ? slices : std::vector<std::size_t>{};
        // A slice with fewer images belongs to the stack where no other lies: it is incomplete.
        for (const std::size_t i : group)
            if (usual > 1 && isSlice(i) && layouts_[i].images != usual &&
                !liesAmong(layouts_[i].height(0), heights))
                take(i, slices, heights);
        return slices;
    }

    void take(std::size_t i, std::vector<std::size_t>& slices, std::vector<double>& heights) const {
        slices.push_back(i);
        for (std::size_t p = 0; p < layouts_[i].positions.size(); ++p)
            heights.push_back(layouts_[i].height(p));
    }

    static bool liesAmong(double height, const std::vector<double>& heights) {
        return std::ranges::any_of(
            heights, [&](double other) { return std::abs(other - height) < samePlaneMillimeters; });
    }

    static bool areEvenlySpaced(std::vector<double> heights) {
        if (heights.size() < 2)
            return false;
        std::ranges::sort(heights);
        const double usual =
            (heights.back() - heights.front()) / static_cast<double>(heights.size() - 1);
        for (std::size_t i = 1; i < heights.size(); ++i)
            if (isUnevenGap(heights[i] - heights[i - 1], usual))
                return false;
        return usual > samePlaneMillimeters;
    }

    void add(const std::vector<std::size_t>& members, SeriesJoining joining) {
        JoinedSeries joined{members, joining, 0, layouts_[members.front()].positions.size()};
        std::vector<std::size_t> taken;
        std::vector<double> heights;
        for (const std::size_t i : members) {
            free_[i] = false;
            joined.images += layouts_[i].images;
            if (joining == SeriesJoining::Slices && !liesAmong(layouts_[i].height(0), heights))
                take(i, taken, heights);
        }
        if (joining == SeriesJoining::Slices)
            joined.positions = heights.size();
        joined_.push_back(std::move(joined));
    }

    std::vector<Layout> layouts_;
    std::vector<bool> free_;
    std::vector<JoinedSeries> joined_;
};

} // namespace

std::vector<JoinedSeries> joinedSeries(const std::vector<DicomSeries>& series) {
    return Joining(series).join();
}

} // namespace systole
