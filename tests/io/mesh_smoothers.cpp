#include "tests/io/mesh_smoothers.h"

#include <vtkCellArray.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkWindowedSincPolyDataFilter.h>

#include <cstddef>
#include <set>
#include <vector>

namespace systole {

TriangleMesh test::taubin(TriangleMesh mesh, double passBand) {
    std::vector<std::set<int>> near(mesh.points.size());
    for (const auto& t : mesh.triangles)
        for (std::size_t k = 0; k < 3; ++k) {
            near[static_cast<std::size_t>(t[k])].insert(static_cast<int>(t[(k + 1) % 3]));
            near[static_cast<std::size_t>(t[k])].insert(static_cast<int>(t[(k + 2) % 3]));
        }
    constexpr float lambda = 0.6f;
    const float mu = 1 / (static_cast<float>(passBand) - 1 / lambda);
    for (int step = 0; step < 2 * 60; ++step) {
        const auto before = mesh.points;
        for (std::size_t i = 0; i < near.size(); ++i)
            for (std::size_t axis = 0; axis < 3; ++axis) {
                float mean = 0;
                for (const int j : near[i])
                    mean += before[static_cast<std::size_t>(j)][axis];
                mean /= static_cast<float>(near[i].size());
                mesh.points[i][axis] += (step % 2 == 0 ? lambda : mu) * (mean - before[i][axis]);
            }
    }
    return mesh;
}

TriangleMesh test::windowedSinc(TriangleMesh mesh, double passBand) {
    vtkNew<vtkPoints> points;
    for (const auto& p : mesh.points)
        points->InsertNextPoint(p.data());
    vtkNew<vtkCellArray> cells;
    for (const auto& t : mesh.triangles) {
        const vtkIdType corners[3] = {static_cast<vtkIdType>(t[0]), static_cast<vtkIdType>(t[1]),
                                      static_cast<vtkIdType>(t[2])};
        cells->InsertNextCell(3, corners);
    }
    vtkNew<vtkPolyData> data;
    data->SetPoints(points);
    data->SetPolys(cells);
    vtkNew<vtkWindowedSincPolyDataFilter> filter;
    filter->SetInputData(data);
    filter->SetNumberOfIterations(50);
    filter->SetPassBand(passBand);
    filter->NormalizeCoordinatesOn();
    filter->FeatureEdgeSmoothingOff();
    filter->Update();
    for (std::size_t i = 0; i < mesh.points.size(); ++i) {
        double p[3];
        filter->GetOutput()->GetPoint(static_cast<vtkIdType>(i), p);
        for (std::size_t axis = 0; axis < 3; ++axis)
            mesh.points[i][axis] = static_cast<float>(p[axis]);
    }
    return mesh;
}

} // namespace systole
