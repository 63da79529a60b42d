#version 450 core
// The line in which each triangle meets a plane, as a strip of constant width on the screen.
layout(triangles) in;
layout(triangle_strip, max_vertices = 4) out;
uniform mat4 worldToClip;
uniform vec3 planeNormal;
uniform float planeOffset; // mm along the normal
uniform vec2 viewSize;     // pixels
uniform float width;       // pixels
layout(location = 0) in vec3 positions[];
layout(location = 1) in vec3 normals[];
layout(location = 2) in float parts[];
layout(location = 0) out vec3 position;
layout(location = 1) out vec3 shadeNormal;
layout(location = 2) out float colorPart;

void main() {
    vec3 ends[2];
    float endParts[2];
    int found = 0;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        float from = dot(planeNormal, positions[i]) - planeOffset;
        float to = dot(planeNormal, positions[j]) - planeOffset;
        // A point on the plane counts as above it: neighboring triangles agree.
        if ((from < 0) == (to < 0) || found == 2)
            continue;
        float t = from / (from - to);
        ends[found] = mix(positions[i], positions[j], t);
        endParts[found] = mix(parts[i], parts[j], t);
        ++found;
    }
    if (found < 2)
        return;
    vec4 clip[2] = vec4[2](worldToClip * vec4(ends[0], 1), worldToClip * vec4(ends[1], 1));
    vec2 along = (clip[1].xy / clip[1].w - clip[0].xy / clip[0].w) * viewSize;
    along = dot(along, along) > 1e-12 ? normalize(along) : vec2(1, 0);
    vec2 across = vec2(-along.y, along.x);
    for (int end = 0; end < 2; ++end)
        for (int side = -1; side <= 1; side += 2) {
            // A little longer than the line, so that bends have no gaps.
            vec2 pixels = 0.5 * width * (side * across + (end == 0 ? -0.5 : 0.5) * along);
            position = ends[end];
            shadeNormal = normals[0];
            colorPart = endParts[end];
            gl_Position = clip[end];
            gl_Position.xy += 2 * pixels / viewSize * clip[end].w;
            EmitVertex();
        }
    EndPrimitive();
}
