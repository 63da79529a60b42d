// The error that render/ throws when something can't be shown.
#pragma once

#include <stdexcept>

namespace systole {

/// One sentence for the user: what could not be drawn, what was needed, what was found.
class RenderError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace systole
