// Laboratory answers as CSV and JSON.
#include "compute/lab/laboratory.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace systole::lab {
namespace {

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text)
        out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + '"';
}

std::string timesText(const int (&sides)[3]) {
    return fmt::format("{}x{}x{}", sides[0], sides[1], sides[2]);
}

using Json = nlohmann::ordered_json;

/// The model's id without '-', which spreadsheet formulas would read as a minus.
std::string columnName(const model::PerformanceModel& model) {
    std::string name = model.id;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

std::string timeOrigin(const LabAnswer& answer, const LabRow& row) {
    return row.measured > 0 || row.point.seconds > 0 ? answer.timesFrom : "none: predicted only";
}

Json orNull(double value) { return value > 0 ? Json(value) : Json(); }

Json rowJson(const LabAnswer& answer, const LabRow& row) {
    const ProfileSpan& launch = row.point.largest();
    Json json{{"side", row.point.side},
              {"threads", row.point.threads},
              {"padding_bytes", row.point.paddingBytes},
              {"launches", row.point.launches.size()},
              {"grid", launch.grid},
              {"block", launch.block},
              {"registers", launch.registers},
              {"shared_bytes", launch.sharedBytes},
              {"local_bytes", launch.localBytes},
              {"active_blocks", row.occupancy.activeBlocks},
              {"runtime_active_blocks", orNull(launch.activeBlocks)},
              {"limit", model::name(row.occupancy.limit)},
              {"occupancy", row.occupancy.fraction},
              {"waves", row.waves.count},
              {"wave_efficiency", row.waves.efficiency},
              {"bytes", row.point.bytes()},
              {"flops", row.point.flops()},
              {"intensity", row.intensity}};
    const auto models = model::performanceModels();
    for (std::size_t m = 0; m < row.predicted.size(); ++m) {
        json["predicted_seconds"][columnName(models[m])] = orNull(row.predicted[m]);
        json["predicted_kernel_seconds"][columnName(models[m])] = orNull(row.predictedAlone[m]);
    }
    json["time_origin"] = timeOrigin(answer, row);
    json["measured_seconds"] = orNull(row.measured);
    json["kernel_seconds"] = orNull(row.point.seconds);
    json["bytes_per_second"] = orNull(row.bytesPerSecond);
    json["flops_per_second"] = orNull(row.flopsPerSecond);
    json["deviation"] = row.point.deviation < 0 ? Json() : Json(row.point.deviation);
    return json;
}

} // namespace

std::string toCsv(const LabAnswer& answer) {
    std::string text = "gpu,kernel,side,threads,padding_bytes,launches,grid,block,registers,"
                       "shared_bytes,local_bytes,active_blocks,runtime_active_blocks,limit,"
                       "occupancy,waves,wave_efficiency,bytes,flops";
    for (const model::PerformanceModel& each : model::performanceModels())
        text += fmt::format(",{0}_seconds,{0}_kernel_seconds", columnName(each));
    text += ",time_origin,measured_seconds,kernel_seconds,bytes_per_second,flops_per_second\n";
    // Empty between commas: unknown.
    const auto known = [](double value) {
        return value > 0 ? fmt::format("{}", value) : std::string();
    };
    for (const LabCurve& curve : answer.curves)
        for (const LabRow& row : curve.rows) {
            const ProfileSpan& launch = row.point.largest();
            text +=
                fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                            quoted(answer.machine.name), quoted(curve.kernel), row.point.side,
                            row.point.threads, row.point.paddingBytes, row.point.launches.size(),
                            timesText(launch.grid), timesText(launch.block), launch.registers,
                            launch.sharedBytes, launch.localBytes, row.occupancy.activeBlocks,
                            known(launch.activeBlocks), model::name(row.occupancy.limit),
                            row.occupancy.fraction, row.waves.count, row.waves.efficiency,
                            row.point.bytes(), row.point.flops());
            for (std::size_t m = 0; m < row.predicted.size(); ++m)
                text +=
                    fmt::format(",{},{}", known(row.predicted[m]), known(row.predictedAlone[m]));
            text += fmt::format(",{},{},{},{},{}\n", quoted(timeOrigin(answer, row)),
                                known(row.measured), known(row.point.seconds),
                                known(row.bytesPerSecond), known(row.flopsPerSecond));
        }
    return text;
}

std::string toJson(const LabAnswer& answer) {
    const LabQuestion& question = answer.question;
    Json json{{"source", answer.source},
              {"axis", name(question.axis)},
              {"with_transfers", question.withTransfers},
              {"machine", Json::parse(model::toJson(answer.machine))},
              {"notes", answer.notes},
              {"curves", Json::array()}};
    const auto models = model::performanceModels();
    for (const LabCurve& curve : answer.curves) {
        Json entry{{"kernel", curve.kernel}, {"rows", Json::array()}};
        for (const LabRow& row : curve.rows)
            entry["rows"].push_back(rowJson(answer, row));
        const auto placeOf = [&](int index) {
            const LabRow* row = curve.rowAt(index);
            return row ? Json(row->x) : Json();
        };
        entry["best_measured"] = placeOf(curve.bestMeasured);
        for (std::size_t m = 0; m < curve.bestPredicted.size(); ++m)
            entry["models"][columnName(models[m])] = {
                {"chosen", placeOf(curve.bestPredicted[m])},
                {"chosen_over_best", orNull(curve.chosenOverBest[m])},
                {"mean_error", curve.meanError[m] < 0 ? Json() : Json(curve.meanError[m])}};
        json["curves"].push_back(std::move(entry));
    }
    // Device and file names can contain any bytes; JSON must be UTF-8.
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace systole::lab
