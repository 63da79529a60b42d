#include "tests/support/ball_sequence.h"

#include "io/formats/writer.h"

#include <cmath>

namespace systole::testing {
namespace {

/// A textured ball that grows and shrinks, bright on dark.
float ball(int frame, int x, int y, int z, int side) {
    const double center = 0.5 * (side - 1);
    const double radius = (0.28 + 0.03 * std::sin(2 * 3.14159265 * frame / 6)) * side;
    const double distance = std::hypot(x - center, y - center, z - center);
    const double texture = 30 * std::sin(0.9 * x) * std::sin(0.8 * y + 1) * std::sin(0.7 * z + 2);
    return static_cast<float>((200 + texture) / (1 + std::exp(2 * (distance - radius))));
}

} // namespace

std::string writeBall(const TemporaryFolder& folder, const std::string& name, int side, int frames,
                      double frameSeconds) {
    const std::string path = folder / name;
    writeSequence(path, Geometry({side, side, side}, {2, 2, 2}), frames, frameSeconds,
                  [&](int frame, VolumeView<float> voxels) {
                      for (int z = 0; z < side; ++z)
                          for (int y = 0; y < side; ++y)
                              for (int x = 0; x < side; ++x)
                                  voxels(x, y, z) = ball(frame, x, y, z, side);
                  });
    return path;
}

} // namespace systole::testing
