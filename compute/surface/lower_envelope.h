// The lowest of many parabolas along a line: the step that every exact distance transform by axes
// repeats (Felzenszwalb and Huttenlocher, Distance Transforms of Sampled Functions, 2012).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace systole {

/// The lower envelope of scale (x − vertex)² + height. Parabolas come in the order of their
/// vertices, which need not be whole numbers. Linear in their number.
class LowerEnvelope {
public:
    /// scale > 0: the squared spacing of the line's voxels.
    LowerEnvelope(float scale, int maxParabolas) : scale_(scale) {
        parabolas_.reserve(static_cast<std::size_t>(maxParabolas));
    }

    void clear() { parabolas_.clear(); }
    bool empty() const { return parabolas_.empty(); }

    /// `vertex` not below that of the last call.
    void push(float vertex, float height, std::int32_t source = -1) {
        float begin = -std::numeric_limits<float>::infinity();
        while (!parabolas_.empty()) {
            const Parabola& last = parabolas_.back();
            if (vertex > last.vertex) {
                // Written around the middle of the vertices, where rounding is least.
                const float cross = 0.5f * (vertex + last.vertex) +
                                    (height - last.height) / (2 * scale_ * (vertex - last.vertex));
                if (cross > last.begin) {
                    begin = cross;
                    break;
                }
            } else if (height >= last.height) {
                return;
            }
            parabolas_.pop_back();
        }
        parabolas_.push_back({vertex, height, begin, source});
    }

    /// Calls set(x, value, source) for x = 0, 1 … count − 1; nothing if there is no parabola.
    template <typename Set>
    void evaluate(int count, const Set& set) const {
        if (parabolas_.empty())
            return;
        std::size_t k = 0;
        for (int i = 0; i < count; ++i) {
            const float x = static_cast<float>(i);
            while (k + 1 < parabolas_.size() && parabolas_[k + 1].begin <= x)
                ++k;
            const Parabola& lowest = parabolas_[k];
            const float along = x - lowest.vertex;
            set(i, scale_ * along * along + lowest.height, lowest.source);
        }
    }

private:
    struct Parabola {
        float vertex, height;
        float begin; ///< position from which the parabola is the lowest
        std::int32_t source;
    };
    float scale_;
    std::vector<Parabola> parabolas_;
};

} // namespace systole
