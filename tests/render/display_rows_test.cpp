// The options of the display as rows: what panel, menu, keys and command line are made from.
#include "compute/core/error.h"
#include "render/overlays/overlay_kinds.h"
#include "render/overlays/rows.h"

#include <gtest/gtest.h>

#include <set>

namespace systole {
namespace {

/// Another value of the row than the one it begins with.
ParamValue anotherValue(const DisplayRow& row) {
    const ParamRow& param = row.param;
    switch (param.type) {
    case ParamType::Switch:
        return !std::get<bool>(param.defaultValue);
    case ParamType::Choice:
        return param.choices.back() != std::get<std::string>(param.defaultValue)
                   ? param.choices.back()
                   : param.choices.front();
    case ParamType::Integer:
        return static_cast<int>(param.maximum);
    case ParamType::Real:
        break;
    }
    return std::get<double>(param.defaultValue) == 0.25 ? 0.5 : 0.25;
}

TEST(DisplayRows, ARowBeginsAsThePlainOptionsDo) {
    for (const DisplayRow& row : displayRows())
        EXPECT_EQ(row.value({}), row.param.defaultValue) << row.param.id;
}

TEST(DisplayRows, WhatIsSetIsReadAndChangesNoOtherRow) {
    for (const DisplayRow& row : displayRows()) {
        DisplayOptions display;
        row.set(display, anotherValue(row));
        EXPECT_NE(display, DisplayOptions{}) << row.param.id;
        for (const DisplayRow& other : displayRows())
            EXPECT_EQ(other.value(display),
                      &other == &row ? anotherValue(row) : other.param.defaultValue)
                << row.param.id << " " << other.param.id;
    }
}

TEST(DisplayRows, IdsAndKeysAreUnique) {
    std::set<std::string> ids;
    std::set<char> keys;
    for (const DisplayRow& row : displayRows()) {
        EXPECT_TRUE(ids.insert(row.param.id).second) << row.param.id;
        EXPECT_TRUE(row.key == 0 || keys.insert(row.key).second) << row.param.id;
        EXPECT_TRUE(row.key == 0 || row.isSwitch()) << row.param.id;
        EXPECT_FALSE(row.label.empty()) << row.param.id;
        EXPECT_FALSE(row.param.help.empty()) << row.param.id;
        EXPECT_TRUE(row.titles.empty() || row.titles.size() == row.param.choices.size());
    }
}

TEST(DisplayRows, EveryOverlayHasASwitchThatTheCommandLineNames) {
    DisplayOptions none;
    for (const OverlayKind& kind : overlayKinds()) {
        ASSERT_FALSE(kind.rows.empty());
        EXPECT_TRUE(kind.rows.front().isSwitch() && kind.rows.front().extra);
        kind.rows.front().set(none, false);
    }
    EXPECT_FALSE(showsMotionOverlays(none));
    for (const OverlayKind& kind : overlayKinds()) {
        DisplayOptions one = none;
        kind.rows.front().set(one, true);
        EXPECT_EQ(showsMotionOverlays(one), kind.showsMotion(one)) << kind.rows.front().param.id;
    }
    setOption(none, "surface", true);
    setOption(none, "surface-color", std::string("jacobian"));
    EXPECT_TRUE(showsMotionOverlays(none));
}

TEST(DisplayRows, WhatAnOverlayReadsIsKnownFromItsSwitchAndChoice) {
    DisplayOptions display;
    EXPECT_FALSE(readsHostFields(display) || readsCycle(display) || flickers(display));
    setOption(display, "compare-by", std::string("flicker"));
    EXPECT_FALSE(flickers(display));
    setOption(display, "compare", true);
    EXPECT_TRUE(flickers(display) && readsHostFields(display));
    setOption(display, "compare-by", std::string("curtain"));
    EXPECT_FALSE(flickers(display) || readsCycle(display));
    setOption(display, "pathlines", true);
    EXPECT_TRUE(readsCycle(display));
}

TEST(DisplayRows, FormerIdsNameTheSameRowsAndNoOthers) {
    EXPECT_EQ(&displayRow("glyphs"), &displayRow("arrows"));
    EXPECT_EQ(&displayRow("glyph-scale"), &displayRow("arrow-scale"));
    for (const DisplayRow& row : displayRows())
        for (const DisplayRow& other : displayRows())
            EXPECT_FALSE(other.isNamed(row.former) && &other != &row) << row.former;
    EXPECT_THROW(displayRow(""), ComputeError);
}

TEST(DisplayRows, WhatThereIsntIsAnError) {
    DisplayOptions display;
    EXPECT_THROW(setOption(display, "surfaces", true), ComputeError);
    EXPECT_THROW(setOption(display, "arrows", 1.0), ComputeError);
    EXPECT_THROW(setOption(display, "magnitude-opacity", 1.5), ComputeError);
    EXPECT_THROW(setOption(display, "layout", "five"), ComputeError);
    EXPECT_EQ(display, DisplayOptions{});
    setOption(display, "magnitude-opacity", 1); // whole numbers are numbers
    EXPECT_EQ(displayRow("magnitude-opacity").real(display), 1);
}

} // namespace
} // namespace systole
