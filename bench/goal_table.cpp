// The goals one by one: bars, and where their figures stand. Figures of tools and tests, which
// write no record, stand in records of the same form under their names.
#include "bench/goal_table.h"

#include <fmt/format.h>

namespace systole {
namespace {

/// "Systole clg" as a pointer below a look of the family.
std::string familyPlace(const char* look, const char* program, const char* figure) {
    return fmt::format("/accuracy/family/{}/{}/{}", look, program, figure);
}

void addFamily(Goals& goals, int side, std::size_t hearts) {
    const std::string group = fmt::format("The family of phantoms, {}³ voxels", side),
                      where = fmt::format("/accuracy/side={}", side);
    const std::string command =
        side == 64
            ? "systole bench accuracy --no-peers"
            : fmt::format("systole bench accuracy --no-peers --size {} --seeds {}", side, hearts);
    for (const auto& [look, bar] : lookBars)
        goals.push_back({.id = fmt::format("error-{}-{}", look, side),
                         .group = group,
                         .sentence = fmt::format("clg, {}: median error in the wall", look),
                         .command = command,
                         .place = {.at = {familyPlace(look, "Systole clg", "error")},
                                   .summary = Summary::Median,
                                   .where = where,
                                   .count = hearts},
                         .unit = "voxel",
                         .bar = bar});
    for (const auto& [look, bar] : lookBars)
        goals.push_back({.id = fmt::format("amplitude-{}-{}", look, side),
                         .group = group,
                         .sentence = fmt::format("clg, {}: amplitude", look),
                         .command = command,
                         .place = {.at = {familyPlace(look, "Systole clg", "amplitude")},
                                   .where = where,
                                   .count = hearts},
                         .bound = Bound::AtLeast,
                         .bar = 0.97});
    if (side != 64)
        return;
    for (const char* program : {"clg", "demons", "ffd", "unbiased", "landmarks"})
        goals.push_back(
            {.id = fmt::format("noise-{}", program),
             .group = group,
             .sentence = fmt::format("{}: motion of the wall by noise alone", program),
             .command = command,
             .place = {.at = {fmt::format("/accuracy/family/*/Systole {}/noise_mm", program)},
                       .where = where,
                       .count = hearts},
             .unit = "mm",
             .bar = 0.1});
    goals.push_back({.id = "folds",
                     .group = group,
                     .sentence = "every method: cells that may fold",
                     .command = command,
                     .place = {.at = {"/accuracy/family/*/*/folded_percent"},
                               .summary = Summary::Largest,
                               .where = where,
                               .count = hearts},
                     .unit = "%"});
}

void addSettings(Goals& goals) {
    const std::string group = "Settings of clg on the family of phantoms, 64³ voxels";
    const std::string command = "systole bench accuracy --method clg --set alpha=VALUE --no-peers";
    goals.push_back({.id = "alpha-three-times-off",
                     .group = group,
                     .sentence = "cost in error of a smoothness three times off",
                     .command = command,
                     .place = {.at = {"/alpha study/cost_percent"}},
                     .unit = "%",
                     .bar = 20});
    for (const auto& [look, bar] : lookBars)
        goals.push_back({.id = fmt::format("best-setting-{}", look),
                         .group = group,
                         .sentence = fmt::format(
                             "{}: hearts of 20 within 5 % of their best setting by default", look),
                         .command = command,
                         .place = {.at = {fmt::format("/alpha study/near_best/{}", look)}},
                         .bound = Bound::AtLeast,
                         .bar = 20});
}

void addUsualPhantom(Goals& goals) {
    const std::string group = "The usual phantom, 128³ voxels";
    for (const auto& [look, bar] :
         {LookBar{"echo", 0.15}, LookBar{"hard", 0.40}, LookBar{"small", 0.17}})
        goals.push_back(
            {.id = fmt::format("usual-{}", look),
             .group = group,
             .sentence = fmt::format("clg, {}: mean error in the wall", look),
             .command = "systole bench motion --no-peers",
             .place = {.at = {fmt::format("/motion/programs/Systole clg/{}/mean_error", look)},
                       .where = "/motion/size=128"},
             .unit = "voxel",
             .bar = bar});
    goals.push_back({.id = "pair-cpu",
                     .group = group,
                     .sentence = "clg: a pair on two threads of a CPU",
                     .command = "systole bench pairs --threads 2 --sides 128",
                     .place = {.at = {"/pairs/sides/128/cpu/seconds"},
                               .summary = Summary::Median,
                               .where = "/pairs/threads=2"},
                     .unit = "s",
                     .bar = 1.5});
}

void addDevice(Goals& goals) {
    const std::string group = "Estimation on a GPU";
    for (const auto& [side, bar] : {std::pair(128, 400), std::pair(200, 120), std::pair(256, 60)})
        goals.push_back(
            {.id = fmt::format("pairs-{}", side),
             .group = group,
             .sentence = fmt::format("clg: pairs a second of {}³ on an H200", side),
             .command = "systole bench pairs --method clg --cpu-seconds 0",
             .place = {.at = {fmt::format("/pairs/sides/{}/cuda/pairs_per_second", side)},
                       .where = "/pairs/method=clg"},
             .unit = "a second",
             .bound = Bound::AtLeast,
             .bar = static_cast<double>(bar),
             .machine = "H200"});
    for (const char* method : {"clg", "demons", "ffd", "unbiased", "landmarks"})
        goals.push_back({.id = fmt::format("parity-{}", method),
                         .group = group,
                         .sentence = fmt::format("{}: runs of CUDA beyond the bounds (0.001 voxel "
                                                 "from the CPU in the mean, 0.05 anywhere)",
                                                 method),
                         .command = fmt::format("systole bench parity --method {}", method),
                         .place = {.at = {"/parity/beyond"},
                                   .where = fmt::format("/parity/method={}", method)}});
    goals.push_back({.id = "unbiased-300",
                     .group = group,
                     .sentence = "unbiased: 300 iterations at 128³",
                     .command = "systole bench unbiased",
                     .place = {.at = {"/unbiased/sides/128/whole/paper, force by fused/seconds"},
                               .factor = 1e3},
                     .unit = "ms",
                     .bar = 60,
                     .machine = "H200"});
    goals.push_back(
        {.id = "nmi-256",
         .group = group,
         .sentence = "ffd: the value of mutual information at 256³",
         .command = "systole bench ffd",
         .place = {.at = {"/ffd/sides/256/nmi/stages/similarity/seconds"}, .factor = 1e6},
         .unit = "µs",
         .bar = 100,
         .machine = "H200"});
    for (const char* size : {"256×256×256", "512×228×385"})
        goals.push_back(
            {.id = fmt::format("bspline-{}", size),
             .group = group,
             .sentence =
                 fmt::format("B-spline field, {} voxels: time over that of writing it", size),
             .command = "systole bench bspline",
             .place = {.at = {fmt::format("/bspline/cuda/{}/bspline~1columns/*/time_over_floor",
                                          size)}},
             .bar = 1.2});
    goals.push_back(
        {.id = "bspline-error",
         .group = group,
         .sentence = "B-spline field: mean error of positions, the thesis' best",
         .command = "systole bench bspline",
         .place = {.at = {"/bspline/mean_absolute_error/cuda/bspline~1columns/positions"},
                   .factor = 1e6},
         .unit = "millionths of a voxel",
         .bar = 2.8});
}

void addLive(Goals& goals) {
    const std::string group = "Live";
    for (const int side : {128, 200, 256}) {
        const std::string file = fmt::format("echo{}.nii.gz", side),
                          command =
                              fmt::format("systole bench live --file {} --play-seconds 1", file);
        const auto at = [&](const char* path, const char* way, const char* latency) {
            return fmt::format("/live/{}/{}/{}/{}_latency_seconds_p95", file, path, way, latency);
        };
        const auto picture = [&](const char* id, const char* what, const char* way,
                                 const char* withSurfaces) {
            goals.push_back({.id = fmt::format("picture-{}-{}", id, side),
                             .group = group,
                             .sentence = fmt::format("{}³, {}: picture, 95 % within", side, what),
                             .command = command,
                             .place = {.at = {at("cuda-interop", way, "picture"),
                                              at("cuda-interop", withSurfaces, "picture")},
                                       .factor = 1e3},
                             .unit = "ms",
                             .bar = 20});
        };
        picture("played", "next frame known", "25 frames per second", "surfaces");
        picture("arriving", "frames that arrive", "as they arrive", "surfaces, arriving");
        FigurePlace place;
        for (const char* way :
             {"25 frames per second", "as they arrive", "surfaces", "surfaces, arriving"}) {
            place.at.push_back(at("cuda-interop", way, "motion"));
            place.over.push_back(at("host upload", way, "motion"));
        }
        goals.push_back({.id = fmt::format("motion-interop-{}", side),
                         .group = group,
                         .sentence = fmt::format(
                             "{}³: motion by interop over motion by upload, 95 % within", side),
                         .command = command,
                         .place = place,
                         .bar = 1});
    }
    goals.push_back({.id = "first-picture",
                     .group = group,
                     .sentence = "first picture of a sequence on two cores without a GPU",
                     .command = "systole view assets/demo_cine_mr.nii.gz --size 1400x900",
                     .place = {.at = {"/view/first_picture_seconds"}, .summary = Summary::Median},
                     .unit = "s",
                     .bar = 1});
    goals.push_back(
        {.id = "rewinding",
         .group = group,
         .sentence = "Register: pictures of 256³ while rewinding, slices and volume",
         .command = "systole bench pictures",
         .place = {.at = {"/pictures/shown, slices and volume, cuda-interop/perSecond"}},
         .unit = "a second",
         .bound = Bound::AtLeast,
         .bar = 60});
}

Goals allGoals() {
    Goals goals;
    addFamily(goals, 64, 20);
    addFamily(goals, 128, 8);
    addSettings(goals);
    addUsualPhantom(goals);
    addDevice(goals);
    addLive(goals);
    addMeasureGoals(goals);
    return goals;
}

} // namespace

const std::vector<Goal>& goals() {
    static const std::vector<Goal> all = allGoals();
    return all;
}

} // namespace systole
