#include "app/live/saved_picture.h"

#include "app/live/picture_json.h"
#include "io/base/png_text.h"
#include "io/base/text.h"
#include "render/caption.h"

#include <fmt/format.h>

#include <algorithm>

namespace systole {
namespace {

constexpr const char* recordKeyword = "systole";

} // namespace

RgbaImage captioned(const RgbaImage& picture, const PictureRecord& record) {
    return record.display.caption ? withCaption(picture, captionOf(record), record.size.pixelRatio)
                                  : picture;
}

std::string encodePicture(const RgbaImage& image, const PictureRecord& record) {
    return withPngTexts(encodePng(image),
                        {{"Title", fmt::format("{}, frame {}", record.name, record.frame)},
                         {"Description", fmt::format("{}", fmt::join(captionOf(record), "; "))},
                         {"Software", "Systole " + record.version},
                         {"Disclaimer", "For research and teaching, not for diagnosis."},
                         {recordKeyword, toJson(record)}});
}

PictureRecord readPictureRecord(const std::string& path) {
    const std::vector<PngText> texts = readPngTexts(path);
    const auto found = std::ranges::find(texts, recordKeyword, &PngText::keyword);
    if (found == texts.end())
        throw fileError(path, "the picture has no description by Systole: it was made by another "
                              "program, or saved again by one that removed it");
    return pictureFromJson(found->text, path);
}

} // namespace systole
