#include "app/features/registration/iteration_store.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace systole {
namespace {

/// `a` came after `b`.
bool isBetter(const RegistrationIterate& a, const RegistrationIterate& b) {
    if (a.point.part != b.point.part)
        return true; // a later part starts from the end of the one before it
    return a.point.level < b.point.level ||
           (a.point.level == b.point.level && a.point.energy < b.point.energy);
}

} // namespace

void IterationStore::add(std::shared_ptr<const RegistrationIterate> iterate) {
    if (!best_ || isBetter(*iterate, *best_))
        best_ = iterate;
    bytes_ += iterate->bytes();
    kept_.push_back(std::move(iterate));
    thin();
}

/// Gives up the iteration whose neighbors are closest to each other.
void IterationStore::thin() {
    while (bytes_ > maxBytes_) {
        std::size_t least = 0;
        int smallestGap = std::numeric_limits<int>::max();
        for (std::size_t i = 1; i + 1 < kept_.size(); ++i) {
            const int gap = kept_[i + 1]->number() - kept_[i - 1]->number();
            if (kept_[i] != best_ && gap < smallestGap) {
                smallestGap = gap;
                least = i;
            }
        }
        if (least == 0)
            return;
        bytes_ -= kept_[least]->bytes();
        kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(least));
    }
}

void IterationStore::clear() {
    kept_.clear();
    best_.reset();
    bytes_ = 0;
}

std::shared_ptr<const RegistrationIterate> IterationStore::find(int number) const {
    const auto after =
        std::upper_bound(kept_.begin(), kept_.end(), number, [](int wanted, const auto& iterate) {
            return wanted < iterate->number();
        });
    return after == kept_.begin() ? nullptr : *std::prev(after);
}

std::vector<int> IterationStore::numbers() const {
    std::vector<int> numbers;
    for (const auto& iterate : kept_)
        numbers.push_back(iterate->number());
    return numbers;
}

} // namespace systole
