// The zero level of a signed distance as triangles: the CPU, and the device from volume to buffers,
// kernel by kernel against what its bytes take.
#include "bench/benchmarks.h"
#include "bench/device_bench.h"
#include "bench/timing.h"
#include "compute/motion/methods.h"
#include "compute/ops/over_voxels.h"
#include "compute/surface/isosurface_device.h"

#ifdef SYSTOLE_VIEWER
#include "render/base/error.h"
#include "render/gl/gl_objects.h"
#include "render/gl/headless_egl.h"
#include "render/gl/offscreen.h"
#include "render/scene/scene.h"
#include "render/surface_buffers.h"
#endif

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace systole {
namespace {

constexpr double budgetSeconds = 2; ///< time budget of the repeats of one figure

/// A wavy ball that fills two thirds of the width.
Volume wavyBall(int side, const ExecContext& ctx) {
    Volume phi(Geometry({side, side, side}, {1, 1, 1}), *ctx.pool, "signed distance");
    const double center = side / 2.0 - 0.3;
    const VolumeView<float> view = phi.view();
    overVoxels(view.size, ctx, [&](int x, int y, int z) {
        const Vec3 p{x - center, y - center, z - center};
        view(x, y, z) =
            static_cast<float>(length(p) - side / 3.0 -
                               1.5 * std::sin(p.x / 5) * std::sin(p.y / 5) * std::sin(p.z / 5));
    });
    return phi;
}

#ifdef SYSTOLE_VIEWER

/// A headless OpenGL context whose buffers CUDA writes into, where there is one.
class OpenGlBuffers {
public:
    OpenGlBuffers() {
        try {
            egl_ = std::make_unique<HeadlessEgl>();
            scene_ = std::make_unique<Scene>();
            scene_->initialize(egl_->hooks());
            scene_->capture(); // VTK finds OpenGL's functions with the first picture
            framebuffer_ = std::make_unique<OffscreenFramebuffer>(8, 8);
            const GlTexture trial = makeScalarTexture({2, 2, 2}, false);
            CudaInterop::Answer answer = CudaInterop::tryOn(trial.id());
            interop_ = std::move(answer.interop);
            reason_ = answer.reason;
        } catch (const RenderError& error) {
            reason_ = error.what();
        }
    }
    ~OpenGlBuffers() {
        buffers_.release();
        interop_.reset();
        framebuffer_.reset();
        if (scene_)
            scene_->release();
    }
    OpenGlBuffers(const OpenGlBuffers&) = delete;
    OpenGlBuffers& operator=(const OpenGlBuffers&) = delete;

    bool available() const { return interop_ != nullptr; }
    const std::string& whyNot() const { return reason_; }
    /// Fills the buffers as a picture does; the work is done when it returns.
    void fill(std::shared_ptr<const DeviceMesh> mesh) {
        buffers_.setMesh(std::make_shared<TriangleMesh>(), std::move(mesh), interop_.get());
        interop_->flush();
        interop_->cuda().synchronize(CudaStream::Display);
        framebuffer_->finish();
    }

private:
    std::unique_ptr<HeadlessEgl> egl_;
    std::unique_ptr<Scene> scene_;
    std::unique_ptr<OffscreenFramebuffer> framebuffer_;
    std::unique_ptr<CudaInterop> interop_;
    SurfaceBuffers buffers_;
    std::string reason_;
};

#else

/// A build without the viewer has none.
class OpenGlBuffers {
public:
    bool available() const { return false; }
    std::string whyNot() const { return "this build has no viewer"; }
    void fill(const std::shared_ptr<const DeviceMesh>&) {}
};

#endif

void intoOpenGl(const Volume& phi, VolumeView<const float> view, int repeats, OpenGlBuffers& openGl,
                const ExecContext& ctx, Json& record) {
    if constexpr (cudaIsBuilt) {
        if (!openGl.available()) {
            fmt::print("    OpenGL's buffers aren't reached: {}\n", openGl.whyNot());
            record["no_opengl"] = openGl.whyNot();
            return;
        }
        const double seconds = warmMedian(repeats, budgetSeconds, ctx, [&] {
            openGl.fill(std::make_shared<DeviceMesh>(
                deviceIsosurface(view, phi.geometry, SurfaceEdge::Closed, ctx)));
        });
        fmt::print("    device {:>9.3f} ms into OpenGL's buffers, as the picture gets it\n",
                   1e3 * seconds);
        record["into_opengl_seconds"] = seconds;
    }
}

void onDevice(const Volume& phi, int repeats, BenchDevice& device, OpenGlBuffers& openGl,
              const ExecContext& base, Json& record) {
    if constexpr (cudaIsBuilt) {
        const ExecContext ctx = contextOn(device, base);
        CudaContext& cuda = device.cuda;
        BufferPool& pool = cuda.devicePool();
        Buffer<float> volume = pool.acquire<float>(phi.voxels.size(), "signed distance");
        cuda.upload(phi.voxels.data(), volume.data(), phi.voxels.size() * sizeof(float),
                    CudaStream::Compute);
        const VolumeView<const float> view(volume.data(), phi.geometry.size());
        DeviceIsosurface surface;
        const DeviceIsosurface::Size size =
            surface.find(view, phi.geometry, SurfaceEdge::Closed, ctx);
        Buffer<float> points = pool.acquire<float>(3 * size.points, "points of a surface"),
                      normals = pool.acquire<float>(3 * size.points, "normals of a surface");
        Buffer<std::uint32_t> triangles =
            pool.acquire<std::uint32_t>(3 * size.triangles, "triangles of a surface");
        const auto once = [&](const ExecContext& with) {
            surface.find(view, phi.geometry, SurfaceEdge::Closed, with);
            surface.write(points.data(), normals.data(), triangles.data(), with);
            cuda.synchronize(CudaStream::Compute);
        };
        const double seconds = warmMedian(repeats, budgetSeconds, ctx, [&] { once(ctx); });
        const double bandwidth = device.speed.copyBandwidth();
        const double bytes = 4.0 * static_cast<double>(phi.voxels.size()) +
                             24.0 * static_cast<double>(size.points) +
                             12.0 * static_cast<double>(size.triangles);
        fmt::print("    device {:>9.3f} ms, its size read back meanwhile; {} points, {} triangles; "
                   "{:.1f} × {:.3f} ms that reading the volume and writing the surface take\n",
                   1e3 * seconds, size.points, size.triangles, seconds * bandwidth / bytes,
                   1e3 * bytes / bandwidth);
        record["device_seconds"] = seconds;
        record["floor_seconds"] = bytes / bandwidth;
        intoOpenGl(phi, view, repeats, openGl, ctx, record);
        record["points"] = size.points;
        record["triangles"] = size.triangles;
        const FrameProfile profile = profileOf(ctx, true, once);
        for (const ProfileSpan& span : profile.spans)
            if (span.stage.empty()) {
                fmt::print("      {:<26} {:>8.1f} µs {:>8.2f} MB {:>6.1f}×\n", span.kernel,
                           1e6 * span.launchSeconds, span.launchBytes / 1e6,
                           span.launchSeconds * bandwidth / span.launchBytes);
                record["kernels"][span.kernel] = {{"seconds", span.launchSeconds},
                                                  {"declared_bytes", span.launchBytes}};
            }
    }
}

} // namespace

void benchIsosurface(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    const auto device = openBenchDevice("isosurface", motionMethods().front(), record);
    const std::unique_ptr<OpenGlBuffers> openGl =
        device ? std::make_unique<OpenGlBuffers>() : nullptr;
    record["threads"] = ctx.threads->threads();
    fmt::print("isosurface: the zero level of a wavy ball as triangles with normals, medians; on a "
               "device from the volume there to buffers there\n");
    const std::vector<int> sides =
        options.sides.empty() ? std::vector{128, 256, 512} : options.sides;
    // Rough time of a voxel on two cores.
    constexpr double secondsPerVoxel = 3e-9;
    for (const int side : sides) {
        ctx.throwIfCancelled();
        const Volume phi = wavyBall(side, ctx);
        fmt::print("  {0}×{0}×{0} voxels\n", side);
        Json& entry = record["sides"][std::to_string(side)];
        if (static_cast<double>(phi.voxels.size()) * secondsPerVoxel < options.cpuSeconds) {
            const double seconds = warmMedian(options.repeats, budgetSeconds, ctx, [&] {
                isosurface(phi.view(), phi.geometry, SurfaceEdge::Closed, ctx);
            });
            fmt::print("    CPU    {:>9.3f} ms, {} threads\n", 1e3 * seconds,
                       ctx.threads->threads());
            entry["cpu_seconds"] = seconds;
        }
        if (device)
            onDevice(phi, options.repeats, *device, *openGl, ctx, entry);
    }
}

} // namespace systole
