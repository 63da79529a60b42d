// Displacement fields of another program, shown and measured in place of the motion that the window
// estimates. The thread starts with the first fields.
#pragma once

#include "app/feature/course.h"
#include "app/feature/sources.h"
#include "app/feature/tool.h"
#include "app/fields/given_motion.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

inline constexpr const char* fieldsTitle = "Fields";
/// The convention that the file says or the images prove.
inline constexpr const char* convinceByImages = "auto";

class FieldsTool : public Tool, public GivenMotion {
public:
    explicit FieldsTool(Tools& tools);

    // Chosen by the user.
    /// Fields from the first frame to the others, in the order of the frames.
    std::vector<std::string> files;
    std::string convention = convinceByImages;

    void add(); ///< asks for the field to the next frame
    void remove() { files.clear(); }

    /// The reading of the files that is in use; null: not read yet.
    const FieldReading* reading() const { return motions_.empty() ? nullptr : &reading_; }
    bool reads() const { return course_.running(); }
    std::string failure; ///< one sentence; empty: none

    std::uint64_t givenMotion() const override { return motions_.empty() ? 0 : read_; }

    ToolName name() const override { return {"fields", fieldsTitle}; }
    std::unique_ptr<Panel> panel() override;
    void opened(const OpenedSequence& sequence) override;
    void follow(ToolContext& context) override;
    void show(SceneContribution& scene) const override { scene.motions = motions_; }
    /// The fields are complete. Throws FileError.
    void startChosen(bool) override {
        if (!files.empty())
            requireFieldOfEachFrame(session().opened->sequence, files.size());
    }
    void tell(std::vector<ToolMessage>& messages) const override;
    std::string caption() const override;
    std::vector<ToolSetting> settings() override;
    void reset() override { convention = convinceByImages; }

private:
    /// The key of the course.
    struct Source {
        std::vector<std::string> files;
        std::string convention = convinceByImages;
        bool operator==(const Source&) const = default;
    };
    Source now() const { return {files, convention}; }
    void forget();
    void renew();
    void take(GivenMotionOutcome made);

    Course<GivenMotionWork> course_;
    Source source_;          ///< files and convention of the task under way, or of the motion read
    std::uint64_t read_ = 0; ///< number of readings so far
    FieldReading reading_;
    std::vector<std::shared_ptr<const FrameResult>> motions_; ///< motion by frame; empty: none
};

} // namespace systole
