#version 450 core
uniform sampler2D colorMap;
uniform float colorMaximum; // mm
uniform float opacity;
uniform bool colored; // false: white
uniform float brightness; // 0 draws the dark rim
uniform float shading; // 0 flat to 1 lit
uniform vec3 towardsLight;
in vec3 shadeNormal;
in float magnitude;
layout(location = 0) out vec4 color;

void main() {
    vec3 base = texture(colorMap, vec2(clamp(magnitude / colorMaximum, 0, 1), 0.5)).rgb;
    if (!colored)
        base = vec3(1);
    float light = 0.45 + 0.55 * abs(dot(normalize(shadeNormal), towardsLight));
    color = vec4(base * mix(1, light, shading) * brightness, opacity);
}
