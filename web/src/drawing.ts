// Lays a graph out and draws it: drag to move, wheel to zoom, click to open a note.

import { forceCenter, forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type Simulation, type SimulationLinkDatum, type SimulationNodeDatum } from "d3-force";

import type { Answers } from "./api.ts";

interface Dot extends SimulationNodeDatum {
  readonly id: string;
  readonly title: string;
  readonly radius: number;
}

const LABELS_MAX = 60;
const CLICK_SLACK = 4;
const MARGIN = { x: 56, y: 36 };
const FIT_MAX = 2.4;

export class Drawing {
  private readonly dots: Dot[];
  private readonly links: SimulationLinkDatum<Dot>[];
  private readonly simulation: Simulation<Dot, undefined>;
  private readonly watch: ResizeObserver;
  private scale = 1;
  private moved = { x: 0, y: 0 };
  private held: { x: number; y: number; dragged: boolean } | null = null;
  private over: Dot | null = null;
  private touched = false;

  constructor(private readonly canvas: HTMLCanvasElement, graph: Answers["graph"], private readonly here: string, private readonly open: (path: string) => void) {
    this.dots = graph.nodes.map(({ id, title, degree }) => ({ id, title, radius: 3 + Math.min(9, Math.sqrt(degree)) }));
    this.links = graph.edges.map(([source, target]) => ({ source, target }));
    const far = this.dots.length > 300 ? -30 : -120;
    this.simulation = forceSimulation(this.dots)
      .force("link", forceLink(this.links).distance(this.dots.length > 300 ? 30 : 60))
      .force("apart", forceManyBody().strength(far).theta(1.1))
      .force("centre", forceCenter())
      .force("x", forceX().strength(0.06))
      .force("y", forceY().strength(0.06))
      .force("space", forceCollide<Dot>((dot) => dot.radius + 2))
      .alphaDecay(0.05)
      .on("tick", () => this.show());
    this.watch = new ResizeObserver(() => this.resize());
    this.watch.observe(canvas);
    this.listen();
  }

  stop(): void {
    this.simulation.stop();
    this.watch.disconnect();
  }

  private resize(): void {
    const ratio = devicePixelRatio || 1;
    this.canvas.width = this.canvas.clientWidth * ratio;
    this.canvas.height = this.canvas.clientHeight * ratio;
    this.show();
  }

  private show(): void {
    if (!this.touched) this.fit();
    this.draw();
  }

  /** Let the notes fill the canvas, until somebody moves or zooms it. */
  private fit(): void {
    const [xs, ys] = [this.dots.map((dot) => dot.x ?? 0), this.dots.map((dot) => dot.y ?? 0)];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const wide = Math.max(1, this.canvas.clientWidth - 2 * MARGIN.x) / Math.max(1, right - left);
    const high = Math.max(1, this.canvas.clientHeight - 2 * MARGIN.y) / Math.max(1, bottom - top);
    this.scale = Math.min(FIT_MAX, Math.max(0.2, Math.min(wide, high)));
    this.moved = { x: (-(left + right) / 2) * this.scale, y: (-(top + bottom) / 2) * this.scale };
  }

  private listen(): void {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => {
      this.held = { x: event.offsetX, y: event.offsetY, dragged: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => this.onMove(event));
    canvas.addEventListener("pointerup", (event) => {
      const dot = this.held && !this.held.dragged ? this.dotAt(event) : null;
      this.held = null;
      if (dot) this.open(dot.id);
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.touched = true;
      this.scale = Math.min(6, Math.max(0.2, this.scale * Math.exp(-event.deltaY / 500)));
      this.draw();
    }, { passive: false });
  }

  private onMove(event: PointerEvent): void {
    if (this.held) {
      const [x, y] = [event.offsetX - this.held.x, event.offsetY - this.held.y];
      if (!this.held.dragged && Math.hypot(x, y) < CLICK_SLACK) return;
      this.touched = true;
      this.moved = { x: this.moved.x + x, y: this.moved.y + y };
      this.held = { x: event.offsetX, y: event.offsetY, dragged: true };
    } else {
      const dot = this.dotAt(event);
      if (dot === this.over) return;
      this.over = dot;
      this.canvas.style.cursor = dot ? "pointer" : "grab";
    }
    this.draw();
  }

  private dotAt(event: PointerEvent): Dot | null {
    const x = (event.offsetX - this.canvas.clientWidth / 2 - this.moved.x) / this.scale;
    const y = (event.offsetY - this.canvas.clientHeight / 2 - this.moved.y) / this.scale;
    return this.simulation.find(x, y, 14 / this.scale) ?? null;
  }

  draw(): void {
    const context = this.canvas.getContext("2d");
    if (!context) return;
    const ratio = devicePixelRatio || 1;
    const look = getComputedStyle(this.canvas);
    const colour = (name: string) => look.getPropertyValue(name).trim();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.canvas.clientWidth, this.canvas.clientHeight);
    context.translate(this.canvas.clientWidth / 2 + this.moved.x, this.canvas.clientHeight / 2 + this.moved.y);
    context.scale(this.scale, this.scale);
    this.drawLinks(context, colour("--line-strong"));
    for (const dot of this.dots) {
      context.beginPath();
      context.arc(dot.x ?? 0, dot.y ?? 0, this.radiusOf(dot), 0, 2 * Math.PI);
      context.fillStyle = dot.id === this.here || dot === this.over ? colour("--accent") : colour("--ink-faint");
      context.fill();
    }
    this.drawLabels(context, colour("--ink"), colour("--paper"), look.fontFamily);
  }

  /** Notes grow less than the space between them when the graph is small. */
  private radiusOf(dot: Dot): number {
    return this.scale > 1 ? (dot.radius * Math.sqrt(this.scale)) / this.scale : dot.radius;
  }

  private drawLinks(context: CanvasRenderingContext2D, colour: string): void {
    context.beginPath();
    for (const { source, target } of this.links) {
      const [from, to] = [source as Dot, target as Dot];
      context.moveTo(from.x ?? 0, from.y ?? 0);
      context.lineTo(to.x ?? 0, to.y ?? 0);
    }
    context.lineWidth = 1 / this.scale;
    context.strokeStyle = colour;
    context.stroke();
  }

  private drawLabels(context: CanvasRenderingContext2D, colour: string, halo: string, family: string): void {
    const shown = this.dots.length <= LABELS_MAX ? this.dots : [...this.dots].sort((a, b) => b.radius - a.radius).slice(0, 24);
    context.font = `${12 / this.scale}px ${family}`;
    context.lineJoin = "round";
    context.lineWidth = 3 / this.scale;
    context.strokeStyle = halo;
    context.textAlign = "center";
    context.fillStyle = colour;
    for (const dot of this.over && !shown.includes(this.over) ? [...shown, this.over] : shown) {
      const place = [dot.x ?? 0, (dot.y ?? 0) + this.radiusOf(dot) + 13 / this.scale] as const;
      context.strokeText(dot.title.slice(0, 40), ...place);
      context.fillText(dot.title.slice(0, 40), ...place);
    }
  }
}
