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
CLI::Option* addFieldConvention(CLI::App& app, std::string& convention); ///< --field-convention

class FieldOptions {
public:
    /// --field-convention, --images, --fixed, --moving.
    void addTo(CLI::App& app);

    struct Fields {
        std::vector<std::string> files;
        int reference = 0;
        std::vector<int> frames; ///< to which they lead
        bool counted = false;    ///< no record says the frames: they are those that follow
        // By --images: times from the reference, empty if unknown; frames after the reference.
        std::vector<double> seconds{};
        int following = 0;
    };
    /// Fills in what --images says of `fields`. Throws what GivenFieldFiles throws; UsageError for
    /// another number of images than fields, and for frames that the sequence doesn't have.
    std::shared_ptr<GivenFieldFiles> open(Fields& fields, const ExecContext& ctx) const;
    /// The frames of each field; empty: none were given. Fills in and throws as open().
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
