// `systole bench [NAME...]`: the benchmarks, with floors and peers measured in the same run.
#pragma once

#include "app/bench/benchmark.h"
#include "app/commands/command.h"
#include "app/commands/overwrite.h"

#include <string>
#include <vector>

namespace systole {

class BenchCommand : public Command {
public:
    const char* name() const override { return "bench"; }
    const char* summary() const override { return "Measure speed and accuracy on this machine"; }
    void addOptions(CLI::App& app) override;
    int run() override;

private:
    std::vector<std::string> names_;
    BenchOptions options_;
    int threads_ = 0;
    bool noPeers_ = false;
    std::string json_;
    OverwriteOption overwrite_;
};

} // namespace systole
