#!/bin/sh
# Starts Systole. Its libraries are found by rpath; this script locates a graphics driver in a non-standard
# folder and provides a font if the system has none. Variables that are already set are kept.
here=$(dirname "$(readlink -f "$0")")

# Containers mount NVIDIA's driver here, unknown to the loader and to OpenGL's list of drivers.
driver=/usr/local/nvidia
for libraries in "$driver/lib64" "$driver/lib"; do
    case ":${LD_LIBRARY_PATH:-}:" in *":$libraries:"*) continue ;; esac
    if [ -e "$libraries/libcuda.so.1" ] || [ -e "$libraries/libEGL_nvidia.so.0" ]; then
        LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$libraries
        export LD_LIBRARY_PATH
    fi
done
# NVIDIA's first, then the system's, e.g. Mesa's.
vendors=$driver/share/glvnd/egl_vendor.d
if [ -d "$vendors" ] && [ -z "${__EGL_VENDOR_LIBRARY_FILENAMES:-}${__EGL_VENDOR_LIBRARY_DIRS:-}" ]; then
    export __EGL_VENDOR_LIBRARY_DIRS="$vendors:/etc/glvnd/egl_vendor.d:/usr/share/glvnd/egl_vendor.d"
fi
if [ ! -e /etc/fonts/fonts.conf ] && [ -z "${FONTCONFIG_FILE:-}${FONTCONFIG_PATH:-}" ]; then
    export FONTCONFIG_FILE="$here/share/systole/fonts/fonts.conf"
fi

# Another program of the bundle can be named, for tests: SYSTOLE_PROGRAM=render_gpu_tests.
exec "$here/bin/${SYSTOLE_PROGRAM:-systole}" "$@"
