# The window under a virtual display.
