// The lessons: each has a page in docs/lessons and an experiment that answers its question, of
// kernels in the laboratory, of registrations of noise alone in the Bias panel, or of a command.
#pragma once

#include "app/base/error.h"
#include "compute/lab/laboratory.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace systole {

struct Lesson {
    int number;                                 ///< number of the page, from 1
    std::string file;                           ///< "01-shared-tile-or-cache.md"
    std::string title;                          ///< same as the page's heading
    std::string question;                       ///< one sentence
    std::optional<lab::LabQuestion> experiment; ///< none: see `command`
    /// Summary of the answer with its figures, one or two sentences; says so when nothing was
    /// measured. Null without `experiment`.
    std::string (*headline)(const lab::LabAnswer& answer);
    /// The terminal command that runs the experiment of a lesson without `experiment`. Empty: the
    /// Bias panel runs it.
    std::string command{};
};

const std::vector<Lesson>& lessons();
/// Sides of the lesson on the last wave: fine enough to see the steps.
std::vector<int> tailSides();
/// Throws noLesson().
const Lesson& lesson(int number);
/// The experiment of a lesson on kernels. Throws UsageError, which names the way to run the other.
const lab::LabQuestion& kernelExperiment(const Lesson& lesson);
/// The error for a lesson number that doesn't exist, as the user typed it.
UsageError noLesson(const std::string& asked);

/// Searches the folder named by the environment variable SYSTOLE_LESSONS, then
/// ../share/systole/lessons relative to the executable, then docs/lessons of the source tree.
/// Throws FileError naming the places.
std::filesystem::path lessonPath(const Lesson& lesson);

} // namespace systole
