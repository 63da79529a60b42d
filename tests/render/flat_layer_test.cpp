// The texts of a view: their pictures are made once, whatever else comes and goes.
#include "render/flat_layer.h"

#include <gtest/gtest.h>
#include <vtkActor2D.h>
#include <vtkActor2DCollection.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>
#include <vtkTexture.h>
#include <vtkTexturedActor2D.h>

#include <algorithm>
#include <string>
#include <vector>

namespace systole {
namespace {

class TextLayerTest : public testing::Test {
protected:
    TextLayerTest() { window_->AddRenderer(renderer_); }

    /// The times at which the pictures of what is shown were made.
    std::vector<vtkMTimeType> show(const std::vector<std::string>& texts) {
        layer_.begin();
        for (const std::string& text : texts)
            layer_.add(renderer_, text, 10, 20, TextAnchor::TopLeft, {1, 1, 1});
        layer_.end();
        std::vector<vtkMTimeType> times;
        vtkActor2DCollection* const actors = renderer_->GetActors2D();
        actors->InitTraversal();
        while (vtkActor2D* const actor = actors->GetNextActor2D())
            if (actor->GetVisibility())
                times.push_back(
                    vtkTexturedActor2D::SafeDownCast(actor)->GetTexture()->GetInput()->GetMTime());
        return times;
    }
    std::size_t actors() {
        return static_cast<std::size_t>(renderer_->GetActors2D()->GetNumberOfItems());
    }

    TextLayer layer_;
    vtkNew<vtkRenderWindow> window_;
    vtkNew<vtkRenderer> renderer_;
};

TEST_F(TextLayerTest, ATextThatStaysIsntDrawnAgainWhenAnotherComesAndGoes) {
    const std::vector<vtkMTimeType> title = show({"title"});
    ASSERT_EQ(title.size(), 1u);
    const std::vector<vtkMTimeType> both = show({"a note", "title"});
    ASSERT_EQ(both.size(), 2u);
    EXPECT_EQ(std::ranges::count(both, title[0]), 1);
    EXPECT_EQ(show({"title"}), title);
    EXPECT_EQ(show({"a note", "title"}), both) << "nor is the other, when it comes back";
}

TEST_F(TextLayerTest, TheSameTextTwiceIsShownTwice) {
    EXPECT_EQ(show({"L", "L"}).size(), 2u);
    EXPECT_EQ(show({"L"}).size(), 1u);
}

TEST_F(TextLayerTest, NothingIsShownOfAnEmptyText) { EXPECT_TRUE(show({""}).empty()); }

TEST_F(TextLayerTest, PicturesThatWerentWantedForLongMakeRoom) {
    for (int i = 0; i < 1000; ++i)
        EXPECT_EQ(show({"title", std::to_string(i)}).size(), 2u);
    EXPECT_LT(actors(), 100u);
    std::vector<std::string> many;
    for (int i = 0; i < 200; ++i)
        many.push_back("text " + std::to_string(i));
    EXPECT_EQ(show(many).size(), 200u) << "all that are wanted at once are shown";
}

} // namespace
} // namespace systole
