// The options by which a command takes displacement fields of any program.
#pragma once

#include "app/fields/given_field.h"
#include "io/source.h"

#include <CLI/App.hpp>

#include <memory>
#include <string>
#include <vector>

namespace systole {

/// The names of fieldConventions(), after "auto"; their meanings in one text.
std::vector<std::string> fieldConventionNames();
std::string fieldConventionHelp();

class FieldOptions {
public:
    /// --field-convention, --images, --fixed, --moving.
    void addTo(CLI::App& app);

    struct Fields {
        std::vector<std::string> files;
        int reference = 0;
        std::vector<int> frames; ///< frame to which each field leads
        bool counted = false; ///< no record states the frames: they follow the reference in order
        // Filled in from --images.
        std::vector<double> seconds{}; ///< seconds from the reference to each frame; empty: unknown
        int following = 0;             ///< number of frames after the reference
    };
    /// Fills in the members of `fields` that --images determines. Throws like GivenFieldFiles;
    /// UsageError if the numbers of images and fields differ, or the sequence lacks a frame.
    std::shared_ptr<GivenFieldFiles> open(Fields& fields, const ExecContext& ctx) const;
    /// The frames of each field; empty: none were given. Fills in and throws like open().
    FieldImagesOf imagesOf(Fields& fields, const ExecContext& ctx) const;
    /// --moving names an image for each field, so that their order is the user's.
    bool pairsImages() const { return !moving_.empty(); }
    /// The file's name of --images, or --fixed; empty: neither was given.
    std::string imagesName() const;

private:
    bool hasImages() const { return !images_.empty() || !fixed_.empty(); }
    FieldImagesOf framesOf(const Sequence& sequence, Fields& fields, const ExecContext& ctx) const;

    std::string convention_ = "auto";
    std::string images_, fixed_;
    std::vector<std::string> moving_;
};

} // namespace systole
