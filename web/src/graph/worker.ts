// Lays a graph out, in a thread of its own: the page stays at hand however many notes there are.

import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationNodeDatum } from "d3-force";

export interface Task {
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** Two numbers for each link: from, to. */
  readonly links: Uint32Array;
  readonly sizes: Float32Array;
}
export interface Step {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly done: boolean;
}

interface Scope {
  onmessage: ((event: MessageEvent<Task>) => void) | null;
  postMessage: (step: Step, transfer: Transferable[]) => void;
}

const MANY = 300;
const VERY_MANY = 3000;
const TELL_MS = 40;
const scope = self as unknown as Scope;

scope.onmessage = ({ data }) => lay(data);

function lay({ x, y, links, sizes }: Task): void {
  const count = x.length;
  const dots: SimulationNodeDatum[] = Array.from(x, (_, at) => ({ x: x[at]!, y: y[at]! }));
  const pairs = Array.from({ length: links.length / 2 }, (_, at) => ({ source: links[2 * at]!, target: links[2 * at + 1]! }));
  const many = count > MANY;
  const simulation = forceSimulation(dots)
    .force("link", forceLink(pairs).distance(many ? 30 : 60))
    .force("apart", forceManyBody().strength(many ? -32 : -120).theta(many ? 1.3 : 0.9))
    .force("x", forceX().strength(many ? 0.045 : 0.06))
    .force("y", forceY().strength(many ? 0.045 : 0.06))
    .alphaDecay(count > VERY_MANY ? 0.045 : 0.035)
    .stop();
  if (count <= VERY_MANY) simulation.force("space", forceCollide((_, at) => sizes[at]! + 2));
  let told = performance.now();
  const tell = (done: boolean) => {
    const step = { x: Float32Array.from(dots, (dot) => dot.x!), y: Float32Array.from(dots, (dot) => dot.y!), done };
    scope.postMessage(step, [step.x.buffer, step.y.buffer]);
    told = performance.now();
  };
  while (simulation.alpha() > simulation.alphaMin()) {
    simulation.tick();
    if (performance.now() - told > TELL_MS) tell(false);
  }
  tell(true);
}
