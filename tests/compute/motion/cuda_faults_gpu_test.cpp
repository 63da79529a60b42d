// Every call of the CUDA runtime made to fail, one after the other, while a motion is estimated: it
// ends with the device's motion, with the CPU's and one sentence that says why, or with one
// sentence alone; and the next estimation is as if nothing had been.
#include "compute/core/error.h"
#include "compute/motion/methods.h"
#include "compute/motion/pair_estimator.h"
#include "tests/support/compute_support.h"
#include "tests/support/cuda_faults.h"
#include "tests/support/gpu_support.h"
#include "tests/support/waves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace systole {
namespace {

using test::CudaCall;

/// Ends the test program where an estimation waits for ever, and says for what.
class Watch {
public:
    explicit Watch(const std::string& what) {
        text() = "waits for ever after " + what + "\n";
        std::signal(SIGALRM, [](int) {
            (void)!::write(STDERR_FILENO, text().data(), text().size());
            ::_exit(EXIT_FAILURE);
        });
        ::alarm(seconds);
    }
    ~Watch() { ::alarm(0); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

private:
    static constexpr unsigned seconds = 120;
    static std::string& text() {
        static std::string text;
        return text;
    }
};

/// Outcome of an estimation.
struct Ended {
    std::vector<float> field; ///< empty: none
    EstimationPath path = EstimationPath::Device;
    std::string sentence; ///< the failure's, or why the path isn't the device's
};

void expectOneSentence(const std::string& sentence) {
    EXPECT_FALSE(sentence.empty());
    EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
    EXPECT_LT(sentence.size(), 500U) << sentence;
    for (const char* raw : {"bad_alloc", "std::", "basic_"})
        EXPECT_EQ(sentence.find(raw), std::string::npos) << sentence;
}

class CudaFaults : public test::OnDevice, public testing::WithParamInterface<const MotionMethod*> {
protected:
    void SetUp() override {
        test::OnDevice::SetUp();
        cuda.reset();
        if (IsSkipped())
            return;
        fixed = frameOf([](double x, double y, double z) { return test::waves(x, y, z); });
        moving = frameOf([](double x, double y, double z) {
            return test::waves(x - 1.1 + 0.4 * std::sin(0.2 * y), y + 0.6, z - 0.3);
        });
    }
    void TearDown() override { test::failNoCudaCall(); }

    std::shared_ptr<const Volume> frameOf(const test::Formula& formula) {
        const Size3 size{26, 22, 18};
        auto frame = std::make_shared<Volume>(Geometry(size, {1, 1, 1}), resources.pool(), "frame");
        test::TestVolume voxels(size, formula);
        std::ranges::copy(voxels.voxels, frame->voxels.data());
        return frame;
    }

    /// Two pairs of one sequence, the second by the graphs and plans of the first, on a device that
    /// is opened for them.
    Ended estimate(Backend backend, bool mayUseCpu) {
        PairEstimator estimator({[](const FramePair&) {
            return std::make_shared<CudaContext>(CudaContext::Options{.share = 0.1});
        }});
        PairSettings settings;
        settings.make = estimatorMaker(*GetParam(), ParamSet(*GetParam()->parameters, "default"));
        settings.backend = backend;
        settings.mayUseCpu = mayUseCpu;
        Ended ended;
        try {
            estimator.begin(settings);
            PairEstimator::Options options;
            options.warmStart = false;
            for (const int frame : {0, 1}) {
                const FrameResult result = estimator.estimate({fixed, moving, frame, frame + 1},
                                                              resources.context(), options);
                const auto values = result.field->components.span();
                ended.field.assign(values.begin(), values.end());
            }
            ended.path = estimator.path();
            ended.sentence = estimator.fallbackReason();
        } catch (const ComputeError& error) {
            ended = {{}, estimator.path(), error.what()};
        }
        return ended;
    }

    void expectSound(const Ended& ended, bool mayUseCpu) const {
        if (ended.field.empty() || ended.path != EstimationPath::Device)
            expectOneSentence(ended.sentence);
        if (ended.field.empty()) {
            EXPECT_FALSE(mayUseCpu) << "the CPU could have done it: " << ended.sentence;
            return;
        }
        if (ended.path == EstimationPath::Device)
            EXPECT_EQ(ended.field, onDevice.field);
        else if (ended.path == EstimationPath::Cpu)
            EXPECT_EQ(ended.field, onCpu.field);
        else
            EXPECT_TRUE(std::ranges::all_of(ended.field, [](float v) { return std::isfinite(v); }));
    }

    void expectEndsInOrder(CudaCall kind, int at, bool mayUseCpu, bool allLater) {
        const std::string what = std::string(GetParam()->name) + ": " +
                                 test::cudaCallNames[static_cast<std::size_t>(kind)] + " " +
                                 std::to_string(at) + (allLater ? " and all later ones" : "");
        SCOPED_TRACE(what);
        const Watch watch(what);
        test::failCudaCall(kind, at, allLater);
        const Ended ended = estimate(Backend::Cuda, mayUseCpu);
        test::failNoCudaCall();
        expectSound(ended, mayUseCpu);
        if (mayUseCpu)
            return;
        const Ended next = estimate(Backend::Cuda, false);
        EXPECT_EQ(next.sentence, "");
        EXPECT_EQ(next.field, onDevice.field) << "the next estimation";
    }

    std::shared_ptr<const Volume> fixed, moving;
    Ended onDevice, onCpu;
};

/// The first ones, then ever fewer; all with SYSTOLE_ALL_CUDA_FAULTS.
std::vector<int> callsToFail(int calls) {
    const bool all = std::getenv("SYSTOLE_ALL_CUDA_FAULTS") != nullptr;
    std::vector<int> at;
    for (int n = 1; n <= calls; n += all ? 1 : std::max(1, n / 2))
        at.push_back(n);
    if (!at.empty() && at.back() != calls)
        at.push_back(calls);
    return at;
}

TEST_P(CudaFaults, EndInOrderAndLeaveNothing) {
    onCpu = estimate(Backend::Cpu, true);
    test::failNoCudaCall();
    onDevice = estimate(Backend::Cuda, false);
    ASSERT_EQ(onDevice.sentence, "");
    std::array<int, test::cudaCallKinds> calls{};
    for (std::size_t kind = 0; kind < calls.size(); ++kind)
        calls[kind] = test::cudaCallsOf(static_cast<CudaCall>(kind));
    // Else the linker leads them elsewhere, and nothing is tested.
    for (const CudaCall always : {CudaCall::Allocation, CudaCall::Launch, CudaCall::Copy,
                                  CudaCall::Object, CudaCall::Wait, CudaCall::Question})
        ASSERT_GT(calls[static_cast<std::size_t>(always)], 0) << static_cast<int>(always);
    ASSERT_EQ(estimate(Backend::Cuda, false).field, onDevice.field);
    for (std::size_t kind = 0; kind < calls.size(); ++kind)
        for (const int at : callsToFail(calls[kind])) {
            expectEndsInOrder(static_cast<CudaCall>(kind), at, true, false);
            expectEndsInOrder(static_cast<CudaCall>(kind), at, false, false);
            expectEndsInOrder(static_cast<CudaCall>(kind), at, true, true);
        }
}

std::vector<const MotionMethod*> methodsOnDevices() {
    std::vector<const MotionMethod*> methods;
    for (const MotionMethod& method : motionMethods())
        if (std::ranges::find(method.backends, Backend::Cuda) != method.backends.end())
            methods.push_back(&method);
    return methods;
}

INSTANTIATE_TEST_SUITE_P(Methods, CudaFaults, testing::ValuesIn(methodsOnDevices()),
                         [](const auto& info) { return std::string(info.param->name); });

} // namespace
} // namespace systole
