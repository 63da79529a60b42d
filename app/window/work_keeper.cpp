#include "app/window/work_keeper.h"

#include "app/feature/tools.h"
#include "app/window/window.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

namespace systole {
namespace {

constexpr int milliseconds = 2000;
} // namespace

void restoreWork(const RecoveredWork& work, Tools& tools) {
    const auto found = [&](const char* name) -> std::string {
        const std::filesystem::path path = std::filesystem::path(work.folder) / name;
        std::error_code unknown;
        return std::filesystem::exists(path, unknown) ? path.string() : "";
    };
    for (const auto& tool : tools)
        tool->recover(found);
}

WorkKeeper::WorkKeeper(Window& window, const std::filesystem::path& folder)
    : window_(window), recovery_(folder) {
    for (const RecoveredWork& left : recovery_.left())
        left_ += fmt::format("{}A session of Systole has ended without being closed; what wasn't "
                             "saved in it is in {}: {}; of {}. File, Recovered work opens it.",
                             left_.empty() ? "" : " ", left.folder, left.what,
                             fmt::join(left.files, ", "));
    QObject::connect(&timer_, &QTimer::timeout, &timer_, [this] { keep(); });
    timer_.start(milliseconds);
}

/// Motion isn't kept: it can be computed again.
void WorkKeeper::keep() {
    if (!window_.session().opened)
        return;
    if (!left_.empty()) { // not before: opening a file takes back what was said
        window_.session().message = std::exchange(left_, {});
        window_.refresh();
    }
    std::vector<KeptWork> work;
    for (const UnsavedWork& unsaved : window_.tools().unsaved())
        if (unsaved.kept) {
            work.push_back(unsaved.kept());
            work.back().name = unsaved.name;
        }
    recovery_.keep(window_.session().opened->paths, work);
}

} // namespace systole
