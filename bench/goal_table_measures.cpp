// Goals for real hearts and for what is measured with the motion.
#include "bench/goal_table.h"

#include <fmt/format.h>

namespace systole {
namespace {

void addRealHearts(Goals& goals) {
    const std::string group = "Real hearts";
    for (const char* method : {"clg", "demons", "ffd", "unbiased"}) {
        goals.push_back(
            {.id = fmt::format("ejection-{}", method),
             .group = group,
             .sentence = fmt::format(
                 "{}: carried ejection fraction less the expert's, three hearts", method),
             .command = "tools/ejection_table.py PROGRAM DATA",
             .place = {.at = {fmt::format("/ejection_table/whole_frames/{}", method)},
                       .summary = Summary::Largest},
             .unit = "points",
             .bar = 2});
        goals.push_back(
            {.id = fmt::format("ejection-sequence-{}", method),
             .group = group,
             .sentence = fmt::format("{}: the same along the sequence, two hearts", method),
             .command = "tools/ejection_table.py PROGRAM DATA --only sequences",
             .place = {.at = {fmt::format("/ejection_table/sequences/{}", method)},
                       .summary = Summary::Largest},
             .unit = "points",
             .bar = 2});
        goals.push_back(
            {.id = fmt::format("drift-{}", method),
             .group = group,
             .sentence = fmt::format("{}: drift over a cycle, seven sequences", method),
             .command = "systole motion SEQUENCE -o OUT --lagrangian --close-cycle",
             .place = {.at = {fmt::format("/drift/mm/{}", method)}, .summary = Summary::Largest},
             .unit = "mm",
             .bar = 1});
    }
}

void addMeasures(Goals& goals) {
    const std::string group = "Measures of the left ventricle";
    struct StrainBar {
        const char *column, *name, *unit;
        double bar;
    };
    for (const auto& [column, name, unit, bar] :
         {StrainBar{"GLS", "longitudinal strain", "%", 1},
          StrainBar{"GCS", "circumferential", "%", 1}, StrainBar{"GRS", "radial", "%", 3},
          StrainBar{"twist", "twist", "degrees", 0.5},
          StrainBar{"EF mid", "ejection fraction", "%", 1}})
        goals.push_back(
            {.id = fmt::format("strain-{}", column),
             .group = group,
             .sentence = fmt::format("clg, echo: {}, largest error of twenty hearts", name),
             .command = "systole bench strain",
             .place = {.at = {fmt::format("/strain/echo/midwall, largest/{}", column)}},
             .unit = unit,
             .bar = bar});
    for (const auto& [look, bar] : lookBars)
        goals.push_back(
            {.id = fmt::format("certainty-{}", look),
             .group = group,
             .sentence = fmt::format(
                 "clg, {}: errors within their interval of 90 %, held-out hearts", look),
             .command = "systole bench certainty --seed 11 --seeds 10",
             .place = {.at = {fmt::format("/certainty/{}/held out/all, %", look)}},
             .unit = "%",
             .bound = Bound::AtLeast,
             .bar = 88});
    goals.push_back({.id = "bias-unbiased",
                     .group = group,
                     .sentence = "unbiased: mean of log J found in noise, volume and wall",
                     .command = "systole bench bias --size 64 --repeat 12",
                     .place = {.at = {"/bias/*/unbiased/volume/mean", "/bias/*/unbiased/wall/mean"},
                               .summary = Summary::Largest},
                     .bar = 1e-3});
}

void addLungsAndSurfaces(Goals& goals) {
    const std::string lungs = "Lungs", surfaces = "Segmentation and surfaces",
                      matrices = "Sparse matrices";
    for (const auto& [cases, bar] : {std::pair("4D CT", 0.92), std::pair("COPD", 1.2)})
        goals.push_back({.id = fmt::format("lungs-{}", cases),
                         .group = lungs,
                         .sentence = fmt::format("DIR-Lab's {}: mean landmark error", cases),
                         .command = "systole landmarks tre DIRLAB --method clg --preset lungs",
                         .place = {.at = {fmt::format("/landmarks tre/{}/mean_mm", cases)}},
                         .unit = "mm",
                         .bar = bar});
    goals.push_back({.id = "folds-sliding",
                     .group = lungs,
                     .sentence = "sides apart (`--sliding`): voxels of the lungs that may fold",
                     .command = "systole bench lungs --cases deep",
                     .place = {.at = {"/lungs/cases/deep/Systole clg, sides apart/folded_percent",
                                      "/lungs/cases/deep/Systole clg, preset lungs, sides apart/"
                                      "folded_percent"}},
                     .unit = "%"});
    for (const auto& [what, bar] :
         {std::pair("phantoms with shadows", 0.80), std::pair("fetal heart", 0.70)})
        goals.push_back({.id = fmt::format("one-click-{}", what),
                         .group = surfaces,
                         .sentence = fmt::format("Dice of the wall from one click, {}", what),
                         .command = "tools/segment_table.py",
                         .place = {.at = {fmt::format("/segment_table/one click/{}", what)}},
                         .bound = Bound::AtLeast,
                         .bar = bar});
    const std::string tests = "nonlocal_means_tests --gtest_filter='SurfaceWithNoise.*'";
    for (const auto& [noise, bar] : {std::pair("1.2", 0.35), std::pair("0.8", 0.20)})
        goals.push_back({.id = fmt::format("sphere-{}", noise),
                         .group = surfaces,
                         .sentence = fmt::format("denoised sphere, noise {}: mean distance", noise),
                         .command = tests,
                         .place = {.at = {fmt::format(
                                       "/nonlocal_means_tests/sphere/{}/distance_voxel", noise)}},
                         .unit = "voxel",
                         .bar = bar});
    goals.push_back({.id = "sphere-bias",
                     .group = surfaces,
                     .sentence = "denoised spheres: bias",
                     .command = tests,
                     .place = {.at = {"/nonlocal_means_tests/sphere/*/bias_voxel"},
                               .summary = Summary::Largest},
                     .unit = "voxel",
                     .bar = 0.03});
    goals.push_back({.id = "isosurface-256",
                     .group = surfaces,
                     .sentence = "surface as triangles from 256³ on a GPU",
                     .command = "systole bench isosurface",
                     .place = {.at = {"/isosurface/sides/256/device_seconds"}, .factor = 1e3},
                     .unit = "ms",
                     .bar = 1});
    for (const auto& [figure, name] :
         {std::pair("files/geometric_mean_faster", "cuSPARSE"),
          std::pair("files/geometric_mean_faster_than_best", "the better of cuSPARSE and spECK")})
        goals.push_back({.id = fmt::format("spgemm-{}", name),
                         .group = matrices,
                         .sentence = fmt::format("A·A of six matrices: time of {} over ours", name),
                         .command = "systole bench spgemm --data FOLDER",
                         .place = {.at = {fmt::format("/spgemm/{}", figure)}},
                         .bound = Bound::AtLeast,
                         .bar = 1.3});
}

} // namespace

void addMeasureGoals(Goals& goals) {
    addRealHearts(goals);
    addMeasures(goals);
    addLungsAndSurfaces(goals);
}

} // namespace systole
