// The lessons on GPU memory trade-offs: a page each in docs/lessons, and the experiment that
// answers its question.
#pragma once

#include "app/error.h"
#include "compute/lab/laboratory.h"

#include <filesystem>
#include <string>
#include <vector>

namespace systole {

struct Lesson {
    int number;           ///< from 1
    std::string file;     ///< "01-shared-tile-or-cache.md"
    std::string title;    ///< as the page's heading
    std::string question; ///< in one sentence
    lab::LabQuestion experiment;
    /// What the answer says, with its figures, in one or two sentences; what isn't measured is
    /// said so.
    std::string (*headline)(const lab::LabAnswer& answer);
};

const std::vector<Lesson>& lessons();
/// The sides of the lesson on the last wave: fine enough to see the steps.
std::vector<int> tailSides();
/// Throws noLesson().
const Lesson& lesson(int number);
/// What to throw for a number, or what stands in its place, that no lesson has.
UsageError noLesson(const std::string& asked);

/// Looks in the folder named by the environment variable SYSTOLE_LESSONS, then in
/// ../share/systole/lessons beside the executable, then in docs/lessons of the source tree. Throws
/// FileError naming the places.
std::filesystem::path lessonPath(const Lesson& lesson);

} // namespace systole
