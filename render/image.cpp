#include "render/image.h"

#include "render/error.h"

#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPNGWriter.h>
#include <vtkUnsignedCharArray.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <unistd.h>

namespace systole {

void writePng(const std::string& path, const RgbaImage& image) {
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
        throw RenderError("the picture for '" + path + "' could not be packed as PNG");

    const std::string temporary = path + ".part" + std::to_string(getpid());
    std::error_code error;
    {
        std::ofstream file(temporary, std::ios::binary);
        file.write(reinterpret_cast<const char*>(result->GetPointer(0)),
                   static_cast<std::streamsize>(result->GetNumberOfValues()));
        file.flush();
        if (!file) {
            std::filesystem::remove(temporary, error);
            throw RenderError("the picture '" + path + "' can't be written");
        }
    }
    std::filesystem::rename(temporary, path, error);
    if (error) {
        std::error_code ignored;
        std::filesystem::remove(temporary, ignored);
        throw RenderError("the picture '" + path + "' can't be written: " + error.message());
    }
}

} // namespace systole
