// Lines of a displacement field: a line that the motion deforms, and a line along the motion. Plain
// mathematics, no OpenGL.
#pragma once

#include "render/sampling_math.h"

#include <span>
#include <vector>

namespace systole {

/// A point of a line, LPS mm, and the length of the motion that it stands for, mm.
struct FlowPoint {
    Vec3 position;
    double magnitude = 0;
    bool faint = false; ///< drawn faintly: the line is there, but there is nothing to see of motion
};
using FlowLine = std::vector<FlowPoint>;

/// A straight line moved by `scale` times the motion, as `steps` + 1 points: the pieces of it that
/// begin inside the field. Faint where the image is too dark or the motion is shorter than the
/// source's smallest.
std::vector<FlowLine> deformedLine(const sampling::ArrowSource& source, Vec3 from, Vec3 to,
                                   int steps, double scale);

struct StreamlineRules {
    double length = 1; ///< max length of a whole line, mm: half to each side of its start
    double step = 0.1; ///< mm
    int axis = -1;     ///< LPS axis across the plane that the line stays in; −1: none
};

/// The line through a position along the field as it stands, against the motion first: dx/ds =
/// w/|w| by Runge-Kutta of order 4. It ends where the field or the visible tissue does, or the
/// motion is shorter than the source's smallest. Empty if it doesn't begin there.
FlowLine streamline(const sampling::ArrowSource& source, Vec3 through,
                    const StreamlineRules& rules);

/// Barbs at the end of a line, `length` mm long: two in the plane across the LPS axis `across`, or
/// four where that is −1. None of a line without a direction.
std::vector<FlowLine> arrowhead(const FlowLine& line, double length, int across);

/// The way of a point through fields that follow one another, each from the place before: its
/// positions, with the length of the step that led there. It ends outside a field, or where one
/// isn't finite.
FlowLine pathline(std::span<const sampling::ArrowSource> steps, Vec3 from);
/// The way of a point through fields that all begin in the frame where the point lies at `from`.
FlowLine pathlineSinceFirst(std::span<const sampling::ArrowSource> fields, Vec3 from);
/// A pathline once around the cycle, whose end is taken back to its beginning: each point by the
/// part of the gap that belongs to its step.
FlowLine closedPathline(FlowLine line);

} // namespace systole
