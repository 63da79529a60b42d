#version 450 core
// A line between the first two corners of each triangle, as a strip of constant width on the screen.
layout(triangles) in;
layout(triangle_strip, max_vertices = 4) out;
uniform mat4 worldToClip;
uniform vec2 viewSize; // pixels
uniform float width;   // pixels
layout(location = 0) in vec3 positions[];
layout(location = 1) in vec3 normals[];
layout(location = 2) in float parts[];
layout(location = 0) out vec3 position;
layout(location = 1) out vec3 shadeNormal;
layout(location = 2) out float colorPart;

void main() {
    vec4 clip[2] = vec4[2](worldToClip * vec4(positions[0], 1), worldToClip * vec4(positions[1], 1));
    if (clip[0].w <= 0 || clip[1].w <= 0) // an end lies behind the observer
        return;
    vec2 along = (clip[1].xy / clip[1].w - clip[0].xy / clip[0].w) * viewSize;
    along = dot(along, along) > 1e-12 ? normalize(along) : vec2(1, 0);
    vec2 across = vec2(-along.y, along.x);
    for (int end = 0; end < 2; ++end)
        for (int side = -1; side <= 1; side += 2) {
            // A little longer than the line, so that bends have no gaps.
            vec2 pixels = 0.5 * width * (side * across + (end == 0 ? -0.5 : 0.5) * along);
            position = positions[end];
            shadeNormal = normals[end];
            colorPart = parts[end];
            gl_Position = clip[end];
            gl_Position.xy += 2 * pixels / viewSize * clip[end].w;
            EmitVertex();
        }
    EndPrimitive();
}
