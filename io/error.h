// What leaves io/ when a file is not what it should be.
#pragma once

#include <stdexcept>

namespace systole {

/// One sentence for the user: which file, what was expected, what was found.
class FileError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace systole
