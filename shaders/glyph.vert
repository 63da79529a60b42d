#version 450 core
layout(location = 0) in vec3 vertex; // arrow along +z, length and width 1
layout(location = 1) in vec3 normal; // outward normal; longer at the corners of a flat arrow
layout(location = 2) in vec4 positionMagnitude; // per instance, LPS mm
layout(location = 3) in vec4 directionLength;
uniform mat4 worldToClip;
uniform vec2 viewSize;   // pixels
uniform float scale;     // drawn mm per mm
uniform float thickness; // maximum width of the head, mm
uniform float minimumLength; // mm that short arrows are drawn long, so that head and shaft are seen
uniform float rim;       // pixels by which the outline exceeds the arrow; 0: the arrow itself
uniform vec3 facing;     // normal of a flat arrow; zero for a solid of revolution
uniform vec3 keptLow;    // arrows that start outside this box are not drawn
uniform vec3 keptHigh;
const float neck = 0.64; // vertex.z where the head begins
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

    vec3 start = positionMagnitude.xyz;
    float size = directionLength.w * scale;
    if (any(lessThan(start, keptLow)) || any(greaterThan(start, keptHigh)))
        size = 0;
    size = size > 0 ? max(size, minimumLength) : 0;
    float width = size > 0 ? max(min(thickness, 0.45 * size), 0.75 * minimumLength) : 0;
    // The head keeps its shape where the arrow is short, and leaves the rest to the shaft.
    float headLength = max((1 - neck) * size, min(0.8 * width, 0.6 * size));
    float z = vertex.z > neck ? size - (1 - vertex.z) / (1 - neck) * headLength
                              : vertex.z / neck * (size - headLength);
    vec3 position = start + turn * vec3(width * vertex.xy, z);
    gl_Position = worldToClip * vec4(position, 1);
    if (rim > 0 && size > 0) {
        vec4 outside = worldToClip * vec4(position + 0.2 * width * (turn * normal), 1);
        vec2 step = (outside.xy / outside.w - gl_Position.xy / gl_Position.w) * viewSize;
        if (dot(step, step) > 0)
            gl_Position.xy += normalize(step) * length(normal) * rim * 2 / viewSize * gl_Position.w;
    }
    // Only the head's normals lean along the arrow.
    float stretch = max(headLength / (1 - neck), 1e-6);
    shadeNormal = turn * (normal / vec3(max(width, 1e-6), max(width, 1e-6), stretch));
    magnitude = positionMagnitude.w;
}
