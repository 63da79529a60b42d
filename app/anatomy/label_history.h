// The labels of a sequence that is being segmented, frame by frame, and every step back: results of
// a segmentation, strokes of the brush, pulls.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/geometry.h"
#include "compute/surface/contour_edit.h"
#include "compute/surface/contour_pull.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// A value per voxel, x fastest; 0: nothing.
using LabelMap = std::vector<std::uint8_t>;

/// Volume of the voxels with a label. Counts them.
double millilitersOf(const LabelMap& labels, std::uint8_t label, const Geometry& grid);

class LabelHistory {
public:
    /// Steps back are kept up to this many bytes; the oldest are forgotten first.
    static constexpr std::size_t maxBytes = std::size_t{256} << 20;

    /// Forgets everything. All frames are on this grid.
    void reset(const Geometry& grid, int frames);
    const Geometry& grid() const { return grid_; }
    int frames() const { return static_cast<int>(frames_.size()); }

    /// Labels of a frame; null: it has none. The returned map never changes.
    std::shared_ptr<const LabelMap> labels(int frame) const;
    bool has(int frame) const { return frameAt(frame).labels != nullptr; }
    int labelled() const; ///< frames that have labels
    /// Volume of the voxels with a label; 0 if the frame has no labels. Counts them.
    double milliliters(int frame, std::uint8_t label) const;
    /// True if one of the grid's outermost voxels has the label.
    bool touchesEdge(int frame, std::uint8_t label) const;
    /// Differs from all values before whenever the labels of the frame have changed.
    std::uint64_t revision(int frame) const { return frameAt(frame).revision; }
    /// A revision of all frames together: differs from all before whenever any labels change.
    std::uint64_t revision() const { return revisions_; }

    // --- steps. A name is what "Undo ..." shows.
    /// Begins another step. Its first change adds it to the history and removes undone steps.
    void begin(std::string name);
    /// Replaces a frame's labels.
    void replace(int frame, LabelMap labels);
    void remove(int frame); ///< its labels; nothing if it has none
    /// Paints; a frame without labels gets empty ones first.
    void paint(int frame, const Brush& brush);
    /// Begins a pull; see ContourPull. Throws ComputeError if the frame has no such contour.
    void beginPull(int frame, Vec3 from, int axis, double width, std::uint8_t label,
                   const ExecContext& ctx);
    void pullTo(Vec3 to); ///< moves the current pull; without one it does nothing
    /// Ends the step: later changes belong to another one, even without begin().
    void end();

    /// Steps in effect, counted from the first ever: increases by one with each step.
    int position() const { return first_ + static_cast<int>(done_); }
    /// Name of the last step in effect; empty: none is known.
    std::string lastName() const { return done_ > 0 ? steps_[done_ - 1].name : ""; }
    /// Undoes or makes again all steps up to a position, or as far as they are kept. Returns the
    /// frame that was changed; none: nothing was, or several were.
    std::optional<int> moveTo(int position);

private:
    struct Frame {
        std::shared_ptr<LabelMap> labels;
        std::uint64_t revision = 0;
    };
    /// A part of a step: exchanged with the labels when the step is undone, and again when redone.
    struct Change {
        int frame = 0;
        bool whole = false;               ///< `labels` instead of `box`
        std::shared_ptr<LabelMap> labels; ///< maybe null
        EditChange box;
    };
    struct Step {
        std::string name;
        std::vector<Change> changes;
        std::size_t bytes = 0;
    };

    const Frame& frameAt(int frame) const { return frames_.at(static_cast<std::size_t>(frame)); }
    Frame& frameAt(int frame) { return frames_.at(static_cast<std::size_t>(frame)); }
    VolumeView<std::uint8_t> writable(int frame);
    void exchangeWhole(int frame, std::shared_ptr<LabelMap> labels);
    void touch(int frame) { frameAt(frame).revision = ++revisions_; }
    Step& openStep();
    void add(Change change, std::size_t bytes);
    void exchangeAll(Step& step, bool backwards);

    Geometry grid_;
    std::vector<Frame> frames_;
    std::vector<Step> steps_;
    std::size_t done_ = 0; ///< number of `steps_` in effect
    int first_ = 0;        ///< steps forgotten before them
    std::size_t bytes_ = 0;
    bool open_ = false; ///< changes belong to the last step
    std::string nextName_ = "segmentation";
    std::uint64_t revisions_ = 0;
    std::optional<ContourPull> pull_;
    int pulledFrame_ = 0;
    bool pullChanged_ = false; ///< it is part of the open step
};

} // namespace systole
