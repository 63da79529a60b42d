// systole bias: the volume change that methods find where only noise differs.
#include "app/cli/command.h"
#include "app/cli/command_work.h"
#include "app/cli/image_arguments.h"
#include "app/cli/record_parts.h"
#include "app/cli/task_options.h"
#include "app/features/bias/bias_run.h"
#include "compute/motion/sequence_driver.h"
#include "io/formats/writer.h"

#include <CLI/App.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <utility>

namespace systole {
namespace {

nlohmann::ordered_json figuresOf(const BiasColumn& column) {
    const TTest test = column.series.volume();
    return {{"method", column.method},
            {"repetitions", column.series.count()},
            {"mean_log", numberOrNull(test.mean)},
            {"deviation", numberOrNull(test.deviation)},
            {"t", numberOrNull(test.t)},
            {"p", numberOrNull(test.p)},
            {"spread_log", numberOrNull(column.series.spread())},
            {"displacement_voxel", numberOrNull(column.series.displacement())},
            {"seconds", column.seconds}};
}

class BiasCommand : public Command {
public:
    BiasCommand()
        : Command("bias",
                  "Register a frame with itself under fresh noise: any volume change is the "
                  "method's own bias") {}
    void addOptions(CLI::App& app) override;
    int run() override;

private:
    std::string file_;
    int frame_ = 0;
    TaskOptions options_{biasTask()};
};

void BiasCommand::addOptions(CLI::App& app) {
    app.add_option("FILE", file_, "A 3D or 4D file, or a DICOM folder")->required();
    app.add_option("--frame", frame_, "Frame of a 4D file, from 0")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    options_.addTo(app);
}

int BiasCommand::run() {
    CommandWork work(options_.threads);
    options_.overwrite.checkAll({options_.json}, {file_});
    const ParamSet& parameters = options_.values();
    BiasTask task;
    task.set(parameters);
    FrameOfFile named = parseFrameOfFile(file_);
    if (!named.frame)
        named.frame = frame_;
    RegisterImage image = readImage(named, "bias", work.context());
    task.name = fmt::format("{}, frame {}", image.sequence.name, image.frame);
    task.scale = intensityScale(image.sequence, work.context());
    task.image = std::make_shared<const Volume>(std::move(image.volume));

    DevicePolicy device(options_.backend());
    BiasStatus found;
    work.run([&](const ExecContext& ctx) {
        repeatBias(task, device, ctx, [&](const BiasStatus& now) {
            ctx.report(now.phase, now.fraction);
            found = now;
        });
    });
    const BackendChoice& backend = device.choice();
    nlohmann::ordered_json methods = nlohmann::ordered_json::array();
    for (const BiasColumn& column : found.columns)
        methods.push_back(figuresOf(column));
    options_.overwrite.checkAll({options_.json}, {file_});
    writeRecord(options_.overwrite, options_.json,
                {{"image", file_},
                 {"frame", image.frame},
                 {"parameters", parametersWithUnits(parameters)},
                 {"backend", systole::name(backend.backend)},
                 {"backend_reason", backend.reason},
                 {"methods", std::move(methods)}},
                work.threads());
    fmt::print("{}, noise of {:g} % of the gray range, backend {} ({})\n", task.name,
               100 * task.noiseShare, systole::name(backend.backend), backend.reason);
    for (const BiasColumn& column : found.columns)
        fmt::print("{}: spread of log |J| {:.4f}, mean displacement {:.3f} voxels, {:.2f} s each\n",
                   column.method, column.series.spread(), column.series.displacement(),
                   column.seconds);
    fmt::print("{}\n", biasHeadline(found));
    return 0;
}

} // namespace

std::unique_ptr<Command> makeBiasCommand() { return std::make_unique<BiasCommand>(); }

} // namespace systole
