#version 450 core
uniform sampler3D frame;
uniform sampler3D magnitude; // |displacement|, mm
uniform sampler2D colorMap;
uniform mat4 worldToTexture;
uniform float windowLow;
uniform float windowWidth;
uniform float colored;    // 1: the window's values have colors
uniform float mapOpacity; // 0: no map
uniform float mapMaximum; // mm
uniform float mapRest;    // mm, below which there is no color
uniform float darkest;    // gray value below which no motion is visible
uniform float darkFade;   // width of the gray values above it over which the map fades in
in vec3 position;
layout(location = 0) out vec4 color;

void main() {
    vec3 at = (worldToTexture * vec4(position, 1)).xyz;
    if (any(lessThan(at, vec3(0))) || any(greaterThan(at, vec3(1))))
        discard;
    float gray = texture(frame, at).r;
    vec3 shade = vec3(clamp((gray - windowLow) / windowWidth, 0, 1));
    if (colored > 0)
        shade = texture(colorMap, vec2(shade.r, 0.5)).rgb;
    if (mapOpacity > 0) {
        float part = clamp(texture(magnitude, at).r / mapMaximum, 0, 1);
        // Air and tissue at rest keep their gray: the map shows where something moves.
        float rest = max(mapRest / mapMaximum, 0.02);
        float weight = mapOpacity * smoothstep(rest, max(0.25, 2 * rest), part) *
                       smoothstep(darkest - darkFade, darkest + darkFade, gray);
        shade = mix(shade, texture(colorMap, vec2(part, 0.5)).rgb, weight);
    }
    color = vec4(shade, 1);
}
