// The product of systole spgemm by the device's variants, and by the CPU where the device fails.
#include "app/features/laboratory/spgemm_product.h"
#include "compute/core/error.h"
#include "compute/sparse/generate.h"
#include "compute/sparse/product.h"
#include "tests/support/gpu_support.h"

#include <cmath>

namespace systole {
namespace {

class SpgemmOnDevice : public test::OnDevice {};

TEST_F(SpgemmOnDevice, EveryVariantIsTheProcessorsProduct) {
    ExecContext host = resources.context();
    const sparse::CsrMatrix<double> a = sparse::elementBlocks(5), b = sparse::banded(375, 9, 3);
    for (const sparse::CsrMatrix<double>* right : {&b, static_cast<decltype(&b)>(nullptr)}) {
        const sparse::CsrMatrix<double> expected = sparse::multiply(a, right ? *right : a, host);
        double largest = 0;
        for (const double value : expected.values)
            largest = std::max(largest, std::abs(value));
        for (const std::string& variant : spgemmVariants()) {
            SCOPED_TRACE(variant);
            BackendChoice choice{Backend::Cuda, "requested", false};
            const SpgemmProduct product = multiplyBy(choice, variant, a, right, host);
            EXPECT_EQ(product.matrix.rowStart, expected.rowStart);
            ASSERT_EQ(product.matrix.columnOf, expected.columnOf);
            const double most = variant == "tile-tensor"               ? 2e-3
                                : variant.find("tile") != variant.npos ? 1e-5
                                                                       : 1e-13;
            for (std::size_t i = 0; i < expected.values.size(); ++i)
                ASSERT_NEAR(product.matrix.values[i], expected.values[i], most * largest);
            double phases = 0;
            for (const auto& [name, seconds] : product.phases)
                phases += seconds;
            EXPECT_GT(product.seconds, 0);
            EXPECT_GE(phases, product.seconds); // the copies are phases, too
        }
    }
}

// Factors that don't fit are refused by both backends.
TEST_F(SpgemmOnDevice, AFailureMovesToTheProcessorOnlyIfTheChoiceMayChange) {
    ExecContext host = resources.context();
    const sparse::CsrMatrix<double> a = sparse::banded(20, 2, 1), wide = sparse::banded(30, 2, 1);
    BackendChoice fixed{Backend::Cuda, "requested", false};
    EXPECT_THROW(multiplyBy(fixed, "adaptive", a, &wide, host), ComputeError);
    BackendChoice may{Backend::Cuda, "auto", true};
    EXPECT_THROW(multiplyBy(may, "adaptive", a, &wide, host), ComputeError);
    EXPECT_EQ(may.backend, Backend::Cpu);
}

} // namespace
} // namespace systole
