// The record of a picture as JSON: complete, and safe to read from anybody.
#include "app/live/picture_json.h"
#include "compute/motion/methods.h"
#include "io/base/error.h"
#include "render/overlays/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace systole {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// A value of each row other than its default.
DisplayOptions unusualDisplay() {
    DisplayOptions display;
    for (const DisplayRow& row : displayRows()) {
        const ParamRow& param = row.param;
        switch (param.type) {
        case ParamType::Switch:
            row.set(display, !std::get<bool>(param.defaultValue));
            break;
        case ParamType::Choice:
            row.set(display, param.choices.back());
            break;
        case ParamType::Integer:
            row.set(display, static_cast<int>(param.maximum));
            break;
        case ParamType::Real:
            row.set(display, std::clamp(0.1 + 0.2, param.minimum, param.maximum));
            break;
        }
    }
    return display;
}

PictureMotion someMotion() {
    PictureMotion motion;
    motion.fixedFrame = 17;
    motion.movingFrame = 18;
    motion.startFrame = 12;
    motion.method = "clg";
    motion.preset = "default";
    motion.parameters = {{"alpha", 1.0 / 3},
                         {"levels", 3},
                         {"adaptive", false},
                         {"solver", std::string("jacobi")},
                         {"tolerance", 1.0}};
    motion.backend = "cpu";
    return motion;
}

PictureRecord someRecord() {
    PictureRecord record;
    record.version = "0.1.0";
    record.renderer = "llvmpipe (\"256 bits\")";
    record.upload = "host upload";
    record.content = PictureContent::Window;
    record.files = {"/data/Herz für alle\n.nii.gz", "/data/b.nii"};
    record.sha256 = std::string(64, 'a');
    record.name = "Herz für alle";
    record.frameTimeMilliseconds = 33.3;
    record.frame = 5;
    record.frames = 25;
    record.milliseconds = 166.5;
    record.size = {640, 480, 1.5};
    record.display = unusualDisplay();
    record.preset = "echo";
    record.crosshair = {1.0 / 3, -2, 1e-17};
    record.camera = {{1, 2, 3.3}, {-1, 0.1, 0}, {0, 0, 1}, {}};
    record.camera.slices[1] = {1.7, {0.1, -5, 0}};
    record.scale = {.motion = 1.5, .rest = 0.07, .arrows = 4, .difference = 0.3, .rounding = 0.01};
    record.ownColors = {{"landmarks", "0–12 mm"}};
    record.left = someMotion();
    record.right = someMotion();
    record.right->fieldFile = "/fields/displacement_0001.mha";
    record.right->fieldSha256 = std::string(64, 'b');
    record.right->window = 7;
    record.right->smoothed = false;
    record.right->fixedFrame = record.right->startFrame = 0;
    record.tools = {{"registration", "registration of frame 1 and 4"},
                    {"surface", "surface of label 1 of labels.nii.gz, denoised"}};
    record.marks = {{.position = {1, 2, 1.0 / 3}, .to = Vec3{4, 5, 6}, .text = "5.2 mm"},
                    {.position = {1, 2, 3}, .radius = 6, .axis = 2, .color = {1, 0.5f, 0}}};
    record.notes = {"motion 17 to 18\nestimating …", "r", "d"};
    record.secondImage = record.difference = true;
    record.leftLabel = "left: cpu\nclg";
    record.rightLabel = "right";
    record.differenceLabel = "difference";
    return record;
}

std::string refusal(const std::string& text) {
    try {
        pictureFromJson(text, "p.png");
    } catch (const FileError& error) {
        return error.what();
    }
    return {};
}

TEST(PictureRecord, EverythingIsInTheText) {
    const PictureRecord record = someRecord();
    const std::string text = toJson(record);
    EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; }));
    const PictureRecord read = pictureFromJson(text, "p.png");
    EXPECT_EQ(toJson(read), text);
    EXPECT_EQ(read.display, record.display);
    EXPECT_EQ(read.files, record.files);
    EXPECT_EQ(read.camera, record.camera);
    EXPECT_EQ(read.crosshair, record.crosshair);
    EXPECT_EQ(read.scale, record.scale);
    EXPECT_EQ(read.ownColors, record.ownColors);
    EXPECT_EQ(read.left, record.left);
    EXPECT_EQ(read.right, record.right);
    EXPECT_EQ(read.notes, record.notes);
    EXPECT_EQ(read.milliseconds, record.milliseconds);
    EXPECT_EQ(captionOf(read), captionOf(record));
    EXPECT_EQ(read.tools, record.tools);
    EXPECT_EQ(read.marks, record.marks);
    EXPECT_TRUE(read.secondImage);
}

TEST(PictureRecord, PicturesFromBeforeTheListOfToolsNameTwo) {
    json older = json::parse(toJson(someRecord()));
    older["registration"] = older["tools"]["registration"];
    older["surface"] = "";
    older.erase("tools");
    older.erase("marks");
    const PictureRecord record = pictureFromJson(older.dump(), "p.png");
    EXPECT_EQ(record.tools.size(), 1u);
    EXPECT_EQ(record.tools.at("registration"), "registration of frame 1 and 4");
    EXPECT_TRUE(record.marks.empty());
}

TEST(PictureRecord, WhatIsUnknownStaysUnknown) {
    PictureRecord record = someRecord();
    record.milliseconds.reset();
    record.left.reset();
    record.right.reset();
    const PictureRecord read = pictureFromJson(toJson(record), "p.png");
    EXPECT_FALSE(read.milliseconds);
    EXPECT_FALSE(read.left);
    EXPECT_FALSE(read.right);
}

TEST(PictureRecord, TheCaptionNamesFileFrameTimePairMethodAndScale) {
    PictureRecord record = someRecord();
    record.display = {};
    record.right.reset();
    record.difference = false;
    record.notes = {};
    record.tools.clear();
    record.frame = 17;
    record.left->parameters = {{"alpha", 20.0}};
    EXPECT_THAT(captionOf(record),
                ::testing::ElementsAre("Herz für alle", "frame 17 of 0–24", "time 166 ms",
                                       "motion 17 to 18", "clg, preset default, alpha 20, cpu",
                                       "colors 0–1.5 mm", "landmarks 0–12 mm"));
    record.ownColors.clear();
    record.frame = 5;
    record.notes.left = "motion 17 to 18";
    record.milliseconds.reset();
    EXPECT_THAT(captionOf(record), ::testing::Contains("motion 17 to 18 (of another frame)"));
    EXPECT_THAT(captionOf(record), ::testing::Contains("time unknown"));
    record.scale.motion = 2e-3;
    EXPECT_EQ(captionOf(record).back(), "colors 0–2 µm");
    setOption(record.display, "arrows", false);
    setOption(record.display, "certainty", true); // an overlay with colors of its own
    EXPECT_EQ(captionOf(record).back(), "clg, preset default, alpha 20, cpu");
    record.left.reset();
    EXPECT_EQ(captionOf(record).size(), 3u);
}

TEST(PictureRecord, ACaptionOfUnknownMethodsIsStillACaption) {
    PictureRecord record = someRecord();
    record.left->method = "magic";
    EXPECT_THAT(captionOf(record), ::testing::Contains(HasSubstr("magic, preset default, cpu")));
}

TEST(PictureRecord, EveryEntryIsNeededAndChecked) {
    const json whole = json::parse(toJson(someRecord()));
    for (const auto& [key, value] : whole.items()) {
        if (key == "program")
            continue;
        json less = whole;
        less.erase(key);
        if (key == "tools" || key == "marks" || key == "second_image" ||
            key == "own_colors") // older pictures have none
            EXPECT_EQ(refusal(less.dump()), "");
        else
            EXPECT_THAT(refusal(less.dump()), HasSubstr("p.png: ")) << key;
        for (const json& other : {json(-1), json(1e300), json("a text"), json::array({1, 2}),
                                  json::object({{"a", 1}}), json(std::string(100000, 'x'))}) {
            if (other.type() == value.type() && !other.is_object() && !other.is_number() &&
                other.dump().size() < 1000)
                continue; // another text is a text
            json changed = whole;
            changed[key] = other;
            const std::string refused = refusal(changed.dump());
            EXPECT_THAT(refused, HasSubstr("p.png: ")) << key << " " << other.dump().substr(0, 40);
            EXPECT_EQ(std::ranges::count(refused, '\n'), 0);
            EXPECT_LT(refused.size(), 800u);
        }
    }
}

TEST(PictureRecord, PicturesFromBeforeWindowsHaveMotionBetweenNeighbors) {
    json older = json::parse(toJson(someRecord()));
    for (const char* side : {"motion", "compared"})
        for (const char* key : {"window", "smoothed"})
            older[side].erase(key);
    const PictureRecord record = pictureFromJson(older.dump(), "p.png");
    EXPECT_EQ(record.right->window, 0);
    EXPECT_TRUE(record.right->smoothed);
}

TEST(PictureRecord, HostileTextsAreOneSentence) {
    const auto changed = [](const char* pointer, const json& value) {
        json record = json::parse(toJson(someRecord()));
        record[json::json_pointer(pointer)] = value;
        return refusal(record.dump());
    };
    EXPECT_THAT(refusal(""), HasSubstr("isn't valid JSON"));
    EXPECT_THAT(refusal("[1, 2"), HasSubstr("isn't valid JSON"));
    EXPECT_THAT(refusal("null"), HasSubstr("isn't an object"));
    EXPECT_THAT(refusal(std::string(100000, '[')), HasSubstr("isn't valid JSON"));
    EXPECT_THAT(refusal("{\"format\":1e999}"), HasSubstr("p.png: "));
    EXPECT_THAT(refusal("\xff\xfe{}"), HasSubstr("isn't valid JSON"));
    EXPECT_THAT(changed("/format", 2), HasSubstr("newer version"));
    EXPECT_THAT(changed("/size/width", 20000), HasSubstr("size.width"));
    EXPECT_THAT(changed("/size/width", 0), HasSubstr("size.width"));
    EXPECT_THAT(changed("/size/width", 1.5), HasSubstr("size.width"));
    EXPECT_THAT(changed("/size/pixel_ratio", 0), HasSubstr("size.pixel_ratio"));
    {
        json record = json::parse(toJson(someRecord()));
        record["size"] = {{"width", 16000}, {"height", 10}, {"pixel_ratio", 4}};
        EXPECT_THAT(refusal(record.dump()), HasSubstr("larger than"));
    }
    EXPECT_THAT(changed("/frame", 25), HasSubstr("frame isn't a number from 0 to 24"));
    EXPECT_THAT(changed("/input/frames", 2000000000), HasSubstr("input.frames"));
    EXPECT_THAT(changed("/input/files", json::array()), HasSubstr("input.files"));
    EXPECT_THAT(changed("/input/files/0", 7), HasSubstr("input.files"));
    EXPECT_THAT(changed("/motion/start", 18), HasSubstr("motion.start"));
    EXPECT_THAT(changed("/motion/start", -1), HasSubstr("no pair"));
    EXPECT_THAT(changed("/motion/moving", 25), HasSubstr("motion.moving"));
    EXPECT_THAT(changed("/motion/parameters/levels", 1000000000000), HasSubstr("p.png: "));
    EXPECT_THAT(changed("/motion/parameters/levels", json::object()), HasSubstr("levels"));
    EXPECT_THAT(changed("/camera/eye_mm", {0, 0}), HasSubstr("camera.eye_mm"));
    EXPECT_THAT(changed("/camera/up", {0, 0, 0}), HasSubstr("direction of view"));
    EXPECT_THAT(changed("/camera/slices", json::array()), HasSubstr("camera.slices"));
    EXPECT_THAT(changed("/camera/slices/0/zoom", -1), HasSubstr("zoom"));
    EXPECT_THAT(changed("/display/surfaces", true), HasSubstr("surfaces"));
    EXPECT_THAT(changed("/display/arrows", 1), HasSubstr("arrows"));
    EXPECT_THAT(changed("/display/layout", "five"), HasSubstr("layout"));
    EXPECT_THAT(changed("/display/window", -5), HasSubstr("window"));
    EXPECT_THAT(changed("/shows", "a heart"), HasSubstr("shows"));
}

TEST(PictureRecord, OptionsOfAnOlderPictureHaveTheirFormerNames) {
    json record = json::parse(toJson(someRecord()));
    record["display"] = {{"glyphs", false}, {"glyph-scale", 3.5}};
    DisplayOptions expected;
    setOption(expected, "arrows", false);
    setOption(expected, "arrow-scale", 3.5);
    EXPECT_EQ(pictureFromJson(record.dump(), "p.png").display, expected);
}

TEST(PictureRecord, OptionsThatAnOlderPictureDoesNotNameKeepTheirDefaults) {
    json record = json::parse(toJson(someRecord()));
    record["display"] = {{"layout", "three"}};
    DisplayOptions expected;
    expected.layout = Layout::ThreeSlices;
    EXPECT_EQ(pictureFromJson(record.dump(), "p.png").display, expected);
}

} // namespace
} // namespace systole
