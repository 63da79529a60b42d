#include "app/features/landmarks/tre_cases.h"

#include "app/estimation/registration_methods.h"
#include "app/features/landmarks/point_motion.h"
#include "app/tuning/autotune_file.h"
#include "compute/core/block_sizes.h"
#include "compute/core/elapsed.h"
#include "compute/surface/lungs.h"
#include "io/base/text.h"
#include "io/dirlab/image.h"
#include "io/source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <utility>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr int deepest = 4;
constexpr int breathedIn = 0, breathedOut = 50;

/// The best candidate so far for one file of a case: the lowest rank, then the first by name.
struct Candidate {
    std::string path;
    std::size_t rank = 0;

    void offer(const std::string& other, std::size_t otherRank) {
        if (path.empty() || std::pair(otherRank, other) < std::pair(rank, path)) {
            path = other;
            rank = otherRank;
        }
    }
};

struct Candidates {
    DirLabCase of;
    std::array<Candidate, 2> points, images, masks; ///< breathed in, breathed out

    CaseFiles files() const {
        return {of,
                points[0].path,
                points[1].path,
                images[0].path,
                images[1].path,
                masks[0].path,
                masks[1].path};
    }
    /// Files that are missing from a case, each by its DIR-Lab name.
    std::vector<std::string> missing(bool withImages) const {
        const bool copd = of.set == DirLabSet::CopdGene;
        const std::array<const char*, 2> phases =
            copd ? std::array{"iBH", "eBH"} : std::array{"T00", "T50"};
        std::vector<std::string> names;
        for (std::size_t phase = 0; phase < phases.size(); ++phase) {
            if (points[phase].path.empty())
                names.push_back(fmt::format("{}_300_{}_xyz{}.txt", of.name(), phases[phase],
                                            copd ? "_r1" : ""));
            if (withImages && images[phase].path.empty())
                names.push_back(
                    fmt::format("{}_{}{}.img", of.name(), phases[phase], copd ? "CT" : ""));
        }
        return names;
    }
};

/// "case1_t00_mask.nii.gz", of a name in lower case.
bool isMask(const std::string& fileName) {
    constexpr std::array extensions{".mhd", ".mha", ".nii.gz", ".nii", ".nrrd"};
    return std::ranges::any_of(extensions, [&](const char* extension) {
        return fileName.ends_with(fmt::format("_mask{}", extension));
    });
}

void sortFile(const std::string& path, std::map<std::pair<int, int>, Candidates>& cases) {
    const std::optional<DirLabName> named = dirLabNameOf(path);
    if (!named || !named->phase || (*named->phase != breathedIn && *named->phase != breathedOut))
        return;
    Candidates& of = cases[{static_cast<int>(named->of.set), named->of.number}];
    of.of = named->of;
    const std::size_t phase = *named->phase == breathedIn ? 0 : 1;
    const std::string fileName = lowerCase(fs::path(path).filename().string());
    if (fileName.ends_with(".txt")) // the 300 of the extreme phases before others
        of.points[phase].offer(path, fileName.find("300") != std::string::npos ? 0 : 1);
    else if (isMask(fileName))
        of.masks[phase].offer(path, 0);
    else if (const auto image = dirLabImageName(path))
        of.images[phase].offer(path, image->rank);
}

bool isWanted(const DirLabCase& of, const std::vector<std::string>& only) {
    return only.empty() || std::ranges::any_of(only, [&](const std::string& name) {
               return lowerCase(name) == of.name();
           });
}

PairedPoints readCase(const CaseFiles& files, const std::optional<Geometry>& fixedGrid,
                      const std::optional<Geometry>& movingGrid) {
    return readPairs(files.of.name(), {files.fixedPoints, {fixedGrid}},
                     {files.movingPoints, {movingGrid}});
}

/// The file of a case among results; empty: there is none.
std::string fieldOf(const DirLabCase& of, const std::string& folder) {
    const std::string base = (fs::path(folder) / of.name()).string();
    constexpr std::array names{".mha",
                               ".mhd",
                               ".nii.gz",
                               ".nii",
                               ".nrrd",
                               ".tfm",
                               ".txt",
                               "/displacement.mha",
                               "/displacement.nii.gz"};
    std::error_code ignored;
    for (const char* name : names)
        if (fs::is_regular_file(base + name, ignored))
            return base + name;
    return {};
}

} // namespace

FoundCases findCases(const std::string& folder, const std::vector<std::string>& only, bool images) {
    std::map<std::pair<int, int>, Candidates> candidates;
    std::error_code failure;
    fs::recursive_directory_iterator entry(folder, failure);
    if (failure)
        throw fileError(folder, fmt::format("cannot be read: {}", failure.message()));
    for (const fs::recursive_directory_iterator end; entry != end; entry.increment(failure)) {
        if (failure)
            throw fileError(folder, fmt::format("cannot be read: {}", failure.message()));
        if (entry.depth() >= deepest)
            entry.disable_recursion_pending();
        if (entry->is_regular_file(failure))
            sortFile(entry->path().string(), candidates);
    }
    FoundCases found;
    for (const auto& [key, of] : candidates)
        if (isWanted(of.of, only)) {
            const std::vector<std::string> missing = of.missing(images);
            if (missing.empty())
                found.cases.push_back(of.files());
            else
                found.skipped.push_back(
                    fmt::format("{} lacks {}", of.of.name(), fmt::join(missing, ", ")));
        }
    for (const std::string& name : only)
        if (std::ranges::none_of(candidates, [&](const auto& each) {
                return each.second.of.name() == lowerCase(name);
            }))
            throw fileError(folder,
                            fmt::format("holds no file of {}, by their names", inQuotes(name)));
    if (found.cases.empty() && found.skipped.empty())
        throw fileError(folder,
                        "is not a folder of DIR-Lab's cases: expected are two files of points for "
                        "each, such as case1_300_T00_xyz.txt and case1_300_T50_xyz.txt, or "
                        "copd1_300_iBH_xyz_r1.txt and copd1_300_eBH_xyz_r1.txt; for one motion "
                        "name its displacement field and the points by --fixed and --moving");
    if (found.cases.empty())
        throw fileError(folder, fmt::format("has no whole case (DIR-Lab hands out its files under "
                                            "its own terms, dir-lab.com): {}",
                                            fmt::join(found.skipped, "; ")));
    return found;
}

std::optional<Geometry> gridOf(const std::string& image) {
    return image.empty() ? std::nullopt : std::optional(openSequence({image}).geometry);
}

PairedPoints readPairs(const std::string& name, const PointFile& fixedFile,
                       const PointFile& movingFile) {
    const StoredLandmarks fixed = readLandmarks(fixedFile.path, fixedFile.options);
    const StoredLandmarks moving = readLandmarks(movingFile.path, movingFile.options);
    NamedPairs named = pairUp(fixedFile.path, fixed.set, movingFile.path, moving.set);
    PairedPoints points;
    points.pairs = std::move(named.pairs);
    points.movingGrid = moving.grid;
    points.errors.name = name;
    points.errors.fixedFile = fixedFile.path;
    points.errors.movingFile = movingFile.path;
    points.errors.points = std::move(named.names);
    points.errors.initial = initialErrors(points.pairs);
    for (const auto& [file, stored] :
         {std::pair(&fixedFile, &fixed), std::pair(&movingFile, &moving)})
        for (const std::string& note : stored->notes)
            points.notes.push_back(fmt::format("{}: {}", file->path, note));
    return points;
}

void PairedPoints::move(const std::function<std::optional<Vec3>(Vec3)>& motion,
                        const std::optional<Geometry>& grid) {
    std::vector<std::optional<Vec3>> moved;
    for (const Vec3& p : pairs.fixed)
        moved.push_back(motion(p));
    errors.after = targetErrors(pairs, moved);
    if (grid)
        errors.snapped = targetErrors(pairs, moved, &*grid);
}

CaseErrors initialCaseErrors(const CaseFiles& files) {
    return readCase(files, gridOf(files.fixedImage), gridOf(files.movingImage)).errors;
}

CaseErrors caseErrorsWithField(const CaseFiles& files, const std::string& fields,
                               const ExecContext& ctx) {
    const std::string path = fieldOf(files.of, fields);
    if (path.empty()) {
        CaseErrors errors = initialCaseErrors(files);
        errors.notes.push_back(fmt::format("{} has no motion of this case", fields));
        return errors;
    }
    ctx.throwIfCancelled();
    const std::optional<Geometry> image = gridOf(files.fixedImage);
    const Geometry published = files.of.geometry();
    const PointMotion motion = readPointMotion(path, {}, image ? &*image : &published, ctx);
    // A field on a grid of the image's size is one on its voxels, wherever its header puts them.
    const std::optional<Geometry> onField =
        motion.grid && motion.grid->size() == (image ? *image : published).size() ? motion.grid
                                                                                  : image;
    PairedPoints points = readCase(files, onField, onField ? onField : gridOf(files.movingImage));
    points.errors.motion = path;
    points.errors.notes.insert(points.errors.notes.end(), motion.notes.begin(), motion.notes.end());
    points.move(motion.move, points.movingGrid);
    return points.errors;
}

CaseRegistration::CaseRegistration(const MethodOptions& options, bool everywhere)
    : method_(options.method())
    , parameters_(options.values())
    , device_(options.backendOf(options.method()))
    , autotuned_(!options.noAutotune)
    , everywhere_(everywhere) {
    device_.open();
    const BackendChoice& on = device_.choice();
    beganOnDevice_ = on.backend == Backend::Cuda;
    description_ = fmt::format("method {}, preset {}, backend {} ({})", method_.name,
                               options.preset, systole::name(on.backend), on.reason);
}

Volume CaseRegistration::lungsOf(const RegisterImage& image, const std::string& mask,
                                 std::vector<std::string>& notes, const ExecContext& ctx) {
    if (!mask.empty())
        return readMask(mask, image, ctx);
    Volume lungs = findLungs(image.volume, ctx);
    notes.push_back(fmt::format("{}: lungs of {:.2f} liters found",
                                fs::path(image.path).filename().string(), litersOf(lungs)));
    return lungs;
}

RegistrationResult CaseRegistration::find(const RegistrationImages& images,
                                          std::vector<std::string>& notes,
                                          const ExecContext& base) {
    ExecContext ctx = base;
    BlockSizes blockSizes;
    device_.tryAgain(); // this case may fit where the last one didn't
    const std::shared_ptr<CudaContext> device = device_.open();
    if (device && autotuned_) {
        std::string problem;
        blockSizes =
            usableBlockSizes(readAutotuneFile(autotuneFile(), problem),
                             tunedDevice(device->device()), images.fixed->geometry.voxels());
        ctx.blockSizes = &blockSizes;
        if (!problem.empty())
            notes.push_back(problem + "; kernels run with their default block sizes");
    }
    RegistrationResult result = device_.run(ctx, [&](const ExecContext& where) {
        return registerImages(
            images, {}, planOf(method_, parameters_, where.backend, startsWithAffine(method_)),
            where);
    });
    if (beganOnDevice_ && !device_.fallback().empty())
        notes.push_back(device_.fallback());
    return result;
}

CaseErrors CaseRegistration::run(const CaseFiles& files, const ExecContext& ctx) {
    const RegisterImage fixed = readImage({files.fixedImage, {}}, files.fixedImage, ctx);
    const RegisterImage moving = readImage({files.movingImage, {}}, files.movingImage, ctx);
    PairedPoints points = readCase(files, fixed.volume.geometry, moving.volume.geometry);
    CaseErrors& errors = points.errors;
    const auto begin = std::chrono::steady_clock::now();
    RegistrationImages images{&fixed.volume, &moving.volume};
    Volume fixedMask, movingMask;
    if (!everywhere_) {
        fixedMask = lungsOf(fixed, files.fixedMask, errors.notes, ctx);
        movingMask = lungsOf(moving, files.movingMask, errors.notes, ctx);
        images.fixedMask = &fixedMask;
        images.movingMask = &movingMask;
    }
    const RegistrationResult result = find(images, errors.notes, ctx);
    errors.seconds = secondsSince(begin);
    errors.motion = description_;
    const MillimeterField field = toMillimeters(result.displacement, *ctx.pool);
    points.move([&](Vec3 p) { return movedBy(field, p); }, points.movingGrid);
    return errors;
}

} // namespace systole
