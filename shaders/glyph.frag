#version 450 core
uniform sampler2D colorMap;
uniform float colorMaximum; // mm
uniform float opacity;
uniform bool colored; // false: white
uniform bool outline; // draws what surrounds the arrow
uniform float shading; // 0 flat to 1 lit
uniform vec3 towardsLight;
in vec3 shadeNormal;
in float magnitude;
layout(location = 0) out vec4 color;

void main() {
    vec3 base = texture(colorMap, vec2(clamp(magnitude / colorMaximum, 0, 1), 0.5)).rgb;
    if (!colored)
        base = vec3(1);
    if (outline) {
        // The outline of a solid arrow is only visible next to the arrow itself.
        if (shading > 0 && gl_FrontFacing)
            discard;
        // The opposite brightness: one of the two stands out from any ground.
        bool bright = dot(base, vec3(0.30, 0.59, 0.11)) > 0.5;
        color = bright ? vec4(0, 0, 0, opacity) : vec4(1, 1, 1, 0.55 * opacity);
        return;
    }
    float light = 0.45 + 0.55 * abs(dot(normalize(shadeNormal), towardsLight));
    color = vec4(base * mix(1, light, shading), opacity);
}
