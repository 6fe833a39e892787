// Which names can be written beside each other: the most important first, none over another.

export interface Label {
  /** The middle of the text, and its upper edge, on the screen. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const CELL = 48;

/** Choose labels in the order given; returns the numbers of those that fit. */
export function placeLabels(labels: Iterable<Label>, width: number, height: number, most: number): number[] {
  const taken = new Map<number, Label[]>();
  const columns = Math.ceil(width / CELL) + 2;
  const chosen: number[] = [];
  let at = -1;
  for (const label of labels) {
    at++;
    if (chosen.length >= most) break;
    const [left, right] = [label.x - label.width / 2, label.x + label.width / 2];
    // A name that is cut off at the edge says nothing.
    if (left < 0 || right > width || label.y < 0 || label.y + label.height > height) continue;
    const cells: number[] = [];
    for (let row = Math.floor(label.y / CELL); row <= Math.floor((label.y + label.height) / CELL); row++) {
      for (let column = Math.floor(left / CELL); column <= Math.floor(right / CELL); column++) cells.push(row * columns + column);
    }
    if (cells.some((cell) => taken.get(cell)?.some((other) => overlap(label, other)))) continue;
    for (const cell of cells) {
      const there = taken.get(cell);
      if (there) there.push(label);
      else taken.set(cell, [label]);
    }
    chosen.push(at);
  }
  return chosen;
}

function overlap(one: Label, other: Label): boolean {
  return Math.abs(one.x - other.x) < (one.width + other.width) / 2 && one.y < other.y + other.height && other.y < one.y + one.height;
}
