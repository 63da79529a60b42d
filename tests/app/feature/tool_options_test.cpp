// The options of all tools: each is named once, and says what its tool is set to.
#include "app/feature/feature.h"
#include "app/feature/tool_options.h"
#include "app/feature/tools.h"
#include "compute/core/params.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

namespace systole {
namespace {

TEST(ToolOptions, EachIsNamedOnceAndHasAToolAndASentence) {
    Session session;
    Tools tools(session);
    std::set<std::string> names;
    for (const ToolOptionGroup& group : toolOptions()) {
        EXPECT_NO_THROW(tools.named(group.tool)) << group.tool;
        EXPECT_FALSE(group.title.empty());
        for (const ToolOption& option : group.options) {
            SCOPED_TRACE(option.name);
            EXPECT_TRUE(names.insert(option.name).second);
            EXPECT_FALSE(option.help.empty());
            EXPECT_TRUE(option.set);
        }
    }
    for (const ToolOptionGroup& group : toolOptions())
        for (const ToolOption& option : group.options)
            for (const auto* others : {&option.needs, &option.excludes})
                for (const std::string& other : *others)
                    EXPECT_TRUE(names.contains(other)) << option.name << " names " << other;
}

TEST(ToolOptions, ANewWindowNeedsNone) {
    Session session;
    Tools tools(session);
    for (const ToolOptionGroup& group : toolOptions())
        for (const ToolOption& option : group.options)
            if (option.get) {
                EXPECT_FALSE(option.get(tools.named(group.tool))) << option.name;
            }
}

TEST(ToolOptions, NumbersReadBackAsTheyWere) {
    for (const double number :
         {0.0, -0.1, 1e-300, 1.0 / 3, 12345678.9, std::numeric_limits<double>::max()})
        EXPECT_EQ(numberOf(exactText(number)), number);
    const std::vector<Vec3> points{{0.1, -2, 3}, {1.0 / 3, 1e9, -1e-9}};
    EXPECT_EQ(pointsOf(numbersOf(points)), points);
}

TEST(ToolOptions, ChangedParametersSetThemAgain) {
    const ParamTable table(
        {realParam("width", 1, 0, 10, "mm", "Width."), integerParam("count", 3, 0, 9, "", "Count."),
         switchParam("fast", false, "Fast."), choiceParam("kind", "a", {"a", "b"}, "Kind.")});
    ParamSet changed(table);
    changed.set("width", 1.0 / 3);
    changed.set("fast", true);
    changed.set("kind", std::string("b"));
    ParamSet again(table);
    for (const std::string& text : changedParameters(changed, ParamSet(table))) {
        const std::size_t at = text.find('=');
        again.setText(text.substr(0, at), text.substr(at + 1));
    }
    for (const ParamRow& row : table.rows())
        EXPECT_EQ(again.value(row.id), changed.value(row.id)) << row.id;
}

} // namespace
} // namespace systole
