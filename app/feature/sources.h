// Interfaces through which tools use each other: Tools::find() finds a tool by its interface, not
// by its name.
#pragma once

#include "app/anatomy/ejection.h"
#include "app/anatomy/label_history.h"
#include "app/anatomy/live_surface.h"
#include "app/base/lessons.h"
#include "compute/surface/segment.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

class Tools;

/// Labels of the frames, which may still change.
class LabelSource {
public:
    virtual const LabelHistory& labelHistory() const = 0;
    /// Reads a label map in the background, to be corrected: its labels replace those of its
    /// frames, one step back.
    virtual void openLabels(const std::string& path) = 0;
    virtual bool stillLabelling() const = 0; ///< more are about to come
    /// The points that the labels of a frame were found from; none: they weren't found from points.
    virtual std::optional<VentriclePoints> pointsOf(int frame) const = 0;
    /// Doubts about the labels, and so about all results that follow from them, a sentence each.
    virtual std::vector<std::string> doubts() const = 0;
    /// The frame that the labels of all others were found from; none: each is its own.
    virtual std::optional<int> origin() const = 0;
    bool has(int frame) const {
        return frame < labelHistory().frames() && labelHistory().has(frame);
    }
    /// LabelHistory::revision(); 0: the frame has none.
    std::uint64_t revision(int frame) const {
        return has(frame) ? labelHistory().revision(frame) : 0;
    }

protected:
    ~LabelSource() = default;
};

/// Motion in place of the estimated one (SceneContribution::motions).
class GivenMotion {
public:
    virtual std::uint64_t givenMotion() const = 0; ///< another number, another motion; 0: none

protected:
    ~GivenMotion() = default;
};

/// Shows the surface of what others label.
class LabelSurface {
public:
    /// Makes the labels the source of the surface, that of each frame its own.
    virtual void showLabel(int label) = 0;
    /// Shows another label on the surface, if its source is already the labels.
    virtual void followLabel(int label) = 0;
    /// The surface of the labels in the frame shown; null: none.
    virtual std::shared_ptr<const LiveSurface> ofLabels() const = 0;
    /// The surface of a frame, whatever it is made of; null: none.
    virtual std::shared_ptr<const LiveSurface> of(int frame) const = 0;

protected:
    ~LabelSurface() = default;
};

/// An ejection fraction that another tool knows, of the whole series.
struct KnownEjection {
    std::string way; ///< "surface, carried by the motion (clg)"
    Ejection ejection;
};
/// Knows some of the chamber that is segmented.
class EjectionSource {
public:
    virtual std::vector<KnownEjection> ejections() const = 0;

protected:
    ~EjectionSource() = default;
};

/// Runs experiments of lessons, and says what came out.
class LessonExperiments {
public:
    virtual bool has(const Lesson& lesson) const = 0;
    /// Starts it, and opens the panel that shows it.
    virtual void run(const Lesson& lesson) = 0;
    struct Answer {
        std::string text;     ///< one or two sentences
        std::string source{}; ///< origin of the figures; empty: unknown
        /// Progress of the run under way, 0 to 1; none: no run is under way.
        std::optional<double> fraction{};
    };
    virtual Answer answer(const Lesson& lesson) const = 0;

protected:
    ~LessonExperiments() = default;
};
inline constexpr const char* notRunYet = "The experiment hasn't been run yet.";

/// Registers an image with itself, where there is no motion to find.
class NoiseExperiment {
public:
    virtual void showAndStart() = 0;
    virtual std::string whyNot() const = 0; ///< it can't be started now; empty: it can

protected:
    ~NoiseExperiment() = default;
};

/// The one that has the experiment of a lesson; null: none, it runs in a terminal.
LessonExperiments* experimentsOf(const Lesson& lesson, const Tools& tools);

} // namespace systole
