// Precompiled for app/window and its tests: what most of these files include of Qt. All of
// QtWidgets would cost every file half a second more.
#include "cmake/precompiled/app.h"

#include <QAction>
#include <QApplication>
#include <QBoxLayout>
#include <QClipboard>
#include <QDialog>
#include <QDir>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPushButton>
#include <QStatusBar>
#include <QString>
#include <QTimer>
#include <QToolButton>
#include <QUrl>
