#include "io/base/numbered_files.h"

#include "io/base/error.h"

#include <fmt/format.h>

#include <filesystem>

namespace systole {

std::string numberedPath(const std::string& path, int frame) {
    const std::size_t name = path.find_last_of('/') + 1; // 0 if there is none
    std::size_t dot = path.rfind('.');
    if (path.ends_with(".nii.gz"))
        dot = path.size() - 7;
    if (dot == std::string::npos || dot <= name)
        dot = path.size();
    return fmt::format("{}_{:04}{}", path.substr(0, dot), frame, path.substr(dot));
}

std::string firstNumbered(const std::string& path, const std::vector<int>& frames) {
    return frames.size() == 1 ? path : numberedPath(path, frames.front());
}

std::string namedByFrame(const std::string& what, const std::vector<int>& frames) {
    return frames.size() == 1 ? what
                              : fmt::format("{} of {} frames, a file each,", what, frames.size());
}

void writeNumbered(const std::string& path, const std::vector<int>& frames,
                   const std::function<void(std::size_t index, const std::string& path)>& write) {
    if (frames.size() == 1)
        return write(0, path);
    for (const int frame : frames)
        if (const std::string file = numberedPath(path, frame); std::filesystem::exists(file))
            throw FileError(file + " exists already; choose another name.");
    for (std::size_t i = 0; i < frames.size(); ++i)
        write(i, numberedPath(path, frames[i]));
}

} // namespace systole
