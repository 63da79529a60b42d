#include "app/study/cohort_plan.h"

#include "app/anatomy/label_record.h"
#include "app/base/error.h"
#include "app/base/given_parameters.h"
#include "app/study/case_checks.h"
#include "compute/core/error.h"
#include "compute/motion/methods.h"
#include "compute/motion/motion_errors.h"
#include "io/base/absent_content.h"
#include "io/base/error.h"
#include "io/base/text.h"
#include "io/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace systole {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// Frames in float on the host during an estimation: both frames, two fields, and the warped frame.
constexpr std::uint64_t volumesBeside = 10;

/// Memory of a step in addition to its images: program, libraries and their caches.
constexpr std::uint64_t programBytes = 200'000'000;

/// The fields of a case that don't stay, by the choice of those that do.
struct TemporaryFields {
    const char* choice;
    Words files;
};
const TemporaryFields temporaryFields[] = {
    {"all", {}}, {"first", {"displacement_"}}, {"none", {"displacement_", "lagrangian_"}}};

std::string nameOf(const CohortSettings& settings) {
    std::string name = settings.method;
    if (settings.preset != CohortSettings{}.preset)
        name += ", preset=" + settings.preset;
    for (const std::string& each : settings.assignments)
        name += ", " + each;
    return name;
}

/// Path of the output of a step, in the folder of the case.
std::string outputOf(const CohortCase& entry, const std::string& step) {
    return entry.folder() + "/" + entry.id + "_" + step;
}

/// True also if the record can't be read: the strain step of the case then reports the reason.
bool hasLabelRecord(const std::string& labelMap) {
    try {
        return readLabelRecord(labelMap).has_value();
    } catch (const FileError&) {
        return true;
    }
}

class Planner {
public:
    Planner(const std::string& input, const CohortSettings& settings)
        : input_(input)
        , settings_(settings)
        , method_(motionMethod(settings.method))
        , parameters_(parametersOf(settings)) {
        checkSettings(settings);
    }

    PlannedCase plan(const CohortCase& entry) const {
        PlannedCase made{entry, input_, nameOf(settings_), {}, false, 0, {}, {}, {}};
        Geometry grid;
        try {
            if (const std::string why = whyAbsent(entry.image); !why.empty())
                throw fileError(entry.image, why);
            const Sequence sequence = openSequence({entry.image}, {.headerAlone = true});
            grid = sequence.geometry;
            const Size3 size = grid.size();
            const Vec3 mm = grid.spacing();
            made.frames = sequence.frames;
            made.size = {std::to_string(size.x), std::to_string(size.y), std::to_string(size.z)};
            made.spacing = {fmt::format("{:g}", mm.x), fmt::format("{:g}", mm.y),
                            fmt::format("{:g}", mm.z)};
            if (sequence.frames < 2)
                made.refusal = fmt::format("{}: has a single frame, so no motion", entry.image);
            else
                made.steps = stepsOf(entry, labelsFor(entry, sequence), grid);
        } catch (const FileError& error) {
            made.refusal = error.what();
            made.inputUnread = true;
        } catch (const UsageError& error) {
            made.refusal = error.what();
        } catch (const ComputeError& error) { // unusable seed points
            made.refusal = error.what();
        }
        return made;
    }

private:
    /// `labels`: as labelsFor() says.
    std::vector<CohortStep> stepsOf(const CohortCase& entry, std::string labels,
                                    const Geometry& grid) const {
        const std::uint64_t volume = sizeof(float) * grid.voxels();
        std::vector<CohortStep> steps{motion(entry, grid, volume)};
        const bool finds = labels.empty() && !(entry.seed.empty() && entry.points.empty());
        if (finds) {
            steps.push_back(segment(entry, volume));
            labels = steps.back().output + "/labels.nii.gz";
        }
        if (!labels.empty())
            steps.push_back(strain(entry, labels, finds, grid));
        if (settings_.pictures) {
            steps.push_back(pictures(entry, volume));
            steps.push_back(film(entry, volume));
        }
        CohortStep quality{qualityStep, {}, {}, outputOf(entry, qualityStep), {}, 64u << 20};
        for (const CohortStep& step : steps) {
            quality.needs.push_back(step.name);
            quality.inputs.push_back(step.output);
        }
        steps.push_back(quality);
        for (CohortStep& step : steps)
            step.bytes += programBytes;
        return steps;
    }

    CohortStep motion(const CohortCase& entry, const Geometry& grid, std::uint64_t volume) const {
        CohortStep step{motionStep, {}, filesOfImage(entry.image), outputOf(entry, motionStep), {}};
        Words words{"motion",
                    entry.image,
                    "-o",
                    outputWord,
                    "--lagrangian",
                    "--close-cycle",
                    "--method",
                    settings_.method,
                    "--preset",
                    settings_.preset,
                    "--backend",
                    settings_.backend,
                    "--threads",
                    std::to_string(settings_.threads),
                    "--no-autotune",
                    "--stage",
                    "jacobian"};
        if (!entry.frames.empty())
            words.insert(words.end(), {"--frames", entry.frames});
        for (const std::string& each : settings_.assignments) {
            const auto [id, value] = assignmentOf(each);
            words.insert(words.end(), {"--" + id, value});
        }
        step.commands = {words};
        step.bytes = volumesBeside * volume + estimate(Backend::Cpu, grid);
        if (settings_.backend != "cpu" && settings_.backend != "cpu-reference")
            step.deviceBytes = volumesBeside * volume + estimate(Backend::Cuda, grid);
        for (const TemporaryFields& each : temporaryFields)
            if (settings_.fields == each.choice)
                step.temporary = each.files;
        return step;
    }

    std::uint64_t estimate(Backend backend, const Geometry& grid) const {
        if (std::ranges::find(method_.backends, backend) == method_.backends.end())
            return 0;
        return method_.make(parameters_, backend)->memoryEstimate(grid.size(), grid.spacing());
    }

    CohortStep segment(const CohortCase& entry, std::uint64_t volume) const {
        const bool points = !entry.points.empty();
        return {segmentStep,
                {},
                filesOfImage(entry.image),
                outputOf(entry, segmentStep),
                {{"segment", entry.image, points ? "--points" : "--seed",
                  points ? entry.points : entry.seed, "--wall", "--for-strain", "--frame",
                  firstFrame(entry), "--threads", std::to_string(settings_.threads), "-o",
                  std::string(outputWord) + "/labels.nii.gz"}},
                volumesBeside * volume};
    }

    static std::string firstFrame(const CohortCase& entry) {
        const std::string first = entry.frames.substr(0, entry.frames.find(':'));
        return first.empty() ? "0" : first;
    }

    CohortStep strain(const CohortCase& entry, const std::string& labels, bool segmented,
                      const Geometry& grid) const {
        const std::uint64_t volume = sizeof(float) * grid.voxels();
        const std::string motion = outputOf(entry, motionStep);
        Words words{"strain", motion,     "--labels",  labels,
                    "-o",     outputWord, "--threads", std::to_string(settings_.threads)};
        if (!entry.points.empty())
            words.insert(words.end(), {"--points", entry.points});
        CohortStep step{
            strainStep, {motionStep},          {motion, entry.labels}, outputOf(entry, strainStep),
            {},         volumesBeside * volume};
        if (segmented) {
            step.needs.emplace_back(segmentStep);
            step.inputs.back() = outputOf(entry, segmentStep);
        } else if (entry.points.empty() && hasLabelRecord(entry.labels)) {
            step.inputs.push_back(labelRecordPath(entry.labels)); // strain takes points from it
        }
        if (settings_.certainty) {
            words.insert(words.end(), {"--certainty", "--images", entry.image});
            for (const std::string& file : filesOfImage(entry.image))
                step.inputs.push_back(file);
            step.bytes += estimate(Backend::Cpu, grid);
        }
        step.commands = {words};
        return step;
    }

    /// The step that draws the first pair: the motion over the slices, and comparisons of the
    /// frames before and after registration.
    CohortStep pictures(const CohortCase& entry, std::uint64_t volume) const {
        Words words = snapshot(entry, "600x200", "bare", "fixed");
        words.insert(words.end(), {"--frame", firstFrame(entry)});
        for (const char* other :
             {"warped.png=bare,compare",
              "before.png=bare,compare,compare-by:difference,compare-with:moving",
              "after.png=bare,compare,compare-by:difference", "field.png=magnitude,arrows",
              "deformation.png=deformation", "small.png=bare,magnitude@180x60"})
            words.insert(words.end(), {"--also", fmt::format("{}/{}", outputWord, other)});
        return drawing(entry, "pictures", words, volume);
    }

    /// The motion over the slices, all frames.
    CohortStep film(const CohortCase& entry, std::uint64_t volume) const {
        Words words = snapshot(entry, "360x120", "bare,magnitude", "film");
        words.insert(words.end(), {"--film", entry.frames.empty() ? ":" : entry.frames});
        return drawing(entry, "film", words, volume);
    }

    Words snapshot(const CohortCase& entry, const char* size, const char* overlays,
                   const char* name) const {
        return {"snapshot",
                entry.image,
                "--field",
                outputOf(entry, motionStep),
                "--layout",
                "three",
                "--size",
                size,
                "--no-caption",
                "--backend",
                "cpu",
                "--upload", // the GPU is left to those that estimate
                "host",
                "--threads",
                std::to_string(settings_.threads),
                "--overlay",
                overlays,
                "-o",
                fmt::format("{}/{}.png", outputWord, name)};
    }

    static CohortStep drawing(const CohortCase& entry, const char* name, const Words& words,
                              std::uint64_t volume) {
        return {name,
                {motionStep},
                {entry.image, outputOf(entry, motionStep)},
                outputOf(entry, name),
                {words},
                volumesBeside * volume};
    }

    std::string input_;
    CohortSettings settings_;
    const MotionMethod& method_;
    ParamSet parameters_;
};

/// A folder has images that nobody has named as cases; those of one frame aren't any.
void leaveOutSingleFrames(CohortPlan& plan) {
    const auto isOne = [](const PlannedCase& planned) { return planned.frames == 1; };
    for (const PlannedCase& planned : plan.cases)
        if (isOne(planned))
            plan.refusals.push_back(planned.refusal);
    std::erase_if(plan.cases, isOne);
    if (plan.cases.empty())
        throw fileError(plan.input, fmt::format("has no case; {}", plan.refusals.back()));
}

} // namespace

bool CohortStep::isTemporary(const std::string& file) const {
    return std::ranges::any_of(temporary, [&](const std::string& beginning) {
        return file.starts_with(output + "/" + beginning);
    });
}

const CohortStep& PlannedCase::step(const std::string& name) const {
    const auto found = std::ranges::find(steps, name, &CohortStep::name);
    if (found == steps.end())
        throw UsageError(fmt::format("{} has no step {}", entry.id, name));
    return *found;
}

std::vector<std::string> fieldChoices() {
    std::vector<std::string> choices;
    for (const TemporaryFields& each : temporaryFields)
        choices.emplace_back(each.choice);
    return choices;
}

ParamSet parametersOf(const CohortSettings& settings) {
    return givenParameters(presetOf(motionMethod(settings.method), settings.preset),
                           settings.assignments);
}

void checkSettings(const CohortSettings& settings) {
    const MotionMethod& method = motionMethod(settings.method);
    const ParamSet parameters = parametersOf(settings); // throws for a wrong preset or parameter
    if (settings.certainty && !errorsOf(method, parameters))
        throw UsageError("--certainty: " + estimatesNoErrors(method));
}

std::vector<std::string> firstOf(const std::vector<std::string>& sentences, const char* file) {
    constexpr std::size_t most = 20;
    std::vector<std::string> first(
        sentences.begin(),
        sentences.begin() + static_cast<std::ptrdiff_t>(std::min(most, sentences.size())));
    if (sentences.size() > most)
        first.push_back(
            fmt::format("and {} more; {}/{} names all", sentences.size() - most, workFolder, file));
    return first;
}

const PlannedCase& CohortPlan::find(const std::string& id) const {
    const auto found =
        std::ranges::find(cases, id, [](const PlannedCase& each) { return each.entry.id; });
    if (found == cases.end())
        throw UsageError(fmt::format("the plan has no case {}", id));
    return *found;
}

CohortPlan makePlan(const std::string& input, const CohortCases& found,
                    const CohortSettings& settings) {
    CohortPlan plan{fs::absolute(input).lexically_normal().string(),
                    ownProgram(),
                    settings,
                    {},
                    {},
                    found.refusals,
                    found.unread,
                    found.absent};
    const Planner planner(plan.input, settings);
    plan.cases.resize(found.cases.size());
    const auto isFolder = [&](std::size_t i) {
        std::error_code failure;
        return fs::is_directory(found.cases[i].image, failure);
    };
    ThreadTeam().run(static_cast<int>(found.cases.size()), [&](int at) {
        const auto i = static_cast<std::size_t>(at);
        if (!isFolder(i))
            plan.cases[i] = planner.plan(found.cases[i]);
    });
    // The library that reads folders of DICOM has state of its own.
    for (std::size_t i = 0; i < plan.cases.size(); ++i)
        if (isFolder(i))
            plan.cases[i] = planner.plan(found.cases[i]);
    if (std::error_code failure; fs::is_directory(input, failure))
        leaveOutSingleFrames(plan);
    return plan;
}

} // namespace systole
