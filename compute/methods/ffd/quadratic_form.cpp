#include "compute/methods/ffd/quadratic_form.h"

#include "compute/methods/ffd/quadratic_tiles.h"
#include "compute/ops/bspline_rows.h"
#include "compute/ops/fused_math.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/row_resampling.h"

#include <algorithm>
#include <utility>

namespace systole {
namespace {

using quadratic::reach;
using quadratic::slots;
constexpr int width = 2 * reach + 1;

/// A term of one component: slots of its bands, and its weight with the units of length.
struct BandTerm {
    int from, x, y, z;
    float weight;
};

/// Terms that add to component `to`, in the order of the device's kernel.
std::vector<BandTerm> termsOf(const std::vector<QuadraticTerm>& terms, int to, Vec3 unit) {
    std::vector<BandTerm> found;
    for (int from = 0; from < 3; ++from)
        for (const QuadraticTerm& term : terms)
            if (term.to == to && term.from == from)
                found.push_back({from, quadratic::slotOf(term.a[0], term.b[0]),
                                 quadratic::slotOf(term.a[1], term.b[1]),
                                 quadratic::slotOf(term.a[2], term.b[2]),
                                 static_cast<float>(term.weight) * static_cast<float>(unit[to]) *
                                     static_cast<float>(unit[from])});
    return found;
}

/// The bands of an axis by slots.
const Band& bandOf(const AxisBands& axis, int slot) {
    const quadratic::Orders orders = quadratic::ordersOf[slot];
    return axis.of[orders.a][orders.b];
}

/// Rows with a weight each, in the order in which they are added.
struct WeightedRows {
    std::vector<const float*> rows;
    std::vector<float> weights;

    void add(const float* row, float weight) {
        rows.push_back(row);
        weights.push_back(weight);
    }
    /// Adds the rows of a band around row `index` of `count` rows, which lie `stride` apart.
    void addBand(const Band& band, int index, int count, const float* first, std::size_t stride) {
        for (int d = std::max(-reach, -index); d <= std::min(reach, count - 1 - index); ++d)
            add(first + static_cast<std::size_t>(index + d) * stride,
                band[static_cast<std::size_t>(index)][static_cast<std::size_t>(d + reach)]);
    }
    /// Writes the sum and forgets the rows.
    void sum(int count, float* out) {
        rows::mix(rows.data(), weights.data(), static_cast<int>(rows.size()), count, out);
        rows.clear();
        weights.clear();
    }
};

/// A band along x by diagonals: [3 + j − i][i], so that a row's products lie side by side.
struct Diagonals {
    explicit Diagonals(const Band& band) : values(width * band.size()) {
        for (std::size_t i = 0; i < band.size(); ++i)
            for (std::size_t k = 0; k < width; ++k)
                values[k * band.size() + i] = band[i][k];
        for (std::size_t k = 0; k < width; ++k)
            of[k] = values.data() + k * band.size();
    }
    std::vector<float> values;
    const float* of[width];
};

/// The sums over x and y of one plane of control points, to be weighted along z.
class PlaneSums {
public:
    PlaneSums(const std::vector<BandTerm>& terms, const GridIntegrals& integrals)
        : terms_(terms)
        , integrals_(integrals)
        , n_(integrals.points)
        , plane_(static_cast<std::size_t>(n_.x) * static_cast<std::size_t>(n_.y))
        , padded_(static_cast<std::size_t>(n_.x + 2 * reach), 0.0f)
        , alongY_(terms.size() * static_cast<std::size_t>(n_.x))
        , alongX_(3 * slots) {
        for (int slot = 0; slot < slots; ++slot)
            diagonals_.emplace_back(bandOf(integrals.axes[0], slot));
    }

    /// The sums of plane k of each slot of z that a term has, in out[slot].
    void fill(FieldView<const float> points, int k, float* const (&out)[slots]) {
        for (Plane& sums : alongX_)
            sums.second = false;
        for (const BandTerm& term : terms_)
            sumOverX(points.componentView(term.from), k, term);
        for (int j = 0; j < n_.y; ++j) {
            for (std::size_t t = 0; t < terms_.size(); ++t) {
                const BandTerm& term = terms_[t];
                rows_.addBand(bandOf(integrals_.axes[1], term.y), j, n_.y, ofX(term).first.data(),
                              row());
                rows_.sum(n_.x, alongY_.data() + t * row());
            }
            for (int slot = 0; slot < slots; ++slot) {
                for (std::size_t t = 0; t < terms_.size(); ++t)
                    if (terms_[t].z == slot)
                        rows_.add(alongY_.data() + t * row(), terms_[t].weight);
                if (!rows_.rows.empty())
                    rows_.sum(n_.x, out[slot] + static_cast<std::size_t>(j) * row());
            }
        }
    }

private:
    using Plane = std::pair<std::vector<float>, bool>; ///< and whether it is the current one's

    std::size_t row() const { return static_cast<std::size_t>(n_.x); }
    Plane& ofX(const BandTerm& term) {
        return alongX_[static_cast<std::size_t>(term.from * slots + term.x)];
    }

    void sumOverX(VolumeView<const float> points, int k, const BandTerm& term) {
        auto& [sums, done] = ofX(term);
        if (std::exchange(done, true))
            return;
        sums.resize(plane_);
        const float* rows[width];
        for (int d = 0; d < width; ++d)
            rows[d] = padded_.data() + d;
        for (int j = 0; j < n_.y; ++j) {
            std::copy_n(points.row(j, k), n_.x, padded_.data() + reach);
            bspline::combineEach(rows, diagonals_[static_cast<std::size_t>(term.x)].of, width, n_.x,
                                 sums.data() + static_cast<std::size_t>(j) * row());
        }
    }

    const std::vector<BandTerm>& terms_;
    const GridIntegrals& integrals_;
    Size3 n_;
    std::size_t plane_;
    std::vector<float> padded_, alongY_;
    std::vector<Plane> alongX_; ///< [component · slots + slot]
    std::vector<Diagonals> diagonals_;
    WeightedRows rows_;
};

} // namespace

double addQuadratic(const std::vector<QuadraticTerm>& terms, const GridIntegrals& integrals,
                    ControlPointsView<const float> points, double weight,
                    ControlPointsView<float> gradient, const ExecContext& ctx) {
    const Size3 size = integrals.points;
    const std::size_t n = size.voxels(), plane = n / static_cast<std::size_t>(size.z);
    std::vector<float> sums(slots * n);
    double energy = 0;
    for (int component = 0; component < 3; ++component) {
        const std::vector<BandTerm> own = termsOf(terms, component, integrals.unit);
        parallelFor(ctx, size.z, 4, [&](int begin, int end) {
            PlaneSums planes(own, integrals);
            for (int k = begin; k < end; ++k) {
                float* out[slots];
                for (std::size_t slot = 0; slot < slots; ++slot)
                    out[slot] = sums.data() + slot * n + static_cast<std::size_t>(k) * plane;
                planes.fill(points.values, k, out);
            }
        });
        energy += parallelSum(ctx, size.z, 4, [&](int begin, int end) {
            WeightedRows rows;
            std::vector<float> sum(plane);
            double product = 0;
            for (int k = begin; k < end; ++k) {
                for (int slot = 0; slot < slots; ++slot)
                    if (std::any_of(own.begin(), own.end(),
                                    [&](const BandTerm& term) { return term.z == slot; }))
                        rows.addBand(bandOf(integrals.axes[2], slot), k, size.z,
                                     sums.data() + static_cast<std::size_t>(slot) * n, plane);
                rows.sum(static_cast<int>(plane), sum.data());
                const std::size_t first = static_cast<std::size_t>(k) * plane;
                const float* const at = points.values.component(component) + first;
                for (std::size_t i = 0; i < plane; ++i)
                    product += onSumGrid(static_cast<double>(at[i]) * static_cast<double>(sum[i]),
                                         quadraticUnit);
                if (gradient.empty())
                    continue;
                float* const out = gradient.values.component(component) + first;
                const auto twice = static_cast<float>(2 * weight);
                for (std::size_t i = 0; i < plane; ++i)
                    out[i] += twice * sum[i];
            }
            return product;
        });
    }
    return weight * energy;
}

} // namespace systole
