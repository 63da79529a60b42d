#include "compute/methods/unbiased/rows.h"

// The order matters: foreach_target includes this file again for every instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/methods/unbiased/rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "compute/ops/row_logarithm-inl.h"
#include "compute/ops/row_trilinear-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace systole::rows::HWY_NAMESPACE {

void Differences(const float* row, int count, float* out) {
    const Tag d;
    if (count < 2) {
        for (int i = 0; i < count; ++i)
            out[i] = 0;
        return;
    }
    out[0] = row[1] - row[0];
    out[count - 1] = row[count - 1] - row[count - 2];
    forPaddedRow(count - 2, [&](int i, int part) HWY_ATTR {
        storePart(hn::Mul(hn::Set(d, 0.5f),
                          hn::Sub(loadPart(row + i + 2, part), loadPart(row + i, part))),
                  out + i + 1, part);
    });
}

struct Matrix {
    Vec m[3][3];

    HWY_INLINE Vec cofactor(int i, int j) const {
        const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
        return hn::MulSub(m[a][c], m[b][d], hn::Mul(m[a][d], m[b][c]));
    }
};

HWY_INLINE Matrix matrixAt(const DeformationRow& row, int i, int part) {
    const Tag d;
    const Vec fy = hn::Set(d, row.factorY), fz = hn::Set(d, row.factorZ), one = hn::Set(d, 1.0f);
    Matrix matrix;
    for (int k = 0; k < 3; ++k) {
        matrix.m[k][0] = loadPart(row.alongX[k] + i, part);
        matrix.m[k][1] = hn::Mul(
            fy, hn::Sub(loadPart(row.aheadY[k] + i, part), loadPart(row.behindY[k] + i, part)));
        matrix.m[k][2] = hn::Mul(
            fz, hn::Sub(loadPart(row.aheadZ[k] + i, part), loadPart(row.behindZ[k] + i, part)));
        matrix.m[k][k] = hn::Add(matrix.m[k][k], one);
    }
    return matrix;
}

HWY_INLINE Vec determinantOf(const Matrix& matrix) {
    return hn::MulAdd(matrix.m[0][2], matrix.cofactor(0, 2),
                      hn::MulAdd(matrix.m[0][1], matrix.cofactor(0, 1),
                                 hn::Mul(matrix.m[0][0], matrix.cofactor(0, 0))));
}

/// boundedDeterminant() of a vector, also for values that aren't numbers.
HWY_INLINE Vec bounded(Vec determinant) {
    const Tag d;
    const Vec lowest = hn::Set(d, unbiased::minDeterminant);
    return hn::IfThenElse(hn::Gt(determinant, lowest), determinant, lowest);
}

int UnbiasedFlux(const DeformationRow& row, int count, float* const (&flux)[9], float* distance) {
    const Tag d;
    const Vec one = hn::Set(d, 1.0f);
    int folded = 0;
    forPaddedRow(count, [&](int n, int part) HWY_ATTR {
        const Matrix matrix = matrixAt(row, n, part);
        const Vec found = determinantOf(matrix);
        // Lanes beyond the row read zeros: M is the identity there.
        const auto accepted = hn::Ge(found, hn::Set(d, unbiased::minDeterminant));
        folded += lanes() - static_cast<int>(hn::CountTrue(d, accepted));
        const Vec determinant = bounded(found), logarithm = logarithmOf(determinant);
        storePart(hn::Mul(hn::Sub(determinant, one), logarithm), distance + n, part);
        const Vec slope = hn::Sub(hn::Add(one, logarithm), hn::Div(one, determinant));
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                storePart(hn::Mul(matrix.cofactor(i, j), slope), flux[3 * i + j] + n, part);
    });
    return folded;
}

void UnbiasedData(const DataRow& row, const unbiased::ForceRule& rule, int count, float* energy,
                  float* const (&force)[3]) {
    const Tag d;
    forPaddedRow(count, [&](int n, int part) HWY_ATTR {
        const Trilinear t(row.moving,
                          hn::Add(hn::Iota(d, static_cast<float>(n)), loadPart(row.w[0] + n, part)),
                          hn::Add(hn::Set(d, row.y), loadPart(row.w[1] + n, part)),
                          hn::Add(hn::Set(d, row.z), loadPart(row.w[2] + n, part)));
        Vec gradient[3];
        const Vec moving = rule.bothSides ? t.sampleWithGradient(row.moving.data, gradient)
                                          : t.sampleWithSlopes(row.moving.data, gradient);
        const Vec difference = hn::Sub(moving, loadPart(row.fixed + n, part));
        const Vec noise = hn::Set(d, 0.5f * rule.noise);
        Vec slope[3];
        const Vec lost = t.noiseLoss(slope);
        const Vec data =
            hn::MulAdd(noise, lost, hn::Mul(hn::Mul(hn::Set(d, 0.5f), difference), difference));
        storePart(hn::MulAdd(hn::Set(d, rule.lambda), loadPart(row.distance + n, part), data),
                  energy + n, part);
        const Vec outside[3] = {t.x.outside, t.y.outside, t.z.outside};
        for (int j = 0; j < 3; ++j)
            storePart(hn::IfThenElseZero(hn::Le(outside[j], hn::Zero(d)),
                                         hn::NegMulAdd(difference, gradient[j],
                                                       hn::Neg(hn::Mul(noise, slope[j])))),
                      force[j] + n, part);
    });
}

void UnbiasedForce(const DeformationRow& m, const ForceRow& row, const unbiased::ForceRule& rule,
                   int count, float* const (&out)[3]) {
    const Tag d;
    const Vec half = hn::Set(d, 0.5f), lambda = hn::Set(d, rule.lambda),
              aheadOfZ = hn::Set(d, rule.lambda * row.z.ahead);
    const auto factor = [&](float value, const float* flux, int part, Vec sum) HWY_ATTR {
        return hn::MulAdd(hn::Set(d, value), loadPart(flux, part), sum);
    };
    forPaddedRow(count, [&](int n, int part) HWY_ATTR {
        Vec f[3];
        for (int i = 0; i < 3; ++i) {
            const float* const x = row.flux[3 * i] + n;
            Vec sum = hn::Mul(half, hn::Sub(loadPart(x + 1, part), loadPart(x - 1, part)));
            sum = factor(row.z.here, row.flux[3 * i + 2] + n, part, sum);
            sum = factor(row.z.behind, row.behindZ[i] + n, part, sum);
            Vec alongY = hn::Mul(hn::Set(d, row.y.behind), loadPart(row.behindY[i] + n, part));
            alongY = factor(row.y.here, row.flux[3 * i + 1] + n, part, alongY);
            alongY = factor(row.y.ahead, row.aheadY[i] + n, part, alongY);
            sum = hn::MulAdd(lambda, hn::Add(sum, alongY), loadPart(row.data[i] + n, part));
            f[i] = hn::MulAdd(aheadOfZ, loadPart(row.aheadZ[i] + n, part), sum);
        }
        if (rule.pulledBack) {
            const Matrix matrix = matrixAt(m, n, part);
            Vec pulled[3];
            for (int i = 0; i < 3; ++i)
                pulled[i] =
                    hn::MulAdd(matrix.m[0][i], f[0],
                               hn::MulAdd(matrix.m[1][i], f[1], hn::Mul(matrix.m[2][i], f[2])));
            for (int i = 0; i < 3; ++i)
                f[i] = pulled[i];
        }
        for (int i = 0; i < 3; ++i)
            storePart(hn::Mul(hn::Set(d, rule.scale[i] * rule.scale[i]), f[i]), out[i] + n, part);
    });
}

float UnbiasedTransport(const DeformationRow& m, const float* const (&force)[3], float momentum,
                        float* const (&velocity)[3], const float (&inverseScale)[3], int count,
                        float* const (&out)[3]) {
    const Tag d;
    Vec largest = hn::Zero(d);
    forPaddedRow(count, [&](int n, int part) HWY_ATTR {
        const Matrix matrix = matrixAt(m, n, part);
        Vec v[3];
        for (int i = 0; i < 3; ++i) {
            v[i] = loadPart(force[i] + n, part);
            if (momentum > 0)
                v[i] = hn::MulAdd(hn::Set(d, momentum), loadPart(velocity[i] + n, part), v[i]);
            storePart(v[i], velocity[i] + n, part);
        }
        Vec squared = hn::Zero(d);
        for (int i = 0; i < 3; ++i) {
            const Vec step =
                hn::MulAdd(matrix.m[i][0], v[0],
                           hn::MulAdd(matrix.m[i][1], v[1], hn::Mul(matrix.m[i][2], v[2])));
            storePart(step, out[i] + n, part);
            const Vec length = hn::Mul(step, hn::Set(d, inverseScale[i]));
            squared = hn::MulAdd(length, length, squared);
        }
        largest = hn::Max(largest, squared);
    });
    return hn::GetLane(hn::MaxOfLanes(d, largest));
}

void Advance(const float* from, float time, int count, float* step) {
    const Tag d;
    forPaddedRow(count, [&](int i, int part) HWY_ATTR {
        storePart(hn::MulAdd(hn::Set(d, time), loadPart(step + i, part), loadPart(from + i, part)),
                  step + i, part);
    });
}

} // namespace systole::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::rows {

HWY_EXPORT(Differences);
HWY_EXPORT(UnbiasedFlux);
HWY_EXPORT(UnbiasedData);
HWY_EXPORT(UnbiasedForce);
HWY_EXPORT(UnbiasedTransport);
HWY_EXPORT(Advance);

void differences(const float* row, int count, float* out) {
    HWY_DYNAMIC_DISPATCH(Differences)(row, count, out);
}
int unbiasedFlux(const DeformationRow& row, int count, float* const (&flux)[9], float* distance) {
    return HWY_DYNAMIC_DISPATCH(UnbiasedFlux)(row, count, flux, distance);
}
void unbiasedData(const DataRow& row, const unbiased::ForceRule& rule, int count, float* energy,
                  float* const (&force)[3]) {
    HWY_DYNAMIC_DISPATCH(UnbiasedData)(row, rule, count, energy, force);
}
void unbiasedForce(const DeformationRow& m, const ForceRow& row, const unbiased::ForceRule& rule,
                   int count, float* const (&out)[3]) {
    HWY_DYNAMIC_DISPATCH(UnbiasedForce)(m, row, rule, count, out);
}
float unbiasedTransport(const DeformationRow& m, const float* const (&force)[3], float momentum,
                        float* const (&velocity)[3], const float (&inverseScale)[3], int count,
                        float* const (&out)[3]) {
    return HWY_DYNAMIC_DISPATCH(UnbiasedTransport)(m, force, momentum, velocity, inverseScale,
                                                   count, out);
}

void advance(const float* from, float time, int count, float* step) {
    HWY_DYNAMIC_DISPATCH(Advance)(from, time, count, step);
}

} // namespace systole::rows
#endif
