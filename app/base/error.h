// The exception for a request of the user that makes no sense: main() then ends with code 2.
#pragma once

#include <stdexcept>

namespace systole {

/// One sentence for the user: which option or argument, what was expected, what was found.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace systole
