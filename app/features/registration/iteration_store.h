// The iterations of a registration within a memory limit. When it is reached, iterations are given
// up such that what stays is spread evenly.
#pragma once

#include "app/features/registration/iterate.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace systole {

/// Not thread-safe.
class IterationStore {
public:
    explicit IterationStore(std::size_t maxBytes) : maxBytes_(maxBytes) {}

    /// Numbers ascend. The first, the newest and the best iteration are never given up.
    void add(std::shared_ptr<const RegistrationIterate> iterate);
    void clear();

    /// The kept iteration with this number, or the last one before it; null: there is none.
    std::shared_ptr<const RegistrationIterate> find(int number) const;
    /// The lowest energy on the finest level of the last part reached so far: parts and levels
    /// have energies of their own.
    std::shared_ptr<const RegistrationIterate> best() const { return best_; }
    std::vector<int> numbers() const; ///< ascending
    std::size_t bytes() const { return bytes_; }

private:
    void thin();

    std::size_t maxBytes_, bytes_ = 0;
    /// Stored iterations, ascending by number.
    std::vector<std::shared_ptr<const RegistrationIterate>> kept_;
    std::shared_ptr<const RegistrationIterate> best_;
};

} // namespace systole
