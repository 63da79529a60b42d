// The files of `systole strain` as text: tables that say what the curves are, and the page.
#include "app/base/version.h"
#include "app/base/web_page.h"
#include "app/features/cardiac/bulls_eye.h"
#include "app/features/cardiac/strain_charts.h"
#include "app/features/cardiac/strain_doubts.h"
#include "app/features/cardiac/strain_figures.h"
#include "app/features/cardiac/strain_report.h"
#include "app/features/cardiac/strain_table.h"
#include "compute/core/points.h"
#include "io/phantom/phantom.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>

namespace systole {
namespace {

using cardiac::AhaModel;
using cardiac::FrameMeasures;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr AhaModel model = AhaModel::Seventeen;

/// A displacement u = scale · (1.5 x, y, 0.5 z) from the grid's center.
MillimeterField swollen(const Geometry& grid, BufferPool& pool, double scale) {
    MillimeterField field{grid, pool.acquire<float>(3 * grid.voxels(), "field")};
    const Size3 size = grid.size();
    std::size_t i = 0;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const Vec3 p = centerOfVoxel(grid, x, y, z) - grid.center();
                for (const double u : {1.5 * p.x, p.y, 0.5 * p.z})
                    field.vectors.data()[i++] = static_cast<float>(scale * u);
            }
    return field;
}

/// A small heart that swells in frame 1 and shrinks in frame 2.
class MeasuredHeart : public ::testing::Test {
protected:
    static StrainOutcome measured(double seconds) {
        ExecResources resources{2};
        const ExecContext ctx = resources.context();
        PhantomOptions options;
        options.size = {32, 32, 32};
        const Phantom phantom(options);
        cardiac::TissueMap map{phantom.geometry(), {}};
        for (const std::uint8_t label : phantom.labels(0, ctx))
            map.at.push_back(label == static_cast<std::uint8_t>(PhantomTissue::Wall)
                                 ? cardiac::Tissue::Wall
                             : label == static_cast<std::uint8_t>(PhantomTissue::Blood)
                                 ? cardiac::Tissue::Cavity
                                 : cardiac::Tissue::Other);
        StrainTask task;
        task.tissue = std::make_shared<const cardiac::TissueMap>(std::move(map));
        for (const int frame : {1, 2})
            task.fields.push_back({frame, frame * seconds, [&, frame] {
                                       return swollen(phantom.geometry(), *ctx.pool,
                                                      frame == 1 ? 0.05 : -0.05);
                                   }});
        task.options = measureOptions(ParamSet(strainTable()));
        StrainOutcome outcome;
        ExecContext own = ctx;
        StrainWork().run(task, outcome, own);
        return outcome;
    }
    static const StrainOutcome& outcome() {
        static const StrainOutcome made = measured(0.2);
        return made;
    }
};

/// The cells of a table by the names of its columns; an empty one is NaN, and so are words.
using Table = std::map<std::string, std::vector<double>>;
Table tableOf(const std::string& csv, std::vector<std::string>* names = nullptr) {
    std::istringstream lines(csv);
    std::string line, cell;
    std::getline(lines, line); // the comment
    std::getline(lines, line);
    std::vector<std::string> columns;
    for (std::istringstream head(line); std::getline(head, cell, ',');)
        columns.push_back(cell);
    Table table;
    while (std::getline(lines, line)) {
        std::istringstream row(line + ",");
        for (const std::string& column : columns) {
            EXPECT_TRUE(std::getline(row, cell, ',')) << column;
            char* end = nullptr;
            const double value = std::strtod(cell.c_str(), &end);
            table[column].push_back(
                cell.empty() || *end != '\0' ? std::numeric_limits<double>::quiet_NaN() : value);
        }
    }
    if (names)
        *names = columns;
    return table;
}

/// The parts of an outcome that can be read back from its two tables.
StrainOutcome readBack(const std::string& segmentsText, const std::string& curvesText) {
    Table segments = tableOf(segmentsText), curves = tableOf(curvesText);
    StrainOutcome found;
    const std::size_t count = segments["segment"].size() / curves["frame"].size();
    found.measures.segmentVoxels.resize(count);
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t t = 0; t < curves["frame"].size(); ++t) {
        found.motion.frame.push_back(static_cast<int>(curves["frame"][t]));
        found.motion.timeSeconds.push_back(curves["time_ms"][t] / 1000);
        FrameMeasures frame;
        frame.strain = {curves["gls_percent"][t] / 100, curves["gcs_percent"][t] / 100,
                        curves["grs_percent"][t] / 100};
        frame.cavity.midWall = curves["cavity_midwall_ml"][t];
        frame.rotation.apical = curves["rotation_apical_deg"][t];
        frame.rotation.basal = curves["rotation_basal_deg"][t];
        frame.rotation.twist = curves["twist_deg"][t];
        for (std::size_t s = 0; s < count; ++s) {
            const std::size_t row = t * count + s;
            cardiac::SegmentFrame segment;
            segment.strain = {segments["longitudinal_percent"][row] / 100,
                              segments["circumferential_percent"][row] / 100,
                              segments["radial_percent"][row] / 100};
            segment.rotation = segments["rotation_deg"][row];
            frame.segments.push_back(segment);
        }
        if (frame.cavity.midWall < smallest) {
            smallest = frame.cavity.midWall;
            found.summary.endSystole = static_cast<int>(t);
        }
        found.measures.frames.push_back(std::move(frame));
    }
    return found;
}

/// Equal to a hundredth of a pixel, and in every word and color.
void expectSame(const Drawing& found, const Drawing& is) {
    ASSERT_EQ(found.lines.size(), is.lines.size()) << is.title;
    const auto samePoints = [&](const std::vector<DrawingPoint>& a,
                                const std::vector<DrawingPoint>& b) {
        ASSERT_EQ(a.size(), b.size()) << is.title;
        for (std::size_t k = 0; k < a.size(); ++k) {
            EXPECT_NEAR(a[k].x, b[k].x, 0.01) << is.title;
            EXPECT_NEAR(a[k].y, b[k].y, 0.01) << is.title;
        }
    };
    for (std::size_t i = 0; i < is.lines.size(); ++i) {
        samePoints(found.lines[i].points, is.lines[i].points);
        EXPECT_EQ(found.lines[i].color, is.lines[i].color);
        EXPECT_EQ(found.lines[i].name, is.lines[i].name);
    }
    ASSERT_EQ(found.areas.size(), is.areas.size()) << is.title;
    for (std::size_t i = 0; i < is.areas.size(); ++i)
        EXPECT_EQ(found.areas[i].color, is.areas[i].color) << is.areas[i].name;
    ASSERT_EQ(found.texts.size(), is.texts.size()) << is.title;
    for (std::size_t i = 0; i < is.texts.size(); ++i)
        EXPECT_EQ(found.texts[i].text, is.texts[i].text) << is.title;
}

TEST_F(MeasuredHeart, TablesReadBackGiveTheSamePlots) {
    for (const double seconds : {0.2, std::numeric_limits<double>::quiet_NaN()}) {
        const StrainOutcome is = measured(seconds);
        const StrainOutcome found = readBack(segmentsCsv(is, model), curvesCsv(is));
        for (int k = 0; k < 3; ++k) {
            expectSame(strainCurves(found, model, k), strainCurves(is, model, k));
            const BullsEyeQuantity& quantity = bullsEyeQuantity(cardiac::directionNames[k]);
            expectSame(bullsEyeDrawing(found, model, quantity, 2),
                       bullsEyeDrawing(is, model, quantity, 2));
        }
        expectSame(volumeCurve(found), volumeCurve(is));
        expectSame(twistCurves(found), twistCurves(is));
    }
}

TEST_F(MeasuredHeart, EveryColumnIsDescribed) {
    std::ifstream file(SYSTOLE_CARDIAC_PAGE);
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    for (const std::string& csv : {segmentsCsv(outcome(), model), curvesCsv(outcome())}) {
        std::vector<std::string> names;
        tableOf(csv, &names);
        EXPECT_GT(names.size(), 10u);
        for (const std::string& name : names)
            EXPECT_THAT(page, HasSubstr("| `" + name + "` |"));
    }
}

TEST_F(MeasuredHeart, HistogramCountsAllVoxelsWhereTheirVolumeIs) {
    const double volumes[] = {1, 1.075 * 1.05 * 1.025, 0.925 * 0.95 * 0.975};
    for (std::size_t t = 0; t < 3; ++t) {
        const auto& histogram = outcome().measures.frames[t].volume.histogram;
        EXPECT_NEAR(std::accumulate(histogram.begin(), histogram.end(), 0.0), 100, 1e-9);
        double inside = 0;
        for (std::size_t i = 0; i < histogram.size(); ++i) {
            const double from =
                cardiac::jacobianFrom + static_cast<double>(i) * cardiac::jacobianStep;
            if (std::abs(from + cardiac::jacobianStep / 2 - volumes[t]) <
                cardiac::jacobianStep / 2 + 1e-4)
                inside += histogram[i];
        }
        EXPECT_NEAR(inside, 100, 1e-6) << "frame " << t;
    }
}

TEST_F(MeasuredHeart, CurvesAreInterruptedWhereNothingIsKnown) {
    StrainOutcome gap = outcome();
    const std::size_t whole = strainCurves(gap, model, 0).lines.size();
    gap.measures.frames[1].segments[3].strain.longitudinal =
        std::numeric_limits<double>::quiet_NaN();
    const Drawing drawing = strainCurves(gap, model, 0);
    EXPECT_EQ(drawing.lines.size(), whole - 1); // two points apart make no line
    EXPECT_THAT(svgOf(drawing), Not(HasSubstr("nan")));
    gap.measures.frames[2].segments[3].strain.longitudinal =
        std::numeric_limits<double>::quiet_NaN();
    const Drawing eye = bullsEyeDrawing(gap, model, bullsEyeQuantity("longitudinal"), 2);
    EXPECT_EQ(eye.areas[3].color, "#ffffff");
    EXPECT_EQ(eye.texts[3].text, "–");
}

TEST_F(MeasuredHeart, WhatLabelsDontGiveIsSaid) {
    const auto says = [](const StrainOutcome& outcome, const char* what) {
        return ::testing::Value(strainDoubts(outcome), ::testing::Contains(HasSubstr(what)));
    };
    StrainOutcome doubted = outcome();
    EXPECT_FALSE(says(doubted, "no line leads through the wall"));
    EXPECT_FALSE(says(doubted, "that the labels call cavity"));
    doubted.measures.linesFilled = 115; // the total is 24 · 48
    EXPECT_TRUE(says(doubted, "In 10.0 % of places no line leads through the wall"));
    cardiac::Ventricle cut = *doubted.ventricle;
    cut.labelledCavityMilliliters *= 1.05;
    doubted.ventricle = std::make_shared<const cardiac::Ventricle>(std::move(cut));
    EXPECT_TRUE(says(doubted, "that the labels call cavity"));
}

TEST_F(MeasuredHeart, EveryDoubtStandsInTheReportBesideTheNumbers) {
    StrainOutcome doubted = outcome();
    doubted.measures.linesFilled = 115;
    const std::vector<VolumeInFrame> found{{0, 100}, {2, 10}};
    const std::vector<std::string> ofLabels{"Unlikely: 1 ml < 2 ml in frame 2."};
    StrainReport report;
    report.doubts = strainDoubts(doubted, found, ofLabels);
    EXPECT_THAT(report.doubts, ::testing::Contains(ejectionDoubt(doubted, found)));
    EXPECT_THAT(report.doubts, ::testing::Contains(ofLabels.front()));
    EXPECT_GT(report.doubts.size(), 2u);
    const std::string page = strainReportPage(strainReportContent(doubted, report));
    const std::size_t numbers = page.find("The whole ventricle, ED and ES");
    for (const std::string& doubt : report.doubts)
        EXPECT_LT(page.find(htmlEscaped(doubt)), numbers) << doubt;
    report.doubts.clear();
    EXPECT_THAT(strainReportPage(strainReportContent(doubted, report)), Not(HasSubstr("Doubts")));
}

/// Frames before end diastole are those of the next beat, with times and without.
TEST_F(MeasuredHeart, TheAxisOfTimeAscendsFromAnyEndDiastole) {
    for (const double seconds : {0.2, std::numeric_limits<double>::quiet_NaN()}) {
        StrainOutcome late = measured(seconds);
        late.motion.beginAt(1, late.beat.seconds);
        const TimeAxis axis(late);
        EXPECT_EQ(axis.known, std::isfinite(seconds));
        EXPECT_THAT(axis.values, axis.known ? ::testing::Pointwise(::testing::DoubleNear(1e-9),
                                                                   std::vector<double>{0, 200, 400})
                                            : ::testing::Pointwise(::testing::DoubleNear(1e-9),
                                                                   std::vector<double>{1, 2, 3}));
    }
}

TEST_F(MeasuredHeart, PageIsWholeAndNeedsNothingElse) {
    StrainReport report;
    report.inputs.push_back({"labels", "<b>&\"heart\".nii.gz", std::string(64, 'a')});
    const std::string page = strainReportPage(strainReportContent(outcome(), report));
    EXPECT_THAT(page, HasSubstr(researchOnly));
    EXPECT_THAT(page, HasSubstr("&lt;b&gt;&amp;&quot;heart&quot;.nii.gz"));
    EXPECT_THAT(page, HasSubstr(std::string(64, 'a')));
    EXPECT_THAT(page, HasSubstr(std::string("systole ") + programVersion()));
    EXPECT_THAT(page, HasSubstr("definition"));
    EXPECT_THAT(page, HasSubstr(figureText(100 * outcome().measures.frames[2].strain.radial, 1)));
    std::string rest = page;
    for (const std::string name = "http://www.w3.org/2000/svg";
         rest.find(name) != std::string::npos;)
        rest.erase(rest.find(name), name.size());
    EXPECT_THAT(rest, Not(ContainsRegex("https?:|src=|href=|url\\(|@import|<script")));
    const auto count = [&](const std::string& part) {
        std::size_t found = 0;
        for (std::size_t at = 0; (at = page.find(part, at)) != std::string::npos; ++at)
            ++found;
        return found;
    };
    for (const char* element : {"svg", "table", "figure", "div", "tr", "td", "p", "title"})
        EXPECT_EQ(count(std::string("<") + element + ">") + count(std::string("<") + element + " "),
                  count(std::string("</") + element + ">"))
            << element;
    EXPECT_EQ(count("<svg "), 10u); // three bull's-eyes, four of curves and key, three charts
}

} // namespace
} // namespace systole
