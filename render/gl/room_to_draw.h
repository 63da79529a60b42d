// Whether there is what drawing takes. The libraries that draw (Mesa, VTK) check neither memory nor
// threads: where they lack one they crash or wait for ever.
#pragma once

#include <cstddef>

namespace systole {

/// Memory of OpenGL in software, of which compiling its shaders takes most; measured with Mesa
/// 22.3, and as much again.
inline constexpr std::size_t drawingBytes = std::size_t{640} << 20;

/// Throws RenderError unless so much memory can be had, and a thread for each core. To be called
/// before OpenGL is first used.
void requireRoomToDraw();

} // namespace systole
