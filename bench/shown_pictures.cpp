#include "bench/shown_pictures.h"

#include "app/features/registration/painter.h"
#include "app/session/shown_slices.h"
#include "app/session/wake_signal.h"
#include "bench/timing.h"
#include "render/base/error.h"
#include "render/gl/headless_egl.h"
#include "render/gl/offscreen.h"
#include "render/scene/scene.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace systole {
namespace {

using Json = nlohmann::ordered_json;
using Iterates = std::vector<std::shared_ptr<const RegistrationIterate>>;

constexpr int width = 1400, height = 900;
/// Excluded from the figures: shaders are compiled, images uploaded, memory taken.
constexpr double warmUpSeconds = 0.5;
constexpr double measuredSeconds = 2;

/// The views of a registration with their own OpenGL context, scene and painter.
class Views {
public:
    Views(const WantedPicture& wanted, UploadPath path, bool onDevice, int threads)
        : wanted_(wanted), onDevice_(onDevice), scene_(SceneOptions{0, path}) {
        Sequence sequence;
        sequence.geometry = wanted.images.fixed->geometry;
        sequence.frames = 1;
        sequence.name = "registration";
        scene_.resize(width, height, 1);
        scene_.initialize(egl_.hooks());
        framebuffer_ = std::make_unique<OffscreenFramebuffer>(width, height);
        scene_.setSequence(sequence, wanted.scale.low, wanted.scale.high);
        painter_ = std::make_unique<RegistrationPainter>(RegistrationPainter::Options{
            .threads = threads, .device = scene_.interopDevice().value_or(0), .notify = [this] {
                wake_.tell();
            }});
    }
    ~Views() {
        painter_.reset();
        framebuffer_.reset();
        scene_.release();
    }
    Views(const Views&) = delete;
    Views& operator=(const Views&) = delete;

    const Scene& scene() const { return scene_; }

    struct Figures {
        std::vector<double> intervals, draws; ///< seconds
    };
    Figures rewind(Layout layout, const Iterates& iterates, double seconds,
                   const ExecContext& ctx) {
        DisplayOptions display = scene_.display();
        display.layout = layout;
        scene_.setDisplay(display);
        wanted_.boxes = shownSlices(layout, scene_.crosshair(), wanted_.images.fixed->geometry);
        Figures figures;
        std::size_t next = 0;
        const BenchClock::time_point begin = BenchClock::now();
        BenchClock::time_point last = begin;
        while (secondsSince(begin) < seconds) {
            ctx.throwIfCancelled();
            const std::shared_ptr<const RegistrationPicture> picture = find(iterates[next]);
            if (!picture || picture->number != iterates[next]->number()) {
                wake_.wait(0.01);
                continue;
            }
            next = (next + 1) % iterates.size();
            find(iterates[next]); // made while this one is drawn
            const BenchClock::time_point shown = BenchClock::now();
            scene_.setFrame(picture->volume, picture->onDevice, picture->boxes);
            scene_.draw(framebuffer_->id());
            framebuffer_->finish();
            const BenchClock::time_point now = BenchClock::now();
            figures.draws.push_back(std::chrono::duration<double>(now - shown).count());
            figures.intervals.push_back(std::chrono::duration<double>(now - last).count());
            last = now;
        }
        return figures;
    }

private:
    std::shared_ptr<const RegistrationPicture>
    find(const std::shared_ptr<const RegistrationIterate>& iterate) {
        wanted_.iterate = iterate;
        return painter_->find({.picture = wanted_,
                               .backend = onDevice_ ? Backend::Cuda : Backend::Cpu,
                               .keepOnDevice = scene_.usesInterop(),
                               .hurry = true});
    }

    WantedPicture wanted_;
    bool onDevice_;
    HeadlessEgl egl_;
    Scene scene_;
    std::unique_ptr<OffscreenFramebuffer> framebuffer_;
    WakeSignal wake_;
    std::unique_ptr<RegistrationPainter> painter_;
};

void measure(Views& views, Layout layout, const Iterates& iterates, const ExecContext& ctx,
             Json& record) {
    views.rewind(layout, iterates, warmUpSeconds, ctx);
    Views::Figures figures = views.rewind(layout, iterates, measuredSeconds, ctx);
    const std::string what =
        fmt::format("shown, {}, {}", layout == Layout::ThreeSlices ? "slices" : "slices and volume",
                    views.scene().uploadPath());
    if (figures.intervals.empty()) {
        fmt::print("    {:<44} none in {} s\n", what, measuredSeconds);
        return;
    }
    double all = 0;
    for (const double interval : figures.intervals)
        all += interval;
    const double rate = static_cast<double>(figures.intervals.size()) / all;
    std::sort(figures.intervals.begin(), figures.intervals.end());
    const double slow = figures.intervals[figures.intervals.size() * 95 / 100],
                 between = median(figures.intervals), draw = median(figures.draws);
    fmt::print("    {:<44} {:>9.2f} ms {:>8.0f} per second, 95 % within {:.2f} ms, scene {:.2f} "
               "ms\n",
               what, 1e3 * between, rate, 1e3 * slow, 1e3 * draw);
    record[what] = {{"perSecond", rate},
                    {"medianSeconds", between},
                    {"quantile95Seconds", slow},
                    {"sceneSeconds", draw}};
}

} // namespace

void benchShownPictures(const WantedPicture& wanted, const Iterates& iterates, bool onDevice,
                        const ExecContext& ctx, Json& record) {
    fmt::print("  warped images shown one after the other, {}×{} pixels, made by the {}\n", width,
               height, onDevice ? "device" : "CPU");
    for (const UploadPath path : {UploadPath::Interop, UploadPath::Host})
        try {
            Views views(wanted, path, onDevice, ctx.threads->threads());
            if (path == UploadPath::Host)
                fmt::print("    OpenGL: {}\n", views.scene().rendererName());
            record["renderer"] = views.scene().rendererName();
            for (const Layout layout : {Layout::ThreeSlices, Layout::FourUp})
                measure(views, layout, iterates, ctx, record);
        } catch (const RenderError& error) {
            fmt::print("    shown, {}: {}\n", name(path), error.what());
            record[fmt::format("shown, {}", name(path))] = error.what();
        }
}

} // namespace systole
