#version 450 core
layout(location = 0) in vec3 point; // LPS mm
layout(location = 1) in vec3 normal; // zero: unknown
layout(location = 2) in float part; // place in the color map, 0 to 1; below 0: the plain color
uniform mat4 worldToClip;
layout(location = 0) out vec3 position;
layout(location = 1) out vec3 shadeNormal;
layout(location = 2) out float colorPart;

void main() {
    position = point;
    shadeNormal = normal;
    colorPart = part;
    gl_Position = worldToClip * vec4(point, 1);
}
