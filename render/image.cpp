#include "render/image.h"

#include "render/error.h"

#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPNGWriter.h>
#include <vtkUnsignedCharArray.h>

#include <algorithm>

namespace systole {

std::string encodePng(const RgbaImage& image) {
    vtkNew<vtkImageData> data;
    data->SetDimensions(image.width, image.height, 1);
    data->AllocateScalars(VTK_UNSIGNED_CHAR, 4);
    const std::size_t row = 4 * static_cast<std::size_t>(image.width);
    auto* target = static_cast<unsigned char*>(data->GetScalarPointer());
    for (std::size_t y = 0; y < static_cast<std::size_t>(image.height);
         ++y) // VTK's rows go upwards
        std::copy_n(image.pixels.data() + y * row, row,
                    target + (static_cast<std::size_t>(image.height) - 1 - y) * row);

    vtkNew<vtkPNGWriter> writer;
    writer->SetInputData(data);
    writer->SetWriteToMemory(1);
    writer->Write();
    vtkUnsignedCharArray* result = writer->GetResult();
    if (!result)
        throw RenderError("a picture could not be packed as PNG");
    return {reinterpret_cast<const char*>(result->GetPointer(0)),
            static_cast<std::size_t>(result->GetNumberOfValues())};
}

} // namespace systole
