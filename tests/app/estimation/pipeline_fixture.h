// A pipeline with estimators of the tests' own: slow, failing, counting.
#pragma once

#include "app/estimation/pipeline.h"
#include "compute/core/error.h"
#include "tests/support/becomes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace systole::test {

/// Behavior of the fake estimators, and a record of their calls.
struct PipelineScript {
    std::atomic<int> held{0}; ///< the estimation that doesn't end by itself, counted from 1
    std::atomic<bool> fails{false};
    std::atomic<int> begun{0}, made{0};
    std::atomic<float> value{1}; ///< the displacement that it finds
    std::atomic<float> start{0}; ///< start that it was given
    std::atomic<bool> timesKernels{false};
};

class FakeEstimator : public MotionEstimator {
public:
    explicit FakeEstimator(PipelineScript& script) : script_(script) {}

    MotionReport run(const MotionInput&, FieldView<float> displacement,
                     const ExecContext& ctx) override {
        script_.start = displacement.u[0];
        script_.timesKernels = ctx.profileKernels;
        const int number = ++script_.begun;
        while (number == script_.held) {
            ctx.throwIfCancelled();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        if (script_.fails)
            throw ComputeError("the estimation found nothing to hold on to");
        std::fill_n(displacement.u, displacement.size.voxels(), script_.value.load());
        MotionReport report;
        report.iterations = 3;
        report.levels.emplace_back();
        return report;
    }
    std::size_t memoryEstimate(Size3, Vec3) const override { return 0; }
    int reach() const override { return 48; }

private:
    PipelineScript& script_;
};

class PipelineTest : public ::testing::Test {
protected:
    PipelineTest() {
        PipelineOptions options;
        options.threads = 1;
        options.notify = [this] { ++notified; };
        pipeline = std::make_unique<Pipeline>(options);
        pipeline->open({0, 255});
        pipeline->setSettings(settings());
        const Geometry geometry({8, 8, 8}, {1, 1, 1});
        for (int frame = 0; frame < 10; ++frame) {
            auto volume = std::make_shared<Volume>(geometry, pool, "test frame");
            std::fill_n(volume->voxels.data(), geometry.voxels(), static_cast<float>(frame));
            frames.push_back(volume);
        }
    }

    EstimationSettings settings() {
        EstimationSettings settings;
        settings.make = [this](Backend) {
            ++script.made;
            return std::make_unique<FakeEstimator>(script);
        };
        return settings;
    }

    FramePair pair(int fixed) const {
        const int moving = (fixed + 1) % static_cast<int>(frames.size());
        return {frames[static_cast<std::size_t>(fixed)], frames[static_cast<std::size_t>(moving)],
                fixed, moving};
    }

    template <typename Condition>
    static bool becomes(const Condition& condition) {
        return test::becomes(condition);
    }
    bool estimatedReaches(std::uint64_t count) {
        return becomes([&] { return pipeline->status().estimated >= count; });
    }

    PipelineScript script;
    std::atomic<int> notified{0};
    BufferPool pool;
    std::vector<std::shared_ptr<const Volume>> frames;
    std::unique_ptr<Pipeline> pipeline; ///< first to go
};

} // namespace systole::test
