// Precompiled for the tests that open windows.
#include "cmake/precompiled/tests.h"
#include "cmake/precompiled/window.h"

#include <QTest>
