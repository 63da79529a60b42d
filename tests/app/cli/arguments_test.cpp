// Files without a command.
#include "app/base/error.h"
#include "app/cli/arguments.h"
#include "io/base/error.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::vector<std::string> commands{"view", "info", "motion"};

std::string complaint(std::vector<std::string> arguments) {
    try {
        withCommand(std::move(arguments), commands);
    } catch (const UsageError& error) {
        return error.what();
    }
    return {};
}

TEST(Arguments, FilesAndTheViewersOptionsNeedNoCommand) {
    const testing::TemporaryFolder folder;
    const std::string file = folder / "a.nii";
    testing::writeText(file, "");
    EXPECT_THAT(withCommand({file, "b.nii", "--play"}, commands),
                ElementsAre("view", file, "b.nii", "--play"));
    EXPECT_THAT(withCommand({folder.path().string()}, commands),
                ElementsAre("view", folder.path().string()));
    EXPECT_THAT(withCommand({"--play", file}, commands), ElementsAre("view", "--play", file));
}

TEST(Arguments, ACommandStaysOne) {
    EXPECT_THAT(withCommand({}, commands), IsEmpty());
    EXPECT_THAT(withCommand({"info", "a.nii"}, commands), ElementsAre("info", "a.nii"));
    EXPECT_THAT(withCommand({"--help"}, commands), ElementsAre("--help"));
    EXPECT_THAT(withCommand({"--version"}, commands), ElementsAre("--version"));
    EXPECT_THAT(withCommand({"--odd", "info"}, commands), ElementsAre("--odd", "info"));
}

TEST(Arguments, AMisspeltCommandAndAMissingFileAreNamed) {
    EXPECT_THAT(complaint({"moiton"}), HasSubstr("did you mean 'motion'?"));
    EXPECT_THAT(complaint({"veiw"}), HasSubstr("did you mean 'view'?"));
    EXPECT_THAT(complaint({"transmogrify"}), Not(HasSubstr("did you mean")));
    EXPECT_THAT(complaint({""}), HasSubstr("''"));
    EXPECT_THROW(withCommand({"no/such.nii"}, commands), FileError);
}

TEST(Arguments, WithoutAViewerAFileIsRefusedInASentence) {
    const testing::TemporaryFolder folder;
    EXPECT_THROW(withCommand({folder.path().string()}, {"info"}), UsageError);
}

TEST(Arguments, AnUnknownOptionIsFollowedByTheOneThatWasMeant) {
    const auto refused = [](std::vector<std::string> arguments) {
        const testing::Outcome outcome = testing::run(std::move(arguments));
        EXPECT_EQ(outcome.exitCode, 2);
        return outcome.errors;
    };
    EXPECT_THAT(refused({"motion", "a.nii", "-o", "m", "--metod", "clg"}),
                HasSubstr("--metod; did you mean --method?"));
    EXPECT_THAT(refused({"strain", "m", "-o", "s", "--lables=l.nii"}),
                HasSubstr("did you mean --labels?"));
    EXPECT_THAT(refused({"landmarks", "detect", "a.nii", "-o", "l.csv", "--fram", "1"}),
                HasSubstr("did you mean --frame?"));
    EXPECT_THAT(refused({"info", "a.nii", "--transmogrify"}), Not(HasSubstr("did you mean")));
}

} // namespace
} // namespace systole
