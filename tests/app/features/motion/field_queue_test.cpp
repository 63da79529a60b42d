// Fields written on a thread: in order, few at a time, and no failure is lost.
#include "app/features/motion/field_queue.h"
#include "io/base/error.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace systole {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;
using testing::readText;
using testing::TemporaryFolder;
using testing::writeText;

const std::vector<std::string> names{"d.mha", "a.mha", "c.mha", "b.mha", "e.mha"};
const RunFolderKind kind{"trial", "run.json", [](std::string_view name) {
                             return std::ranges::find(names, name) != names.end();
                         }};

class FieldQueueTest : public ::testing::Test {
protected:
    std::string file(const std::string& name) const { return temporary_ / name; }

    SharedField field(float value) {
        MillimeterField made{grid_, pool_.acquire<float>(3 * grid_.voxels(), "field")};
        std::ranges::fill(made.vectors.span(), value);
        return std::make_shared<MillimeterField>(std::move(made));
    }

    TemporaryFolder temporary_;
    BufferPool pool_;
    const Geometry grid_{Size3{40, 30, 20}, Vec3{1, 1, 1}};
    const std::size_t fieldBytes_ = 3 * grid_.voxels() * sizeof(float);
    RunFolder folder_{temporary_.path().string(), kind, names, false};
};

TEST_F(FieldQueueTest, WritesInOrderAndHoldsTwo) {
    FieldQueue queue(folder_, FieldFormat::MetaImage);
    for (std::size_t i = 0; i < names.size(); ++i) {
        queue.put(names[i], field(static_cast<float>(i)));
        EXPECT_LE(pool_.usage().usedBytes / fieldBytes_, FieldQueue::maxHeld);
    }
    EXPECT_EQ(queue.finish().size(), names.size());
    EXPECT_EQ(pool_.usage().usedBytes, 0U);
    folder_.finish(Json::object());
    const Json record = Json::parse(readText(file("run.json")));
    ASSERT_EQ(record["files"].size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        EXPECT_EQ(record["files"][i]["file"], names[i]);
        writeField(file("expected"), *field(static_cast<float>(i)), FieldFormat::MetaImage);
        EXPECT_EQ(readText(file(names[i])), readText(file("expected"))) << names[i];
    }
}

TEST_F(FieldQueueTest, WhatItHasIsWrittenInTheEnd) {
    {
        FieldQueue queue(folder_, FieldFormat::MetaImage);
        queue.put(names[0], field(1));
        queue.put(names[1], field(2));
    }
    EXPECT_TRUE(fs::exists(file(names[0])));
    EXPECT_TRUE(fs::exists(file(names[1])));
}

TEST_F(FieldQueueTest, AFailureIsThrownWithItsSentenceAndNothingFollows) {
    FieldQueue queue(folder_, FieldFormat::MetaImage);
    queue.put(names[0], field(1));
    EXPECT_EQ(queue.finish().size(), 1U);
    writeText(file(names[1]), "mine");
    const auto failure = [](const auto& call) -> std::string {
        try {
            call();
        } catch (const FileError& error) {
            return error.what();
        }
        return {};
    };
    queue.put(names[1], field(2));
    const std::string sentence = failure([&] {
        queue.put(names[2], field(3)); // it may come before the failure
        queue.put(names[3], field(4));
    });
    EXPECT_THAT(sentence, HasSubstr(names[1] + ": has appeared during the run"));
    EXPECT_EQ(failure([&] { queue.finish(); }), sentence);
    EXPECT_EQ(readText(file(names[1])), "mine");
    EXPECT_FALSE(fs::exists(file(names[2])));
    EXPECT_FALSE(fs::exists(file(names[3])));
}

} // namespace
} // namespace systole
