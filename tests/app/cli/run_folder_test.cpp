// Output folders: nothing is replaced that an earlier run didn't write, whatever its record says.
#include "app/cli/run_folder.h"
#include "io/base/error.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <set>
#include <sys/resource.h>

namespace systole {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::readText;
using testing::TemporaryFolder;
using ::testing::UnorderedElementsAre;
using testing::writeText;

const RunFolderKind kind{"trial", "run.json", [](std::string_view name) {
                             return name == "a.mha" || name == "b.mha" || name == "c.mha";
                         }};

class RunFolderTest : public ::testing::Test {
protected:
    std::string file(const std::string& name) const { return results_ + "/" + name; }

    static void write(RunFolder& run, const std::string& name, const std::string& text) {
        run.write(name, [&](const std::string& path) { writeText(path, text); });
    }
    /// A complete run that wrote a.mha and b.mha.
    void earlierRun() const {
        RunFolder run(results_, kind, {"a.mha", "b.mha"}, false);
        write(run, "a.mha", "first a");
        write(run, "b.mha", "first b");
        run.finish(Json{{"program", {{"name", "systole"}}}});
    }
    std::set<std::string> names() const {
        std::set<std::string> found;
        for (const auto& entry : fs::directory_iterator(results_))
            found.insert(entry.path().filename().string());
        return found;
    }
    /// The sentence with which a run is refused; empty: it isn't.
    std::string refusal(const std::vector<std::string>& files, bool overwrite = true) const {
        const std::set<std::string> before = names();
        try {
            const RunFolder run(results_, kind, files, overwrite);
            return {};
        } catch (const FileError& error) {
            EXPECT_EQ(names(), before);
            return error.what();
        }
    }
    void edit(const std::string& record, const std::string& from, const std::string& to) const {
        std::string text = readText(file(record));
        const auto at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        writeText(file(record), text.replace(at, from.size(), to));
    }

    TemporaryFolder folder_;
    const std::string results_ = folder_ / "results";
};

TEST_F(RunFolderTest, ARecordListsWhatWasWritten) {
    earlierRun();
    EXPECT_THAT(names(), UnorderedElementsAre("a.mha", "b.mha", "run.json"));
    const Json record = Json::parse(readText(file("run.json")));
    EXPECT_EQ(record["command"], "trial");
    EXPECT_EQ(record["files"].size(), 2U);
    EXPECT_EQ(record["files"][0]["bytes"], 7);
    EXPECT_EQ(record["files"][0]["crc32"].get<std::string>().size(), 8U);
}

TEST_F(RunFolderTest, ResultsAreRefusedWithoutOverwrite) {
    earlierRun();
    EXPECT_THAT(refusal({"a.mha"}, false), HasSubstr("--overwrite"));
    EXPECT_THAT(refusal({"c.mha"}, false), HasSubstr("2 files"));
    EXPECT_EQ(refusal({"a.mha"}, true), "");
}

TEST_F(RunFolderTest, OverwriteRemovesTheListedFilesAndCountsThem) {
    earlierRun();
    writeText(file("notes.txt"), "mine");
    writeText(file("c.mha"), "mine too"); // a name that the command could use, but doesn't
    RunFolder run(results_, kind, {"a.mha"}, true);
    EXPECT_EQ(readText(file("b.mha")), "first b") << "before the first write nothing is removed";
    write(run, "a.mha", "second a");
    EXPECT_THAT(names(),
                UnorderedElementsAre("a.mha", "c.mha", "notes.txt", "run.unfinished.json"));
    run.finish(Json::object());
    EXPECT_THAT(names(), UnorderedElementsAre("a.mha", "c.mha", "notes.txt", "run.json"));
    EXPECT_EQ(run.replaced(), 3);
    EXPECT_EQ(readText(file("a.mha")), "second a");
    EXPECT_EQ(readText(file("c.mha")), "mine too");
}

TEST_F(RunFolderTest, AFileOfOtherOriginKeepsItsName) {
    fs::create_directories(results_);
    writeText(file("a.mha"), "mine");
    for (const bool overwrite : {false, true})
        EXPECT_THAT(refusal({"a.mha"}, overwrite), HasSubstr("a.mha"));
    EXPECT_EQ(refusal({"b.mha"}, false), "");
    EXPECT_EQ(readText(file("a.mha")), "mine");
}

TEST_F(RunFolderTest, AFileThatWasChangedSinceIsNoLongerReplaced) {
    earlierRun();
    writeText(file("a.mha"), "FIRST A"); // content of the same size
    EXPECT_THAT(refusal({"a.mha"}), HasSubstr("has changed"));
    RunFolder run(results_, kind, {"c.mha"}, true);
    write(run, "c.mha", "c");
    run.finish(Json::object());
    EXPECT_EQ(run.replaced(), 2);
    EXPECT_THAT(run.keptFiles(), ElementsAre("a.mha"));
    EXPECT_EQ(readText(file("a.mha")), "FIRST A");
    EXPECT_FALSE(fs::exists(file("b.mha")));
}

TEST_F(RunFolderTest, AnEditedRecordIsRefusedAsAWhole) {
    writeText(folder_ / "thesis.mha", "first a");
    fs::create_directories(folder_ / "results/below");
    writeText(folder_ / "results/below/a.mha", "first a");
    for (const char* const name : {"../thesis.mha", "below/a.mha", "/etc/passwd", "..", ".", "",
                                   "./a.mha", "thesis.mha", "run.json", "a.mha\\u0000.txt"}) {
        for (const char* record : {"run.json", "b.mha", "a.mha"})
            fs::remove(file(record));
        earlierRun();
        edit("run.json", "\"a.mha\"", std::string("\"") + name + "\"");
        for (const bool overwrite : {false, true})
            EXPECT_THAT(refusal({"c.mha"}, overwrite), HasSubstr("run.json")) << name;
    }
    EXPECT_EQ(readText(folder_ / "thesis.mha"), "first a");
    EXPECT_EQ(readText(folder_ / "results/below/a.mha"), "first a");
}

TEST_F(RunFolderTest, ARecordThatIsNoneOfOursIsRefused) {
    const std::string deep(10'000, '[');
    for (const std::string& text :
         {std::string(), std::string("{}"), std::string("[]"), std::string("not JSON"), deep,
          std::string(R"({"command":"trial"})"), std::string(R"({"command":"trial","files":{}})"),
          std::string(R"({"command":"other","files":[]})"),
          std::string(R"({"command":"trial","files":["a.mha"]})"),
          std::string(R"({"command":"trial","files":[{"file":"a.mha"}]})"),
          std::string(R"({"command":"trial","files":[{"file":7,"bytes":1,"crc32":"00000000"}]})"),
          std::string(R"({"command":"trial","files":[{"file":"a.mha","bytes":-1,"crc32":"0"}]})"),
          std::string(R"({"fields":[{"file":"a.mha"}]})")}) {
        fs::create_directories(results_);
        writeText(file("run.json"), text);
        writeText(file("a.mha"), "mine");
        for (const bool overwrite : {false, true})
            EXPECT_THAT(refusal({"c.mha"}, overwrite), HasSubstr("run.json")) << text.substr(0, 80);
        EXPECT_EQ(readText(file("run.json")), text);
        EXPECT_EQ(readText(file("a.mha")), "mine");
    }
    fs::remove(file("run.json"));
    fs::create_directory(file("run.json"));
    EXPECT_THAT(refusal({"c.mha"}), HasSubstr("run.json"));
}

TEST_F(RunFolderTest, LinksAreNeitherFollowedNorReplaced) {
    earlierRun();
    const std::string outside = folder_ / "outside.mha";
    fs::rename(file("a.mha"), outside); // content stays, so that the checksum fits
    fs::create_symlink(outside, file("a.mha"));
    EXPECT_THAT(refusal({"a.mha"}), HasSubstr("a.mha"));
    {
        RunFolder run(results_, kind, {"c.mha"}, true);
        write(run, "c.mha", "c");
        run.finish(Json::object());
    }
    EXPECT_TRUE(fs::is_symlink(file("a.mha")));
    EXPECT_EQ(readText(outside), "first a");
    // A link that leads nowhere yet, and a record that is a link.
    fs::create_symlink(folder_ / "nowhere", file("b.mha"));
    EXPECT_THAT(refusal({"b.mha"}), HasSubstr("b.mha"));
    fs::rename(file("run.json"), folder_ / "record.json");
    fs::create_symlink(folder_ / "record.json", file("run.json"));
    EXPECT_THAT(refusal({"c.mha"}), HasSubstr("run.json"));
    EXPECT_TRUE(fs::exists(folder_ / "record.json"));
}

TEST_F(RunFolderTest, AnUnfinishedRunIsListedToo) {
    {
        RunFolder run(results_, kind, {"a.mha", "b.mha"}, false);
        write(run, "a.mha", "half");
    } // and no finish()
    EXPECT_THAT(names(), UnorderedElementsAre("a.mha", "run.unfinished.json"));
    EXPECT_THAT(refusal({"a.mha"}, false), HasSubstr("unfinished"));
    writeText(file(".partial-999999999-letter.txt"), "of another program");
    RunFolder run(results_, kind, {"a.mha", "b.mha"}, true);
    write(run, "a.mha", "whole");
    write(run, "b.mha", "whole");
    run.finish(Json::object());
    EXPECT_EQ(run.replaced(), 2);
    EXPECT_THAT(names(), UnorderedElementsAre("a.mha", "b.mha", "run.json",
                                              ".partial-999999999-letter.txt"));
}

TEST_F(RunFolderTest, OfTwoRunsIntoANewFolderTheSlowerLeavesNothing) {
    RunFolder slower(results_, kind, {"a.mha"}, false);
    EXPECT_THROW(slower.write("a.mha",
                              [&](const std::string& path) {
                                  writeText(path, "slower"); // it has no name yet
                                  RunFolder faster(results_, kind, {"a.mha"}, false);
                                  write(faster, "a.mha", "faster");
                                  faster.finish(Json::object());
                              }),
                 FileError);
    EXPECT_THAT(names(), UnorderedElementsAre("a.mha", "run.json"));
    EXPECT_EQ(readText(file("a.mha")), "faster");
}

TEST_F(RunFolderTest, TheListOfAFasterRunThatIsAtWorkStays) {
    RunFolder slower(results_, kind, {"a.mha"}, false);
    std::optional<RunFolder> faster;
    EXPECT_THROW(
        slower.write(
            "a.mha",
            [&](const std::string& path) {
                writeText(path, "slower");
                faster.emplace(results_, kind, std::vector<std::string>{"a.mha", "b.mha"}, false);
                write(*faster, "a.mha", "faster");
            }),
        FileError);
    write(*faster, "b.mha", "faster");
    EXPECT_THAT(names(), UnorderedElementsAre("a.mha", "b.mha", "run.unfinished.json"));
    EXPECT_THAT(readText(file("run.unfinished.json")), HasSubstr("b.mha"));
    faster->finish(Json::object());
    EXPECT_THAT(names(), UnorderedElementsAre("a.mha", "b.mha", "run.json"));
}

TEST_F(RunFolderTest, AFileThatAppearsDuringTheRunIsLeftAlone) {
    RunFolder run(results_, kind, {"a.mha", "b.mha"}, false);
    write(run, "a.mha", "a");
    writeText(file("b.mha"), "mine");
    EXPECT_THROW(write(run, "b.mha", "b"), FileError);
    writeText(file("run.json"), "mine");
    EXPECT_THROW(run.finish(Json::object()), FileError);
    EXPECT_EQ(readText(file("b.mha")), "mine");
    EXPECT_EQ(readText(file("run.json")), "mine");
    // A second run into the same folder began first.
    RunFolder late(folder_ / "other", kind, {"a.mha"}, false);
    RunFolder early(folder_ / "other", kind, {"a.mha"}, false);
    write(early, "a.mha", "early");
    EXPECT_THROW(write(late, "a.mha", "late"), FileError);
    early.finish(Json::object());
    EXPECT_EQ(readText(folder_ / "other/a.mha"), "early");
}

TEST_F(RunFolderTest, AFailedRunLeavesNoFolderThatItMade) {
    const TemporaryFolder parent;
    for (const char* const name : {"new/a", "new/a/", "new//a/."}) {
        { const RunFolder run(parent / name, kind, {"a.mha"}, false); }
        EXPECT_FALSE(fs::exists(parent / "new")) << name;
    }
}

TEST_F(RunFolderTest, AFolderThatCannotBeWrittenToIsNotLeftEither) {
    rlimit usual;
    ::getrlimit(RLIMIT_NOFILE, &usual);
    const rlimit none{0, usual.rlim_max}; // folders can be made, files can't
    ::setrlimit(RLIMIT_NOFILE, &none);
    EXPECT_THROW(RunFolder(results_ + "/a/b", kind, {"a.mha"}, false), FileError);
    ::setrlimit(RLIMIT_NOFILE, &usual);
    EXPECT_FALSE(fs::exists(results_));
}

TEST_F(RunFolderTest, AFailureNamesTheFinalFile) {
    RunFolder run(results_, kind, {"a.mha"}, false);
    try {
        run.write("a.mha", [](const std::string& path) { throw FileError(path + ": disk full"); });
        FAIL();
    } catch (const FileError& error) {
        EXPECT_EQ(std::string(error.what()), file("a.mha") + ": disk full");
    }
    EXPECT_THAT(names(), IsEmpty());
}

} // namespace
} // namespace systole
