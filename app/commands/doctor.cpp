// systole doctor: what this machine offers, what is missing and how to get it.
#include "app/commands/command.h"
#include "app/version.h"
#include "compute/core/buffer.h"
#include "compute/core/error.h"
#include "compute/core/machine.h"
#include "compute/cuda/context.h"

#ifdef SYSTOLE_VIEWER
#include "render/error.h"
#include "render/gl/headless_egl.h"
#include "render/scene.h"

#include <EGL/egl.h>
#include <GL/gl.h>
#endif

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace systole {
namespace {

void line(const char* label, const std::string& text) { fmt::print("{:<12}{}\n", label, text); }

std::string dotted(int cudaVersion) {
    return fmt::format("{}.{}", cudaVersion / 1000, cudaVersion % 1000 / 10);
}

void sayMachine() {
    const Machine machine = describeMachine();
    line("processor",
         fmt::format("{}, {} thread{}, SIMD loops for {}", machine.processor, machine.cores,
                     machine.cores == 1 ? "" : "s", machine.simdTarget));
    line("memory", fmt::format("{}, {} of it free", bytesText(machine.memoryBytes),
                               bytesText(machine.availableBytes)));
}

#ifdef SYSTOLE_VIEWER
/// Makes a context as snapshot does, then releases it.
void sayOpenGl() {
    try {
        HeadlessEgl context;
        // Requested through EGL, which owns this context, regardless of what else is linked.
        using GetString = const GLubyte* (*)(GLenum);
        const auto getString = reinterpret_cast<GetString>(eglGetProcAddress("glGetString"));
        const auto text = [&](GLenum what) -> std::string {
            const GLubyte* found = getString ? getString(what) : nullptr;
            return found ? reinterpret_cast<const char*>(found) : "unknown";
        };
        const std::string renderer = text(GL_RENDERER), version = text(GL_VERSION);
        Scene scene;
        scene.initialize(context.hooks());
        const std::optional<int> device = scene.interopDevice();
        const std::string noInterop = scene.uploadReason();
        scene.release();
        const bool software = renderer.find("llvmpipe") != std::string::npos ||
                              renderer.find("softpipe") != std::string::npos;
        line("OpenGL", fmt::format("{}, {}{}", version, renderer,
                                   software ? " (drawn by the processor: the viewer lowers its "
                                              "sampling to stay fluent)"
                                            : ""));
        line("", device ? fmt::format("CUDA device {} draws: what it computes is shown in place",
                                      *device)
                        : "what is shown is uploaded by the host: " + noInterop);
    } catch (const RenderError& error) {
        line("OpenGL", fmt::format("none without a window: {}; snapshot needs it: install "
                                   "libgl1-mesa-dri and libegl1, or the graphics card's driver",
                                   error.what()));
    }
}
#endif

void sayGraphics() {
#ifdef SYSTOLE_VIEWER
    sayOpenGl();
    const char* display = std::getenv("DISPLAY");
    line("display", display && *display
                        ? fmt::format("DISPLAY is {}", display)
                        : std::string("none (DISPLAY is unset): view needs one, such as xvfb-run "
                                      "gives; snapshot and all other commands don't"));
#else
    line("viewer", "not built (SYSTOLE_VIEWER is OFF): no view, no snapshot");
#endif
}

/// Opens the device for a moment, to report what a computing program would find.
std::string memoryOf(const CudaDevice& device) {
    try {
        CudaContext::Options options;
        options.device = device.index;
        const CudaContext cuda(options);
        return fmt::format("{}, {} of it free", bytesText(device.memoryBytes),
                           bytesText(cuda.freeBytes()));
    } catch (const ComputeError& error) {
        return fmt::format("{}, but it can't be taken into use: {}", bytesText(device.memoryBytes),
                           error.what());
    }
}

void sayCuda() {
    const CudaStatus status = cudaStatus();
    if (!status.built) {
        line("CUDA", "not built: no CUDA compiler was found (NVIDIA's CUDA toolkit has it; "
                     "configure again then); everything runs on the CPU");
        return;
    }
    const std::string driver = status.driverVersion > 0 ? fmt::format("the driver serves up to {}",
                                                                      dotted(status.driverVersion))
                                                        : std::string("no driver");
    line("CUDA", fmt::format("built with {}, {}{}", dotted(status.runtimeVersion), driver,
                             status.usable() ? std::string{} : "; unused: " + status.reason));
    for (const CudaDevice& device : status.devices)
        line("", fmt::format("device {}: {}, compute capability {}.{}, {} multiprocessors, {}",
                             device.index, device.name, device.computeCapability / 10,
                             device.computeCapability % 10, device.multiprocessors,
                             device.usable ? memoryOf(device)
                                           : fmt::format("{} (too old for this build)",
                                                         bytesText(device.memoryBytes))));
    if (status.driverVersion == 0)
        line("", "for a CUDA device: install NVIDIA's driver (package nvidia-driver, or "
                 "nvidia.com/drivers) and restart");
    else if (status.driverVersion / 1000 < status.runtimeVersion / 1000)
        line("", fmt::format("install a newer NVIDIA driver: this build needs one for CUDA {}",
                             dotted(status.runtimeVersion)));
}

class DoctorCommand : public Command {
public:
    DoctorCommand()
        : Command("doctor",
                  "Report the capabilities of this machine, what is missing and how to get it") {}
    void addOptions(CLI::App&) override {}
    int run() override {
        line("systole", programVersion());
        sayMachine();
        sayGraphics();
        sayCuda();
        std::string libraries;
        for (const auto& [library, version] : libraryVersions())
            libraries += fmt::format("{}{} {}", libraries.empty() ? "" : ", ", library, version);
        line("built with", libraries);
        return 0;
    }
};

} // namespace

std::unique_ptr<Command> makeDoctorCommand() { return std::make_unique<DoctorCommand>(); }

} // namespace systole
