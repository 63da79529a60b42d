// Summaries of the lessons' experiments, built only from their answers: no figure is stored
// anywhere else.
#pragma once

#include "compute/lab/laboratory.h"

#include <string>

namespace systole {

/// Variants by their best measured time, fastest first; without measurements the predictions, in
/// the question's order.
std::string fastestHeadline(const lab::LabAnswer& answer);
/// fastestHeadline() with the difference of each variant's result from that of the first.
std::string textureHeadline(const lab::LabAnswer& answer);
/// Times of each task's variants relative to its first variant.
std::string againstFirstHeadline(const lab::LabAnswer& answer);
/// Registers, spills, blocks and time of each variant at one block size.
std::string registersHeadline(const lab::LabAnswer& answer);
/// Cost of lower occupancy for each variant.
std::string occupancyHeadline(const lab::LabAnswer& answer);
/// The largest rise in time per voxel between neighboring sides that a nearly empty last wave
/// explains.
std::string tailHeadline(const lab::LabAnswer& answer);
/// A call with copies compared with the kernel only, at the largest side; predicted where it wasn't
/// measured.
std::string transferHeadline(const lab::LabAnswer& answer);
/// Time and intensity of each variant at the largest side.
std::string fusedHeadline(const lab::LabAnswer& answer);
/// Time of each variant with the emptiest and the fullest tiles (compute/lab/kernels/tile_fill.h).
std::string tileFillHeadline(const lab::LabAnswer& answer);
/// The models' choices and errors.
std::string modelsHeadline(const lab::LabAnswer& answer);

} // namespace systole
