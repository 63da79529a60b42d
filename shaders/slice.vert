#version 450 core
// The anatomical plane through `origin`, as large as the volume's box.
uniform mat4 worldToClip;
uniform vec3 origin; // a corner, LPS mm
uniform vec3 right;  // the whole edge
uniform vec3 up;
out vec3 position;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    position = origin + corner.x * right + corner.y * up;
    gl_Position = worldToClip * vec4(position, 1);
}
