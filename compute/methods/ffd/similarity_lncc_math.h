// The local correlation of one window as a term of an energy: one formula for the host and CUDA.
#pragma once

namespace systole {

/// ε: where both images vary by less than about a gray value, there is nothing to compare.
inline constexpr float lnccFloor = 1;

/// κ: what stays unexplained in the best window. A window that agrees entirely pulls (1 + κ) / κ
/// times as much as one that hardly does.
inline constexpr float lnccRest = 0.2f;
inline constexpr float lnccLogOfWhole = 0.18232156f; ///< log(1 + κ)
inline constexpr float lnccPerLog = 0.55811063f;     ///< 1 / log((1 + κ) / κ)

/// Unexplained part of a window with squared correlation `squared`, κ to 1 + κ. Rounding may take
/// the correlation above 1.
constexpr float unexplainedPart(float squared) {
    return 1 + lnccRest - (squared < 1 ? squared : 1.0f);
}

/// What a window counts, 0 to 1, from the logarithm of its unexplained part.
constexpr float countedOfWindow(float logOfPart) {
    return lnccPerLog * (lnccLogOfWhole - logOfPart);
}

} // namespace systole
