// Files that the Cardiac panel saves and opens: tables, pictures.
#include "app/base/file_hash.h"
#include "app/features/cardiac/cardiac_page.h"
#include "app/features/cardiac/strain_figures.h"
#include "app/features/segmentation/segmentation_tool.h"
#include "io/base/sha256.h"
#include "io/phantom/phantom.h"
#include "tests/app/window/window_cardiac_fixture.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QPalette>
#include <QPushButton>
#include <QTimer>
#include <fmt/format.h>

#include <cmath>
#include <span>
#include <string>
#include <utility>

namespace systole {
namespace {

using CardiacFilesTest = testing::CardiacPanelTest;

using testing::FileHost;

TEST_F(CardiacFilesTest, AnExportedTableReadBackGivesTheSamePlots) {
    ASSERT_NO_FATAL_FAILURE(measure());
    ToolHost& usual = window->tools().host();
    FileHost host(usual, folder / "segments.csv");
    window->tools().setHost(host);
    const auto segmentsOf = [&](int segment) {
        cardiac().select(segment);
        return drawCardiacPage(cardiac().shown(), "", 1);
    };
    const RgbaImage before = segmentsOf(0);
    cardiac().saveSegments();
    cardiac().readCurves();
    host.file = folder / "curves.csv";
    cardiac().saveCurves();
    cardiac().readCurves();
    window->tools().setHost(usual);
    ASSERT_EQ(cardiac().read.size(), 2u);
    EXPECT_NE(segmentsOf(0).pixels, before.pixels);
    const StrainCurves &segments = cardiac().read[0], &curves = cardiac().read[1];
    ASSERT_TRUE(segments.ofSegments && !curves.ofSegments);
    const StrainOutcome& outcome = *cardiac().outcome();
    const auto expectSame = [](double read, double shown) {
        EXPECT_NEAR(read, shown, 1e-5 * (1 + std::abs(read)));
    };
    const TimeAxis time(outcome);
    for (std::size_t t = 0; t < frames; ++t) {
        expectSame(segments.milliseconds[t], time.values[t]);
        expectSame(curves.milliseconds[t], time.values[t]);
        EXPECT_EQ(curves.frame[t], outcome.motion.frame[t]);
        for (const BullsEyeQuantity& quantity : bullsEyeQuantities().first(4)) {
            for (std::size_t s = 0; s < 17; ++s)
                expectSame(segments.of.at(quantity.column)[s][t], quantity.value(outcome, t, s));
            expectSame(curves.of.at(quantity.wholeColumn)[0][t], wholeWall(quantity, outcome, t));
        }
        expectSame(curves.of.at("cavity_midwall_ml")[0][t],
                   outcome.measures.frames[t].cavity.midWall);
    }
}

TEST_F(CardiacFilesTest, TheReportIsAPageOfHtmlOrPdf) {
    ASSERT_NO_FATAL_FAILURE(measure());
    ToolHost& usual = window->tools().host();
    FileHost host(usual, folder / "report.html");
    window->tools().setHost(host);
    cardiac().saveReport();
    host.file = folder / "report.PDF";
    cardiac().saveReport();
    window->tools().setHost(usual);
    const std::string page = testing::readText(folder / "report.html");
    EXPECT_NE(page.find(sha256Of(window->session().opened->paths)), std::string::npos);
    EXPECT_NE(page.find("Motion by clg (alpha "), std::string::npos);
    // Pictures are base64, which may hold the letters, but no colon.
    EXPECT_EQ(page.find("http:"), page.find("http://www.w3.org/2000/svg"));
    EXPECT_EQ(page.find("https:"), std::string::npos);
    EXPECT_TRUE(testing::readText(folder / "report.PDF").starts_with("%PDF"));
}

TEST_F(CardiacFilesTest, TheReportSaysWhichLabelsWhereNoFileHasThem) {
    ASSERT_NO_FATAL_FAILURE(measure());
    ToolHost& usual = window->tools().host();
    FileHost host(usual, folder / "report.html");
    window->tools().setHost(host);
    auto& segment = window->tools().get<SegmentationTool>();
    segment.mode = SegmentMode::Paint;
    using Event = SlicePointer::Event;
    for (const Event event : {Event::Press, Event::Release})
        segment.pointer({event, {0, 0, 0}, 2});
    cardiac().from = HeartLabels::Segmentation;
    cardiac().saveReport();
    Sha256 hash;
    hash.add(std::as_bytes(std::span(*segment.labels.labels(0))));
    const std::string labelled = testing::readText(folder / "report.html");
    EXPECT_NE(labelled.find("of the Segment panel"), std::string::npos);
    EXPECT_NE(labelled.find(hash.hex()), std::string::npos);

    const HeartShape heart;
    const HeartPose pose(heart);
    cardiac().choose(HeartLabels::Points);
    cardiac().points = {{pose.fromOwn({0, 0, -heart.endocardialHalfLength})},
                        {pose.fromOwn({0, 0, heart.baseHeight})},
                        {pose.fromOwn({heart.epicardialRadius(), 0, 0})}};
    ASSERT_NO_FATAL_FAILURE(becomeMeasured());
    cardiac().saveReport();
    EXPECT_NE(testing::readText(folder / "report.html").find(cardiac().textOfPoints()),
              std::string::npos);
    EXPECT_TRUE(cardiac().textOfPoints().ends_with(
        fmt::format(";{:.3f},0.000,{:.3f}", heart.epicardialRadius(), pose.fromOwn({}).z)));
    window->tools().setHost(usual);
}

TEST_F(CardiacFilesTest, ThePdfIsDarkOnWhiteWhateverColorsTheWindowHas) {
    ASSERT_NO_FATAL_FAILURE(measure());
    ToolHost& usual = window->tools().host();
    FileHost host(usual, "");
    window->tools().setHost(host);
    const QPalette before = QApplication::palette();
    for (const QColor words : {Qt::white, Qt::black}) {
        host.file = folder / (words == Qt::white ? "white.pdf" : "black.pdf");
        QPalette palette = before;
        palette.setColor(QPalette::Text, words);
        QApplication::setPalette(palette);
        cardiac().saveReport();
    }
    QApplication::setPalette(before);
    window->tools().setHost(usual);
    EXPECT_TRUE(testing::readText(folder / "white.pdf") == testing::readText(folder / "black.pdf"));
}

TEST_F(CardiacFilesTest, ANameWithoutASuffixGetsThatOfTheKindChosen) {
    testing::writeText(folder / "mine.pdf", "mine");
    bool filled = false, questioned = false; // whether the file there may be replaced
    QTimer looking; // polls for the dialogs, which have event loops of their own
    QObject::connect(&looking, &QTimer::timeout, [&] {
        QWidget* top = QApplication::activeModalWidget();
        if (auto* box = qobject_cast<QMessageBox*>(top)) {
            questioned = true;
            box->button(QMessageBox::Yes)->click();
        } else if (auto* dialog = qobject_cast<QFileDialog*>(top); dialog && !filled) {
            filled = true;
            auto* kinds = dialog->findChild<QComboBox*>("fileTypeCombo");
            kinds->setCurrentIndex(1);
            emit kinds->textActivated(kinds->currentText());
            dialog->findChild<QLineEdit*>("fileNameEdit")
                ->setText(QString::fromStdString(folder / "mine"));
            auto* save = dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save);
            QMetaObject::invokeMethod(save, &QAbstractButton::click, Qt::QueuedConnection);
        }
    });
    looking.start(20);
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    std::string chosen;
    window->tools().host().chooseSave({.title = "Save the report to",
                                       .types = "Web page (*.html *.htm);;PDF (*.pdf)",
                                       .name = "report.html"},
                                      [&](const std::string& path) { chosen = path; });
    ASSERT_TRUE(becomes([&] { return !chosen.empty(); }));
    EXPECT_EQ(chosen, folder / "mine.pdf");
    EXPECT_TRUE(questioned);
}

TEST_F(CardiacFilesTest, ThePictureIsAPageWithAllOfIt) {
    ASSERT_NO_FATAL_FAILURE(measure());
    ToolHost& usual = window->tools().host();
    FileHost host(usual, folder / "cardiac.png");
    window->tools().setHost(host);
    cardiac().savePicture();
    window->tools().setHost(usual);
    const QImage page(QString::fromStdString(folder / "cardiac.png"));
    const double ratio = window->devicePixelRatioF();
    ASSERT_EQ(page.width(), std::lround(cardiacPageWidth * ratio));
    // Each strain has its disc at end systole: contraction is red in all of them.
    int red[3] = {0, 0, 0};
    for (int y = 0; y < page.height() / 2; ++y)
        for (int x = 0; x < page.width(); ++x) {
            const QRgb pixel = page.pixel(x, y);
            const auto third = static_cast<std::size_t>(3.0 * x / (0.67 * page.width()));
            if (third < 3 && qRed(pixel) > qBlue(pixel) + 60)
                ++red[third];
        }
    for (const int count : red)
        EXPECT_GT(count, 3000 * ratio);
}

} // namespace
} // namespace systole
