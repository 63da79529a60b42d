// `systole lab`: the kernel laboratory on the command line.
#pragma once

#include "app/base/lab_library.h"
#include "app/cli/command.h"
#include "app/cli/overwrite.h"

#include <functional>
#include <string>
#include <vector>

namespace systole {

class LabCommand : public Command {
public:
    LabCommand()
        : Command("lab", "Measure, predict and explore how kernels use a GPU, also without one") {}
    void addOptions(CLI::App& app) override;
    int run() override;

private:
    using Progress = std::function<void(const std::string&, double)>;

    std::vector<CLI::Option*> addSweep(CLI::App& app);
    std::vector<CLI::Option*> addMeasurements(CLI::App& app, std::vector<CLI::Option*>& named);
    /// Throws FileError if a named output may not be replaced.
    void checkOutputs() const;
    std::vector<const lab::LabKernel*> chosenKernels() const;
    lab::LabQuestion question() const;
    LabChoice choice() const;
    int answer(const Progress& progress) const;
    int listKernels() const;
    int listGpus() const;
    int listLessons() const;
    int measure(const Progress& progress) const;
    int record(const Progress& progress) const;
    int autotune(const Progress& progress) const;

    std::string gpu_, profile_;
    bool catalogue_ = false;
    std::vector<std::string> kernels_;
    std::string axis_ = "block";
    int side_ = 200, block_ = 0;
    std::vector<int> sides_;
    bool withTransfers_ = false;
    std::string csv_, json_, png_;
    bool listKernels_ = false, listGpus_ = false, listLessons_ = false;
    int lesson_ = 0;
    bool allRows_ = false;
    bool evaluate_ = false, measure_ = false, autotune_ = false;
    std::string output_, record_;
    OverwriteOption overwrite_;
    double recordSeconds_ = 130;
};

} // namespace systole
