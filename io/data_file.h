// Shared by text headers: where the voxels are, and voxels written as text.
#pragma once

#include "io/byte_source.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace systole {

/// The beginning of a text header, no more than a header may take.
std::string readHeaderText(const std::string& path);

/// The path of a file that a header names. It must lie in the header's own folder: a received
/// file must not make us read any other file. Throws FileError otherwise.
std::string besideHeader(const std::string& headerPath, const std::string& named);

/// `count` numbers in plain text from byte `start` on, as float32 in memory order of this machine.
std::unique_ptr<ByteSource> openTextVoxels(const std::string& path, std::uint64_t start,
                                           std::uint64_t count);

/// Files of `bytesEach` bytes, concatenated.
std::unique_ptr<ByteSource> openConcatenatedBytes(const std::vector<std::string>& paths,
                                                  std::uint64_t bytesEach);

/// Seconds in "s", "ms", "us" and their longer forms; 0 for anything else.
double secondsPerUnit(const std::string& unit);
/// Millimeters in "mm", "cm", "m", "um" and their longer forms; 0 for anything else.
double millimetersPerUnit(const std::string& unit);

} // namespace systole
