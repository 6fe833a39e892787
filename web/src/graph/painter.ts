// Draws the dots and lines of a graph: with WebGL, or on a plain canvas where there is none.

export type Colour = readonly [red: number, green: number, blue: number, alpha: number];

export interface Picture {
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** Radii at the natural scale; 0 hides a dot. */
  readonly sizes: Float32Array;
  /** Four bytes for each dot. */
  readonly colours: Uint8Array;
  readonly links: Uint32Array;
  readonly line: Colour;
}
export interface Camera {
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
  readonly scale: number;
  /** How much larger dots are than at the natural scale. */
  readonly growth: number;
  readonly x: number;
  readonly y: number;
}
export const RADIUS_MIN = 1.1;
export interface Painter {
  /** Take what changed: places move while a graph is laid out, looks when somebody chooses. */
  load(picture: Picture, what: "all" | "places" | "looks"): void;
  paint(camera: Camera): void;
  stop(): void;
}

export function painterFor(canvas: HTMLCanvasElement): Painter {
  // Without a graphics processor, smooth lines cost ten times as much as plain ones.
  const gl = canvas.getContext("webgl2", { antialias: true, failIfMajorPerformanceCaveat: true }) ?? canvas.getContext("webgl2", { antialias: false });
  return gl ? new GlPainter(gl) : new PlainPainter(canvas);
}

const PLACE = "uniform vec2 half_size; uniform vec2 middle; uniform float scale; in vec2 place; vec4 placed() { return vec4((place * scale + middle) / half_size * vec2(1, -1), 0, 1); }";
const DOT_VERTEX = `#version 300 es\n${PLACE} uniform float ratio; uniform float growth; in float size; in vec4 colour; out vec4 shade; out float soft; void main() { gl_Position = placed(); gl_PointSize = (max(size * growth, 1.1) * 2.0 + 1.0) * ratio; soft = 1.5 / max(gl_PointSize, 1.0); shade = colour; if (size <= 0.0) gl_Position = vec4(2, 2, 2, 1); }`;
const DOT_FRAGMENT = "#version 300 es\nprecision mediump float; in vec4 shade; in float soft; out vec4 drawn; void main() { float far = length(gl_PointCoord - 0.5); float seen = shade.a * (1.0 - smoothstep(0.5 - soft, 0.5, far)); drawn = vec4(shade.rgb * seen, seen); }";
const LINE_VERTEX = `#version 300 es\n${PLACE} void main() { gl_Position = placed(); }`;
const LINE_FRAGMENT = "#version 300 es\nprecision mediump float; uniform vec4 colour; out vec4 drawn; void main() { drawn = vec4(colour.rgb * colour.a, colour.a); }";

class GlPainter implements Painter {
  private readonly dots: WebGLProgram;
  private readonly lines: WebGLProgram;
  private readonly places: WebGLBuffer;
  private readonly sizes: WebGLBuffer;
  private readonly colours: WebGLBuffer;
  private readonly ends: WebGLBuffer;
  private counts = { dots: 0, ends: 0 };
  private line: Colour = [0, 0, 0, 0];

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.dots = program(gl, DOT_VERTEX, DOT_FRAGMENT);
    this.lines = program(gl, LINE_VERTEX, LINE_FRAGMENT);
    [this.places, this.sizes, this.colours, this.ends] = [gl.createBuffer(), gl.createBuffer(), gl.createBuffer(), gl.createBuffer()];
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  load(picture: Picture, what: "all" | "places" | "looks"): void {
    const { gl } = this;
    const { x, y } = picture;
    if (what !== "looks") {
      const pairs = new Float32Array(x.length * 2);
      for (let at = 0; at < x.length; at++) [pairs[2 * at], pairs[2 * at + 1]] = [x[at]!, y[at]!];
      this.fill(gl.ARRAY_BUFFER, this.places, pairs, gl.DYNAMIC_DRAW);
    }
    if (what === "places") return;
    this.fill(gl.ARRAY_BUFFER, this.sizes, picture.sizes, gl.STATIC_DRAW);
    this.fill(gl.ARRAY_BUFFER, this.colours, picture.colours, gl.STATIC_DRAW);
    this.fill(gl.ELEMENT_ARRAY_BUFFER, this.ends, picture.links, gl.STATIC_DRAW);
    this.counts = { dots: x.length, ends: picture.links.length };
    this.line = picture.line;
  }

  private fill(target: number, buffer: WebGLBuffer, data: ArrayBufferView, usage: number): void {
    this.gl.bindBuffer(target, buffer);
    this.gl.bufferData(target, data as Float32Array<ArrayBuffer>, usage);
  }

  paint(camera: Camera): void {
    const { gl } = this;
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    this.use(this.lines, camera);
    gl.uniform4fv(gl.getUniformLocation(this.lines, "colour"), this.line as unknown as number[]);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.ends);
    gl.drawElements(gl.LINES, this.counts.ends, gl.UNSIGNED_INT, 0);
    this.use(this.dots, camera);
    gl.uniform1f(gl.getUniformLocation(this.dots, "ratio"), camera.ratio);
    gl.uniform1f(gl.getUniformLocation(this.dots, "growth"), camera.growth);
    this.attribute(this.dots, "size", this.sizes, 1, gl.FLOAT, false);
    this.attribute(this.dots, "colour", this.colours, 4, gl.UNSIGNED_BYTE, true);
    gl.drawArrays(gl.POINTS, 0, this.counts.dots);
  }

  private use(made: WebGLProgram, { width, height, scale, x, y }: Camera): void {
    const { gl } = this;
    gl.useProgram(made);
    gl.uniform2f(gl.getUniformLocation(made, "half_size"), width / 2, height / 2);
    gl.uniform2f(gl.getUniformLocation(made, "middle"), x, y);
    gl.uniform1f(gl.getUniformLocation(made, "scale"), scale);
    this.attribute(made, "place", this.places, 2, gl.FLOAT, false);
  }

  private attribute(made: WebGLProgram, name: string, buffer: WebGLBuffer, size: number, type: number, normal: boolean): void {
    const { gl } = this;
    const at = gl.getAttribLocation(made, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, size, type, normal, 0, 0);
  }

  stop(): void {
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

function program(gl: WebGL2RenderingContext, vertex: string, fragment: string): WebGLProgram {
  const made = gl.createProgram();
  for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]] as const) {
    const shader = gl.createShader(type)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(`The graph cannot be drawn: ${gl.getProgramInfoLog(made)}`);
  return made;
}

class PlainPainter implements Painter {
  private picture: Picture | null = null;

  constructor(private readonly canvas: HTMLCanvasElement) {}

  load(picture: Picture): void {
    this.picture = picture;
  }

  paint({ width, height, ratio, scale, growth, x: left, y: top }: Camera): void {
    const context = this.canvas.getContext("2d");
    if (!context || !this.picture) return;
    const { x, y, sizes, colours, links, line } = this.picture;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.translate(width / 2 + left, height / 2 + top);
    context.beginPath();
    for (let at = 0; at < links.length; at += 2) {
      const [from, to] = [links[at]!, links[at + 1]!];
      context.moveTo(x[from]! * scale, y[from]! * scale);
      context.lineTo(x[to]! * scale, y[to]! * scale);
    }
    context.strokeStyle = css(line);
    context.stroke();
    for (let at = 0; at < x.length; at++) {
      if (!sizes[at]) continue;
      context.fillStyle = css([colours[4 * at]! / 255, colours[4 * at + 1]! / 255, colours[4 * at + 2]! / 255, colours[4 * at + 3]! / 255]);
      context.beginPath();
      context.arc(x[at]! * scale, y[at]! * scale, Math.max(RADIUS_MIN, sizes[at]! * growth), 0, 2 * Math.PI);
      context.fill();
    }
  }

  stop(): void {
    this.picture = null;
  }
}

function css([red, green, blue, alpha]: Colour): string {
  return `rgb(${red * 255} ${green * 255} ${blue * 255} / ${alpha})`;
}
