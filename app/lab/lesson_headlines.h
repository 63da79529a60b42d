// What the experiments of the lessons show, said from their answers alone: no figure is written
// down anywhere else.
#pragma once

#include "compute/lab/laboratory.h"

#include <string>

namespace systole {

/// The variants by their best measured time, from the fastest; where none was measured what is
/// predicted, without a winner.
std::string fastestHeadline(const lab::LabAnswer& answer);
/// The same, and how far each result lies from that of the first variant.
std::string textureHeadline(const lab::LabAnswer& answer);
/// Registers, spills, blocks and time of each variant at one block size.
std::string registersHeadline(const lab::LabAnswer& answer);
/// What less occupancy costs each variant.
std::string occupancyHeadline(const lab::LabAnswer& answer);
/// The largest rise in the time of a voxel where from one side to the next a nearly empty wave
/// begins, and that it explains.
std::string tailHeadline(const lab::LabAnswer& answer);
/// A call with copies beside the kernel alone, at the largest side; predicted where it wasn't
/// measured.
std::string transferHeadline(const lab::LabAnswer& answer);
/// Time and intensity of each variant at the largest side.
std::string fusedHeadline(const lab::LabAnswer& answer);
/// What the models choose, and how far they are off.
std::string modelsHeadline(const lab::LabAnswer& answer);

} // namespace systole
