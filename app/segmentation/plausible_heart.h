// Whether what a segmentation found can be a ventricle and its wall.
#pragma once

#include <string>

namespace systole {

/// The mass of muscle of that volume, at 1.05 g/ml.
double gramsOfMuscle(double milliliters);

/// One sentence with numbers on what is unlikely about a chamber and its wall, ml; empty: nothing.
std::string implausible(double chamber, double wall);

/// One sentence for a chamber found from a click that fills that share of its convex hull; empty:
/// its shape may be that of a ventricle.
std::string leaked(double convexShare);

} // namespace systole
