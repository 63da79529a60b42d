// Base of overlays that draw a map over the slices in colors of their own: its texture, and that of
// the colors.
#pragma once

#include "render/overlay.h"
#include "render/slice_layer.h"
#include "render/texture_ring.h"

#include <cstddef>

namespace systole {

class OwnMap : public Overlay {
public:
    std::size_t textureBytes() const override { return ring_.memoryBytes(); }
    void releaseTextures() override {
        ring_.clear();
        colors_.reset();
    }

protected:
    /// There is no map in this draw, until showMap().
    void hideMap() { texture_ = 0; }
    Uploaded showMap(const TextureSource& source, Size3 size, ColorMap colors,
                     const SceneState& state) {
        if (!colors_ || colorsOf_ != colors) {
            colors_ = makeColorMapTexture(colors);
            colorsOf_ = colors;
        }
        const TextureRing::Shown shown = ring_.show(source, size, *state.upload);
        texture_ = shown.texture;
        return shown.uploaded;
    }
    /// Frees the maps that were shown, so that none is shown again.
    void forgetMaps() { ring_.clear(); }

    bool hasMap() const { return texture_ != 0; }
    /// The map and its colors; the rest is the overlay's.
    SliceMap map() const {
        SliceMap map;
        map.texture = texture_;
        map.colorMap = colors_.id();
        return map;
    }

private:
    TextureRing ring_;
    GlTexture colors_;
    ColorMap colorsOf_ = ColorMap::Viridis;
    unsigned texture_ = 0; ///< texture of the current draw; 0: no map
};

} // namespace systole
