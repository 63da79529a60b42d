#version 450 core
layout(location = 0) in vec2 pixel; // pixels from the bottom left of the view
layout(location = 1) in vec4 vertexColor;
uniform vec2 viewSize;
out vec4 shade;

void main() {
    gl_Position = vec4(2 * pixel / viewSize - 1, 0, 1);
    shade = vertexColor;
}
