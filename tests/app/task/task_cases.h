// One small piece of work for every task of the list, as its command does it and as the window
// does, both to numbers that can be compared bit by bit.
#pragma once

#include "app/task/backend.h"
#include "app/task/task.h"
#include "compute/core/volume.h"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace systole::test {

/// Result of a task, as numbers in a fixed order, and its messages about the device.
struct TaskResult {
    std::vector<double> numbers;
    std::string fallback, failure;
};

struct TaskCase {
    std::string name;              ///< name of the task
    bool onDevice = false;         ///< the command runs it under the device policy
    bool windowUsesDevice = false; ///< the window, too
    /// How far the window's numbers may be from the command's on a device, where it runs more of
    /// the work there; 0: the same bits.
    double windowOnDevice = 0;
    /// Runs the task as the command does: to its end, on this thread. Throws.
    std::function<TaskResult(const BackendChoice&, const DeviceAccess&)> command;
    /// Runs the task as the window does, which prefers this backend.
    std::function<TaskResult(Backend, const DeviceAccess&)> window;
};

/// Input of the cases: a bright ball on a dark ground with texture everywhere, moved by `shift`
/// voxels along x, as frames 0, 1, 2 of a sequence.
std::shared_ptr<const Volume> taskFrame(int shift);
inline constexpr int taskFrames = 3;
/// Geometry of frame 0, mm: a point inside the ball, points to follow, and labels of a plate as the
/// wall.
Vec3 taskSeed();
std::vector<Vec3> taskPoints();
std::vector<std::uint8_t> taskWall();
/// A left ventricle on a grid of its own, 1 its cavity and 2 its wall, and a motion of it, mm.
Geometry taskHeartGrid();
std::vector<std::uint8_t> taskHeart();
MillimeterField taskBeat();

const std::vector<TaskCase>& taskCases();
std::vector<TaskCase> casesOnDevice();     ///< cases with onDevice
std::string testName(const TaskCase& one); ///< name that GoogleTest accepts
void PrintTo(const TaskCase& one, std::ostream* out);

} // namespace systole::test
