// Helpers for tests on a CUDA device.
#pragma once

#include "compute/core/exec.h"
#include "compute/cuda/context.h"

#include <gtest/gtest.h>

#include <memory>

namespace systole::test {

/// Skips where no device is usable, and says why.
class OnDevice : public ::testing::Test {
protected:
    void SetUp() override {
        const CudaStatus status = cudaStatus();
        if (!status.usable())
            GTEST_SKIP() << status.reason;
        cuda = std::make_unique<CudaContext>();
    }
    ExecContext context() {
        ExecContext ctx = resources.context();
        ctx.backend = Backend::Cuda;
        ctx.cuda = cuda.get();
        return ctx;
    }

    std::unique_ptr<CudaContext> cuda;
    ExecResources resources{2};
};

} // namespace systole::test
