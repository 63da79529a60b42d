#include "compute/landmarks/descriptor_shift.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

namespace systole::sest {
namespace {

/// Eigenvalues of JᵀJ below this part of the greatest are left out.
constexpr double minEigenvalue = 1e-3;
/// The descriptors of their neighbors take 21 MiB.
constexpr std::size_t placesAtATime = 4096;

using Jacobian = Eigen::Matrix<double, numbers, 3>;
using Rows = Eigen::Matrix<float, 3, numbers, Eigen::RowMajor>;

Rows inverseOf(const Jacobian& jacobian) {
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(jacobian.transpose() * jacobian);
    Eigen::Vector3d inverse = Eigen::Vector3d::Zero();
    const double greatest = solver.eigenvalues()[2];
    for (Eigen::Index i = 0; i < 3; ++i)
        if (solver.eigenvalues()[i] > minEigenvalue * greatest)
            inverse[i] = 1 / solver.eigenvalues()[i];
    const Eigen::Matrix3d& vectors = solver.eigenvectors();
    return (vectors * inverse.asDiagonal() * vectors.transpose() * jacobian.transpose())
        .cast<float>();
}

/// Writes (JᵀJ)⁻¹ Jᵀ of each place.
void preparePart(const FrameLevels& frame, Size3 patch, std::span<const Voxel> places,
                 float* inverses, const ExecContext& ctx) {
    const Size3 size = frame.size(0);
    std::vector<Voxel> around;
    around.reserve(6 * places.size());
    for (const Voxel& place : places)
        for (int axis = 0; axis < 3; ++axis)
            for (const int by : {-1, 1}) {
                const Voxel p = place.moved(axis, by);
                around.push_back({clampedIndex(p.x, size.x), clampedIndex(p.y, size.y),
                                  clampedIndex(p.z, size.z)});
            }
    std::vector<float> descriptors(around.size() * numbers);
    describePlaces(frame, 0, patch, around, descriptors.data(), ctx);
    parallelFor(ctx, static_cast<int>(places.size()), 64, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            Jacobian jacobian = Jacobian::Zero();
            for (int axis = 0; axis < 3; ++axis) {
                const std::size_t before = 6 * i + 2 * static_cast<std::size_t>(axis);
                const int apart = around[before + 1][axis] - around[before][axis];
                if (apart == 0)
                    continue;
                const float* const low = descriptors.data() + before * numbers;
                for (int n = 0; n < numbers; ++n)
                    jacobian(n, axis) = (double{low[numbers + n]} - double{low[n]}) / apart;
            }
            Eigen::Map<Rows>(inverses + 3 * numbers * i) = inverseOf(jacobian);
        }
    });
}

} // namespace

void DescriptorShifts::prepare(const FrameLevels& frame, Size3 patch, std::span<const Voxel> places,
                               const ExecContext& ctx) {
    inverse_.resize(places.size() * 3 * numbers);
    for (std::size_t first = 0; first < places.size(); first += placesAtATime)
        preparePart(frame, patch,
                    places.subspan(first, std::min(placesAtATime, places.size() - first)),
                    inverse_.data() + first * 3 * numbers, ctx);
}

std::optional<Vec3> DescriptorShifts::shift(std::size_t place, const float* own,
                                            const float* found) const {
    const float* row = inverse_.data() + 3 * numbers * place;
    Vec3 shift;
    for (int axis = 0; axis < 3; ++axis, row += numbers) {
        double sum = 0;
        for (int n = 0; n < numbers; ++n)
            sum += double{row[n]} * (double{own[n]} - double{found[n]});
        shift[axis] = sum;
        if (!(std::abs(sum) <= 1))
            return std::nullopt;
    }
    return shift;
}

} // namespace systole::sest
