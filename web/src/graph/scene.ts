// A graph on the screen: drag to move, wheel or pinch to zoom, click to open a note.

import type { Answers } from "../api.ts";
import { beginnings, COLOURS, type Groups } from "./groups.ts";
import { type Label, placeLabels } from "./labels.ts";
import { type Camera, type Colour, type Painter, painterFor, type Picture, RADIUS_MIN } from "./painter.ts";
import type { Step, Task } from "./worker.ts";

declare const GRAPH_WORKER: string;

export interface Look {
  readonly groups: Groups;
  /** Notes that are looked for, or null; the others step back. */
  readonly found: ReadonlySet<number> | null;
  readonly hidden: (node: number) => boolean;
}

const CLICK_SLACK = 4;
const REACH = 14;
const MARGIN = 48;
const [SCALE_MIN, SCALE_MAX, FIT_MAX] = [0.02, 8, 2.4];
const LABELS_TRIED_MAX = 1500;
const FAR = 0.12;

export class Scene {
  private readonly painter: Painter;
  private readonly worker: Worker;
  private readonly watch: ResizeObserver;
  private readonly order: Uint32Array;
  private readonly radii: Float32Array;
  private readonly links: Uint32Array;
  private readonly widths = new Map<number, number>();
  private x: Float32Array;
  private y: Float32Array;
  private picture: Picture;
  private look: Look;
  private scale = 1;
  private moved = { x: 0, y: 0 };
  private touched = false;
  private over = -1;
  private frame = 0;
  /** Whether notes have moved since they were drawn: of many steps, only the last one counts. */
  private stale = false;
  private readonly fingers = new Map<number, { x: number; y: number }>();
  private dragged = false;

  constructor(private readonly top: HTMLCanvasElement, private readonly below: HTMLCanvasElement, private readonly graph: Answers["graph"], private readonly here: string, look: Look, private readonly open: (path: string) => void) {
    const { nodes, edges } = graph;
    this.look = look;
    this.links = new Uint32Array(edges.flat());
    this.radii = Float32Array.from(nodes, ({ degree }) => 2.5 + Math.min(9, Math.sqrt(degree)));
    this.order = Uint32Array.from(nodes.keys()).sort((a, b) => nodes[b]!.degree - nodes[a]!.degree || a - b);
    ({ x: this.x, y: this.y } = beginnings(graph));
    this.painter = painterFor(below);
    this.picture = this.painted();
    this.painter.load(this.picture, "all");
    this.worker = new Worker(GRAPH_WORKER);
    this.worker.onmessage = ({ data }: MessageEvent<Step>) => this.take(data);
    const task: Task = { x: this.x, y: this.y, links: this.links, sizes: this.radii };
    this.worker.postMessage(task);
    this.watch = new ResizeObserver(() => this.resize());
    this.watch.observe(top);
    this.listen();
  }

  stop(): void {
    this.worker.terminate();
    this.watch.disconnect();
    cancelAnimationFrame(this.frame);
    this.painter.stop();
  }

  /** Draw with other colours, after a search, or in another theme. */
  show(look: Look): void {
    this.look = look;
    this.picture = this.painted();
    this.painter.load(this.picture, "looks");
    this.draw();
  }

  zoom(factor: number, x = 0, y = 0): void {
    const scale = Math.min(SCALE_MAX, Math.max(SCALE_MIN, this.scale * factor));
    const by = scale / this.scale;
    this.moved = { x: x + (this.moved.x - x) * by, y: y + (this.moved.y - y) * by };
    this.scale = scale;
    this.touched = true;
    this.draw();
  }

  /** Let the notes fill the canvas. */
  fit(): void {
    this.touched = false;
    this.fitNow();
    this.draw();
  }

  private take({ x, y, done }: Step): void {
    if (done) this.top.dataset["settled"] = "";
    [this.x, this.y] = [x, y];
    this.picture = { ...this.picture, x, y };
    this.stale = true;
    this.draw();
  }

  private resize(): void {
    const ratio = devicePixelRatio || 1;
    for (const canvas of [this.top, this.below]) {
      canvas.width = Math.max(1, Math.round(this.top.clientWidth * ratio));
      canvas.height = Math.max(1, Math.round(this.top.clientHeight * ratio));
    }
    if (!this.touched) this.fitNow();
    this.draw();
  }

  private fitNow(): void {
    let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let at = 0; at < this.x.length; at++) {
      if (this.look.hidden(at)) continue;
      [left, right] = [Math.min(left, this.x[at]!), Math.max(right, this.x[at]!)];
      [low, high] = [Math.min(low, this.y[at]!), Math.max(high, this.y[at]!)];
    }
    if (left > right) return;
    const wide = Math.max(1, this.top.clientWidth - 2 * MARGIN) / Math.max(1, right - left);
    const tall = Math.max(1, this.top.clientHeight - 2 * MARGIN) / Math.max(1, high - low);
    this.scale = Math.min(FIT_MAX, Math.max(SCALE_MIN, Math.min(wide, tall)));
    this.moved = { x: (-(left + right) / 2) * this.scale, y: (-(low + high) / 2) * this.scale };
  }

  /** Dots grow less than the space between them. */
  private get growth(): number {
    return Math.min(1.6, Math.max(0.35, Math.sqrt(this.scale)));
  }

  private sizeOf(node: number): number {
    return Math.max(RADIUS_MIN, this.radii[node]! * this.growth);
  }

  private painted(): Picture {
    const { groups, found, hidden } = this.look;
    const style = getComputedStyle(this.top);
    const colour = (name: string) => colourOf(style.getPropertyValue(name));
    const shades = Array.from({ length: COLOURS }, (_, at) => colour(`--group-${at}`));
    const [plain, accent, line] = [colour("--ink-faint"), colour("--accent"), colour("--line-strong")];
    const count = this.graph.nodes.length;
    const sizes = new Float32Array(count);
    const colours = new Uint8Array(count * 4);
    for (let at = 0; at < count; at++) {
      sizes[at] = hidden(at) ? 0 : this.radii[at]!;
      const isHere = this.graph.nodes[at]!.id === this.here;
      const [red, green, blue] = isHere ? accent : (shades[groups.of[at]!] ?? plain);
      colours[4 * at] = red * 255;
      colours[4 * at + 1] = green * 255;
      colours[4 * at + 2] = blue * 255;
      colours[4 * at + 3] = found && !found.has(at) ? FAR * 255 : 255;
    }
    const shown = this.links.filter((_, at) => !hidden(this.links[at & ~1]!) && !hidden(this.links[at | 1]!));
    const strength = found ? 0.15 : this.links.length > 4000 ? 0.35 : 0.9;
    return { x: this.x, y: this.y, sizes, colours, links: shown, line: [line[0], line[1], line[2], strength] };
  }

  private draw(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      if (this.stale) {
        if (!this.touched) this.fitNow();
        this.painter.load(this.picture, "places");
        this.stale = false;
      }
      this.painter.paint(this.camera());
      this.drawLabels();
      if (this.touched) this.top.dataset["touched"] = "";
    });
  }

  private camera(): Camera {
    return { width: this.top.clientWidth, height: this.top.clientHeight, ratio: devicePixelRatio || 1, scale: this.scale, growth: this.growth, ...this.moved };
  }

  private at(node: number): { x: number; y: number } {
    return { x: this.top.clientWidth / 2 + this.moved.x + this.x[node]! * this.scale, y: this.top.clientHeight / 2 + this.moved.y + this.y[node]! * this.scale };
  }

  private drawLabels(): void {
    const context = this.top.getContext("2d");
    if (!context) return;
    const { width, height, ratio } = this.camera();
    const style = getComputedStyle(this.top);
    const size = Math.min(15, 11.5 + Math.max(0, Math.log2(this.scale)) * 1.2);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = `${size}px ${style.fontFamily}`;
    const nodes = this.candidates(width, height);
    const labels = nodes.map((node): Label => this.labelOf(node, context, size));
    const most = Math.round(Math.min(160, 14 + 26 * Math.sqrt(this.scale) * Math.max(1, this.scale)));
    context.textAlign = "center";
    context.textBaseline = "top";
    context.lineJoin = "round";
    context.lineWidth = 3;
    context.strokeStyle = style.getPropertyValue("--paper");
    context.fillStyle = style.getPropertyValue("--ink");
    const chosen = placeLabels(labels, width, height, Math.max(most, this.graph.nodes.length <= 60 ? 60 : 0));
    for (const at of chosen) {
      const title = titleOf(this.graph.nodes[nodes[at]!]!.title);
      context.strokeText(title, labels[at]!.x, labels[at]!.y);
      context.fillText(title, labels[at]!.x, labels[at]!.y);
    }
    this.top.dataset["labels"] = String(chosen.length);
  }

  /** Notes on the screen, the one under the pointer first, then those looked for, then the most linked. */
  private candidates(width: number, height: number): number[] {
    const { found, hidden } = this.look;
    const first: number[] = this.over >= 0 ? [this.over] : [];
    const rest: number[] = [];
    for (const node of this.order) {
      if (rest.length >= LABELS_TRIED_MAX) break;
      if (node === this.over || hidden(node) || (found && !found.has(node))) continue;
      const { x, y } = this.at(node);
      if (x < 0 || y < 0 || x > width || y > height) continue;
      if (this.graph.nodes[node]!.id === this.here) first.push(node);
      else rest.push(node);
    }
    return [...first, ...rest];
  }

  private labelOf(node: number, context: CanvasRenderingContext2D, size: number): Label {
    let wide = this.widths.get(node);
    if (wide === undefined) {
      wide = context.measureText(titleOf(this.graph.nodes[node]!.title)).width / size;
      this.widths.set(node, wide);
    }
    const { x, y } = this.at(node);
    return { x, y: y + this.sizeOf(node) + 3, width: wide * size + 8, height: size + 3 };
  }

  private listen(): void {
    const { top } = this;
    top.addEventListener("pointerdown", (event) => {
      this.fingers.set(event.pointerId, this.from(event));
      this.dragged = this.fingers.size > 1;
      top.setPointerCapture(event.pointerId);
    });
    top.addEventListener("pointermove", (event) => (this.fingers.has(event.pointerId) ? this.drag(event) : this.hover(event)));
    const up = (event: PointerEvent) => {
      const held = this.fingers.delete(event.pointerId);
      const node = held && !this.dragged && event.type === "pointerup" ? this.nodeAt(event) : -1;
      if (node >= 0) this.open(this.graph.nodes[node]!.id);
    };
    top.addEventListener("pointerup", up);
    top.addEventListener("pointercancel", up);
    top.addEventListener("wheel", (event) => {
      event.preventDefault();
      const { x, y } = this.from(event);
      this.zoom(Math.exp(-event.deltaY / (event.ctrlKey ? 120 : 500)), x, y);
    }, { passive: false });
  }

  /** A place of the pointer, counted from the middle. */
  private from(event: MouseEvent): { x: number; y: number } {
    const box = this.top.getBoundingClientRect();
    return { x: event.clientX - box.left - box.width / 2, y: event.clientY - box.top - box.height / 2 };
  }

  private drag(event: PointerEvent): void {
    const before = this.fingers.get(event.pointerId)!;
    const now = this.from(event);
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (!this.dragged && Math.hypot(now.x - before.x, now.y - before.y) < CLICK_SLACK) return;
    this.dragged = true;
    this.touched = true;
    this.fingers.set(event.pointerId, now);
    if (other) this.zoom(Math.hypot(now.x - other.x, now.y - other.y) / Math.max(1, Math.hypot(before.x - other.x, before.y - other.y)), other.x, other.y);
    else {
      this.moved = { x: this.moved.x + now.x - before.x, y: this.moved.y + now.y - before.y };
      this.draw();
    }
  }

  private hover(event: PointerEvent): void {
    const node = this.nodeAt(event);
    if (node === this.over) return;
    this.over = node;
    this.top.style.cursor = node >= 0 ? "pointer" : "grab";
    this.draw();
  }

  private nodeAt(event: PointerEvent): number {
    const { x, y } = this.from(event);
    const [wantedX, wantedY] = [(x - this.moved.x) / this.scale, (y - this.moved.y) / this.scale];
    let [best, nearest] = [-1, (REACH / this.scale) ** 2];
    for (let at = 0; at < this.x.length; at++) {
      const far = (this.x[at]! - wantedX) ** 2 + (this.y[at]! - wantedY) ** 2;
      if (far < nearest && !this.look.hidden(at)) [best, nearest] = [at, far];
    }
    return best;
  }
}

function titleOf(title: string): string {
  return title.length > 40 ? `${title.slice(0, 39)}…` : title;
}

function colourOf(value: string): Colour {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(value.trim().slice(at, at + 2), 16) / 255);
  return [red || 0, green || 0, blue || 0, 1];
}
