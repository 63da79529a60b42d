// The exception that io/ throws for unusable files.
#pragma once

#include <stdexcept>

namespace systole {

/// One sentence for the user: which file, what was expected, what was found.
class FileError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace systole
