#include "app/base/assets.h"
#include "app/features/surface/surface_tool.h"
#include "app/live/live_view.h"
#include "app/session/session.h"
#include "app/session/wake_signal.h"
#include "bench/benchmarks.h"
#include "bench/timing.h"
#include "compute/core/error.h"
#include "io/base/error.h"
#include "render/gl/headless_egl.h"
#include "render/gl/offscreen.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>

namespace systole {
namespace {

constexpr int width = 1280, height = 800;
constexpr double framesPerSecond = 25;
/// Excluded from the figures: shaders are compiled, frames read, buffers allocated.
constexpr double warmUpSeconds = 1;

struct Figures {
    double seconds = 0;
    int pictures = 0, frames = 0, motions = 0, surfaces = 0;
    std::uint64_t estimated = 0, dropped = 0;
    std::vector<double> pictureLatency, motionLatency, surfaceLatency; ///< seconds
    /// Times of each picture, seconds: the tick before it, its commands, their completion.
    std::vector<double> ticking, drawing, finishing;
    std::string surfaceNote;
    std::size_t triangles = 0; ///< number in the last surface
    std::string surfaceBackend;
    std::map<std::string, double> surfaceStages; ///< seconds, summed over the surfaces
    double toDevice = 0, toHost = 0, toGl = 0;   ///< bytes
};

/// Playback of one file with its own OpenGL context, scene and estimation.
class Player {
public:
    Player(std::vector<std::string> files, UploadPath path)
        : scene_(SceneOptions{0, path})
        , live_(
              session_, tools_, scene_, [this] { wake_.tell(); }, KeepFields::No) {
        scene_.resize(width, height, 1);
        scene_.initialize(egl_.hooks());
        framebuffer_ = std::make_unique<OffscreenFramebuffer>(width, height);
        session_.motion.keepEstimating = true;
        OpenOptions open;
        open.frameTimeMilliseconds = 1e3 / framesPerSecond;
        live_.open(std::move(files), open);
        for (;;) {
            const LiveView::Changes changes = live_.tick(0);
            if (changes.failed)
                throw FileError(session_.message);
            if (changes.opened)
                break;
            wake_.wait(0.05);
        }
        if (session_.playback.frames() < 2)
            throw FileError(fmt::format("{}: a single frame has no motion", name()));
        session_.playback.play();
    }
    ~Player() {
        framebuffer_.reset();
        scene_.release();
    }
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    /// Makes every frame that is shown from now on get its own surface: of the gray values above
    /// the middle of their range, denoised within a window.
    void addSurfaces() {
        SurfaceChoice& choice = surface_.choice;
        const IntensityScale& scale = session_.opened->scale;
        choice.source = SurfaceOrigin::Threshold;
        choice.threshold = 0.5 * static_cast<double>(scale.low + scale.high);
        choice.carried = false;
        choice.denoise = true;
        ++choice.revision;
    }

    /// `onTime`: by the clock; else the next frame is due as soon as a picture is finished.
    /// `ahead`: the next frame is known before it is due; else as of frames that arrive.
    Figures play(bool onTime, bool ahead, double seconds, const ExecContext& ctx) {
        live_.setLookAhead(ahead_ = ahead);
        run(onTime, warmUpSeconds, ctx);
        figures_ = {};
        const PipelineStatus before = session_.estimation;
        run(onTime, seconds, ctx);
        figures_.estimated = session_.estimation.estimated - before.estimated;
        figures_.dropped = session_.estimation.dropped - before.dropped;
        return figures_;
    }

    const Session& session() const { return session_; }
    const Scene& scene() const { return scene_; }
    std::string name() const { return session_.opened->sequence.name; }

private:
    /// However slow the machine is, some motion is shown.
    void run(bool onTime, double seconds, const ExecContext& ctx) {
        constexpr int fewestMotions = 2;
        const BenchClock::time_point begin = BenchClock::now();
        BenchClock::time_point ticked = begin;
        while (secondsSince(begin) < seconds || figures_.motions < fewestMotions) {
            ctx.throwIfCancelled();
            const BenchClock::time_point now = BenchClock::now();
            const double passed = std::chrono::duration<double>(now - ticked).count();
            ticked = now;
            const int before = session_.playback.frame();
            constexpr double justOver = 1e-9;
            const bool picture =
                live_.tick(onTime ? passed : session_.playback.secondsToChange() + justOver)
                    .picture;
            if (!session_.estimation.message.empty())
                throw ComputeError(session_.estimation.message);
            if (session_.playback.frame() != before) {
                frameIsDue(onTime, now);
                forgetSurface(before);
            }
            if (picture) {
                figures_.ticking.push_back(secondsSince(now));
                draw();
            }
            if (onTime)
                wake_.wait(std::max(0.0, live_.secondsToNextTick() - secondsSince(now)));
            else if (!picture)
                wake_.wait(0.001); // a frame is still being decoded
        }
        figures_.seconds = secondsSince(begin);
    }

    void frameIsDue(bool onTime, BenchClock::time_point now) {
        // The clock has passed the time at which it was due shortly before this tick.
        const double late = onTime ? 1 / framesPerSecond - session_.playback.secondsToChange() : 0;
        due_[session_.playback.frame()].push_back(
            now - std::chrono::duration_cast<BenchClock::duration>(
                      std::chrono::duration<double>(std::max(0.0, late))));
        ++figures_.frames;
    }

    /// A frame that was shown loses its surface, so that it is made again in its turn; one that was
    /// late stays for the next cycle.
    void forgetSurface(int frame) {
        if (surface_.shown && surface_.shown->frame == frame)
            surface_.forget(frame);
    }

    void draw() {
        const BenchClock::time_point begin = BenchClock::now();
        scene_.draw(framebuffer_->id());
        figures_.drawing.push_back(secondsSince(begin));
        framebuffer_->finish();
        figures_.finishing.push_back(secondsSince(begin) - figures_.drawing.back());
        const BenchClock::time_point now = BenchClock::now();
        live_.painted(now);
        ++figures_.pictures;
        figures_.toGl += scene_.times().fieldToGlBytes;
        if (session_.shownFrame != drawnFrame_) {
            drawnFrame_ = session_.shownFrame;
            addLatency(figures_.pictureLatency, drawnFrame_, now, 0);
        }
        if (session_.result && session_.result != drawnResult_) {
            drawnResult_ = session_.result;
            ++figures_.motions;
            figures_.toDevice += static_cast<double>(drawnResult_->bytesToDevice);
            figures_.toHost += static_cast<double>(drawnResult_->bytesToHost);
            addLatency(figures_.motionLatency, drawnResult_->fixedFrame, now,
                       ahead_ ? 0 : drawnResult_->seconds);
        }
        if (surface_.shown && surface_.shown != drawnSurface_) {
            drawnSurface_ = surface_.shown;
            if (!drawnSurface_->problem.empty())
                throw ComputeError(drawnSurface_->problem);
            ++figures_.surfaces;
            figures_.surfaceBackend = systole::name(drawnSurface_->backend);
            figures_.surfaceNote = drawnSurface_->note;
            figures_.triangles = drawnSurface_->scene->mesh->triangles.size();
            for (const auto& [stage, seconds] : drawnSurface_->stages)
                figures_.surfaceStages[stage] += seconds;
            addLatency(figures_.surfaceLatency, drawnSurface_->frame, now,
                       drawnSurface_->seconds());
        }
    }

    /// Adds the time since the frame was last due. Times less than `minSeconds` ago, the duration
    /// of the finished work, don't count: a slow estimation outlasts cycles.
    void addLatency(std::vector<double>& latencies, int frame, BenchClock::time_point now,
                    double minSeconds) const {
        const auto due = due_.find(frame);
        if (due == due_.end())
            return;
        for (auto time = due->second.rbegin(); time != due->second.rend(); ++time) {
            const double seconds = std::chrono::duration<double>(now - *time).count();
            if (seconds >= minSeconds) {
                latencies.push_back(seconds);
                return;
            }
        }
    }

    HeadlessEgl egl_;
    Session session_;
    Tools tools_{session_};
    SurfaceTool& surface_ = tools_.get<SurfaceTool>();
    Scene scene_;
    WakeSignal wake_;
    std::unique_ptr<OffscreenFramebuffer> framebuffer_;
    std::map<int, std::vector<BenchClock::time_point>> due_; ///< times at which each frame was due
    bool ahead_ = true;                                      ///< estimated before it is due
    int drawnFrame_ = -1;
    std::shared_ptr<const FrameResult> drawnResult_;
    std::shared_ptr<const LiveSurface> drawnSurface_;
    Figures figures_;
    LiveView live_; // last, so that its threads end first
};

std::string milliseconds(const std::vector<double>& seconds, double fraction) {
    return seconds.empty() ? "–" : fmt::format("{:.1f}", 1e3 * percentile(seconds, fraction));
}

void report(const char* way, const Figures& f, Json& record) {
    const auto aMotion = [&](double bytes) { return f.motions > 0 ? bytes / f.motions : 0; };
    const double toGl = f.pictures > 0 ? f.toGl / f.pictures : 0;
    fmt::print("    {:<20} {:>10.1f} {:>9.1f} {:>11} {:>11} {:>10} {:>10} {:>10.0f} {:>10.0f} "
               "{:>10.0f} {:>7}\n",
               way, f.pictures / f.seconds, static_cast<double>(f.estimated) / f.seconds,
               milliseconds(f.pictureLatency, 0.5), milliseconds(f.pictureLatency, 0.95),
               milliseconds(f.motionLatency, 0.5), milliseconds(f.motionLatency, 0.95),
               aMotion(f.toDevice), aMotion(f.toHost), toGl, f.dropped);
    const auto quantile = [](const std::vector<double>& values, double fraction) {
        return values.empty() ? Json(nullptr) : Json(percentile(values, fraction));
    };
    record[way] = {{"seconds", f.seconds},
                   {"pictures_per_second", f.pictures / f.seconds},
                   {"frames_per_second", f.frames / f.seconds},
                   {"estimations_per_second", static_cast<double>(f.estimated) / f.seconds},
                   {"picture_latency_seconds_p50", quantile(f.pictureLatency, 0.5)},
                   {"picture_latency_seconds_p95", quantile(f.pictureLatency, 0.95)},
                   {"motion_latency_seconds_p50", quantile(f.motionLatency, 0.5)},
                   {"motion_latency_seconds_p95", quantile(f.motionLatency, 0.95)},
                   {"bytes_to_device_a_motion", aMotion(f.toDevice)},
                   {"bytes_to_host_a_motion", aMotion(f.toHost)},
                   {"bytes_from_host_to_gl_a_picture", toGl},
                   {"pairs_dropped", f.dropped}};
    const auto part = [&](const char* what, const char* id, const std::vector<double>& seconds) {
        record[way][std::string(id) + "_seconds_p95"] = quantile(seconds, 0.95);
        return fmt::format("{} {} / {} / {}", what, milliseconds(seconds, 0.5),
                           milliseconds(seconds, 0.95), milliseconds(seconds, 1));
    };
    fmt::print("      of a picture, p50 / p95 / most: {}, {}, {}\n",
               part("choosing", "choosing", f.ticking), part("commands", "commands", f.drawing),
               part("until done", "finishing", f.finishing));
    if (f.surfaces == 0)
        return;
    fmt::print("      surfaces by {}, {} triangles: {:.1f} a second, p50 {}, p95 {}\n",
               f.surfaceBackend, f.triangles, f.surfaces / f.seconds,
               milliseconds(f.surfaceLatency, 0.5), milliseconds(f.surfaceLatency, 0.95));
    if (!f.surfaceNote.empty())
        fmt::print("      {}\n", f.surfaceNote);
    std::string stages;
    Json stageSeconds;
    for (const auto& [stage, seconds] : f.surfaceStages) {
        stages += fmt::format("{}{} {:.2f}", stages.empty() ? "" : ", ", stage,
                              1e3 * seconds / f.surfaces);
        stageSeconds[stage] = seconds / f.surfaces;
    }
    fmt::print("      of which: {}\n", stages);
    record[way]["surfaces"] = {{"stage_seconds", stageSeconds},
                               {"backend", f.surfaceBackend},
                               {"triangles", f.triangles},
                               {"note", f.surfaceNote},
                               {"per_second", f.surfaces / f.seconds},
                               {"latency_seconds_p50", quantile(f.surfaceLatency, 0.5)},
                               {"latency_seconds_p95", quantile(f.surfaceLatency, 0.95)}};
}

void measure(const std::vector<std::string>& files, const BenchOptions& options,
             const ExecContext& ctx, Json& record) {
    std::string interopReason;
    for (const UploadPath path : {UploadPath::Auto, UploadPath::Host}) {
        Player player(files, path);
        // The path is known once a frame is drawn.
        const auto play = [&](bool onTime, bool ahead) {
            return player.play(onTime, ahead, options.playSeconds, ctx);
        };
        const Figures fast = play(false, true);
        const std::string taken = player.scene().uploadPath();
        const Session& session = player.session();
        if (path == UploadPath::Auto) {
            const Size3 size = session.opened->sequence.geometry.size();
            fmt::print("  {}: {}×{}×{} voxels, {} frames; {}×{} pixels, four views; {}\n"
                       "  estimation: {} ({})\n",
                       player.name(), size.x, size.y, size.z, session.playback.frames(), width,
                       height, player.scene().rendererName(), systole::name(session.motion.backend),
                       session.motion.backendReason);
            fmt::print("    latencies in ms; bytes up and down over the bus a motion, and from the "
                       "host to OpenGL a picture\n"
                       "    {:<20} {:>10} {:>9} {:>11} {:>11} {:>10} {:>10} {:>10} {:>10} {:>10} "
                       "{:>7}\n",
                       "", "pictures/s", "motions/s", "picture p50", "picture p95", "motion p50",
                       "motion p95", "bytes up", "bytes down", "to OpenGL", "dropped");
            record["renderer"] = player.scene().rendererName();
            record["backend"] = systole::name(session.motion.backend);
            record["backend_reason"] = session.motion.backendReason;
        }
        if (path == UploadPath::Auto && taken == "host upload") {
            fmt::print("    cuda-interop unavailable: {}\n", player.scene().uploadReason());
            record["no_interop"] = player.scene().uploadReason();
            continue;
        }
        fmt::print("   {}\n", taken);
        report("as fast as possible", fast, record[taken]);
        report("25 frames per second", play(true, true), record[taken]);
        report("as they arrive", play(true, false), record[taken]);
        player.addSurfaces();
        report("surfaces", play(true, true), record[taken]);
        report("surfaces, arriving", play(true, false), record[taken]);
    }
}

} // namespace

void benchLive(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    fmt::print(
        "live: file to pixels without a window, preset default, every pair estimated again and "
        "none kept; the next frame is known before it is due, or they arrive as they are due;\n  "
        "each way {:.0f} s after {:.0f} s of warming up; "
        "latencies from a frame being due "
        "to its picture (to a picture with its motion, its surface) being finished;\n  surfaces of "
        "every frame by a threshold, denoised with preset live\n",
        options.playSeconds, warmUpSeconds);
    std::vector<std::string> files = options.files;
    if (files.empty())
        files.push_back(assetPath(demoSequenceName).string());
    for (const std::string& file : files)
        measure({file}, options, ctx, record[std::filesystem::path(file).filename().string()]);
}

} // namespace systole
