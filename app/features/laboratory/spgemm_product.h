// The product of systole spgemm by a backend, with the time of each phase.
#pragma once

#include "app/task/backend.h"
#include "compute/core/exec.h"
#include "compute/sparse/csr_matrix.h"

#include <string>
#include <utility>
#include <vector>

namespace systole {

/// The names of all CUDA variants, those of the tiles among them.
std::vector<std::string> spgemmVariants();

struct SpgemmProduct {
    sparse::CsrMatrix<double> matrix;
    /// Phases in their order: seconds of the host's clock for copies and on the CPU, of the
    /// device's for its work.
    std::vector<std::pair<std::string, double>> phases;
    double seconds = 0; ///< the phases that compute, together
};

/// A B, or A A where `b` is null, by the backend of `choice` and there by a variant of
/// spgemmVariants(): in double precision, the tiles' variants in single. What the device can't do
/// becomes the CPU's where the choice may change. Throws ComputeError.
SpgemmProduct multiplyBy(BackendChoice& choice, const std::string& variant,
                         const sparse::CsrMatrix<double>& a, const sparse::CsrMatrix<double>* b,
                         const ExecContext& ctx);

} // namespace systole
