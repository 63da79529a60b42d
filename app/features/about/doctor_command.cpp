// systole doctor: what this machine offers, what is missing and how to get it.
#include "app/base/json_file.h"
#include "app/base/plural.h"
#include "app/base/version.h"
#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/record_parts.h"
#include "compute/core/buffer.h"
#include "compute/core/error.h"
#include "compute/core/machine.h"
#include "compute/cuda/context.h"

#ifdef SYSTOLE_VIEWER
#include "render/base/error.h"
#include "render/gl/headless_egl.h"
#include "render/scene/scene.h"

#include <EGL/egl.h>
#include <GL/gl.h>
#endif

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace systole {
namespace {

/// Properties of a part of the machine, as text and as JSON.
struct Finding {
    /// Label and text; a line without a label goes on with the one above.
    std::vector<std::pair<std::string, std::string>> lines;
    Json json;
};

std::string dotted(int cudaVersion) {
    return fmt::format("{}.{}", cudaVersion / 1000, cudaVersion % 1000 / 10);
}

Finding machineFound() {
    const Machine machine = describeMachine();
    return {{{"processor", fmt::format("{}, {}, SIMD loops for {}", machine.processor,
                                       plural(machine.cores, "thread"), machine.simdTarget)},
             {"memory", fmt::format("{}, {} of it free", bytesText(machine.memoryBytes),
                                    bytesText(machine.availableBytes))}},
            {{"processor", machine.processor},
             {"threads", machine.cores},
             {"simd", machine.simdTarget},
             {"memory_bytes", machine.memoryBytes},
             {"memory_free_bytes", machine.availableBytes}}};
}

#ifdef SYSTOLE_VIEWER
/// Makes a context as snapshot does, then releases it.
Finding openGlFound() {
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
        Finding found{
            {{"OpenGL", fmt::format("{}, {}{}", version, renderer,
                                    software ? " (drawn by the processor: the viewer lowers its "
                                               "sampling to stay responsive)"
                                             : "")},
             {"", device ? fmt::format("CUDA device {} draws: what it computes is shown in place",
                                       *device)
                         : "what is shown is uploaded by the host: " + noInterop}},
            {{"version", version}, {"renderer", renderer}, {"software", software}}};
        found.json["cuda_device"] = device ? Json(*device) : Json();
        found.json["upload_reason"] = nullIfEmpty(noInterop);
        return found;
    } catch (const RenderError& error) {
        return {{{"OpenGL", fmt::format("none without a window: {}; snapshot needs it: install "
                                        "libgl1-mesa-dri and libegl1, or the graphics card's "
                                        "driver",
                                        error.what())}},
                {{"missing", error.what()}}};
    }
}

Finding displayFound() {
    const char* const name = std::getenv("DISPLAY");
    const std::string display = name ? name : "";
    return {{{"display", display.empty()
                             ? "none (DISPLAY is unset): view needs one, such as xvfb-run gives; "
                               "snapshot and all other commands don't"
                             : "DISPLAY is " + display}},
            nullIfEmpty(display)};
}
#endif

/// Opens the device for a moment, to report what a computing program would find.
Finding deviceFound(const CudaDevice& device) {
    Json json{{"index", device.index},
              {"name", device.name},
              {"compute_capability",
               fmt::format("{}.{}", device.computeCapability / 10, device.computeCapability % 10)},
              {"multiprocessors", device.multiprocessors},
              {"memory_bytes", device.memoryBytes},
              {"memory_free_bytes", nullptr},
              {"unusable", nullptr}};
    std::string memory = bytesText(device.memoryBytes);
    if (!device.usable) {
        json["unusable"] = "too old for this build";
        memory += " (too old for this build)";
    } else {
        try {
            CudaContext::Options options;
            options.device = device.index;
            const CudaContext cuda(options);
            json["memory_free_bytes"] = cuda.freeBytes();
            memory += fmt::format(", {} of it free", bytesText(cuda.freeBytes()));
        } catch (const ComputeError& error) {
            json["unusable"] = error.what();
            memory += fmt::format(", but it can't be taken into use: {}", error.what());
        }
    }
    return {{{"", fmt::format("device {}: {}, compute capability {}.{}, {} multiprocessors, {}",
                              device.index, device.name, device.computeCapability / 10,
                              device.computeCapability % 10, device.multiprocessors, memory)}},
            std::move(json)};
}

Finding cudaFound() {
    const CudaStatus status = cudaStatus();
    Finding found{
        {},
        {{"built", status.built},
         {"runtime", status.built ? Json(dotted(status.runtimeVersion)) : Json()},
         {"driver", status.driverVersion > 0 ? Json(dotted(status.driverVersion)) : Json()},
         {"unused", nullIfEmpty(status.reason)},
         {"devices", Json::array()}}};
    if (!status.built) {
        found.lines.emplace_back(
            "CUDA", "not built: no CUDA compiler was found (NVIDIA's CUDA toolkit has it; "
                    "configure again then); everything runs on the CPU");
        return found;
    }
    const std::string driver = status.driverVersion > 0 ? fmt::format("the driver serves up to {}",
                                                                      dotted(status.driverVersion))
                                                        : std::string("no driver");
    found.lines.emplace_back(
        "CUDA", fmt::format("built with {}, {}{}", dotted(status.runtimeVersion), driver,
                            status.usable() ? std::string{} : "; unused: " + status.reason));
    for (const CudaDevice& device : status.devices) {
        Finding each = deviceFound(device);
        std::ranges::move(each.lines, std::back_inserter(found.lines));
        found.json["devices"].push_back(std::move(each.json));
    }
    if (status.driverVersion == 0)
        found.lines.emplace_back("", "for a CUDA device: install NVIDIA's driver (package "
                                     "nvidia-driver, or nvidia.com/drivers) and restart");
    else if (status.driverVersion / 1000 < status.runtimeVersion / 1000)
        found.lines.emplace_back(
            "", fmt::format("install a newer NVIDIA driver: this build needs one for CUDA {}",
                            dotted(status.runtimeVersion)));
    return found;
}

Finding librariesFound() {
    std::string text;
    for (const auto& [library, version] : libraryVersions())
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", library, version);
    return {{{"built with", text}}, librariesOf()};
}

class DoctorCommand : public Command {
public:
    DoctorCommand()
        : Command("doctor",
                  "Report the capabilities of this machine, what is missing and how to get it") {}
    void addOptions(CLI::App& app) override { addJsonFlag(app, json_); }
    int run() override {
        Json json{{"version", programVersion()}};
        std::vector<std::pair<std::string, std::string>> lines{{"systole", programVersion()}};
        const auto add = [&](const char* key, Finding found) {
            std::ranges::move(found.lines, std::back_inserter(lines));
            json[key] = std::move(found.json);
        };
        add("machine", machineFound());
#ifdef SYSTOLE_VIEWER
        add("opengl", openGlFound());
        add("display", displayFound());
#else
        add("opengl",
            {{{"viewer", "not built (SYSTOLE_VIEWER is OFF): no view, no snapshot"}}, nullptr});
#endif
        add("cuda", cudaFound());
        add("libraries", librariesFound());
        if (json_)
            fmt::print("{}\n", jsonText(json));
        else
            for (const auto& [label, text] : lines)
                fmt::print("{:<12}{}\n", label, text);
        return 0;
    }

private:
    bool json_ = false;
};

} // namespace

std::unique_ptr<Command> makeDoctorCommand() { return std::make_unique<DoctorCommand>(); }

} // namespace systole
