#include "compute/core/shared_library.h"

#include "compute/core/error.h"

#include <fmt/format.h>

#include <dlfcn.h>

namespace systole {

SharedLibrary::SharedLibrary(std::string title, std::initializer_list<const char*> files)
    : title_(std::move(title)), library_(nullptr, dlclose) {
    for (const char* file : files)
        if (!library_)
            library_.reset(dlopen(file, RTLD_NOW | RTLD_LOCAL));
    if (!library_)
        throw ComputeError(fmt::format("{} ({}) isn't installed", title_, *files.begin()));
}

void SharedLibrary::check(int status, const char* what) const {
    if (status != 0)
        throw ComputeError(fmt::format("{}: {} failed with status {}", title_, what, status));
}

void* SharedLibrary::address(const char* name) const {
    void* const found = dlsym(library_.get(), name);
    if (!found)
        throw ComputeError(fmt::format("{} has no {}", title_, name));
    return found;
}

} // namespace systole
