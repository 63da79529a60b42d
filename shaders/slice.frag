#version 450 core
uniform sampler3D frame;
uniform sampler3D first;  // compared frames
uniform sampler3D second;
uniform int compare; // 0: the frame alone, 1: checkerboard, 2: curtain, 3: the second one,
                     // 4: the first one less the second, about the middle of the window
uniform float compareOpacity; // opacity of the second frame
uniform float compareSize;    // mm: of a square, or of the first one's part from the left
uniform vec3 compareOrigin;   // lower left corner of the whole slice, LPS mm
uniform vec3 compareRight;    // unit vectors
uniform vec3 compareUp;
uniform sampler3D maps[4];  // values of voxels
uniform sampler2D mapColors[4];
uniform mat4 worldToTexture;
uniform float windowLow;
uniform float windowWidth;
uniform float mapOpacity[4]; // 0: no map
uniform float mapLow[4];     // values at both ends of the colors
uniform float mapHigh[4];
uniform float mapNeutral[4]; // part of the colors that means rest
uniform float mapRest[4];    // distance of values from it below which there is no color
uniform float darkest;    // gray value below which no motion is visible
uniform float darkFade;   // width of the gray values above it over which the map fades in
in vec3 position;
layout(location = 0) out vec4 color;

float grayAt(vec3 at) {
    if (compare == 0)
        return texture(frame, at).r;
    vec3 from = position - compareOrigin;
    vec2 mm = vec2(dot(from, compareRight), dot(from, compareUp));
    vec2 square = floor(mm / compareSize);
    bool other = compare >= 3 || (compare == 2 && mm.x > compareSize) ||
                 (compare == 1 && mod(square.x + square.y, 2) > 0.5);
    float gray = texture(first, at).r, shown = texture(second, at).r;
    if (compare == 4)
        shown = windowLow + windowWidth / 2 + gray - shown;
    return other ? mix(gray, shown, compareOpacity) : gray;
}

/// Air and tissue at rest keep their gray: a map shows where something moves.
vec3 mapped(vec3 shade, float value, sampler2D colors, int i) {
    float span = mapHigh[i] - mapLow[i];
    float part = clamp((value - mapLow[i]) / span, 0, 1);
    float side = max(mapNeutral[i], 1 - mapNeutral[i]);
    float far = abs(part - mapNeutral[i]) / side;
    float rest = max(mapRest[i] / (side * span), 0.02);
    float weight = mapOpacity[i] * smoothstep(rest, max(0.25, 2 * rest), far);
    return mix(shade, texture(colors, vec2(part, 0.5)).rgb, weight);
}

void main() {
    vec3 at = (worldToTexture * vec4(position, 1)).xyz;
    if (any(lessThan(at, vec3(0))) || any(greaterThan(at, vec3(1))))
        discard;
    float gray = grayAt(at);
    vec3 shade = vec3(clamp((gray - windowLow) / windowWidth, 0, 1));
    vec3 plain = shade;
    if (mapOpacity[0] > 0)
        shade = mapped(shade, texture(maps[0], at).r, mapColors[0], 0);
    if (mapOpacity[1] > 0)
        shade = mapped(shade, texture(maps[1], at).r, mapColors[1], 1);
    if (mapOpacity[2] > 0)
        shade = mapped(shade, texture(maps[2], at).r, mapColors[2], 2);
    if (mapOpacity[3] > 0)
        shade = mapped(shade, texture(maps[3], at).r, mapColors[3], 3);
    shade = mix(plain, shade, smoothstep(darkest - darkFade, darkest + darkFade, gray));
    color = vec4(shade, 1);
}
