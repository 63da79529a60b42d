// `systole snapshot --like`: a saved picture, made again from what its file says.
#include "app/base/error.h"
#include "app/cli/option_checks.h"
#include "app/cli/progress.h"
#include "app/live/saved_picture.h"
#include "app/pictures/remake.h"
#include "app/pictures/snapshot_command.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

namespace systole {
namespace {

/// Options that go with --like; all others are in the picture.
constexpr std::array<std::string_view, 6> allowed{"FILE",         "--output",    "--like",
                                                  "--no-caption", "--overwrite", "--threads"};

std::string besideThe(const std::string& picture) {
    const std::filesystem::path path(picture);
    const std::string name = path.stem().string() + "_again.png";
    return (path.parent_path() / name).string();
}

} // namespace

int SnapshotCommand::runLike() {
    for (const CLI::Option* option : app_->get_options())
        if (option->count() > 0 && std::ranges::find(allowed, option->get_name()) == allowed.end())
            throw UsageError(fmt::format("{} doesn't go with --like, which takes everything from "
                                         "the picture",
                                         option->get_name()));
    const PictureRecord wanted = readPictureRecord(like_);
    if (output_.empty())
        output_ = besideThe(like_);
    std::vector<std::string> inputs = files_;
    inputs.push_back(like_);
    overwrite_.checkAll({output_}, inputs);
    requirePngName(output_, "--output");
    std::optional<ProgressBar> bar(std::in_place);
    const Remade made =
        remakePicture(wanted, like_, files_, threads_,
                      [&](const std::string& phase, double part) { bar->update(phase, part); });
    bar.reset(); // its line is free for what follows
    for (const std::string& warning : made.warnings)
        fmt::print(stderr, "systole: warning: {}\n", warning);
    write(made.image, made.record, ", made again", output_);
    return 0;
}

} // namespace systole
