#version 450 core
uniform sampler2D colorMap;
uniform bool colored; // false: the plain color
uniform vec3 plain;
uniform float opacity;
uniform bool outline; // draws what surrounds a line
uniform float shading; // 0 flat to 1 lit
uniform float rim;     // 0: even opacity; 1: seen mostly where it turns away, as a ghost is
uniform vec3 towardsLight;
uniform int faces; // 0 both, 1 those that face away, 2 those that face the observer
uniform vec3 keptLow; // box, LPS mm, outside which nothing is drawn
uniform vec3 keptHigh;
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 shadeNormal;
layout(location = 2) in float colorPart;
layout(location = 0) out vec4 color;

void main() {
    vec3 ofFace = cross(dFdx(position), dFdy(position));
    vec3 normal = dot(shadeNormal, shadeNormal) > 0 ? shadeNormal : ofFace;
    if (any(lessThan(position, keptLow)) || any(greaterThan(position, keptHigh)))
        discard;
    if ((faces == 1 && gl_FrontFacing) || (faces == 2 && !gl_FrontFacing))
        discard;
    float facing = dot(normal, normal) > 0 ? abs(dot(normalize(normal), towardsLight)) : 1;
    vec3 base = colored && colorPart >= 0 ? texture(colorMap, vec2(min(colorPart, 1), 0.5)).rgb
                                          : plain;
    if (outline) {
        // The opposite brightness: one of the two stands out from any ground.
        bool bright = dot(base, vec3(0.30, 0.59, 0.11)) > 0.5;
        color = bright ? vec4(0, 0, 0, opacity) : vec4(1, 1, 1, 0.55 * opacity);
        return;
    }
    vec3 lit = base * (0.35 + 0.65 * facing) + vec3(0.18 * pow(facing, 32));
    color = vec4(mix(base, lit, shading), opacity * mix(1, 0.15 + 0.85 * (1 - facing), rim));
}
