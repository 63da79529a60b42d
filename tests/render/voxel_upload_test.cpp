// Textures that the host filled against the voxels that it had.
#include "render/gl/voxel_upload.h"
#include "tests/render/render_support.h"

#include <gtest/gtest.h>
#include <vtk_glew.h>

#include <vector>

namespace systole {
namespace {

class VoxelUploadTest : public SceneTest {
protected:
    /// Different in neighbors along every axis; whole numbers that half floats hold.
    std::vector<float> numbers(Size3 size) {
        std::vector<float> voxels(size.voxels());
        for (std::size_t i = 0; i < voxels.size(); ++i)
            voxels[i] = static_cast<float>(i * 7919 % 2048);
        return voxels;
    }
    static std::vector<float> contents(const GlTexture& texture, Size3 size) {
        std::vector<float> voxels(size.voxels());
        glPixelStorei(GL_PACK_ALIGNMENT, 4);
        glGetTextureImage(texture.id(), 0, GL_RED, GL_FLOAT,
                          static_cast<GLsizei>(voxels.size() * sizeof(float)), voxels.data());
        return voxels;
    }
};

/// Odd rows, several pieces of planes, and planes that are uploaded in parts; by one thread or
/// three.
TEST_F(VoxelUploadTest, ATextureHoldsTheVoxelsToTheLastBit) {
    for (const Size3 size : {Size3{33, 21, 17}, {129, 127, 131}, {1501, 1203, 2}})
        for (const bool half : {false, true}) {
            std::vector<float> voxels = numbers(size);
            const std::vector<float> expected = voxels;
            const GlTexture texture = makeScalarTexture(size, half);
            VoxelUpload upload(half ? 1 : 3);
            EXPECT_EQ(
                upload.write(texture.id(), {voxels.data(), size}, VoxelBox::whole(size), half),
                size.voxels() * (half ? 2 : 4));
            voxels.assign(voxels.size(), -1); // they may go as soon as it returns
            EXPECT_EQ(contents(texture, size), expected) << size.x << half;
            EXPECT_EQ(glGetError(), GLenum{GL_NO_ERROR});
        }
}

TEST_F(VoxelUploadTest, ABoxLeavesTheVoxelsAroundIt) {
    const Size3 size{29, 31, 23};
    const VoxelBox box{3, 5, 7, {21, 1, 11}};
    for (const bool half : {false, true}) {
        std::vector<float> expected(size.voxels(), 5);
        const GlTexture texture = makeScalarTexture(size, half);
        VoxelUpload upload(0);
        upload.write(texture.id(), {expected.data(), size}, VoxelBox::whole(size), half);
        const std::vector<float> voxels = numbers(size);
        EXPECT_EQ(upload.write(texture.id(), {voxels.data(), size}, box, half),
                  box.voxels() * (half ? 2 : 4));
        const VolumeView<float> view{expected.data(), size};
        for (int z = box.z; z < box.z + box.size.z; ++z)
            for (int x = box.x; x < box.x + box.size.x; ++x)
                view(x, box.y, z) = voxels[view.offset(x, box.y, z)];
        EXPECT_EQ(contents(texture, size), expected) << half;
    }
}

/// More than can be under way at once: what is read can't be overwritten.
TEST_F(VoxelUploadTest, ManyInARowDontDisturbEachOther) {
    const Size3 size{128, 128, 65};
    VoxelUpload upload(0);
    std::vector<GlTexture> textures;
    for (int i = 0; i < 6; ++i) {
        std::vector<float> voxels = numbers(size);
        for (float& voxel : voxels)
            voxel += static_cast<float>(i);
        textures.push_back(makeScalarTexture(size, false));
        upload.write(textures.back().id(), {voxels.data(), size}, VoxelBox::whole(size), false);
    }
    const std::vector<float> first = numbers(size);
    for (int i = 0; i < 6; ++i) {
        std::vector<float> expected = first;
        for (float& voxel : expected)
            voxel += static_cast<float>(i);
        EXPECT_EQ(contents(textures[static_cast<std::size_t>(i)], size), expected) << i;
    }
}

TEST_F(VoxelUploadTest, TakesNoMoreThreadsThanGiven) {
    for (const int threads : {1, 2, 8})
        EXPECT_EQ(VoxelUpload(threads).threads(), threads);
    EXPECT_LE(VoxelUpload(0).threads(), 8);
    EXPECT_EQ(VoxelUpload(100).threads(), 8) << "they fill memory as fast as it takes them";
}

TEST_F(VoxelUploadTest, KeepsFourBuffersUntilTheirRelease) {
    constexpr std::size_t buffer = std::size_t{4} << 20;
    const Size3 size{128, 128, 128}; // two of them
    const std::vector<float> voxels = numbers(size);
    const GlTexture texture = makeScalarTexture(size, false);
    VoxelUpload upload(1);
    for (const std::size_t kept : {2, 4, 4}) {
        upload.write(texture.id(), {voxels.data(), size}, VoxelBox::whole(size), false);
        EXPECT_EQ(upload.memoryBytes(), kept * buffer);
    }
    upload.release();
    EXPECT_EQ(upload.memoryBytes(), 0u);
    upload.write(texture.id(), {voxels.data(), size}, VoxelBox::whole(size), false);
    EXPECT_EQ(contents(texture, size), voxels);
}

} // namespace
} // namespace systole
