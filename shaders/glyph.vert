#version 450 core
layout(location = 0) in vec3 vertex; // arrow along +z, length and width 1
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 positionMagnitude; // per instance, LPS mm
layout(location = 3) in vec4 directionLength;
uniform mat4 worldToClip;
uniform float scale;     // drawn mm per mm
uniform float thickness; // maximum width of the head, mm
uniform vec3 facing;     // normal of a flat arrow; zero for a solid of revolution
uniform vec4 cut;        // plane equation; arrows that start on its negative side are not drawn
out vec3 shadeNormal;
out float magnitude;

void main() {
    vec3 along = directionLength.xyz;
    // A flat arrow lies in its plane; for a solid of revolution any frame about its axis works.
    vec3 helper = abs(along.z) < 0.9 ? vec3(0, 0, 1) : vec3(1, 0, 0);
    if (dot(facing, facing) > 0)
        helper = facing;
    vec3 across = normalize(cross(helper, along));
    mat3 turn = mat3(across, cross(along, across), along);

    float size = directionLength.w * scale;
    if (dot(cut, vec4(positionMagnitude.xyz, 1)) < 0)
        size = 0;
    float width = min(thickness, 0.45 * size);
    gl_Position = worldToClip *
        vec4(positionMagnitude.xyz + turn * (vertex * vec3(width, width, size)), 1);
    shadeNormal = turn * (normal / vec3(max(width, 1e-6), max(width, 1e-6), max(size, 1e-6)));
    magnitude = positionMagnitude.w;
}
